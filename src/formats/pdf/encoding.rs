//! Simple fonts: which text each of 256 codes stands for, by the names of glyphs.

use lopdf::{Dictionary, Document, Object};

use super::file::find;

/// The texts of all codes; empty where a code has none.
pub(super) type Table = Vec<String>;

/// The capital letters of the font Symbol, from `A`; then the small ones, from `a`.
const SYMBOLS: [&str; 2] = ["ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"];

/// The table of an encoding that has a name.
pub(super) fn named(name: &[u8]) -> Table {
    let font = font(Object::Name(name.to_vec()));
    let document = Document::new();
    let encoding = font.get_font_encoding(&document).ok();
    let text = |code: u8| encoding.as_ref().and_then(|encoding| encoding.bytes_to_string(&[code]).ok());
    (0..=255).map(|code| plain(&text(code).unwrap_or_default())).collect()
}

/// The table of the font Symbol, as far as letters go.
pub(super) fn symbol() -> Table {
    let mut table = named(b"StandardEncoding");
    for (letters, first) in SYMBOLS.iter().zip([b'A', b'a']) {
        for (letter, place) in letters.chars().zip(table.iter_mut().skip(usize::from(first))) {
            *place = letter.to_string();
        }
    }
    table.iter_mut().nth(0xb7).into_iter().for_each(|bullet| *bullet = "•".to_owned());
    table
}

/// The text a glyph's name stands for; empty where it says nothing.
pub(super) fn glyph(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    let base = name.split('.').next().unwrap_or_default();
    if base.is_empty() {
        return String::new();
    }
    if base.contains('_') {
        return base.split('_').map(|part| glyph(part.as_bytes())).collect();
    }
    if let [only] = base.as_bytes() {
        return char::from(*only).to_string();
    }
    let code = |digits: &str| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    if let Some(c) =
        base.strip_prefix("uni").filter(|digits| digits.len() >= 4).and_then(|digits| code(digits.get(..4)?))
    {
        return c.to_string();
    }
    if let Some(c) = base.strip_prefix('u').filter(|digits| (4..=6).contains(&digits.len())).and_then(code) {
        return c.to_string();
    }
    // Names such as `g12` and `cid345` are numbers of the font's own.
    let own = base.trim_end_matches(|c: char| c.is_ascii_digit());
    if own.len() < base.len() && !matches!(own, "afii" | "SF" | "H" | "a") || own.is_empty() {
        return String::new();
    }
    let differences = Object::Array(vec![Object::Integer(0), Object::Name(base.as_bytes().to_vec())]);
    let pairs = [("Type", Object::Name(b"Encoding".to_vec())), ("Differences", differences)];
    let font = font(Object::Dictionary(pairs.into_iter().collect()));
    let document = Document::new();
    plain(
        &font.get_font_encoding(&document).ok().and_then(|found| found.bytes_to_string(&[0]).ok()).unwrap_or_default(),
    )
}

fn font(encoding: Object) -> Dictionary {
    [("Type", Object::Name(b"Font".to_vec())), ("Encoding", encoding)].into_iter().collect()
}

/// Ligatures as the letters they are made of; what is no character as nothing.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'ﬀ' => out.push_str("ff"),
            'ﬁ' => out.push_str("fi"),
            'ﬂ' => out.push_str("fl"),
            'ﬃ' => out.push_str("ffi"),
            'ﬄ' => out.push_str("ffl"),
            'ﬅ' | 'ﬆ' => out.push_str("st"),
            '\u{a0}' => out.push(' '),
            '\u{ad}' => out.push('-'),
            // Where the fonts Symbol and Wingdings have their bullets.
            '\u{f0b7}' | '\u{f0a7}' | '\u{f0d8}' | '\u{f0a8}' | '\u{f0fc}' | '\u{f06e}' | '\u{f076}' => out.push('•'),
            c if c.is_control() || c == '\u{fffd}' || ('\u{e000}'..='\u{f8ff}').contains(&c) => {}
            c => out.push(c),
        }
    }
    out
}

/// The text of a glyph in one of TeX's bitmap fonts, whose names are numbers: `a65`.
pub(super) fn bitmap(name: &[u8]) -> Option<String> {
    let code = std::str::from_utf8(name).ok()?.strip_prefix('a')?.parse::<u8>().ok()?;
    let ligatures = ["ff", "fi", "fl", "ffi", "ffl"];
    let ligature = match code {
        11..=15 => ligatures.get(usize::from(code - 11)),
        27..=31 => ligatures.get(usize::from(code - 27)),
        _ => None,
    };
    let own = match code {
        16 => "“",
        17 => "”",
        21 => "–",
        22 => "—",
        127 => "-",
        136 => "•",
        0xff => "ß",
        _ => return Some(ligature.map_or_else(|| plain(&char::from(code).to_string()), |text| (*text).to_owned())),
    };
    Some(own.to_owned())
}

/// The codes a Type 1 font itself gives its glyphs: `dup 65 /A put` before its encrypted part.
pub(super) fn of_program(program: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let clear = program.get(..find(program, b"eexec").unwrap_or(program.len())).unwrap_or_default();
    let Some(from) = find(clear, b"/Encoding") else { return Vec::new() };
    let text = String::from_utf8_lossy(clear.get(from..).unwrap_or_default());
    let mut words = text.split_whitespace();
    let mut codes = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "dup" => {
                let (code, name) = (words.next().and_then(|code| code.parse().ok()), words.next());
                if let (Some(code), Some(name)) = (code, name.and_then(|name| name.strip_prefix('/'))) {
                    codes.push((code, name.as_bytes().to_vec()));
                }
            }
            "readonly" | "def" if !codes.is_empty() => break,
            _ => {}
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_glyphs_are_known() {
        let names =
            ["A", "eacute", "ffi", "uni20AC", "u1F600", "f_i", "a.sc", "g123", "afii10017", "nosuchglyph", ".notdef"];
        let texts = names.map(|name| glyph(name.as_bytes()));
        assert_eq!(texts, ["A", "é", "ffi", "€", "😀", "fi", "a", "", "А", "", ""]);
    }

    #[test]
    fn encodings_have_their_characters() {
        let win = named(b"WinAnsiEncoding");
        assert_eq!((win[0x80].as_str(), win[0xe9].as_str(), win[65].as_str()), ("€", "é", "A"));
        assert_eq!(symbol()[usize::from(b'W')], "Ω");
    }

    #[test]
    fn a_programs_own_codes_are_read() {
        let program = b"%!PS /Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\ndup 11 /ff put\ndup 65 /A put\nreadonly def\neexec dup 1 /B put";
        assert_eq!(of_program(program), [(11, b"ff".to_vec()), (65, b"A".to_vec())]);
    }
}
