//! Regular expressions, in time linear in the text: no look-around, no back-references.

use std::{num::NonZeroUsize, sync::Arc};

use parking_lot::Mutex;
use regex::{Captures, Regex, RegexBuilder};
use rhai::{Array, Dynamic, Engine, Map};

use super::{
    Group, Helper,
    list::helper,
    values::{Fallible, check_array, collect, fail, push, quoted},
};

pub(super) const GROUP: Group = Group { name: "patterns", helpers: HELPERS, register };

/// Memory of a compiled pattern, in bytes.
const MAX_COMPILED: usize = 512 << 10;
/// Longest pattern, in bytes.
const MAX_PATTERN: usize = 4_000;
/// Compiled patterns that are kept.
const KEPT: NonZeroUsize = NonZeroUsize::MIN.saturating_add(15);

#[rustfmt::skip]
const HELPERS: &[Helper] = &[
    helper("regex_match(text, pattern) -> boolean", "Whether the pattern occurs in it; ^ and $ tie it to the ends, (?i) ignores case.", r#"regex_match("Order 42", "^order \\d+$")"#, "false"),
    helper("regex_find(text, pattern) -> text", "The first place that matches, or ().", r#"regex_find("a1b22", "\\d+")"#, r#""1""#),
    helper("regex_find_all(text, pattern) -> array", "Every place that matches, from left to right.", r#"regex_find_all("a1b22", "\\d+")"#, r#"["1", "22"]"#),
    helper("regex_captures(text, pattern) -> map", "The groups of the first match by number and by name, \"0\" being all of it; () where nothing matches.", r#"regex_captures("2026-05", "(?<y>\\d+)-(\\d+)")"#, r#"{"0": "2026-05", "1": "2026", "2": "05", "y": "2026"}"#),
    helper("regex_captures_all(text, pattern) -> array", "The groups of every match.", r#"pluck(regex_captures_all("a=1 b=2", "(\\w)=(\\d)"), "2")"#, r#"["1", "2"]"#),
    helper("regex_replace(text, pattern, replacement) -> text", "Replaces every match; $1 or ${name} stand for groups, $$ for a dollar.", r#"regex_replace("Lovelace, Ada", "(\\w+), (\\w+)", "$2 $1")"#, r#""Ada Lovelace""#),
    helper("regex_split(text, pattern) -> array", "The parts between the matches.", r#"regex_split("a, b;c", "[,;]\\s*")"#, r#"["a", "b", "c"]"#),
    helper("regex_escape(text) -> text", "The pattern that matches just this text.", r#"regex_escape("1+1")"#, r#""1\\+1""#),
];

/// The patterns compiled last, the newest at the end.
type Patterns = Arc<Mutex<Vec<(String, Regex)>>>;

fn register(engine: &mut Engine) {
    let patterns = Patterns::default();
    with(engine, &patterns, "regex_match", |regex, text| Ok(regex.is_match(text).into()));
    with(engine, &patterns, "regex_find", |regex, text| {
        Ok(regex.find(text).map_or(Dynamic::UNIT, |found| found.as_str().into()))
    });
    with(engine, &patterns, "regex_find_all", |regex, text| {
        collect(regex.find_iter(text).map(|found| found.as_str())).map(Into::into)
    });
    with(engine, &patterns, "regex_captures", |regex, text| {
        Ok(regex.captures(text).map_or(Dynamic::UNIT, |found| groups(regex, &found).into()))
    });
    with(engine, &patterns, "regex_captures_all", captures_all);
    with(engine, &patterns, "regex_split", |regex, text| collect(regex.split(text)).map(Into::into));
    engine
        .register_fn("regex_escape", |text: &str| regex::escape(text))
        .register_fn("regex_replace", move |text: &str, pattern: &str, replacement: &str| {
            replace(&compiled(&patterns, pattern)?, text, replacement)
        });
}

fn with(engine: &mut Engine, patterns: &Patterns, name: &str, of: fn(&Regex, &str) -> Fallible<Dynamic>) {
    let patterns = Arc::clone(patterns);
    engine.register_fn(name, move |text: &str, pattern: &str| of(&compiled(&patterns, pattern)?, text));
}

fn compiled(patterns: &Patterns, pattern: &str) -> Fallible<Regex> {
    let mut kept = patterns.lock();
    if let Some((_, regex)) = kept.iter().find(|(text, _)| text == pattern) {
        return Ok(regex.clone());
    }
    if pattern.len() > MAX_PATTERN {
        return fail(format!("a pattern is at most {MAX_PATTERN} bytes long"));
    }
    let built = RegexBuilder::new(pattern).size_limit(MAX_COMPILED).dfa_size_limit(MAX_COMPILED).nest_limit(50).build();
    let regex = match built {
        Ok(regex) => regex,
        Err(regex::Error::CompiledTooBig(_)) => {
            return fail("the pattern is too large: repeat less, or \\d instead of \\w");
        }
        Err(why) => {
            let why = why.to_string();
            let reason = why.lines().last().unwrap_or("it cannot be read").trim().trim_start_matches("error: ");
            return fail(format!("the pattern {} is not a regular expression: {reason}", quoted(pattern)));
        }
    };
    if kept.len() >= KEPT.get() {
        kept.remove(0);
    }
    kept.push((pattern.to_string(), regex.clone()));
    Ok(regex)
}

fn groups(regex: &Regex, found: &Captures<'_>) -> Map {
    let mut groups = Map::new();
    for (place, name) in regex.capture_names().enumerate() {
        let value = found.get(place).map_or(Dynamic::UNIT, |group| group.as_str().into());
        if let Some(name) = name {
            groups.insert(name.into(), value.clone());
        }
        groups.insert(place.to_string().into(), value);
    }
    groups
}

fn captures_all(regex: &Regex, text: &str) -> Fallible<Dynamic> {
    let mut all = Array::new();
    let mut values = 0_usize;
    for found in regex.captures_iter(text) {
        values = values.saturating_add(found.len());
        check_array(values)?;
        all.push(groups(regex, &found).into());
    }
    Ok(all.into())
}

fn replace(regex: &Regex, text: &str, replacement: &str) -> Fallible<String> {
    let (mut replaced, mut end) = (String::new(), 0);
    for found in regex.captures_iter(text) {
        let Some(whole) = found.get(0) else { continue };
        push(&mut replaced, text.get(end..whole.start()).unwrap_or_default())?;
        expand(&found, replacement, &mut replaced)?;
        end = whole.end();
    }
    push(&mut replaced, text.get(end..).unwrap_or_default())?;
    Ok(replaced)
}

/// As `Captures::expand`, looking at the size after every piece.
fn expand(found: &Captures<'_>, replacement: &str, into: &mut String) -> Fallible<()> {
    for piece in replacement.split_inclusive(' ') {
        let mut part = String::new();
        let dollars = piece.matches('$').count();
        super::values::check_text(into.len() + piece.len() + dollars * found.get(0).map_or(0, |whole| whole.len()))?;
        found.expand(piece, &mut part);
        push(into, &part)?;
    }
    Ok(())
}
