//! The forms in which a secret may stand in a text: as it is, and as common encodings write it.
//!
//! Escapes have too many spellings to list: a text is searched as it is and as it reads once they are taken off. Only
//! what hides a secret altogether, hex and base64, is a form of its own.

use std::{cmp::Reverse, ops::Range};

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use serde_json::{Number, Value};

use super::{
    MASK, SHORTEST,
    decoded::{Decoded, decode},
};

/// How many layers of escapes are taken off: JSON within JSON within HTML.
const LAYERS: usize = 3;
/// The least size of a number that is compared as one: smaller ones stand in every answer.
const LEAST_NUMBER: f64 = 1_000.0;

/// Every form of each secret, the longest first, as a shorter one may be part of it.
pub fn of<'a>(secrets: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut forms: Vec<String> = secrets.filter(|secret| secret.len() >= SHORTEST).flat_map(all).collect();
    forms.sort_by(|a, b| Reverse(a.len()).cmp(&Reverse(b.len())).then_with(|| a.cmp(b)));
    forms.dedup();
    forms
}

/// A text without these forms.
pub fn mask(text: &str, forms: &[String]) -> String {
    let mut found = Vec::new();
    layers(text, |layer, taken_off| {
        let place = |at: usize| taken_off.iter().rev().fold(at, |at, decoded| decoded.source_of(at));
        for form in forms.iter().filter(|form| layer.contains(form.as_str())) {
            let ranges = layer.match_indices(form.as_str());
            found.extend(ranges.map(|(at, _)| place(at)..place(at + form.len())));
        }
        false
    });
    replaced(text, found)
}

/// A text with a mask in place of each of these ranges; those that overlap have one.
fn replaced(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_by_key(|range| (range.start, Reverse(range.end)));
    let (mut made, mut done) = (String::with_capacity(text.len()), 0);
    for Range { start, end } in ranges {
        if start >= done {
            made.push_str(text.get(done..start).unwrap_or_default());
            made.push_str(MASK);
        }
        done = done.max(end);
    }
    made.push_str(text.get(done..).unwrap_or_default());
    made
}

/// Shows a text as it is, then with each layer of escapes taken off, and the layers that led there, until `is_enough` or
/// nothing changes any more.
fn layers(text: &str, mut is_enough: impl FnMut(&str, &[Decoded]) -> bool) -> bool {
    let mut taken_off: Vec<Decoded> = Vec::new();
    loop {
        let now = taken_off.last().map_or(text, |decoded| decoded.text.as_str());
        if is_enough(now, &taken_off) {
            return true;
        }
        let Some(decoded) = (taken_off.len() < LAYERS).then(|| decode(now)).flatten() else { return false };
        // Of the layers before only the places count.
        if let Some(before) = taken_off.last_mut() {
            before.text = String::new();
        }
        taken_off.push(decoded);
    }
}

/// Whether a value holds one of these forms: in a text, a key or a number.
pub fn are_in(value: &Value, forms: &[String]) -> bool {
    let numbers = Numbers::new(forms);
    holds(value, forms, &numbers)
}

fn holds(value: &Value, forms: &[String], numbers: &Numbers<'_>) -> bool {
    match value {
        Value::String(text) => stand_in(text, forms),
        Value::Number(number) => numbers.stand_in(number),
        Value::Array(items) => items.iter().any(|item| holds(item, forms, numbers)),
        Value::Object(map) => map.iter().any(|(key, item)| stand_in(key, forms) || holds(item, forms, numbers)),
        Value::Null | Value::Bool(_) => false,
    }
}

/// Whether a text holds one of these forms.
pub fn stand_in(text: &str, forms: &[String]) -> bool {
    layers(text, |layer, _| forms.iter().any(|form| layer.contains(form.as_str())))
}

/// The same, in capitals or not.
pub fn stand_in_any_case(text: &str, forms: &[String]) -> bool {
    layers(text, |layer, _| {
        let layer = layer.to_lowercase();
        forms.iter().any(|form| layer.contains(&form.to_lowercase()))
    })
}

/// The forms a number can hold.
pub struct Numbers<'a> {
    texts: Vec<&'a str>,
    /// What they are as numbers, which may be written otherwise: without zeros before it, or rounded.
    values: Vec<f64>,
}

impl<'a> Numbers<'a> {
    /// Those among these forms.
    pub fn new(forms: &'a [String]) -> Self {
        let in_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
        let forms = forms.iter().map(String::as_str).filter(|form| form.bytes().all(in_number));
        // A number has no zeros before it and no plus.
        let texts = forms.flat_map(|form| [form, form.trim_start_matches(['+', '-', '0'])]);
        let texts: Vec<&str> = texts.filter(|text| text.len() >= SHORTEST).collect();
        let values = texts.iter().filter_map(|text| text.parse().ok()).map(f64::abs);
        let values = values.filter(|value| value.is_finite() && *value >= LEAST_NUMBER).collect();
        Self { texts, values }
    }

    /// Whether a number holds one of them, or is one.
    pub fn stand_in(&self, number: &Number) -> bool {
        if self.texts.is_empty() {
            return false;
        }
        let (written, value) = (number.to_string(), number.as_f64().map(f64::abs));
        let is_same = |known: &f64| value.is_some_and(|value| value.to_bits() == known.to_bits());
        self.texts.iter().any(|text| written.contains(text)) || self.values.iter().any(is_same)
    }
}

fn all(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned(), secret.replace(' ', "+"), hex::encode(secret), hex::encode_upper(secret)];
    // What looks like an escape in the secret itself is taken off with the others.
    let mut read = decode(secret);
    while let Some(Decoded { text, .. }) = read.filter(|read| read.text.len() >= SHORTEST) {
        read = decode(&text);
        forms.push(text);
    }
    forms.extend((0..3).flat_map(|before| in_base64(secret, before)));
    forms
}

/// What stands of it in base64 behind this many other bytes, of three: the characters that it alone decides.
fn in_base64(secret: &str, before: usize) -> [String; 2] {
    let bytes: Vec<u8> = std::iter::repeat_n(0, before).chain(secret.bytes()).collect();
    let own = |text: String| {
        // Six bits a character: the first ones are shared with what stands before, the last with what follows.
        let first = (before * 8).div_ceil(6);
        let last = bytes.len() * 8 / 6;
        text.get(first..last).unwrap_or_default().to_owned()
    };
    [own(STANDARD_NO_PAD.encode(&bytes)), own(URL_SAFE_NO_PAD.encode(&bytes))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::STANDARD;
    use proptest::prelude::*;
    use serde_json::json;

    /// A secret with every character that some encoding escapes.
    const HARD: &str = "p ä/<\"&'>+*~\\x😀=%41";

    fn masked(text: &str, secret: &str) -> String {
        mask(text, &of([secret].into_iter()))
    }

    #[test]
    fn a_secret_is_masked_however_servers_escape_it() {
        let ascii = |hex: fn(u16) -> String| -> String {
            let units = |c: char| c.encode_utf16(&mut [0; 2]).iter().map(|unit| hex(*unit)).collect::<String>();
            HARD.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_string() } else { units(c) }).collect()
        };
        let html = |quote: &str, double: &str, slash: &str| {
            let text = HARD.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            text.replace('\'', quote).replace('"', double).replace('/', slash)
        };
        let json = serde_json::to_string(HARD).unwrap().trim_matches('"').to_owned();
        let twice = serde_json::to_string(&json).unwrap().trim_matches('"').to_owned();
        let form: String = url::form_urlencoded::byte_serialize(HARD.as_bytes()).collect();
        let mut texts = vec![HARD.to_owned(), json.clone(), twice, form.clone(), form.to_lowercase()];
        texts.extend([form.replace('+', "%20"), form.replace("%27", "'").replace("%7E", "~")]);
        texts.extend([json.replace('/', "\\/"), json.replace('<', "\\u003c").replace('&', "\\u0026")]);
        texts.extend([json.replace('<', "\\u003C").replace('>', "\\u003E"), json.replace('\'', "\\'")]);
        texts.extend([ascii(|unit| format!("\\u{unit:04x}")), ascii(|unit| format!("\\u{unit:04X}"))]);
        for quote in ["'", "&#x27;", "&#039;", "&#39;", "&apos;"] {
            for (double, slash) in [("&#34;", "/"), ("&quot;", "&#x2F;"), ("\"", "&#47;"), ("&#x22;", "&sol;")] {
                texts.push(html(quote, double, slash));
                texts.push(serde_json::to_string(texts.last().unwrap()).unwrap().trim_matches('"').to_owned());
            }
        }
        for text in texts {
            assert_eq!(masked(&format!("ä: \"{text}\";"), HARD), "ä: \"***\";", "{text}");
        }
    }

    #[test]
    fn what_is_no_secret_stays_as_it_is() {
        let text = r#"{"a":"b\/c","d":"&lt;p&gt;100%25\u00e4"}"#;
        assert_eq!(masked(text, "zq91zq91"), text);
        assert_eq!(masked("zq91zq91zq91zq91", "zq91zq91"), "******");
        assert_eq!(mask("abcdefgh", &of(["abcde", "defgh"].into_iter())), "***");
        assert!(of(["abc"].into_iter()).is_empty() && !of(["abcd"].into_iter()).is_empty());
    }

    #[test]
    fn a_number_that_holds_a_secret_or_is_one_is_found() {
        let forms = of(["8273645519", "0047110815", "123456789012345678901", "0000"].into_iter());
        let numbers = Numbers::new(&forms);
        for text in [
            "8273645519",
            "-8273645519",
            "8273645519.0",
            "8.273645519e9",
            "0.8273645519",
            "18273645519",
            "47110815",
            "123456789012345678901",
        ] {
            assert!(numbers.stand_in(&serde_json::from_str(text).unwrap()), "{text}");
            assert!(are_in(&serde_json::from_str(text).unwrap(), &forms), "{text}");
        }
        assert!(are_in(&json!([{"a": 471_108_150}]), &forms));
        for text in ["0", "827364551", "4711081", "-1", "1e300"] {
            assert!(!numbers.stand_in(&serde_json::from_str(text).unwrap()), "{text}");
        }
    }

    #[test]
    fn a_value_is_searched_to_its_ends_and_a_name_in_capitals_too() {
        let forms = of(["Zq91\"x"].into_iter().chain(["4711"]));
        for holds in [json!("<Zq91\"x>"), json!([{"a": 147_115}]), json!({"Zq91\"x": 1}), json!({"a": [["4711"]]})] {
            assert!(are_in(&holds, &forms), "{holds}");
        }
        assert!(!are_in(&json!({"zq91": [true, null, 471, "zQ91\"x"]}), &forms));
        assert!(stand_in_any_case("https://zQ91\"X.example", &forms) && !stand_in_any_case("zq91.example", &forms));
    }

    proptest! {
        #[test]
        fn a_secret_in_base64_is_found_whatever_stands_around_it(secret in "\\PC{6,30}", before in "\\PC{0,5}", after in "\\PC{0,5}") {
            let text = STANDARD.encode(format!("{before}{secret}{after}"));
            prop_assert!(of([secret.as_str()].into_iter()).iter().any(|form| text.contains(form)));
        }
    }
}
