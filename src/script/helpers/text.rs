//! Texts: cutting, padding, replacing, filling in.

use rhai::{Array, Dynamic, Engine, EvalAltResult, ImmutableString, Map};

use super::{
    Group, Helper,
    list::helper,
    values::{Fallible, check_text, collect, fail, push, quoted, scalar_text},
};
use crate::limits::MAX_STRING;

pub(super) const GROUP: Group = Group { name: "text", helpers: HELPERS, register };

/// Longest texts whose similarity is computed, multiplied, in letters: the time grows with it.
const MAX_COMPARED: usize = 1_000_000;

#[rustfmt::skip]
const HELPERS: &[Helper] = &[
    helper("replace(text, from, to)", "Replaces every occurrence in the variable itself, as Rhai does; replaced gives a new text.", r#"let t = "a-b-c"; t.replace("-", "+"); t"#, r#""a+b+c""#),
    helper("replaced(text, from, to) -> text", "A copy with every occurrence replaced.", r#"replaced("a-b-c", "-", "")"#, r#""abc""#),
    helper("split(text, separator) -> array", "Its parts; without a separator, its words.", r#"split("a,b,,c", ",")"#, r#"["a", "b", "", "c"]"#),
    helper("split(text, separator, parts) -> array", "At most so many parts, the last with the rest.", r#"split("a,b,c", ",", 2)"#, r#"["a", "b,c"]"#),
    helper("join(array, separator) -> text", "Texts and numbers in a row; nothing () is left empty.", r#"join(["a", 1, 2.5], ", ")"#, r#""a, 1, 2.5""#),
    helper("lines(text) -> array", "Its lines without their ends, \\n or \\r\\n.", r#"lines("a\r\nb\n")"#, r#"["a", "b"]"#),
    helper("words(text) -> array", "Its words: runs of letters, digits, _ and apostrophes.", r#"words("Don't stop, 2 times!")"#, r#"["Don't", "stop", "2", "times"]"#),
    helper("trimmed(text) -> text", "A copy without space at both ends (trim changes the variable itself).", r#"trimmed("  a b ")"#, r#""a b""#),
    helper("before(text, mark) -> text", "What stands before the first mark; all of it without one.", r#"before("key=a=b", "=")"#, r#""key""#),
    helper("after(text, mark) -> text", "What stands after the first mark; nothing of it without one.", r#"after("key=a=b", "=")"#, r#""a=b""#),
    helper("count_of(text, part) -> integer", "How often the part occurs, not overlapping.", r#"count_of("banana", "an")"#, "2"),
    helper("repeat(text, times) -> text", "The text so many times.", r#"repeat("ab", 3)"#, r#""ababab""#),
    helper("pad_start(text, width, fill) -> text", "Filled at its start to so many letters; fill is one letter.", r#"pad_start(7, 3, "0")"#, r#""007""#),
    helper("pad_end(text, width, fill) -> text", "Filled at its end to so many letters; fill is one letter.", r#"pad_end("ab", 4, ".")"#, r#""ab..""#),
    helper("shorten(text, width) -> text", "At most so many letters, cut with … at the end.", r#"shorten("abcdef", 4)"#, r#""abc…""#),
    helper("capitalize(text) -> text", "With a capital at its start, the rest as it is.", r#"capitalize("élan vital")"#, r#""Élan vital""#),
    helper("title_case(text) -> text", "Every word with a capital, the rest of it small.", r#"title_case("the QUICK fox")"#, r#""The Quick Fox""#),
    helper("slugify(text) -> text", "For an address: small letters a to z and digits, hyphens between; accents are dropped.", r#"slugify("Crème brûlée: 2 recipes!")"#, r#""creme-brulee-2-recipes""#),
    helper("snake_case(text) -> text", "For a name: HTTPServer id and httpServer-id both give http_server_id.", r#"snake_case("HTTPServer id")"#, r#""http_server_id""#),
    helper("template(text, values) -> text", "Fills {{name}} and {{a.b}} in from a map; a missing value is an error.", r#"template("Hi {{who.name}}!", #{who: #{name: "Ada"}})"#, r#""Hi Ada!""#),
    helper("indent(text, spaces) -> text", "Every line that is not empty, so many spaces further in.", r#"indent("a\n\nb", 2)"#, r#""  a\n\n  b""#),
    helper("similarity(a, b) -> float", "From 0.0 to 1.0: how few letters must change, to two digits; for texts of together a million letter pairs.", r#"similarity("kitten", "sitting")"#, "0.57"),
    helper("unified_diff(old, new) -> text", "The lines that differ, as diff -u shows them; empty if none do. For texts of up to 4,000 lines.", r#"unified_diff("a\nb\n", "a\nc\n").contains("+c")"#, "true"),
    helper("sleep(seconds)", "An error: scripts cannot wait.", r#"let said = ""; try { sleep(1) } catch (why) { said = why } said"#, r#""scripts cannot wait: let a job call the tool again later""#),
];

fn register(engine: &mut Engine) {
    register_parts(engine);
    engine
        .register_fn("join", join)
        .register_fn("lines", |text: &str| collect(text.lines()))
        .register_fn("words", words)
        .register_fn("trimmed", |text: &str| text.trim().to_string())
        .register_fn("before", |text: &str, mark: &str| text.split_once(mark).map_or(text, |(a, _)| a).to_string())
        .register_fn("after", |text: &str, mark: &str| text.split_once(mark).map_or("", |(_, b)| b).to_string())
        .register_fn("count_of", count_of)
        .register_fn("repeat", repeat)
        .register_fn("pad_start", |text: Dynamic, width: i64, fill: &str| {
            let text = scalar_text(&text)?;
            Ok::<_, Box<EvalAltResult>>(format!("{}{text}", padding(&text, width, fill)?))
        })
        .register_fn("pad_end", |text: Dynamic, width: i64, fill: &str| {
            let text = scalar_text(&text)?;
            Ok::<_, Box<EvalAltResult>>(format!("{text}{}", padding(&text, width, fill)?))
        })
        .register_fn("shorten", shorten)
        .register_fn("capitalize", capitalize)
        .register_fn("title_case", title_case)
        .register_fn("slugify", slugify)
        .register_fn("snake_case", snake_case)
        .register_fn("template", template)
        .register_fn("indent", indent)
        .register_fn("similarity", similarity)
        .register_fn("unified_diff", unified_diff);
    engine
        .register_fn("sleep", |_: i64| no_waiting())
        .register_fn("sleep", |_: f64| no_waiting())
        .register_fn("timestamp", || -> Fallible<()> { fail("scripts have no stopwatch: now() tells the time") });
}

/// Rhai's own `replace` and `split`, which would not look at sizes before they allocate.
fn register_parts(engine: &mut Engine) {
    engine
        .register_fn("replace", replace)
        .register_fn("replace", |text: &mut ImmutableString, from: &str, to: char| replace(text, from, &to.to_string()))
        .register_fn("replace", |text: &mut ImmutableString, from: char, to: &str| replace(text, &from.to_string(), to))
        .register_fn("replace", |text: &mut ImmutableString, from: char, to: char| {
            replace(text, &from.to_string(), &to.to_string())
        })
        .register_fn("replaced", replaced)
        .register_fn("to_chars", |text: &str| collect(text.chars()))
        .register_fn("split", |text: &str| collect(text.split_whitespace()))
        .register_fn("split", |text: &str, by: &str| collect(text.split(by)))
        .register_fn("split", |text: &str, by: char| collect(text.split(by)))
        .register_fn("split", |text: &str, by: &str, parts: i64| collect(text.splitn(most(parts), by)))
        .register_fn("split", |text: &str, by: char, parts: i64| collect(text.splitn(most(parts), by)))
        .register_fn("split_rev", |text: &str, by: &str| collect(text.rsplit(by)))
        .register_fn("split_rev", |text: &str, by: char| collect(text.rsplit(by)))
        .register_fn("split_rev", |text: &str, by: &str, parts: i64| collect(text.rsplitn(most(parts), by)))
        .register_fn("split_rev", |text: &str, by: char, parts: i64| collect(text.rsplitn(most(parts), by)));
}

fn no_waiting() -> Fallible<()> {
    fail("scripts cannot wait: let a job call the tool again later")
}

/// At least one part, as Rhai has it.
fn most(parts: i64) -> usize {
    usize::try_from(parts).unwrap_or(1).max(1)
}

fn replaced(text: &str, from: &str, to: &str) -> Fallible<String> {
    if to.len() > from.len() {
        let more = text.matches(from).count().saturating_mul(to.len() - from.len());
        check_text(text.len().saturating_add(more))?;
    }
    Ok(text.replace(from, to))
}

fn replace(text: &mut ImmutableString, from: &str, to: &str) -> Fallible<()> {
    *text = replaced(text, from, to)?.into();
    Ok(())
}

fn join(array: Array, separator: &str) -> Fallible<String> {
    let mut text = String::new();
    for (place, item) in array.iter().enumerate() {
        if place > 0 {
            push(&mut text, separator)?;
        }
        push(&mut text, &scalar_text(item)?)?;
    }
    Ok(text)
}

fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '\'' | '’')
}

fn words(text: &str) -> Fallible<Array> {
    let words = text.split(|letter| !is_letter(letter)).map(|word| word.trim_matches(['\'', '’']));
    collect(words.filter(|word| !word.is_empty()))
}

fn count_of(text: &str, part: &str) -> i64 {
    if part.is_empty() { 0 } else { i64::try_from(text.matches(part).count()).unwrap_or(i64::MAX) }
}

fn repeat(text: &str, times: i64) -> Fallible<String> {
    let times = usize::try_from(times).unwrap_or(0);
    check_text(text.len().saturating_mul(times))?;
    Ok(if text.is_empty() { String::new() } else { text.repeat(times) })
}

fn padding(text: &str, width: i64, fill: &str) -> Fallible<String> {
    let missing = usize::try_from(width).unwrap_or(0).saturating_sub(text.chars().count());
    if fill.chars().count() != 1 {
        return fail(format!("fill is one letter, not {}", quoted(fill)));
    }
    check_text(missing.saturating_mul(fill.len()).saturating_add(text.len()))?;
    Ok(fill.repeat(missing))
}

fn shorten(text: &str, width: i64) -> String {
    let width = usize::try_from(width).unwrap_or(0);
    if text.chars().nth(width).is_none() {
        return text.to_string();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    if width == 0 { kept } else { format!("{}…", kept.trim_end()) }
}

fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn title_case(text: &str) -> Fallible<String> {
    let (mut title, mut inside) = (String::new(), false);
    check_text(text.len())?;
    for letter in text.chars() {
        match inside {
            true => title.extend(letter.to_lowercase()),
            false => title.extend(letter.to_uppercase()),
        }
        inside = is_letter(letter);
    }
    check_text(title.len())?;
    Ok(title)
}

fn slugify(text: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    let mut slug = String::new();
    for letter in text.chars().take(MAX_STRING).nfkd().flat_map(char::to_lowercase) {
        match letter {
            'a'..='z' | '0'..='9' => slug.push(letter),
            'ß' => slug.push_str("ss"),
            'æ' => slug.push_str("ae"),
            'ø' => slug.push('o'),
            'ł' => slug.push('l'),
            '\u{300}'..='\u{36f}' | '\'' | '’' => {}
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    slug.trim_end_matches('-').to_string()
}

fn snake_case(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut name = String::new();
    for (place, letter) in letters.iter().enumerate() {
        let (before, after) = (place.checked_sub(1).and_then(|p| letters.get(p)), letters.get(place + 1));
        let starts = letter.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_numeric()
                    || (before.is_uppercase() && after.is_some_and(|after| after.is_lowercase()))
            });
        if (starts || !letter.is_alphanumeric()) && !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
        if letter.is_alphanumeric() {
            name.extend(letter.to_lowercase());
        }
    }
    name.trim_end_matches('_').to_string()
}

fn template(text: &str, values: Map) -> Fallible<String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, place)) = rest.split_once("{{") {
        push(&mut filled, before)?;
        let Some((name, after)) = place.split_once("}}") else {
            return fail(format!("{} has no end }}}}", quoted(place)));
        };
        push(&mut filled, &scalar_text(&value_at(&values, name.trim())?)?)?;
        rest = after;
    }
    push(&mut filled, rest)?;
    Ok(filled)
}

fn value_at(values: &Map, name: &str) -> Fallible<Dynamic> {
    let mut value: Dynamic = Dynamic::UNIT;
    for (place, part) in name.split('.').enumerate() {
        let next = if place == 0 {
            values.get(part).cloned()
        } else {
            value.as_map_ref().ok().and_then(|map| map.get(part).cloned())
        };
        let Some(next) = next else { return fail(format!("the template wants {{{{{name}}}}}, which has no value")) };
        value = next;
    }
    Ok(value)
}

fn indent(text: &str, spaces: i64) -> Fallible<String> {
    let margin = repeat(" ", spaces)?;
    let mut moved = String::new();
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() {
            push(&mut moved, &margin)?;
        }
        push(&mut moved, line)?;
    }
    Ok(moved)
}

fn similarity(a: &str, b: &str) -> Fallible<f64> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let longest = a.len().max(b.len());
    if longest == 0 {
        return Ok(1.0);
    }
    if a.len().saturating_mul(b.len()) > MAX_COMPARED {
        return fail("the texts are too long to be compared letter by letter: compare parts, or use unified_diff");
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let (mut diagonal, mut left) = (i, i + 1);
        for (cell, y) in row.iter_mut().skip(1).zip(&b) {
            let change = diagonal + usize::from(x != y);
            diagonal = *cell;
            left = change.min(left + 1).min(*cell + 1);
            *cell = left;
        }
    }
    let distance = row.last().copied().filter(|_| !a.is_empty()).unwrap_or(longest);
    Ok(((1.0 - distance as f64 / longest as f64) * 100.0).round() / 100.0)
}

fn unified_diff(old: &str, new: &str) -> Fallible<String> {
    if old.lines().count() + new.lines().count() > 8_000 {
        return fail("the texts have too many lines to be compared: at most 4,000 each");
    }
    if old == new {
        return Ok(String::new());
    }
    let patch = diffy::create_patch(old, new).to_string();
    check_text(patch.len())?;
    Ok(patch)
}
