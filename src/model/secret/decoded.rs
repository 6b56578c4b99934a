//! A text as those who read it decode it: without the escapes of JSON and of scripts, the references of HTML and the
//! codes of URLs.

/// What an escape begins with.
const MARKS: [char; 3] = ['\\', '&', '%'];
/// Longest reference of HTML, from `&` to `;`.
const LONGEST: usize = 12;
/// The names HTML has for marks that encoders write by name.
const NAMED: [(&str, char); 19] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("sol", '/'),
    ("bsol", '\\'),
    ("plus", '+'),
    ("equals", '='),
    ("colon", ':'),
    ("num", '#'),
    ("percnt", '%'),
    ("commat", '@'),
    ("excl", '!'),
    ("dollar", '$'),
    ("quest", '?'),
    ("ast", '*'),
    ("lpar", '('),
    ("rpar", ')'),
];

/// A text with one layer of escapes taken off, and where it stood in its source.
pub(super) struct Decoded {
    /// The text.
    pub(super) text: String,
    /// Behind each escape, the place in the text and the one in the source.
    behind: Vec<(usize, usize)>,
}

impl Decoded {
    /// Where in the source a character of the text began.
    pub(super) fn source_of(&self, at: usize) -> usize {
        let last = self.behind.partition_point(|(here, _)| *here <= at).checked_sub(1);
        last.and_then(|last| self.behind.get(last)).map_or(at, |(here, there)| there + (at - here))
    }
}

/// Takes one layer of escapes off. None where there is none.
pub(super) fn decode(text: &str) -> Option<Decoded> {
    if !text.contains(MARKS) {
        return None;
    }
    let mut made = Decoded { text: String::with_capacity(text.len()), behind: Vec::new() };
    let (mut rest, mut at) = (text, 0);
    while let Some(plain) = rest.find(MARKS) {
        let (before, from) = rest.split_at_checked(plain)?;
        made.text.push_str(before);
        at += plain;
        let length = match escape(from) {
            Some((character, length)) => {
                made.text.push(character);
                made.behind.push((made.text.len(), at + length));
                length
            }
            None => {
                made.text.push_str(from.get(..1)?);
                1
            }
        };
        at += length;
        rest = from.get(length..)?;
    }
    made.text.push_str(rest);
    (!made.behind.is_empty()).then_some(made)
}

/// The character an escape at the beginning stands for, and its length.
fn escape(text: &str) -> Option<(char, usize)> {
    match text.chars().next()? {
        '\\' => behind_backslash(text),
        '&' => referred(text),
        _ => percent(text),
    }
}

/// As JSON, JavaScript and Python write it.
fn behind_backslash(text: &str) -> Option<(char, usize)> {
    let second = text.chars().nth(1)?;
    let plain = match second {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'x' => return Some((char::from_u32(code(text.get(2..4)?, 16)?).filter(char::is_ascii)?, 4)),
        'u' => return unicode(text),
        mark if mark.is_ascii_punctuation() => mark,
        _ => return None,
    };
    Some((plain, 2))
}

/// `\u` and four digits; a character beyond them is two of these.
fn unicode(text: &str) -> Option<(char, usize)> {
    let first = code(text.get(2..6)?, 16)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, 6));
    }
    let second = code(text.get(6..12)?.strip_prefix("\\u")?, 16)?;
    let pair = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    let character = char::decode_utf16(pair).next()?.ok()?;
    Some((character, 12))
}

/// As HTML and XML write it: by name or by number.
fn referred(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let character = match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix(['x', 'X']) {
            Some(digits) => char::from_u32(code(digits, 16)?)?,
            None => char::from_u32(code(number, 10)?)?,
        },
        None => NAMED.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((character, end + 1))
}

/// As URLs write it: the bytes of one character.
fn percent(text: &str) -> Option<(char, usize)> {
    let byte = |at: usize| {
        let digits = text.get(at * 3..at * 3 + 3)?.strip_prefix('%')?;
        u8::try_from(code(digits, 16)?).ok()
    };
    let length = match byte(0)?.leading_ones() {
        0 => 1,
        length @ 2..=4 => length as usize,
        _ => return None,
    };
    let bytes: Vec<u8> = (0..length).map(byte).collect::<Option<_>>()?;
    Some((std::str::from_utf8(&bytes).ok()?.chars().next()?, length * 3))
}

/// A number all of whose characters are digits.
fn code(digits: &str, radix: u32) -> Option<u32> {
    digits.chars().all(|c| c.is_digit(radix)).then(|| u32::from_str_radix(digits, radix).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decoded(text: &str) -> Option<String> {
        decode(text).map(|decoded| decoded.text)
    }

    #[test]
    fn each_escape_is_taken_off_and_what_is_none_stays() {
        for (text, wanted) in [
            (r#"a\/b\"c\\d\n"#, "a/b\"c\\d\n"),
            (r"\u003c\u003C\u00e4\u00E4\uD83D\ude00\x27", "<<ää😀'"),
            ("&#x27;&#X27;&#039;&#39;&apos;&#34;&quot;&#x2F;&amp;&lt;&gt;", "''''''\"\"/&<>".get(1..).unwrap()),
            ("%2F%2f%C3%a4%F0%9F%98%80+", "//ä😀+"),
            ("ä%ä\\ä&ä;%2F", "ä%ä\\ä&ä;/"),
        ] {
            assert_eq!(decoded(text).as_deref(), Some(wanted), "{text}");
        }
        for text in ["plain", "100%", "a & b;", "%zz%C3%2", r"C:\users", "&nothing;", r"\ud83d", "&#;", "%+1"] {
            assert_eq!(decoded(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_character_knows_where_it_began(text in "[a\\\\&%#;x2Fu0ä\"]{0,40}") {
            if let Some(decoded) = decode(&text) {
                let ends = decoded.text.char_indices().map(|(at, c)| at + c.len_utf8());
                let mut before = decoded.source_of(0);
                prop_assert_eq!(before, 0);
                for end in ends {
                    let there = decoded.source_of(end);
                    prop_assert!(there > before && text.is_char_boundary(there));
                    before = there;
                }
                prop_assert_eq!(before, text.len());
            }
        }
    }
}
