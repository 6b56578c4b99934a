//! Fonts a new PDF is written with: which one has a character, and how wide its text is.

use std::{collections::BTreeSet, ops::Range};

use krilla::text::{Font, GlyphId, KrillaGlyph};
use rustybuzz::{Direction, Face, UnicodeBuffer, ttf_parser};

use satchel_model::error::{Error, Result};

/// A font in two forms: one to measure with, one to write with.
struct Member<'a> {
    shape: Face<'a>,
    write: Font,
}

/// Fonts, the preferred first.
pub(super) struct Faces<'a>(Vec<Member<'a>>);

/// Text in one font, ready to be drawn.
pub(super) struct Piece {
    pub(super) font: Font,
    pub(super) glyphs: Vec<KrillaGlyph>,
    /// As a share of the size.
    pub(super) width: f32,
    /// Its range in the text it was made of.
    pub(super) range: Range<usize>,
}

impl<'a> Faces<'a> {
    /// A built-in font, and others for characters it does not have.
    pub(super) fn new(built_in: &'static [u8], others: &'a [Vec<u8>]) -> Result<Self> {
        let mut members =
            vec![member(built_in, built_in.into()).ok_or_else(|| Error::internal("the built-in font is broken"))?];
        members.extend(others.iter().filter_map(|data| member(data, data.clone().into())));
        Ok(Self(members))
    }

    /// The number of the font that has a character.
    fn holding(&self, c: char) -> Option<usize> {
        self.0.iter().position(|member| member.shape.glyph_index(c).is_some())
    }

    /// Characters no font has.
    pub(super) fn missing<'t>(&self, texts: impl Iterator<Item = &'t str>) -> BTreeSet<char> {
        texts.flat_map(str::chars).filter(|c| !is_silent(*c) && self.holding(*c).is_none()).collect()
    }

    /// Text of one direction as pieces of one font each, from left to right.
    pub(super) fn shape(&self, text: &str, range: Range<usize>, right_to_left: bool) -> Vec<Piece> {
        let mut runs: Vec<(usize, Range<usize>)> = Vec::new();
        for (at, c) in text.get(range.clone()).unwrap_or_default().char_indices() {
            let place = range.start + at..range.start + at + c.len_utf8();
            let last = runs.last_mut();
            // Marks and joiners stay with the letter before them.
            let font = if is_silent(c) { last.as_ref().map(|(font, _)| *font) } else { self.holding(c) };
            match (last, font.unwrap_or(0)) {
                (Some((same, run)), font) if *same == font => run.end = place.end,
                (_, font) => runs.push((font, place)),
            }
        }
        if right_to_left {
            runs.reverse();
        }
        let direction = if right_to_left { Direction::RightToLeft } else { Direction::LeftToRight };
        runs.into_iter().filter_map(|(font, run)| self.piece(text, font, run, direction)).collect()
    }

    fn piece(&self, text: &str, font: usize, range: Range<usize>, direction: Direction) -> Option<Piece> {
        let member = self.0.get(font)?;
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(text.get(range.clone())?);
        buffer.guess_segment_properties();
        buffer.set_direction(direction);
        let shaped = rustybuzz::shape(&member.shape, &[], buffer);
        let unit = member.shape.units_per_em() as f32;
        let mut starts: Vec<usize> = shaped.glyph_infos().iter().map(|info| info.cluster as usize).collect();
        starts.sort_unstable();
        let end_of = |start: usize| {
            let after = starts.partition_point(|other| *other <= start);
            starts.get(after).copied().unwrap_or(range.len())
        };
        let glyphs: Vec<KrillaGlyph> = shaped
            .glyph_infos()
            .iter()
            .zip(shaped.glyph_positions())
            .map(|(info, place)| {
                let start = info.cluster as usize;
                let share = |value: i32| value as f32 / unit;
                let text = start..end_of(start);
                KrillaGlyph::new(
                    GlyphId::new(info.glyph_id),
                    share(place.x_advance),
                    share(place.x_offset),
                    share(place.y_offset),
                    share(place.y_advance),
                    text,
                    None,
                )
            })
            .collect();
        let width = glyphs.iter().map(|glyph| glyph.x_advance).sum();
        Some(Piece { font: member.write.clone(), glyphs, width, range })
    }

    /// Returns the greatest width of a text, as a share of the size: letters that join or move together take less.
    pub(super) fn width(&self, text: &str) -> f32 {
        let wide = |c: char| {
            let member = self.0.get(self.holding(c)?)?;
            let advance = member.shape.glyph_hor_advance(member.shape.glyph_index(c)?)?;
            Some(f32::from(advance) / member.shape.units_per_em() as f32)
        };
        text.chars().filter_map(wide).sum()
    }
}

fn member<'a>(data: &'a [u8], owned: krilla::Data) -> Option<Member<'a>> {
    Some(Member { shape: Face::from_slice(data, 0)?, write: Font::new(owned, 0)? })
}

/// Characters that show nothing of their own.
fn is_silent(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{202a}'..='\u{202e}')
}

/// Returns whether a font has all these characters, and may be embedded.
pub fn suits(data: &[u8], characters: &BTreeSet<char>) -> bool {
    let Ok(face) = ttf_parser::Face::parse(data, 0) else { return false };
    let allowed = !matches!(face.permissions(), Some(ttf_parser::Permissions::Restricted));
    allowed && face.is_subsetting_allowed() && characters.iter().all(|c| face.glyph_index(*c).is_some())
}
