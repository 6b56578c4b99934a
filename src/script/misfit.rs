//! Rhai's errors about values that do not fit, in the words of the guide: nothing, text, number, list, map.

use super::{helpers, outside::OUTSIDE, testing::TESTING};

/// The question where something is `()`.
const MISSING: &str = ": is a field missing?";
/// Operators that take numbers alone.
const ARITHMETIC: &[&str] = &["-", "*", "/", "%", "**", "-=", "*=", "/=", "%="];

/// A value of one of Rhai's types, in words.
pub(super) fn kind(of: &str) -> &str {
    match of.trim() {
        "()" => "nothing ()",
        "string" | "String" | "ImmutableString" | "&str" | "&str | ImmutableString | String" => "a text",
        "char" => "a letter",
        "i64" => "a whole number",
        "f64" => "a number",
        "bool" => "true or false",
        "array" | "Array" => "a list",
        "map" | "Map" => "a map",
        "blob" | "Blob" => "bytes",
        "Fn" | "FnPtr" => "a function",
        "range" | "range=" => "a range",
        other => other,
    }
}

/// Returns whether a name is an operator.
pub(super) fn is_operator(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_punctuation() && c != '_')
}

/// The name and the types of a call, as Rhai writes it: `* ((), i64)`.
fn taken_apart(signature: &str) -> (&str, Vec<&str>) {
    let (name, rest) = signature.split_once(" (").unwrap_or((signature, ""));
    let types = rest.strip_suffix(')').unwrap_or(rest);
    (name.trim(), types.split(", ").map(str::trim).filter(|one| !one.is_empty()).collect())
}

/// The name of a call as Rhai writes it, and how many values it is given.
pub(super) fn name_and_count(signature: &str) -> (&str, usize) {
    let (name, types) = taken_apart(signature);
    (name, types.len())
}

/// Returns what is wrong with a call of something that is there, for other values.
pub(super) fn of_call(signature: &str) -> String {
    let (name, types) = taken_apart(signature);
    let given = match types.iter().map(|of| kind(of)).collect::<Vec<_>>().as_slice() {
        [] => return format!("'{name}' cannot do without arguments{}", called_as(name)),
        [one] => (*one).to_owned(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    };
    let end = if types.contains(&"()") {
        MISSING.to_owned()
    } else if ARITHMETIC.contains(&name) && types.iter().any(|of| kind(of) == "a text") {
        ": parse_number makes a number of a text.".to_owned()
    } else {
        called_as(name)
    };
    format!("'{name}' cannot take {given}{end}")
}

/// Returns what is wrong with a call, where it is known what is there by the name alone.
pub(super) fn of_call_in_test(signature: &str) -> String {
    let (name, _) = taken_apart(signature);
    if is_operator(name) || !signatures(name).is_empty() {
        return of_call(signature);
    }
    format!("{}, or there is no such function.", of_call(signature).trim_end_matches(['.', '?']))
}

fn called_as(name: &str) -> String {
    match signatures(name).as_slice() {
        [] => ".".to_owned(),
        all => format!(": it is called as {}.", all.join(" or ")),
    }
}

fn signatures(name: &str) -> Vec<&'static str> {
    let all = helpers::all().iter().flat_map(|group| group.helpers.iter().map(|one| (one.name, one.signature)));
    let words = OUTSIDE.iter().chain(TESTING).map(|(name, signature, _)| (*name, *signature));
    all.chain(words).filter(|(known, _)| *known == name).map(|(_, signature)| signature).collect()
}

/// A field that is read or set where there are no fields.
pub(super) fn of_field(message: &str) -> Option<String> {
    let mut quoted = message.split('\'').skip(1).step_by(2);
    let (field, of) = (quoted.next()?, quoted.next()?);
    let done = if message.starts_with("No writable") { "set in" } else { "read of" };
    Some(format!("'{field}' cannot be {done} {}{}", kind(of), end(of)))
}

/// An element that is read or set where there are no elements: `() [string]`.
pub(super) fn of_element(types: &str) -> String {
    let (of, by) = types.split_once(" [").unwrap_or((types, ""));
    let by = by.split(']').next().unwrap_or_default();
    format!("{} has no element by {}{}", capital(kind(of)), kind(by), end(of))
}

/// A value of one type where another is needed.
pub(super) fn of_type(needed: &str, got: &str) -> String {
    format!("This must be {}, and is {}{}", kind(needed), kind(got), end(got))
}

fn end(of: &str) -> &'static str {
    if of == "()" { MISSING } else { "." }
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default() + characters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_in_words() {
        assert_eq!(of_call("* ((), i64)"), "'*' cannot take nothing () and a whole number: is a field missing?");
        assert_eq!(
            of_call("* (&str | ImmutableString | String, f64)"),
            "'*' cannot take a text and a number: parse_number makes a number of a text."
        );
        assert!(
            of_call("sum (&str | ImmutableString | String)").starts_with("'sum' cannot take a text: it is called as")
        );
        assert_eq!(of_call("+ (map, array, bool)"), "'+' cannot take a map, a list and true or false.");
        assert_eq!(of_call_in_test("mine (i64)"), "'mine' cannot take a whole number, or there is no such function.");
        let getter = "Unknown property 'c' - a getter is not registered for type '()'";
        assert_eq!(of_field(getter).unwrap(), "'c' cannot be read of nothing (): is a field missing?");
        assert_eq!(of_element("() [string]"), "Nothing () has no element by a text: is a field missing?");
        assert_eq!(of_type("bool", "map"), "This must be true or false, and is a map.");
    }
}
