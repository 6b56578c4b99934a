//! Simple fonts: which text each of 256 codes stands for, by the names of glyphs.

use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1252};
use read_fonts::ps::{agl, encoding::PredefinedEncoding};

use super::words::find;

/// The texts of all codes; empty where a code has none.
pub(super) type Table = Vec<String>;

/// The capital letters of the font Symbol, from `A`; then the small ones, from `a`.
const SYMBOLS: [&str; 2] = ["ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"];

/// Characters of PDFDocEncoding that Latin-1 does not have there, and the code of the first.
const SPECIAL: [(u8, &str); 3] = [(0x18, "˘ˇˆ˙˝˛˚˜"), (0x80, "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž"), (0xa0, "€")];

/// The table of an encoding that has a name; of the usual one where the name is not known.
pub(super) fn named(name: &[u8]) -> Table {
    let of = |encoding: &'static Encoding, code: u8| plain(&encoding.decode_without_bom_handling(&[code]).0);
    let text = |code: u8| match name {
        // Every other code from here on is a bullet.
        b"WinAnsiEncoding" => {
            Some(of(WINDOWS_1252, code)).filter(|text| !text.is_empty() || code < 0x7f).unwrap_or("•".to_owned())
        }
        b"MacRomanEncoding" => of(MACINTOSH, code),
        b"PDFDocEncoding" => plain(&special(code).to_string()),
        _ => glyph(PredefinedEncoding::Standard.name(code).as_bytes()),
    };
    (0..=255).map(text).collect()
}

/// A text that stands outside pages: in UTF-16 or UTF-8 if it begins as they do.
pub(super) fn text_string(bytes: &[u8]) -> String {
    match Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding.decode(bytes).0.replace('\u{fffd}', ""),
        None => bytes.iter().map(|code| special(*code)).filter(|c| !c.is_control()).collect(),
    }
}

/// The character of a code in PDFDocEncoding.
fn special(code: u8) -> char {
    let of = |(first, characters): &(u8, &str)| characters.chars().nth(usize::from(code.checked_sub(*first)?));
    SPECIAL.iter().find_map(of).unwrap_or(char::from(code))
}

/// The table of the font Symbol, as far as letters go.
pub(super) fn symbol() -> Table {
    let mut table = named(b"StandardEncoding");
    for (letters, first) in SYMBOLS.iter().zip([b'A', b'a']) {
        for (letter, place) in letters.chars().zip(table.iter_mut().skip(usize::from(first))) {
            *place = letter.to_string();
        }
    }
    if let Some(bullet) = table.get_mut(0xb7) {
        *bullet = "•".to_owned();
    }
    table
}

/// Glyphs of TeX's fonts for formulas whose names the Adobe Glyph List does not have.
const FORMULAS: &str = "hyphenchar - rangedash – punctdash — Ng Ŋ ng ŋ pertenthousand ‱ prime ′ visiblespace ␣ \
    phi2 ϕ pi1 ϖ rho1 ϱ epsilon1 ϵ lscript ℓ Ifractur ℑ Rfractur ℜ negationslash \u{338} owner ∋ asteriskcentered ∗ \
    arrownorthwest ↖ arrownortheast ↗ arrowsoutheast ↘ arrowsouthwest ↙ coproduct ∐ contintegral ∮ bardbl ∥ \
    wreathproduct ≀ similarequal ≃ equivasymptotic ≍ lessmuch ≪ greatermuch ≫ follows ≻ precedesequal ≼ \
    followsequal ≽ unionmulti ⊎ unionsq ⊔ intersectionsq ⊓ subsetsqequal ⊑ supersetsqequal ⊒ circleminus ⊖ \
    circledivide ⊘ circledot ⊙ turnstileleft ⊢ turnstileright ⊣ latticetop ⊤ diamondmath ⋄ star ⋆ ceilingleft ⌈ \
    ceilingright ⌉ floorleft ⌊ floorright ⌋ dblbracketleft ⟦ dblbracketright ⟧ angbracketleft ⟨ angbracketright ⟩ \
    triangle △ triangleinv ▽ flat ♭ natural ♮ sharp ♯";

/// Endings of the names of their large glyphs.
const LARGE: [&str; 6] = ["display", "text", "bigg", "Bigg", "big", "Big"];

/// The text a glyph's name stands for; empty where it says nothing.
pub(super) fn glyph(name: &[u8]) -> String {
    let Ok(name) = str::from_utf8(name) else { return String::new() };
    let listed = |name: &str| plain(&agl::name_to_chars(name).collect::<String>());
    let text = listed(name);
    if !text.is_empty() {
        return text;
    }
    let name = LARGE.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let mut words = FORMULAS.split_whitespace();
    match words.find(|word| *word == name).and_then(|_| words.next()) {
        Some(text) => text.to_owned(),
        None => listed(name),
    }
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
        for (name, text) in [
            ("A", "A"),
            ("eacute", "é"),
            ("ffi", "ffi"),
            ("uni20AC", "€"),
            ("u1F600", "😀"),
            ("f_i", "fi"),
            ("a.sc", "a"),
            ("afii10017", "А"),
            ("summationdisplay", "∑"),
            ("parenleftBigg", "("),
            ("unionsqtext", "⊔"),
            ("floorleft", "⌊"),
            ("g123", ""),
            ("nosuchglyph", ""),
            (".notdef", ""),
            ("", ""),
        ] {
            assert_eq!(glyph(name.as_bytes()), text, "{name}");
        }
    }

    #[test]
    fn encodings_have_their_characters() {
        let win = named(b"WinAnsiEncoding");
        assert_eq!((win[0x80].as_str(), win[0xe9].as_str(), win[65].as_str()), ("€", "é", "A"));
        assert_eq!((win[0x81].as_str(), win[0x1f].as_str()), ("•", ""));
        assert_eq!(symbol()[usize::from(b'W')], "Ω");
        let standard = named(b"StandardEncoding");
        assert_eq!((standard[0x27].as_str(), standard[0xfb].as_str(), standard[0x80].as_str()), ("’", "ß", ""));
        let mac = named(b"MacRomanEncoding");
        assert_eq!((mac[0x8a].as_str(), mac[0xde].as_str(), mac[0xca].as_str()), ("ä", "fi", " "));
    }

    #[test]
    fn texts_outside_pages_say_how_they_are_written() {
        for (bytes, text) in [
            (&b"caf\xe9 \x84 \xa0 \x1f\n"[..], "café — € ˜"),
            (b"\xfe\xff\x04\x42\xd8\x3d\xde\x00", "т😀"),
            (b"\xef\xbb\xbf\xc3\xa9", "é"),
            (b"\xfe\xff\xd8\x3d\x00\x41", "A"),
        ] {
            assert_eq!(text_string(bytes), text, "{bytes:?}");
        }
    }

    #[test]
    fn a_programs_own_codes_are_read() {
        let program = b"%!PS /Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\ndup 11 /ff put\ndup 65 /A put\nreadonly def\neexec dup 1 /B put";
        assert_eq!(of_program(program), [(11, b"ff".to_vec()), (65, b"A".to_vec())]);
    }
}
