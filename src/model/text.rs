//! Texts brought to a length and a shape that can be shown.

use std::borrow::Cow;

/// The first `most` characters of a text.
pub fn head(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most).map_or(text.len(), |(end, _)| end);
    text.get(..end).unwrap_or(text)
}

/// The first `most` characters of a text, with "…" after them where some are missing.
pub fn clip(text: &str, most: usize) -> Cow<'_, str> {
    let head = head(text, most);
    if head.len() == text.len() { text.into() } else { format!("{}…", head.trim_end()).into() }
}

/// A text on one line, with single spaces.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first `most` characters of a text that are no control characters.
pub fn printable(text: &str, most: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_not_bytes() {
        assert_eq!(
            (head("größer", 4), head("größer", 6), head("größer", 9), head("", 3)),
            ("größ", "größer", "größer", "")
        );
    }

    #[test]
    fn what_is_clipped_says_so() {
        assert_eq!(clip("größer", 6), "größer");
        assert_eq!(clip("größer", 5), "größe…");
        assert_eq!(clip("one two", 4), "one…");
        assert_eq!(clip("one", 0), "…");
    }

    #[test]
    fn a_line_has_single_spaces_and_no_ends() {
        assert_eq!(one_line(" one\n\ttwo  three\r\n"), "one two three");
    }

    #[test]
    fn control_characters_are_not_printed() {
        assert_eq!(printable("a\u{1b}[0m\nbc", 5), "a[0mb");
    }
}
