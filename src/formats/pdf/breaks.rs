//! The line breaks of a paragraph: after a blank or a hyphen, between characters of scripts without blanks, and within
//! a word only where it is too long for a line.

use std::ops::Range;

use super::face::Faces;

/// The lines of a text, none wider than `room`, which is a share of the size. Line breaks of its own are kept.
pub(super) fn lines(text: &str, faces: &Faces<'_>, room: f32) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        fill(text, start..start + line.len(), faces, room, &mut lines);
        start += line.len() + 1;
    }
    lines
}

fn fill(text: &str, whole: Range<usize>, faces: &Faces<'_>, room: f32, lines: &mut Vec<Range<usize>>) {
    let (mut start, mut end, mut width) = (whole.start, whole.start, 0.0);
    for word in words(text, whole.clone()) {
        let part = text.get(word.clone()).unwrap_or_default();
        let (visible, full) = (faces.width(part.trim_end()), faces.width(part));
        if width + visible > room && end > start {
            lines.push(start..end);
            (start, width) = (end, 0.0);
        }
        if visible > room {
            for (at, c) in part.char_indices() {
                let one = faces.width(part.get(at..at + c.len_utf8()).unwrap_or_default());
                if width + one > room && word.start + at > start {
                    lines.push(start..word.start + at);
                    (start, width) = (word.start + at, 0.0);
                }
                width += one;
            }
        } else {
            width += full;
        }
        end = word.end;
    }
    lines.push(start..whole.end);
}

/// Pieces that stay together, each with the blanks behind it.
fn words(text: &str, whole: Range<usize>) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = whole.start;
    let mut chars = text.get(whole.clone()).unwrap_or_default().char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = whole.start + at + c.len_utf8();
        let next = chars.peek().map(|(_, c)| *c);
        let blank = c == ' ' && next != Some(' ');
        let hyphen = matches!(c, '-' | '–' | '—' | '/') && next.is_some_and(char::is_alphabetic);
        let dense = (is_dense(c) || next.is_some_and(is_dense)) && !next.is_some_and(closes) && !opens(c);
        if next.is_none() || blank || hyphen || dense {
            words.push(start..end);
            start = end;
        }
    }
    words
}

/// Characters of scripts that set no blanks between words.
fn is_dense(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

/// Characters no line begins with.
fn closes(c: char) -> bool {
    c.is_whitespace() || ",.;:!?)]}»”’%、。，．・：；？！）］｝〉》」』】〕ー々".contains(c)
}

/// Characters no line ends with.
fn opens(c: char) -> bool {
    "([{«“‘（［｛〈《「『【〔".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(text: &str, room: f32) -> Vec<&str> {
        let faces = Faces::new(super::super::fonts::regular(), &[]).unwrap();
        lines(text, &faces, room).into_iter().map(|line| &text[line]).collect()
    }

    #[test]
    fn lines_end_where_words_do() {
        assert_eq!(broken("one two three four", 4.6), ["one two ", "three ", "four"]);
        assert_eq!(broken("a\n\nb", 5.0), ["a", "", "b"]);
        assert_eq!(broken("well-known fact", 3.5), ["well-", "known ", "fact"]);
        assert_eq!(broken("", 5.0), [""]);
    }

    #[test]
    fn a_word_too_long_is_cut_and_nothing_is_lost() {
        let text = format!("x {} y", "m".repeat(40));
        let lines = broken(&text, 8.0);
        assert_eq!(lines.concat(), text);
        assert!(lines.len() > 4, "{lines:?}");
    }

    #[test]
    fn scripts_without_blanks_break_between_characters() {
        let text = "日本語の文章、です。";
        let ranges: Vec<&str> = words(text, 0..text.len()).into_iter().map(|word| &text[word]).collect();
        assert_eq!(ranges, ["日", "本", "語", "の", "文", "章、", "で", "す。"]);
    }
}
