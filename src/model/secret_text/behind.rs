//! Secrets that stand behind their name in a text: a setting, a member of JSON or YAML, a header, a scheme's credential.
//!
//! A pattern finds only where a value begins; how far it goes is looked at where it is one to hide, so that one name behind
//! another is found as well, and a text is gone through once.

use std::{borrow::Cow, sync::LazyLock};

use regex::{Captures, Regex};

use super::Pattern;
use crate::model::{
    secret::MASK,
    secret_name::{is_credential, is_secret},
};

/// The value after a name: where in the rest of the text it begins and ends. `None` if it is nobody's secret.
type Value = fn(&Captures<'_>, &str) -> Option<(usize, usize)>;

/// `name=value`, a setting or a field of a form: written together, as nobody writes a sentence or a comparison.
static SETTING: Pattern = LazyLock::new(|| Regex::new(r"(?P<name>[A-Za-z][A-Za-z0-9_.-]{1,60})="));
/// `"name": "value"`, as in JSON and YAML; within another text its quotes are escaped.
static MEMBER: Pattern =
    LazyLock::new(|| Regex::new(r#"(?P<name>[A-Za-z][A-Za-z0-9_.-]{1,60})\\?["']?\s*:\s*(?P<quote>\\?")"#));
/// `Name: value`, a header of a request.
static HEADER: Pattern = LazyLock::new(|| Regex::new(r"(?P<name>[A-Za-z][A-Za-z0-9-]{1,60}):[ \t]*"));
/// `Bearer …` and `Basic …`, with or without the header's name before it.
static SCHEME: Pattern = LazyLock::new(|| Regex::new(r"(?i)\b(?P<name>bearer|basic)\s+"));

/// The shortest credential of a scheme.
const CREDENTIAL: usize = 8;

/// A text without what stands behind the name of a secret.
pub(super) fn hidden(text: Cow<'_, str>) -> Cow<'_, str> {
    let text = if text.contains('=') { without(text, &SETTING, setting) } else { text };
    let text = if text.contains(':') { without(without(text, &MEMBER, member), &HEADER, header) } else { text };
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
        None => rest.find(|c: char| c.is_whitespace() || "&;,\"'<>".contains(c)),
    };
    Some((0, end.unwrap_or(rest.len()).min(rest.len())))
}

fn member(found: &Captures<'_>, rest: &str) -> Option<(usize, usize)> {
    if !is_secret(name(found)) {
        return None;
    }
    let within_another = found.name("quote").is_some_and(|quote| quote.len() > 1);
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            '"' if !escaped => return Some((0, at)),
            // The quote that ends it is escaped, as the one that began it was.
            '"' if within_another => return Some((0, at.saturating_sub(1))),
            '\n' => return Some((0, at)),
            _ => escaped = c == '\\' && !escaped,
        }
    }
    Some((0, rest.len()))
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

/// What follows is a credential where it is no plain word: `basic understanding` is said of other things.
fn scheme(_: &Captures<'_>, rest: &str) -> Option<(usize, usize)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._~+/=-".contains(c);
    let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let value = rest.get(..end)?;
    let is_sign = |c: char| c.is_ascii_digit() || c == '=';
    let is_credential = value.contains(is_sign) || value.chars().skip(1).any(|c| c.is_ascii_uppercase());
    (value.len() >= CREDENTIAL && is_credential).then_some((0, end))
}
