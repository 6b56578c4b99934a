//! The words of a curl command as its shell takes it apart: a POSIX shell, or the Windows command line.

use std::{iter::Peekable, str::Chars};

use satchel_model::error::{Error, Result};

/// A word.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// The text the program is given.
    pub(super) text: String,
    /// The first variable in it that a shell would have put in place.
    pub(super) variable: Option<String>,
}

/// Takes what was pasted apart: each command, with its name as its first word.
pub(super) fn commands(text: &str) -> Result<Vec<Vec<Word>>> {
    let is_windows = text.contains(" ^\"") || text.lines().any(|line| line.trim_end().ends_with('^'));
    if is_windows { of_windows(&without_carets(text)) } else { of_shell(text) }
}

fn unclosed() -> Error {
    Error::invalid("A quote of the curl command is never closed.")
}

/// The part of the commands that has been read so far.
#[derive(Default)]
struct Reading {
    commands: Vec<Vec<Word>>,
    words: Vec<Word>,
    word: Option<Word>,
    /// The next word names the file of a redirection: it is no argument.
    is_file: bool,
}

impl Reading {
    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        let is_prompt = self.words.is_empty() && word.text == "$" && word.variable.is_none();
        if !std::mem::take(&mut self.is_file) && !is_prompt {
            self.words.push(word);
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.is_file = false;
        let words = std::mem::take(&mut self.words);
        match (words.first(), self.commands.last_mut()) {
            (None, _) => {}
            // No command is named so: a backslash at the end of the line before was lost.
            (Some(first), Some(last)) if first.text.starts_with('-') => last.extend(words),
            _ => self.commands.push(words),
        }
    }

    /// A `<` or `>`: the number of a stream before it, and the file after it, are no arguments.
    fn redirect(&mut self) {
        let is_stream = |word: &Word| !word.text.is_empty() && word.text.chars().all(|c| c.is_ascii_digit());
        self.word = self.word.take().filter(|word| !is_stream(word));
        self.end_word();
        self.is_file = true;
    }

    fn end(mut self) -> Vec<Vec<Word>> {
        self.end_command();
        self.commands
    }
}

/// <https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02>, and `$'…'` as Bash has it.
fn of_shell(text: &str) -> Result<Vec<Vec<Word>>> {
    let (mut read, mut here) = (Reading::default(), None);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if is_rest_blank(&mut chars) => {}
            '\\' => read.word().text.extend(chars.next()),
            '\'' => single(&mut chars, read.word())?,
            '"' => double(&mut chars, read.word())?,
            '$' if chars.next_if_eq(&'\'').is_some() => escaped(&mut chars, read.word())?,
            '$' => dollar(&chars, read.word()),
            '#' if read.word.is_none() => while chars.next_if(|c| *c != '\n').is_some() {},
            '<' if is_placeholder(&chars) => read.word().text.push('<'),
            '>' if read.word.as_ref().is_some_and(|word| is_opened(&word.text)) => read.word().text.push('>'),
            '<' if chars.next_if_eq(&'<').is_some() => {
                here = delimiter(&mut chars).or(here);
            }
            '<' | '>' => {
                while chars.next_if(|c| matches!(c, '<' | '>' | '&')).is_some() {}
                read.redirect();
            }
            '&' if chars.peek() == Some(&'>') => {}
            '&' if is_in_query(read.word.as_ref(), &mut chars) => read.word().text.push('&'),
            '\n' => {
                read.end_command();
                if let Some(end) = here.take() {
                    skip_lines(&mut chars, &end);
                }
            }
            '|' | ';' | '&' => read.end_command(),
            c if c.is_whitespace() => read.end_word(),
            c => read.word().text.push(c),
        }
    }
    Ok(read.end())
}

/// Returns whether nothing follows on this line; its end is taken. Blanks behind a backslash are easily pasted along.
fn is_rest_blank(chars: &mut Peekable<Chars<'_>>) -> bool {
    let mut ahead = chars.clone();
    while ahead.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
    let ends = ahead.peek().is_none() || is_line_end(&mut ahead);
    if ends {
        *chars = ahead;
    }
    ends
}

/// Returns whether a `<` begins a placeholder, `<id>`, which documentation leaves without quotes.
fn is_placeholder(chars: &Peekable<Chars<'_>>) -> bool {
    let mut ahead = chars.clone();
    let starts = ahead.next_if(char::is_ascii_alphabetic).is_some();
    while ahead.next_if(|c| c.is_ascii_alphanumeric() || "_-".contains(*c)).is_some() {}
    starts && ahead.next() == Some('>')
}

/// Returns whether a placeholder was begun at the end of a text.
fn is_opened(text: &str) -> bool {
    let name = text.rsplit_once('<').map(|(_, name)| name);
    name.is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)))
}

/// Returns whether an `&` parts two values of an address that was left without quotes.
fn is_in_query(word: Option<&Word>, chars: &mut Peekable<Chars<'_>>) -> bool {
    let in_query = word.is_some_and(|word| word.text.contains("://") && word.text.contains('?'));
    in_query && chars.peek().is_some_and(char::is_ascii_alphanumeric)
}

/// Returns the word that ends the lines a command reads as its input, after `<<`.
fn delimiter(chars: &mut Peekable<Chars<'_>>) -> Option<String> {
    while chars.next_if(|c| matches!(c, '-' | ' ' | '\t')).is_some() {}
    let mut end = String::new();
    while let Some(c) = chars.next_if(|c| !c.is_whitespace() && !";|&<>".contains(*c)) {
        end.push(c);
    }
    let end = end.trim_matches(['\'', '"', '\\']);
    (!end.is_empty()).then(|| end.to_owned())
}

/// Leaves out the lines up to this one.
fn skip_lines(chars: &mut Peekable<Chars<'_>>, end: &str) {
    while chars.peek().is_some() {
        let line: String = chars.by_ref().take_while(|c| *c != '\n').collect();
        if line.trim() == end {
            return;
        }
    }
}

/// Returns whether a line ends here; its end is taken.
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

/// Returns what the Windows command line hands on: `^` takes the next character as it is, but for those in bare quotes.
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
fn of_windows(text: &str) -> Result<Vec<Vec<Word>>> {
    let (mut read, mut quoted) = (Reading::default(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let mut slashes = 1;
                while chars.next_if_eq(&'\\').is_some() {
                    slashes += 1;
                }
                let before_quote = chars.peek() == Some(&'"');
                let word = read.word();
                word.text.extend(std::iter::repeat_n('\\', if before_quote { slashes / 2 } else { slashes }));
                if before_quote && slashes % 2 == 1 {
                    word.text.extend(chars.next());
                }
            }
            '"' => {
                quoted = !quoted;
                read.word();
            }
            '\n' | '&' | '|' if !quoted => read.end_command(),
            '>' if !quoted => read.redirect(),
            c if !quoted && c.is_whitespace() => read.end_word(),
            c => read.word().text.push(c),
        }
    }
    if quoted { Err(unclosed()) } else { Ok(read.end()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(command: &str) -> Vec<String> {
        all(command).remove(0)
    }

    fn all(text: &str) -> Vec<Vec<String>> {
        let texts = |words: Vec<Word>| words.into_iter().map(|word| word.text).collect();
        commands(text).unwrap().into_iter().map(texts).collect()
    }

    #[test]
    fn what_a_shell_would_run_one_after_the_other_is_parted() {
        let ab = [vec!["curl", "a"], vec!["curl", "b"]];
        for text in [
            "curl a\ncurl b",
            "$ curl a\r\n\r\n$ curl b\n",
            "curl a && curl b",
            "curl a; curl b ;",
            "curl a | curl b",
            "curl a & curl b &",
            "curl a > out.txt\ncurl b 2>/dev/null",
            "curl a &>out\ncurl b 2>&1",
            "curl a <<'EOF'\ncurl x\nEOF\ncurl b",
            "curl ^\na\ncurl ^\nb",
            "curl \"a\" ^\n & curl b",
        ] {
            assert_eq!(all(text), ab, "{text}");
        }
        assert_eq!(all("curl a \\  \n  -H x\n  -d y"), [["curl", "a", "-H", "x", "-d", "y"]]);
        assert_eq!(all("curl 'a;b\nc' \"d|e\" f\\&g"), [["curl", "a;b\nc", "d|e", "f&g"]]);
        assert_eq!(
            all("curl http://a/<id>/x?b=1&c=2 | jq ."),
            [vec!["curl", "http://a/<id>/x?b=1&c=2"], vec!["jq", "."]]
        );
    }

    #[test]
    fn quotes_are_read_as_a_shell_reads_them() {
        assert_eq!(texts(r#"curl 'a b' "c\"d\e\\f" g\ h ''"#), ["curl", "a b", r#"c"d\e\f"#, "g h", ""]);
        assert_eq!(texts("curl \"a\\\nb\" c \\\r\n d # e\n| f"), ["curl", "ab", "c", "d"]);
        assert_eq!(texts(r"curl $'it\'s \u00e9\x21\n\q' x"), ["curl", "it's é!\n\\q", "x"]);
        assert!(commands("curl 'a").is_err() && commands("curl $'a\\'").is_err());
    }

    #[test]
    fn a_variable_is_seen_where_the_shell_would_put_it_in_place() {
        let command = commands(r#"curl $HOST/x "a${B}c" '$D' "\$E" 5$ $(id)"#).unwrap().remove(0);
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
