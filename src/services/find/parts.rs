//! A need of several steps, taken apart: each step may want a tool of its own.

use std::sync::LazyLock;

use regex::Regex;

use satchel_model::text::head;

/// Characters of a need that are looked at: what follows is data rather than need.
pub const LONGEST: usize = 1_500;
/// Most parts that are looked for by themselves.
const MOST: usize = 8;
/// Words a part has at least.
const SHORTEST: usize = 3;

/// The end of a sentence, a line, or a word that goes on to the next step.
static SEAM: LazyLock<Result<Regex, regex::Error>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)[.!?;]\s+|\n+|,?\s+(?:and then|then|and also|and|also|additionally|finally|next|after that|afterwards|as well as|while|but|plus)\s+",
    )
});

/// The part of a need that is looked at.
pub fn beginning(need: &str) -> &str {
    head(need, LONGEST)
}

/// The steps of a need; none where it is one step.
pub fn split(need: &str) -> Vec<&str> {
    let Ok(seam) = SEAM.as_ref() else { return Vec::new() };
    let need = beginning(need);
    let mut parts = Vec::new();
    let mut start = 0;
    for found in seam.find_iter(need) {
        // A sentence keeps its mark: a question reads differently from an order.
        let mark = found.as_str().chars().next().filter(|c| ".!?;".contains(*c)).map_or(0, char::len_utf8);
        parts.extend(need.get(start..found.start() + mark));
        start = found.end();
    }
    parts.extend(need.get(start..));
    let trimmed = parts.into_iter().map(|part| part.trim_matches([' ', ',', '.', ';']));
    let mut parts: Vec<&str> = trimmed.filter(|part| part.split_whitespace().count() >= SHORTEST).collect();
    parts.truncate(MOST);
    if parts.len() > 1 { parts } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_is_a_part() {
        let need = "Look up the weather in Oslo, then book a train ticket. What does a taxi cost? Thanks a lot";
        assert_eq!(
            split(need),
            ["Look up the weather in Oslo", "book a train ticket", "What does a taxi cost?", "Thanks a lot"]
        );
    }

    #[test]
    fn a_need_of_one_step_has_no_parts() {
        assert!(split("add up some numbers").is_empty());
        assert!(split("read and write").is_empty());
        assert!(split("").is_empty());
    }

    #[test]
    fn only_the_beginning_of_a_long_text_is_looked_at() {
        let long = format!("read the file {} and send the mail", "é".repeat(2 * LONGEST));
        assert!(split(&long).is_empty());
        assert_eq!(beginning(&long).chars().count(), LONGEST);
    }
}
