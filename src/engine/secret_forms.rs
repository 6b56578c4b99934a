//! The forms in which a secret may stand in a text: as it is, and as common encodings write it.

use std::cmp::Reverse;

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use serde_json::Value;

use crate::model::secret::SHORTEST;

/// Every form of each secret, the longest first, as a shorter one may be part of it.
pub(super) fn of<'a>(secrets: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut forms: Vec<String> = secrets.filter(|secret| secret.len() >= SHORTEST).flat_map(all).collect();
    forms.sort_by(|a, b| Reverse(a.len()).cmp(&Reverse(b.len())).then_with(|| a.cmp(b)));
    forms.dedup();
    forms
}

/// Whether a value holds one of these forms: in a text, a key or a number.
pub(super) fn are_in(value: &Value, forms: &[String]) -> bool {
    match value {
        Value::String(text) => stand_in(text, forms),
        Value::Number(number) => stand_in(&number.to_string(), forms),
        Value::Array(items) => items.iter().any(|item| are_in(item, forms)),
        Value::Object(map) => map.iter().any(|(key, item)| stand_in(key, forms) || are_in(item, forms)),
        Value::Null | Value::Bool(_) => false,
    }
}

/// Whether a text holds one of these forms.
pub(super) fn stand_in(text: &str, forms: &[String]) -> bool {
    forms.iter().any(|form| text.contains(form.as_str()))
}

/// The same, in capitals or not.
pub(super) fn stand_in_any_case(text: &str, forms: &[String]) -> bool {
    let text = text.to_lowercase();
    forms.iter().any(|form| text.contains(&form.to_lowercase()))
}

fn all(secret: &str) -> Vec<String> {
    let once = in_json(secret);
    let mut forms = vec![secret.to_owned(), in_json(&once), once, hex::encode(secret), hex::encode_upper(secret)];
    forms.extend(in_urls(secret));
    forms.extend(in_html(secret));
    forms.extend((0..3).flat_map(|before| in_base64(secret, before)));
    forms
}

/// As a JSON string, without its quotes.
fn in_json(secret: &str) -> String {
    let quoted = Value::String(secret.to_owned()).to_string();
    quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
}

/// As text of HTML, and as a value of an attribute.
fn in_html(secret: &str) -> [String; 2] {
    let text = secret.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let value = text.replace('"', "&quot;").replace('\'', "&#39;");
    [text, value]
}

/// As forms, browsers and RFC 3986 write it in a URL; the codes in capitals or not.
fn in_urls(secret: &str) -> Vec<String> {
    let form: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let strict = form.replace('+', "%20").replace('*', "%2A");
    let unreserved = strict.replace("%7E", "~");
    let marks = [("%21", "!"), ("%27", "'"), ("%28", "("), ("%29", ")"), ("%2A", "*")];
    let browser = marks.iter().fold(unreserved.clone(), |text, (code, mark)| text.replace(code, mark));
    [form, strict, unreserved, browser].into_iter().flat_map(|form| [small_codes(&form), form]).collect()
}

fn small_codes(form: &str) -> String {
    let mut parts = form.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        text.push('%');
        text.push_str(&code.to_ascii_lowercase());
        text.push_str(rest);
    }
    text
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

    #[test]
    fn a_form_is_written_as_its_users_write_it() {
        let forms = of(["p ä*\"~\\x"].into_iter());
        for wanted in
            ["p ä*\"~\\x", "p+%C3%A4*%22%7E%5Cx", "p%20%C3%A4*%22~%5Cx", "p%20%c3%a4%2a%22~%5cx", r#"p ä*\"~\\x"#]
        {
            assert!(forms.iter().any(|form| form == wanted), "{wanted} is not in {forms:?}");
        }
        assert!(of(["abc"].into_iter()).is_empty() && !of(["abcd"].into_iter()).is_empty());
        let forms = of(["a<\"&'b"].into_iter());
        for wanted in ["a&lt;&quot;&amp;&#39;b", "a&lt;\"&amp;'b", r#"a<\\\"&'b"#] {
            assert!(forms.iter().any(|form| form == wanted), "{wanted} is not in {forms:?}");
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
