//! Characters from bytes whose encoding nobody names: byte order marks, then UTF-8, then the likeliest.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

use satchel_model::error::{Error, Result};

/// Bytes the guess looks at.
const LOOKED_AT: usize = 64 << 10;

/// Returns the text and its encoding's name. `declared` is what the document itself names, for instance in a meta tag.
///
/// # Errors
///
/// If the bytes are no text.
pub(super) fn decode<'a>(bytes: &'a [u8], declared: Option<&str>) -> Result<(Cow<'a, str>, &'static str)> {
    let encoding = detect(bytes, declared);
    let (text, encoding, _) = encoding.decode(bytes);
    let control =
        |c: &char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}' | '\u{1a}' | '\u{8}');
    let odd = text.chars().take(LOOKED_AT).filter(control).count();
    let bad = text.chars().take(LOOKED_AT).filter(|c| *c == '\u{fffd}').count();
    if odd * 50 > text.len().min(LOOKED_AT) || text.contains('\0') || bad * 10 > text.len().min(LOOKED_AT) {
        return Err(not_text());
    }
    Ok((text, encoding.name()))
}

/// The encoding that a page names near its beginning.
pub(super) fn of_html(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(bytes.get(..2048).unwrap_or(bytes)).to_ascii_lowercase();
    let behind =
        head.split("charset").nth(1)?.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
    Some(behind.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_:".contains(*c)).collect())
}

/// The encoding that XML names in its own declaration (XML 1.0, 4.3.3).
pub(super) fn of_xml(bytes: &[u8]) -> Option<String> {
    let start = String::from_utf8_lossy(bytes.get(..256).unwrap_or(bytes)).into_owned();
    let declaration = start.trim_start_matches('\u{feff}').trim_start().strip_prefix("<?xml")?.split_once("?>")?.0;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    value.split(quote).nth(1).map(str::to_owned)
}

fn detect(bytes: &[u8], declared: Option<&str>) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    let declared = declared.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    // Its bytes are ASCII, whatever they say.
    if declared == Some(ISO_2022_JP) {
        return ISO_2022_JP;
    }
    if std::str::from_utf8(bytes).is_ok() && !bytes.contains(&0) {
        return UTF_8;
    }
    if let Some(wide) = wide(bytes) {
        return wide;
    }
    if let Some(declared) = declared {
        return declared;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    let looked_at = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    detector.feed(looked_at, looked_at.len() == bytes.len());
    detector.guess(None, Utf8Detection::Allow)
}

/// UTF-16 without a mark: most of its zeros stand on one side.
fn wide(bytes: &[u8]) -> Option<&'static Encoding> {
    let looked_at = bytes.get(..4096).unwrap_or(bytes);
    let zeros = |side: usize| looked_at.iter().skip(side).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let half = looked_at.len() / 2;
    if !bytes.len().is_multiple_of(2) || half < 2 {
        return None;
    }
    match () {
        () if odd * 3 > half && even * 10 < half => Some(UTF_16LE),
        () if even * 3 > half && odd * 10 < half => Some(UTF_16BE),
        () => None,
    }
}

fn not_text() -> Error {
    Error::invalid(
        "The file is no text and no document that can be read here. PDF, DOCX, XLSX, PPTX, HTML, Markdown, CSV, JSON, \
         text and code can.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_encodings_are_told_apart() {
        let text = "Größe: 25 €, „schön“. Das Mädchen hätte früher gehen müssen.";
        let encoded = encoding_rs::WINDOWS_1252.encode(text).0;
        assert_eq!(decode(&encoded, None).unwrap(), (text.into(), "windows-1252"));
        let utf8 = decode(text.as_bytes(), Some("latin1")).unwrap();
        assert!(matches!(utf8, (Cow::Borrowed(same), "UTF-8") if same == text), "{utf8:?}");
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&wide, None).unwrap(), (text.into(), "UTF-16LE"));
        let marked =
            [&[0xfe, 0xff][..], &"日本".encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>()].concat();
        assert_eq!(decode(&marked, None).unwrap(), ("日本".into(), "UTF-16BE"));
        let japanese = encoding_rs::SHIFT_JIS.encode("これは日本語の文章です。よろしくお願いします。").0;
        assert_eq!(decode(&japanese, None).unwrap().1, "Shift_JIS");
        let russian = encoding_rs::WINDOWS_1251.encode("Съешь же ещё этих мягких французских булок").0;
        assert_eq!(decode(&russian, None).unwrap().1, "windows-1251");
        assert_eq!(decode(&russian, Some("koi8-r")).unwrap().1, "KOI8-R");
    }

    #[test]
    fn xml_names_its_encoding_itself() {
        for (bytes, wanted) in [
            (&b"<?xml version='1.0' encoding='Shift_JIS'?><a/>"[..], Some("Shift_JIS")),
            (b"\xef\xbb\xbf<?xml version=\"1.0\" encoding = \"utf-8\" standalone=\"yes\"?>", Some("utf-8")),
            (b"<?xml version='1.0'?><a encoding='x'/>", None),
            (b"<a encoding='x'/>", None),
        ] {
            assert_eq!(of_xml(bytes).as_deref(), wanted);
        }
        let japanese = encoding_rs::ISO_2022_JP.encode("日本語").0;
        assert_eq!(decode(&japanese, Some("iso-2022-jp")).unwrap().0, "日本語");
    }

    #[test]
    fn what_is_no_text_is_refused() {
        for bytes in [&b"\x7fELF\x02\x01\x01\0\0\0\0\0"[..], &[0, 1, 2, 3, 4, 5, 6, 7], &[0xff, 0xfe, 0, 0, 1, 2, 3, 4]]
        {
            assert!(decode(bytes, None).is_err(), "{bytes:?}");
        }
    }
}
