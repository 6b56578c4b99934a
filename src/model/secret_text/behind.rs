//! Secrets that stand behind their name in a text: a setting, a member of JSON, YAML or code, an option of a command, an
//! element of XML, a header, a scheme's credential.
//!
//! A pattern finds only where a value begins; how far it goes is looked at where it is one to hide, so that one name behind
//! another is found as well, and a text is gone through once.

use std::{borrow::Cow, sync::LazyLock};

use regex::{Captures, Regex};

use super::Pattern;
use crate::{
    secret::MASK,
    secret_name::{is_credential, is_secret},
};

/// Finds the value after a name: its beginning and end in the rest of the text. `None` if it is nobody's secret.
type Value = fn(&Captures<'_>, &str) -> Option<(usize, usize)>;

/// `name=value`, a setting or a field of a form, also encoded: written together, as nobody writes a sentence or a comparison.
static SETTING: Pattern = LazyLock::new(|| Regex::new(r"(?P<name>[A-Za-z][A-Za-z0-9_.-]{1,60})(?:=|%3[Dd])"));
/// `"name": "value"` and `name = 'value'`, as in JSON, YAML and code; within another text its quotes are escaped.
static MEMBER: Pattern =
    LazyLock::new(|| Regex::new(r#"(?P<name>[A-Za-z][A-Za-z0-9_.-]{1,60})\\?["']?\s*[:=]\s*(?P<quote>\\?["'])"#));
/// `"names": ["value", …]`, a list of them.
static LIST: Pattern = LazyLock::new(|| Regex::new(r#"(?P<name>[A-Za-z][A-Za-z0-9_.-]{1,60})\\?["']?\s*[:=]\s*\["#));
/// `name: value` and `name = value`, alone on its line, as in YAML and INI.
static LINE: Pattern =
    LazyLock::new(|| Regex::new(r"(?m)^[ \t]*(?:-[ \t]+)?(?P<name>[A-Za-z][A-Za-z0-9_.-]{1,60})(?::|[ \t]+=)[ \t]+"));
/// `name: >-` and the lines below it, further in, as in YAML.
static BLOCK: Pattern = LazyLock::new(|| {
    Regex::new(
        r"(?m)^(?P<indent>[ \t]*)(?:-[ \t]+)?(?P<name>[A-Za-z][A-Za-z0-9_.-]{1,60}):[ \t]+[|>][0-9+-]*[ \t]*\r?\n",
    )
});
/// `--name value`, an option of a command.
static OPTION: Pattern = LazyLock::new(|| Regex::new(r"--(?P<name>[A-Za-z][A-Za-z0-9_-]{1,60})[ \t]+"));
/// `set name value`, of commands that keep settings.
static KEPT: Pattern =
    LazyLock::new(|| Regex::new(r"\b(?:setx|configure[ \t]+set)[ \t]+(?P<name>[A-Za-z][A-Za-z0-9_.-]{1,60})[ \t]+"));
/// Commands and a file whose grammar says where a password stands: curl, MySQL, netrc.
static PLACED: Pattern = LazyLock::new(|| {
    Regex::new(concat!(
        r#"\bcurl\b[^\n|;]*?[ \t](?:-u|--user)[ =]?["']?[^\s:"']+:"#,
        r"|\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;]*?[ \t]-p",
        r"|\bmachine\s+\S+\s+login\s+\S+\s+password\s+",
    ))
});
/// `<name>value</name>`, an element of XML.
static ELEMENT: Pattern = LazyLock::new(|| Regex::new(r"<(?:[\w-]+:)?(?P<name>[A-Za-z][A-Za-z0-9_.-]{1,60})>"));
/// `Name: value`, a header of a request.
static HEADER: Pattern = LazyLock::new(|| Regex::new(r"(?P<name>[A-Za-z][A-Za-z0-9-]{1,60}):[ \t]*"));
/// `Bearer …` and `Basic …`, with or without the header's name before it.
static SCHEME: Pattern = LazyLock::new(|| Regex::new(r"(?i)\b(?P<name>bearer|basic)\s+"));

/// The shortest credential that is known by its look.
const CREDENTIAL: usize = 8;

/// A text without what stands behind the name of a secret.
pub(super) fn hidden(text: Cow<'_, str>) -> Cow<'_, str> {
    let text = if text.contains(['=', '%']) { without(text, &SETTING, setting) } else { text };
    let text = if text.contains([':', '=']) { without(text, &MEMBER, member) } else { text };
    let text = if text.contains('[') { without(text, &LIST, list) } else { text };
    let text = if text.contains(':') { without(text, &HEADER, header) } else { text };
    let text = if text.contains([':', '=']) { without(text, &LINE, line) } else { text };
    let text = if text.contains(['|', '>']) { without(text, &BLOCK, block) } else { text };
    let text = if text.contains("set") { without(text, &KEPT, option) } else { text };
    let text = if ["curl", "mysql", "mariadb", "machine"].iter().any(|word| text.contains(word)) {
        without(text, &PLACED, placed)
    } else {
        text
    };
    let text = if text.contains("--") { without(text, &OPTION, option) } else { text };
    let text = if text.contains("</") { without(text, &ELEMENT, element) } else { text };
    without(text, &SCHEME, scheme)
}

fn without<'a>(text: Cow<'a, str>, head: &Pattern, value: Value) -> Cow<'a, str> {
    let Ok(head) = head.as_ref() else { return Cow::Borrowed(MASK) };
    let (mut made, mut done) = (String::new(), 0);
    for found in head.captures_iter(&text) {
        let Some(end) = found.get(0).map(|head| head.end()).filter(|end| *end >= done) else { continue };
        let rest = text.get(end..).unwrap_or_default();
        let Some((from, to)) = value(&found, rest).filter(|(from, to)| from < to) else { continue };
        made.push_str(text.get(done..end + from).unwrap_or_default());
        made.push_str(MASK);
        done = end + to;
    }
    if done == 0 {
        return text;
    }
    made.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(made)
}

fn name<'a>(found: &'a Captures<'_>) -> &'a str {
    found.name("name").map_or("", |name| name.as_str())
}

fn setting(found: &Captures<'_>, rest: &str) -> Option<(usize, usize)> {
    if !is_secret(name(found)) || rest.starts_with(['=', '(', ')', '[', ']', '{', '}']) {
        return None;
    }
    let quote = rest.chars().next().filter(|c| "\"'".contains(*c));
    let end = match quote {
        Some(quote) => rest.get(1..)?.find([quote, '\n']).map(|end| end + 2),
        None => {
            let begins = scheme_word(rest);
            let word = rest.get(begins..)?;
            word.find(|c: char| c.is_whitespace() || "&;,\"'<>".contains(c)).map(|end| begins + end)
        }
    };
    Some((0, end.unwrap_or(rest.len()).min(rest.len())))
}

/// Bytes of the scheme's name before a credential, with the space after it; 0 where there is none.
fn scheme_word(text: &str) -> usize {
    let is = |word: &&str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    ["bearer ", "basic "].iter().find(|word| is(word)).map_or(0, |word| word.len())
}

fn member(found: &Captures<'_>, rest: &str) -> Option<(usize, usize)> {
    if !is_secret(name(found)) {
        return None;
    }
    let quote = found.name("quote").map_or("", |quote| quote.as_str());
    let (mark, within_another) = (quote.chars().next_back()?, quote.len() > 1);
    let mut escaped = false;
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            // YAML writes an apostrophe twice where one is meant.
            '\'' if c == mark && !escaped && chars.next_if(|(_, next)| *next == mark).is_some() => {}
            _ if c == mark && !escaped => return Some((0, at)),
            // The quote that ends it is escaped, as the one that began it was.
            _ if c == mark && within_another => return Some((0, at.saturating_sub(1))),
            '\n' => return Some((0, at)),
            _ => escaped = c == '\\' && !escaped,
        }
    }
    Some((0, rest.len()))
}

fn list(found: &Captures<'_>, rest: &str) -> Option<(usize, usize)> {
    let is_of_texts = rest.trim_start().trim_start_matches('\\').starts_with(['"', '\'']);
    (is_secret(name(found)) && is_of_texts).then(|| (0, rest.find(']').unwrap_or(rest.len())))
}

fn block(found: &Captures<'_>, rest: &str) -> Option<(usize, usize)> {
    let indent = found.name("indent").map_or(0, |indent| indent.len());
    let inside = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len() > indent;
    let end: usize = rest.split_inclusive('\n').take_while(inside).map(str::len).sum();
    let lines = rest.get(..end)?.trim_end();
    is_secret(name(found)).then_some((lines.len() - lines.trim_start().len(), lines.len()))
}

/// Finds what follows up to the end of the word, or of the quotes it stands in.
fn placed(_: &Captures<'_>, rest: &str) -> Option<(usize, usize)> {
    let end = match rest.chars().next()? {
        quote @ ('"' | '\'') => rest.get(1..)?.find(quote).map(|end| end + 2),
        _ => rest.find(|c: char| c.is_whitespace() || "\"'".contains(c)),
    };
    Some((0, end.unwrap_or(rest.len())))
}

fn line(found: &Captures<'_>, rest: &str) -> Option<(usize, usize)> {
    let value = option(found, rest)?;
    let after = rest.get(value.1..)?.trim_start_matches([' ', '\t', '\r']);
    (after.is_empty() || after.starts_with('\n')).then_some(value)
}

fn option(found: &Captures<'_>, rest: &str) -> Option<(usize, usize)> {
    if is_secret(name(found)) { scheme(found, rest) } else { None }
}

fn element(found: &Captures<'_>, rest: &str) -> Option<(usize, usize)> {
    let end = rest.find(['<', '\n'])?;
    let (closing, _) = rest.get(end..)?.strip_prefix("</")?.split_once('>')?;
    (is_secret(name(found)) && closing.ends_with(name(found))).then_some((0, end))
}

/// A header's value is all that follows; of other words before a colon only those that are never said in a sentence.
fn header(found: &Captures<'_>, rest: &str) -> Option<(usize, usize)> {
    let name = name(found);
    let is_known = ["authorization", "cookie"].iter().any(|known| name.eq_ignore_ascii_case(known));
    if !(is_known || name.contains('-')) || !is_credential(name) {
        return None;
    }
    Some((0, rest.find(['"', '\'', '\r', '\n']).unwrap_or(rest.len())))
}

/// Takes what follows for a credential where it is no plain word: `basic understanding` is said of other things.
fn scheme(_: &Captures<'_>, rest: &str) -> Option<(usize, usize)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._~+/=-".contains(c);
    let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let value = rest.get(..end)?;
    let is_sign = |c: char| c.is_ascii_digit() || c == '=';
    let is_credential = value.contains(is_sign) || value.chars().skip(1).any(|c| c.is_ascii_uppercase());
    (value.len() >= CREDENTIAL && is_credential).then_some((0, end))
}
