//! Encodings of text: names, and bytes to characters and back, with nothing replaced silently.

use std::str::FromStr;

use encoding_rs::{DecoderResult, EncoderResult, Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};

use satchel_model::error::{Error, Result};

/// An encoding of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Charset {
    /// UTF-8, a byte order mark being text like any other.
    #[default]
    Utf8,
    /// The 128 characters of ASCII. The web takes the name for windows-1252, which writes more than was asked for.
    Ascii,
    /// Another encoding of the WHATWG standard.
    Other(&'static Encoding),
}

/// Bytes of a file with where they lie in it, and the window that is wanted.
pub(super) struct Chunk {
    pub(super) bytes: Vec<u8>,
    /// The place in the file at which `bytes` begins.
    pub(super) start: u64,
    /// The window's first byte.
    pub(super) from: u64,
    /// One past the window's last byte.
    pub(super) to: u64,
    /// `true` if the window reaches the end of the file.
    pub(super) last: bool,
}

impl FromStr for Charset {
    type Err = Error;

    fn from_str(label: &str) -> Result<Self> {
        // Python's spellings beside those of the web.
        let plain = label.trim().to_ascii_lowercase().replace('_', "-");
        let plain = if plain == "latin-1" { "latin1" } else { &plain };
        if matches!(plain, "ascii" | "us-ascii") {
            return Ok(Self::Ascii);
        }
        match Encoding::for_label(plain.as_bytes()) {
            Some(found) if found == UTF_8 => Ok(Self::Utf8),
            Some(found) if found != REPLACEMENT => Ok(Self::Other(found)),
            _ => Err(Error::invalid(format!(
                "'{label}' is not an encoding known here. Try utf-8, utf-16le, iso-8859-1, windows-1252 or shift_jis."
            ))),
        }
    }
}

impl Charset {
    /// The encoding's usual name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Ascii => "US-ASCII",
            Self::Other(other) => other.name(),
        }
    }

    /// Returns whether a character's beginning can be found from the middle of a file.
    pub(super) fn finds_its_place(self) -> bool {
        match self {
            Self::Utf8 | Self::Ascii => true,
            Self::Other(other) => other.is_single_byte(),
        }
    }

    /// The whole characters within the window, and the byte after the last of them; else the wrong byte's place.
    pub(super) fn decode(self, chunk: Chunk) -> Result<(String, u64), u64> {
        match self {
            Self::Utf8 => decode_utf8(chunk),
            Self::Ascii => match chunk.bytes.iter().position(|byte| !byte.is_ascii()) {
                Some(at) => Err(chunk.start + at as u64),
                None => decode_utf8(chunk),
            },
            Self::Other(other) => decode_other(other, &chunk),
        }
    }

    /// The text's bytes; a character the encoding does not have is an error.
    pub fn encode(self, text: &str) -> Result<Vec<u8>> {
        match self {
            Self::Utf8 => Ok(text.as_bytes().to_vec()),
            Self::Ascii => match text.chars().find(|c| !c.is_ascii()) {
                Some(c) => Err(lacks(self.name(), c)),
                None => Ok(text.as_bytes().to_vec()),
            },
            Self::Other(other) if other == UTF_16LE => Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            Self::Other(other) if other == UTF_16BE => Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            Self::Other(other) => encode_other(other, text),
        }
    }
}

fn lacks(encoding: &str, c: char) -> Error {
    Error::invalid(format!("{encoding} has no character '{c}'. Write it as utf-8."))
}

/// The text stays where its bytes are.
fn decode_utf8(chunk: Chunk) -> Result<(String, u64), u64> {
    let Chunk { mut bytes, start, from, last, .. } = chunk;
    // An offset within a character begins with the next one.
    let inside = |byte: &&u8| (**byte & 0b1100_0000) == 0b1000_0000;
    let skip = if from == 0 { 0 } else { bytes.iter().take(3).take_while(inside).count() };
    bytes.drain(..skip);
    let begin = start + skip as u64;
    let text = String::from_utf8(bytes).or_else(|error| {
        let (good, is_cut) = (error.utf8_error().valid_up_to(), error.utf8_error().error_len().is_none());
        if last || !is_cut {
            return Err(begin + good as u64);
        }
        let mut bytes = error.into_bytes();
        bytes.truncate(good);
        Ok(String::from_utf8(bytes).unwrap_or_default())
    })?;
    let reached = begin + text.len() as u64;
    Ok((text, reached))
}

/// Decodes byte by byte: what comes out with a byte is the character that byte completes.
fn decode_other(encoding: &'static Encoding, chunk: &Chunk) -> Result<(String, u64), u64> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let (mut text, mut reached, mut begin) = (String::new(), chunk.from, chunk.start);
    let mut buffer = [0; 16];
    for (at, byte) in (chunk.start..).zip(&chunk.bytes) {
        let last = at + 1 == chunk.start + chunk.bytes.len() as u64 && chunk.last;
        let (result, _, written) =
            decoder.decode_to_utf8_without_replacement(std::slice::from_ref(byte), &mut buffer, last);
        if let DecoderResult::Malformed(..) = result {
            return Err(begin);
        }
        let characters = buffer.get(..written).and_then(|out| std::str::from_utf8(out).ok()).unwrap_or_default();
        if characters.is_empty() {
            continue;
        }
        if begin >= chunk.from && at < chunk.to {
            text.push_str(characters);
            reached = at + 1;
        }
        begin = at + 1;
        if begin >= chunk.to {
            break;
        }
    }
    Ok((text, reached))
}

fn encode_other(encoding: &'static Encoding, text: &str) -> Result<Vec<u8>> {
    let mut encoder = encoding.new_encoder();
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    loop {
        bytes.reserve(rest.len() + 16);
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        rest = rest.get(read..).unwrap_or_default();
        match result {
            EncoderResult::InputEmpty => return Ok(bytes),
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(c) => {
                return Err(lacks(encoding.name(), c));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(charset: &str, bytes: &[u8], from: u64, to: u64) -> Result<(String, u64), u64> {
        let charset: Charset = charset.parse().unwrap();
        let size = bytes.len() as u64;
        let to = to.min(size);
        let slice = &bytes[usize::try_from(from).unwrap()..usize::try_from(to).unwrap()];
        let (bytes, start) = if charset.finds_its_place() { (slice, from) } else { (bytes, 0) };
        charset.decode(Chunk { bytes: bytes.to_vec(), start, from, to, last: to >= size })
    }

    #[test]
    fn a_window_holds_whole_characters_only() {
        let text = "aé€😀z".as_bytes();
        assert_eq!(window("utf-8", text, 0, 2), Ok(("a".to_owned(), 1)));
        assert_eq!(window("utf-8", text, 2, 6), Ok(("€".to_owned(), 6)));
        assert_eq!(window("utf-8", text, 4, 99), Ok(("😀z".to_owned(), 11)));
        let japanese = Charset::Other(encoding_rs::SHIFT_JIS).encode("日本a").unwrap();
        assert_eq!(window("shift_jis", &japanese, 0, 3), Ok(("日".to_owned(), 2)));
        assert_eq!(window("shift_jis", &japanese, 1, 5), Ok(("本a".to_owned(), 5)));
    }

    #[test]
    fn a_wrong_byte_is_found_not_replaced() {
        assert_eq!(window("utf-8", b"ab\xffcd", 0, 5), Err(2));
        assert_eq!(window("utf-8", b"ab\xe2\x82", 0, 4), Err(2));
        assert_eq!(window("utf-16le", b"a\0\x00\xd8", 0, 4), Err(2));
        assert!(Charset::Other(encoding_rs::WINDOWS_1252).encode("日").is_err());
    }

    #[test]
    fn what_is_encoded_decodes_to_itself() {
        for label in ["utf-8", "utf-16le", "utf-16be", "latin-1", "Windows-1252", "gb18030"] {
            let charset: Charset = label.parse().unwrap();
            let bytes = charset.encode("Zoë spoke").unwrap();
            assert_eq!(window(label, &bytes, 0, 99), Ok(("Zoë spoke".to_owned(), bytes.len() as u64)), "{label}");
        }
        let ascii: Charset = "ASCII".parse().unwrap();
        assert_eq!(ascii.encode("5 EUR").unwrap(), b"5 EUR");
        assert_eq!(ascii.encode("5 €").unwrap_err().message(), "US-ASCII has no character '€'. Write it as utf-8.");
        assert_eq!(window("us_ascii", b"abc", 1, 9), Ok(("bc".to_owned(), 3)));
        assert_eq!(window("ascii", b"ab\x80", 0, 9), Err(2));
        assert!("klingon".parse::<Charset>().is_err());
    }
}
