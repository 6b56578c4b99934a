//! Rust source cut into code and string literals, so that a rule never trips over a comment or a text.

/// A source file's two faces.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The code, with comments gone and each literal's content gone; lines stay where they were.
    pub code: String,
    /// Each string literal with its line, counted from 1.
    pub strings: Vec<(usize, String)>,
}

/// Reads enough of Rust's grammar: line and nested block comments, strings, raw strings, characters, lifetimes.
pub fn read(text: &str) -> Source {
    let chars: Vec<char> = text.chars().collect();
    let mut source = Source::default();
    let mut line = 1;
    let mut at = 0;
    while at < chars.len() {
        let rest = &chars[at..];
        let taken = match rest {
            ['/', '/', ..] => rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()),
            ['/', '*', ..] => block_comment(rest),
            ['r', '"' | '#', ..] | ['b', 'r', '"' | '#', ..] if !after_word(&source.code) => raw_string(rest),
            ['"', ..] => quoted(rest),
            ['\'', '\\', _, after @ ..] => 3 + after.iter().position(|c| *c == '\'').map_or(0, |end| end + 1),
            ['\'', _, '\'', ..] => 3,
            _ => 0,
        };
        let taken = taken.min(rest.len());
        if taken == 0 {
            source.code.push(rest[0]);
            line += usize::from(rest[0] == '\n');
            at += 1;
            continue;
        }
        let piece = &rest[..taken];
        if let Some(literal) = content(piece) {
            source.strings.push((line, literal));
            source.code.push_str("\"\"");
        }
        let lines = piece.iter().filter(|c| **c == '\n').count();
        source.code.push_str(&"\n".repeat(lines));
        line += lines;
        at += taken;
    }
    source
}

/// Returns whether the code so far ends within a word: then an `r` is its last letter, not the start of a raw string.
fn after_word(code: &str) -> bool {
    code.chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_')
}

fn block_comment(rest: &[char]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match rest[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// The length of a raw string; 0 where the `r#` begins a raw identifier.
fn raw_string(rest: &[char]) -> usize {
    let start = rest.iter().position(|c| *c == 'r').map_or(0, |r| r + 1);
    let hashes = rest[start..].iter().take_while(|c| **c == '#').count();
    let open = start + hashes;
    if rest.get(open) != Some(&'"') {
        return 0;
    }
    let closing: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let body = &rest[open + 1..];
    let end = body.windows(closing.len()).position(|window| window == closing);
    end.map_or(rest.len(), |end| open + 1 + end + closing.len())
}

fn quoted(rest: &[char]) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != '"' {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// Returns what stands between the quotes of a string literal; `None` for a comment or a character.
fn content(piece: &[char]) -> Option<String> {
    if matches!(piece, ['/', ..] | ['\'', ..]) {
        return None;
    }
    let open = piece.iter().position(|c| *c == '"')?;
    let close = piece.iter().rposition(|c| *c == '"').filter(|close| *close > open)?;
    Some(piece[open + 1..close].iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_leave_the_code() {
        let source = read("a // \"x\"\n/* b /* c */ \" */ d(\"e\\\"f\", r#\"g\"h\"#, '\"', 'x', b\"i\") 'life r#type");
        assert_eq!(source.code, "a \n d(\"\", \"\", , , b\"\") 'life r#type");
        let texts: Vec<&str> = source.strings.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["e\\\"f", "g\"h", "i"]);
    }

    #[test]
    fn lines_are_counted_through_literals() {
        let source = read("\"one\ntwo\"\nlet x = \"three\"; // four\n");
        assert_eq!(source.strings, [(1, "one\ntwo".to_owned()), (3, "three".to_owned())]);
        assert_eq!(source.code.lines().count(), 3);
    }

    #[test]
    fn an_escaped_quote_character_does_not_open_a_string() {
        assert_eq!(read(r"x('\'', '\\', '\u{1f}') y").code, "x(, , ) y");
    }

    #[test]
    fn an_unclosed_literal_ends_with_the_file() {
        assert_eq!(read("a \"b").code, "a ");
        assert_eq!(read("a /* b").code, "a ");
    }
}
