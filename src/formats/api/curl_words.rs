//! The words of a curl command as its shell takes it apart: a POSIX shell, or the Windows command line.

use std::{iter::Peekable, str::Chars};

use crate::model::error::{Error, Result};

/// A word.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// What the program is given.
    pub(super) text: String,
    /// The first variable in it that a shell would have put in place.
    pub(super) variable: Option<String>,
}

/// Takes a command apart.
pub(super) fn words(text: &str) -> Result<Vec<Word>> {
    let text = text.trim_start_matches(['$', ' ']);
    let is_windows = text.contains(" ^\"") || text.lines().any(|line| line.trim_end().ends_with('^'));
    if is_windows { of_windows(&without_carets(text)) } else { of_shell(text) }
}

fn unclosed() -> Error {
    Error::invalid("A quote of the curl command is never closed.")
}

/// <https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02>, and `$'…'` as Bash has it.
fn of_shell(text: &str) -> Result<Vec<Word>> {
    let (mut words, mut word): (Vec<Word>, Option<Word>) = (Vec::new(), None);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if is_line_end(&mut chars) => {}
            '\\' => word.get_or_insert_default().text.extend(chars.next()),
            '\'' => single(&mut chars, word.get_or_insert_default())?,
            '"' => double(&mut chars, word.get_or_insert_default())?,
            '$' if chars.next_if_eq(&'\'').is_some() => escaped(&mut chars, word.get_or_insert_default())?,
            '$' => dollar(&chars, word.get_or_insert_default()),
            '#' if word.is_none() => while chars.next_if(|c| *c != '\n').is_some() {},
            '|' | ';' | '&' | '>' => break,
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().text.push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Whether a line ends here; its end is taken.
fn is_line_end(chars: &mut Peekable<Chars<'_>>) -> bool {
    let carriage = chars.next_if_eq(&'\r').is_some();
    chars.next_if_eq(&'\n').is_some() || carriage
}

fn single(chars: &mut Peekable<Chars<'_>>, word: &mut Word) -> Result<()> {
    loop {
        match chars.next().ok_or_else(unclosed)? {
            '\'' => return Ok(()),
            c => word.text.push(c),
        }
    }
}

fn double(chars: &mut Peekable<Chars<'_>>, word: &mut Word) -> Result<()> {
    loop {
        match chars.next().ok_or_else(unclosed)? {
            '"' => return Ok(()),
            '\\' if is_line_end(chars) => {}
            '\\' => match chars.next_if(|c| matches!(c, '$' | '`' | '"' | '\\')) {
                Some(c) => word.text.push(c),
                None => word.text.push('\\'),
            },
            '$' => dollar(chars, word),
            c => word.text.push(c),
        }
    }
}

/// A `$` that may begin a variable.
fn dollar(chars: &Peekable<Chars<'_>>, word: &mut Word) {
    word.text.push('$');
    let rest: String = chars.clone().take(40).collect();
    let name = match rest.strip_prefix(['{', '(']) {
        Some(inside) => inside.split(['}', ')']).next().unwrap_or_default(),
        None => rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default(),
    };
    if !name.is_empty() {
        word.variable.get_or_insert_with(|| format!("${name}"));
    }
}

/// A text in `$'…'`, after its opening.
fn escaped(chars: &mut Peekable<Chars<'_>>, word: &mut Word) -> Result<()> {
    loop {
        let c = match chars.next().ok_or_else(unclosed)? {
            '\'' => return Ok(()),
            '\\' => chars.next().ok_or_else(unclosed)?,
            c => {
                word.text.push(c);
                continue;
            }
        };
        let text = &mut word.text;
        match c {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'a' => text.push('\u{7}'),
            'b' => text.push('\u{8}'),
            'e' | 'E' => text.push('\u{1b}'),
            'f' => text.push('\u{c}'),
            'v' => text.push('\u{b}'),
            'x' => text.extend(hex(chars, 2)),
            'u' => text.extend(hex(chars, 4)),
            'U' => text.extend(hex(chars, 8)),
            '\\' | '\'' | '"' | '?' => text.push(c),
            c => text.extend(['\\', c]),
        }
    }
}

/// The character whose number stands next, in at most so many digits.
fn hex(chars: &mut Peekable<Chars<'_>>, most: usize) -> Option<char> {
    let mut digits = String::new();
    while digits.len() < most
        && let Some(digit) = chars.next_if(char::is_ascii_hexdigit)
    {
        digits.push(digit);
    }
    char::from_u32(u32::from_str_radix(&digits, 16).ok()?)
}

/// What the Windows command line hands on: `^` takes the next character as it is, but for those in bare quotes.
fn without_carets(text: &str) -> String {
    let (mut out, mut quoted) = (String::with_capacity(text.len()), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '^' if !quoted => {
                if !is_line_end(&mut chars) {
                    out.extend(chars.next());
                } else if is_line_end(&mut chars) {
                    out.push('\n');
                }
            }
            c => {
                quoted ^= c == '"';
                out.push(c);
            }
        }
    }
    out
}

/// As programs on Windows take their command line apart: a backslash means something before a quote only.
fn of_windows(text: &str) -> Result<Vec<Word>> {
    let (mut words, mut word, mut quoted): (Vec<Word>, Option<Word>, bool) = (Vec::new(), None, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let mut slashes = 1;
                while chars.next_if_eq(&'\\').is_some() {
                    slashes += 1;
                }
                let before_quote = chars.peek() == Some(&'"');
                let word = word.get_or_insert_default();
                word.text.extend(std::iter::repeat_n('\\', if before_quote { slashes / 2 } else { slashes }));
                if before_quote && slashes % 2 == 1 {
                    word.text.extend(chars.next());
                }
            }
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            c if !quoted && c.is_whitespace() => words.extend(word.take()),
            '&' | '|' | '>' if !quoted => break,
            c => word.get_or_insert_default().text.push(c),
        }
    }
    if quoted {
        return Err(unclosed());
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(command: &str) -> Vec<String> {
        words(command).unwrap().into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn quotes_are_read_as_a_shell_reads_them() {
        assert_eq!(texts(r#"curl 'a b' "c\"d\e\\f" g\ h ''"#), ["curl", "a b", r#"c"d\e\f"#, "g h", ""]);
        assert_eq!(texts("curl \"a\\\nb\" c \\\r\n d # e\n| f"), ["curl", "ab", "c", "d"]);
        assert_eq!(texts(r"curl $'it\'s \u00e9\x21\n\q' x"), ["curl", "it's é!\n\\q", "x"]);
        assert!(words("curl 'a").is_err() && words("curl $'a\\'").is_err());
    }

    #[test]
    fn a_variable_is_seen_where_the_shell_would_put_it_in_place() {
        let command = words(r#"curl $HOST/x "a${B}c" '$D' "\$E" 5$ $(id)"#).unwrap();
        let found: Vec<Option<&str>> = command.iter().map(|word| word.variable.as_deref()).collect();
        assert_eq!(found, [None, Some("$HOST"), Some("$B"), None, None, None, Some("$id")]);
    }

    #[test]
    fn what_a_browser_copies_for_the_windows_command_line_is_read() {
        let copied = "curl ^\"https://a.example/x?a=1^&b=^%^20c^\" ^\r\n  -H ^\"X-A: ^\\^\"b^\\^\"^\" ^\r\n  --data-raw ^\"^{^\\^\"n^\\^\":1^}^\"";
        let wanted = ["curl", "https://a.example/x?a=1&b=%20c", "-H", "X-A: \"b\"", "--data-raw", "{\"n\":1}"];
        assert_eq!(texts(copied), wanted);
        let older = "curl \"https://a.example/^x\" ^\n -H \"a: \\\"b\\\"\"";
        assert_eq!(texts(older), ["curl", "https://a.example/^x", "-H", "a: \"b\""]);
    }
}
