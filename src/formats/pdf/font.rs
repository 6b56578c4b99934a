//! Fonts: the texts and widths of what is shown with them.

use std::collections::HashMap;

use encoding_rs::Encoding;
use hayro_syntax::object::{Array, Dict, Name, Number, Object, Stream};

use super::{
    cmap::{CMap, number},
    encoding::{self, Table},
    stream,
};
use crate::limits::Budget;
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
    /// Reads a font. One that says nothing is taken for a usual one.
    ///
    /// # Errors
    ///
    /// If a part of it unpacks to more than the budget allows.
    pub(super) fn read(dictionary: &Dict<'_>, budget: &mut Budget) -> Result<Self> {
        let texts = dictionary.get::<Stream<'_>>("ToUnicode");
        let texts = texts.map(|texts| stream::data(&texts, budget).map(|texts| CMap::parse(&texts))).transpose()?;
        match name(dictionary, "Subtype").as_slice() {
            b"Type0" => composite(dictionary, texts, budget),
            kind => simple(dictionary, texts, kind, budget),
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

fn name(dictionary: &Dict<'_>, key: &str) -> Vec<u8> {
    dictionary.get::<Name<'_>>(key).map(|name| name.to_vec()).unwrap_or_default()
}

fn simple(dictionary: &Dict<'_>, texts: Option<CMap>, kind: &[u8], budget: &mut Budget) -> Result<Font> {
    let descriptor = dictionary.get::<Dict<'_>>("FontDescriptor").unwrap_or_default();
    let own = name(dictionary, "BaseFont");
    let encoding = dictionary.get::<Object<'_>>("Encoding");
    let base = match &encoding {
        Some(Object::Name(name)) => Some(name.to_vec()),
        Some(Object::Dict(encoding)) => encoding.get::<Name<'_>>("BaseEncoding").map(|name| name.to_vec()),
        _ => None,
    };
    let mut table = match &base {
        Some(name) => encoding::named(name),
        None if own.ends_with(b"Symbol") => encoding::symbol(),
        None if kind == b"TrueType" => encoding::named(b"WinAnsiEncoding"),
        None => encoding::named(b"StandardEncoding"),
    };
    if base.is_none()
        && let Some(program) = descriptor.get::<Stream<'_>>("FontFile")
    {
        let codes = encoding::of_program(&stream::data(&program, budget)?);
        codes.into_iter().for_each(|(code, name)| set(&mut table, code, &name));
    }
    if let Some(Object::Dict(encoding)) = &encoding {
        differences(encoding, kind, &mut table);
    }
    let scale = if kind == b"Type3" { matrix_scale(dictionary) } else { 0.001 };
    let first = dictionary.get::<u32>("FirstChar").unwrap_or(0);
    let given = dictionary.get::<Array<'_>>("Widths").unwrap_or_default();
    let mut widths = HashMap::new();
    for (code, width) in (first..).zip(given.iter::<Object<'_>>().take(256)) {
        if let Object::Number(width) = width {
            widths.insert(code, width.as_f64() * scale);
        }
    }
    if widths.is_empty() {
        widths = (0..).zip(&table).map(|(code, text)| (code, guess(text, &own))).collect();
    }
    let usual_width = descriptor.get::<f64>("MissingWidth").map_or(0.5, |width| width * scale);
    Ok(Font { codes: Codes::Simple(table), texts, widths, usual_width })
}

fn differences(encoding: &Dict<'_>, kind: &[u8], table: &mut Table) {
    let items = encoding.get::<Array<'_>>("Differences").unwrap_or_default();
    let mut code = 0;
    for item in items.iter::<Object<'_>>().take(1024) {
        match item {
            Object::Number(number) => code = u8::try_from(number.as_i64()).unwrap_or(0),
            Object::Name(name) => {
                match encoding::bitmap(&name).filter(|_| kind == b"Type3") {
                    Some(text) => put(table, code, text),
                    None => set(table, code, &name),
                }
                code = code.wrapping_add(1);
            }
            _ => {}
        }
    }
}

fn set(table: &mut Table, code: u8, name: &[u8]) {
    put(table, code, encoding::glyph(name));
}

fn put(table: &mut Table, code: u8, text: String) {
    if let Some(place) = table.get_mut(usize::from(code)) {
        *place = text;
    }
}

fn matrix_scale(dictionary: &Dict<'_>) -> f64 {
    let first = dictionary.get::<Array<'_>>("FontMatrix").and_then(|matrix| matrix.iter::<f64>().next());
    first.map_or(0.001, f64::abs)
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

fn composite(dictionary: &Dict<'_>, texts: Option<CMap>, budget: &mut Budget) -> Result<Font> {
    let codes = match dictionary.get::<Object<'_>>("Encoding") {
        Some(Object::Stream(map)) => {
            let map = CMap::parse(&stream::data(&map, budget)?);
            if map.has_spaces() { Codes::Map(Box::new(map)) } else { Codes::Pairs }
        }
        Some(Object::Name(name)) => {
            let known = PREDEFINED.iter().find(|(part, _)| name.as_str().contains(part));
            let known = known.and_then(|(_, label)| Encoding::for_label(label.as_bytes()));
            known.map_or(Codes::Pairs, Codes::Text)
        }
        _ => Codes::Pairs,
    };
    let below = dictionary.get::<Array<'_>>("DescendantFonts").and_then(|fonts| fonts.iter::<Dict<'_>>().next());
    let below = below.unwrap_or_default();
    let usual_width = below.get::<f64>("DW").map_or(1.0, |width| width / 1000.0);
    let widths = below.get::<Array<'_>>("W").map(|widths| glyph_widths(&widths)).unwrap_or_default();
    Ok(Font { codes, texts, widths, usual_width })
}

/// Most glyphs one range gives a width.
const MAX_RANGE: usize = 4096;

/// `first [w w w]` and `first last w`.
fn glyph_widths(items: &Array<'_>) -> HashMap<u32, f64> {
    let mut widths = HashMap::new();
    let mut items = items.iter::<Object<'_>>();
    // There are no more glyphs than these.
    let glyph = |number: Number| u16::try_from(number.as_i64()).ok().map(u32::from);
    while let Some(Object::Number(first)) = items.next() {
        let Some(first) = glyph(first) else { break };
        match items.next() {
            Some(Object::Array(each)) => {
                let each =
                    each.iter::<Object<'_>>().map(|width| width.into_number().map_or(0.0, |width| width.as_f64()));
                widths.extend((first..=u32::from(u16::MAX)).zip(each.map(|width| width / 1000.0)));
            }
            Some(Object::Number(last)) => {
                let width = items.next().and_then(Object::into_number).map_or(0.0, |width| width.as_f64() / 1000.0);
                let last = glyph(last).unwrap_or(first);
                widths.extend((first..=last).take(MAX_RANGE).map(|glyph| (glyph, width)));
            }
            _ => break,
        }
    }
    widths
}
