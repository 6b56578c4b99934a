//! Whole numbers in JSON: to JSON Schema 39.0 is one, to a parser of whole numbers it is not.

/// Most digits of a whole number.
const LONGEST: usize = 20;

/// The same JSON with its whole numbers written without fraction and exponent. `None` if there is nothing to rewrite.
pub(super) fn with_whole_numbers(text: &str) -> Option<String> {
    let (mut out, mut rest, mut changed) = (String::with_capacity(text.len()), text, false);
    while let Some(at) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        let (before, token) = rest.split_at(at);
        let (token, after) = token.split_at(if token.starts_with('"') { quoted(token) } else { number(token) });
        out.push_str(before);
        if let Some(whole) = whole(token) {
            out.push_str(&whole);
            changed = true;
        } else {
            out.push_str(token);
        }
        rest = after;
    }
    out.push_str(rest);
    changed.then_some(out)
}

/// A number with a fraction or an exponent, without them, where it is whole and not beyond all bounds.
fn whole(token: &str) -> Option<String> {
    token.contains(['.', 'e', 'E']).then_some(())?;
    let (sign, size) = token.strip_prefix('-').map_or(("", token), |size| ("-", size));
    let (mantissa, exponent) = size.split_once(['e', 'E']).unwrap_or((size, "0"));
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let point = i32::try_from(before.len()).ok()?.checked_add(exponent.parse().ok()?)?;
    let point = usize::try_from(point).ok().filter(|point| *point <= LONGEST)?;
    let digits = format!("{before}{after}{}", "0".repeat(LONGEST));
    let (whole, fraction) = digits.split_at_checked(point)?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && fraction.bytes().all(|byte| byte == b'0');
    let whole = whole.trim_start_matches('0');
    plain.then(|| format!("{sign}{}", if whole.is_empty() { "0" } else { whole }))
}

/// Bytes of the JSON string that `text` begins with, the quotes among them.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

/// Bytes of the JSON number that `text` begins with.
fn number(text: &str) -> usize {
    let part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
    text.bytes().position(|byte| !part(byte)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_rewritten_and_nothing_else() {
        let texts = r#"{"a": "1.0 \" 2.0", "b": 1.50, "c": -3.0, "d": "\\", "e": 1e300}"#;
        assert_eq!(with_whole_numbers(texts).unwrap(), texts.replace("-3.0", "-3"));
        let read = [("9007199254740993.0", "9007199254740993"), ("1.50e1", "15"), ("100e-2", "1"), ("0.0", "0")];
        for (token, digits) in read {
            assert_eq!(with_whole_numbers(token).as_deref(), Some(digits), "{token}");
        }
        for unchanged in ["{}", "{\"a\": 1}", "{\"a\": \"1.0", "-", "1.2.0", "1e-1", "1e21", "--1.0", "1e99999999999"] {
            assert_eq!(with_whole_numbers(unchanged), None, "{unchanged}");
        }
    }
}
