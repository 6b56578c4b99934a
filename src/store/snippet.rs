//! The part of a text that holds what somebody searched for.

/// Most characters a line shows.
const SHOWN: usize = 140;
/// Of those, how many stand before what was searched for.
const LEAD: usize = 40;

/// Returns the line of a text that holds these words, cut around them where it is long. Capitals make no difference.
/// `None` where no line holds them.
pub(super) fn line(text: &str, wanted: &str) -> Option<String> {
    let wanted = wanted.trim().to_lowercase();
    let found = text.lines().find(|line| line.to_lowercase().contains(&wanted))?;
    let found = found.trim();
    let lower = found.to_lowercase();
    // Some small letters are longer than their capitals: near enough for where to begin.
    let before = lower.find(&wanted).and_then(|at| lower.get(..at)).map_or(0, |text| text.chars().count());
    let start = before.saturating_sub(LEAD);
    let letters: Vec<char> = found.chars().collect();
    let cut: String = letters.iter().skip(start).take(SHOWN).collect();
    let ends = start.saturating_add(SHOWN) >= letters.len();
    Some(format!("{}{}{}", if start > 0 { "…" } else { "" }, cut.trim(), if ends { "" } else { "…" }))
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn the_line_that_holds_the_words_is_cut_around_them() {
        assert_eq!(line("One.\nThe Invoice is late.\nTwo.", "invoice is"), Some("The Invoice is late.".to_owned()));
        let long = format!("{} needle {}", "hay ".repeat(50), "hay ".repeat(50));
        let cut = line(&long, "NEEDLE").unwrap();
        assert!(
            cut.starts_with('…') && cut.ends_with('…') && cut.contains("needle") && cut.chars().count() <= 142,
            "{cut}"
        );
        assert_eq!(line("Nothing here.", "needle"), None);
        assert_eq!(line("İstanbul 'da toplantı var", "toplantı"), Some("İstanbul 'da toplantı var".to_owned()));
    }
}
