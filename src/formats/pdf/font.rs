//! Fonts: the texts and widths of what is shown with them.

use std::{collections::HashMap, rc::Rc};

use encoding_rs::Encoding;
use lopdf::{Dictionary, Object};

use super::{
    cmap::{CMap, number},
    encoding::{self, Table},
    file::File,
};
use satchel_model::error::Result;

/// A character that is shown.
#[derive(Debug, PartialEq)]
pub(super) struct Shown {
    /// Its text, perhaps none.
    pub(super) text: String,
    /// The distance it moves on, in units of the font's size.
    pub(super) width: f64,
    /// `true` if it is the single byte 32, which word spacing widens.
    pub(super) blank: bool,
}

/// A font, as far as text is concerned.
pub(super) struct Font {
    codes: Codes,
    texts: Option<CMap>,
    widths: HashMap<u32, f64>,
    usual_width: f64,
}

/// The way bytes become codes.
enum Codes {
    /// One byte each, with a text of their own.
    Simple(Table),
    /// Two bytes each: the glyph.
    Pairs,
    /// As the map says.
    Map(Box<CMap>),
    /// Characters of an encoding.
    Text(&'static Encoding),
}

/// Encodings behind the predefined maps of CJK fonts, by a part of their names.
const PREDEFINED: [(&str, &str); 11] = [
    ("UCS2", "utf-16be"),
    ("UTF16", "utf-16be"),
    ("UTF8", "utf-8"),
    ("RKSJ", "shift_jis"),
    ("EUC-H", "euc-jp"),
    ("EUC-V", "euc-jp"),
    ("GBK", "gbk"),
    ("GBpc", "gbk"),
    ("GB-EUC", "gbk"),
    ("B5", "big5"),
    ("KSC", "euc-kr"),
];

impl Font {
    pub(super) fn read(dictionary: &Dictionary, file: &mut File<'_>) -> Result<Self> {
        let texts = match &*file.value(dictionary, b"ToUnicode")? {
            Object::Stream(stream) => Some(CMap::parse(&file.data(stream)?, &mut file.budget)?),
            _ => None,
        };
        match dictionary.get(b"Subtype").and_then(Object::as_name) {
            Ok(b"Type0") => composite(dictionary, texts, file),
            _ => simple(dictionary, texts, file),
        }
    }

    /// Takes the first character of some bytes.
    pub(super) fn next(&self, bytes: &mut &[u8]) -> Option<Shown> {
        let first = *bytes.first()?;
        let (code, length) = match &self.codes {
            Codes::Simple(_) => (u32::from(first), 1),
            Codes::Pairs => (number(bytes.get(..2).unwrap_or(bytes)), 2),
            Codes::Map(map) => map.code(bytes),
            Codes::Text(encoding) => character(encoding, bytes),
        };
        let taken = bytes.get(..length).unwrap_or(bytes);
        *bytes = bytes.get(length..).unwrap_or_default();
        let glyph = match &self.codes {
            Codes::Map(map) => map.glyph(code).unwrap_or(code),
            _ => code,
        };
        let own = || match &self.codes {
            Codes::Simple(table) => usize::try_from(code).ok().and_then(|code| table.get(code)).cloned(),
            Codes::Text(encoding) => {
                encoding.decode_without_bom_handling_and_without_replacement(taken).map(|text| text.into_owned())
            }
            Codes::Pairs | Codes::Map(_) => None,
        };
        let text = self.texts.as_ref().and_then(|texts| texts.text(code)).map(|text| encoding::plain(&text));
        let text = text.filter(|text| !text.is_empty()).or_else(own).unwrap_or_default();
        let width = self.widths.get(&glyph).copied().unwrap_or(self.usual_width);
        Some(Shown { text, width, blank: length == 1 && first == 32 })
    }
}

/// The first character of some bytes in an encoding, and its length.
fn character(encoding: &'static Encoding, bytes: &[u8]) -> (u32, usize) {
    let whole = |length: &usize| {
        let part = bytes.get(..*length);
        part.is_some_and(|part| encoding.decode_without_bom_handling_and_without_replacement(part).is_some())
    };
    let length = (1..=4).find(whole).unwrap_or(1).min(bytes.len());
    (number(bytes.get(..length).unwrap_or_default()), length)
}

fn simple(dictionary: &Dictionary, texts: Option<CMap>, file: &mut File<'_>) -> Result<Font> {
    let kind = dictionary.get(b"Subtype").and_then(Object::as_name).unwrap_or_default().to_vec();
    let descriptor = file.dictionary(dictionary, b"FontDescriptor")?;
    let name = dictionary.get(b"BaseFont").and_then(Object::as_name).unwrap_or_default().to_vec();
    let encoding = file.value(dictionary, b"Encoding")?;
    let base = match &*encoding {
        Object::Name(name) => Some(name.clone()),
        Object::Dictionary(own) => file.value(own, b"BaseEncoding")?.as_name().ok().map(<[u8]>::to_vec),
        _ => None,
    };
    let mut table = match &base {
        Some(name) => encoding::named(name),
        None if name.ends_with(b"Symbol") => encoding::symbol(),
        None if kind == b"TrueType" => encoding::named(b"WinAnsiEncoding"),
        None => encoding::named(b"StandardEncoding"),
    };
    if base.is_none()
        && let Object::Stream(program) = &*file.value(&descriptor, b"FontFile")?
    {
        let codes = encoding::of_program(&file.data(program)?);
        codes.into_iter().for_each(|(code, name)| set(&mut table, code, &name));
    }
    if let Object::Dictionary(own) = &*encoding {
        differences(own, &kind, &mut table, file)?;
    }
    let scale = if kind == b"Type3" { matrix_scale(dictionary, file)? } else { 0.001 };
    let first =
        file.value(dictionary, b"FirstChar")?.as_i64().ok().and_then(|first| u32::try_from(first).ok()).unwrap_or(0);
    let widths = file.value(dictionary, b"Widths")?;
    let mut known = HashMap::new();
    for (code, width) in (first..).zip(widths.as_array().map_or(&[][..], Vec::as_slice).iter().take(256)) {
        if let Ok(width) = file.resolve(width)?.as_float() {
            known.insert(code, f64::from(width) * scale);
        }
    }
    if known.is_empty() {
        known = (0..).zip(&table).map(|(code, text)| (code, guess(text, &name))).collect();
    }
    let usual = file.value(&descriptor, b"MissingWidth")?.as_float().map_or(0.5, |width| f64::from(width) * scale);
    Ok(Font { codes: Codes::Simple(table), texts, widths: known, usual_width: usual })
}

fn differences(own: &Dictionary, kind: &[u8], table: &mut Table, file: &mut File<'_>) -> Result<()> {
    let items = file.value(own, b"Differences")?;
    let mut code = 0;
    for item in items.as_array().map_or(&[][..], Vec::as_slice).iter().take(1024) {
        match &*file.resolve(item)? {
            Object::Integer(number) => code = u8::try_from(*number).unwrap_or(0),
            Object::Name(name) => {
                match encoding::bitmap(name).filter(|_| kind == b"Type3") {
                    Some(text) => put(table, code, text),
                    None => set(table, code, name),
                }
                code = code.wrapping_add(1);
            }
            _ => {}
        }
    }
    Ok(())
}

fn set(table: &mut Table, code: u8, name: &[u8]) {
    put(table, code, encoding::glyph(name));
}

fn put(table: &mut Table, code: u8, text: String) {
    if let Some(place) = table.get_mut(usize::from(code)) {
        *place = text;
    }
}

fn matrix_scale(dictionary: &Dictionary, file: &mut File<'_>) -> Result<f64> {
    let matrix = file.value(dictionary, b"FontMatrix")?;
    let first = matrix.as_array().ok().and_then(|items| items.first()?.as_float().ok());
    Ok(first.map_or(0.001, f64::from).abs())
}

/// Roughly how wide a character of a font is that tells no widths.
fn guess(text: &str, font: &[u8]) -> f64 {
    if font.windows(7).any(|part| part == b"Courier") {
        return 0.6;
    }
    match text.chars().next() {
        Some('i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | 't' | 'f' | 'I') => 0.28,
        Some('m' | 'w' | 'M' | 'W' | '@') => 0.85,
        Some(c) if c.is_uppercase() => 0.68,
        _ => 0.54,
    }
}

fn composite(dictionary: &Dictionary, texts: Option<CMap>, file: &mut File<'_>) -> Result<Font> {
    let encoding = file.value(dictionary, b"Encoding")?;
    let codes = match &*encoding {
        Object::Stream(stream) => {
            let map = CMap::parse(&file.data(stream)?, &mut file.budget)?;
            if map.has_spaces() { Codes::Map(Box::new(map)) } else { Codes::Pairs }
        }
        Object::Name(name) => {
            let name = String::from_utf8_lossy(name).into_owned();
            let known = PREDEFINED.iter().find(|(part, _)| name.contains(part));
            let known = known.and_then(|(_, label)| Encoding::for_label(label.as_bytes()));
            known.map_or(Codes::Pairs, Codes::Text)
        }
        _ => Codes::Pairs,
    };
    let below = file.value(dictionary, b"DescendantFonts")?;
    let below = match below.as_array().ok().and_then(|fonts| fonts.first()) {
        Some(font) => file.resolve(font)?,
        None => Rc::new(Object::Null),
    };
    let below = below.as_dict().cloned().unwrap_or_default();
    let usual = file.value(&below, b"DW")?.as_float().map_or(1.0, |width| f64::from(width) / 1000.0);
    let widths = file.value(&below, b"W")?;
    let widths = glyph_widths(widths.as_array().map_or(&[][..], Vec::as_slice), file)?;
    Ok(Font { codes, texts, widths, usual_width: usual })
}

/// Most glyphs one range gives a width.
const MAX_RANGE: usize = 4096;

/// `first [w w w]` and `first last w`.
fn glyph_widths(items: &[Object], file: &mut File<'_>) -> Result<HashMap<u32, f64>> {
    let mut widths = HashMap::new();
    let mut items = items.iter();
    let glyph = |object: Option<&Object>| object.and_then(|object| u32::try_from(object.as_i64().ok()?).ok());
    while let Some(first) = glyph(items.next()) {
        let Some(second) = items.next() else { break };
        match &*file.resolve(second)? {
            Object::Array(each) => {
                for (glyph, width) in (first..).zip(each) {
                    file.budget.object()?;
                    widths.insert(glyph, f64::from(file.resolve(width)?.as_float().unwrap_or(0.0)) / 1000.0);
                }
            }
            last => {
                let width = items.next().and_then(|width| width.as_float().ok()).map_or(0.0, f64::from) / 1000.0;
                for glyph in (first..=glyph(Some(last)).unwrap_or(first)).take(MAX_RANGE) {
                    file.budget.object()?;
                    widths.insert(glyph, width);
                }
            }
        }
    }
    Ok(widths)
}
