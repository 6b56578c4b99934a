//! Makes a PDF: a title and paragraphs on A4 pages, in any script the fonts have.

use std::{collections::BTreeSet, ops::Range};

use krilla::{
    Document,
    geom::Point,
    metadata::{DateTime, Metadata},
    page::PageSettings,
    paint::Fill,
};
use unicode_bidi::BidiInfo;

use super::{breaks, face::Faces, fonts};
use satchel_model::error::{Error, Result};

/// A4, in points.
const PAGE: (f32, f32) = (595.0, 842.0);

/// Empty space around a page.
const MARGIN: f32 = 64.0;

/// The style a paragraph is set in.
#[derive(Clone, Copy)]
struct Look {
    size: f32,
    leading: f32,
    after: f32,
}

const BODY: Look = Look { size: 11.0, leading: 16.0, after: 7.0 };
const TITLE: Look = Look { size: 20.0, leading: 26.0, after: 14.0 };

/// The time a document was made: year, month, day, hour, minute, second.
pub(crate) type Moment = (u16, u8, u8, u8, u8, u8);

/// A line of a paragraph.
struct Line {
    range: Range<usize>,
    look: Look,
    bold: bool,
    /// The index of its paragraph.
    paragraph: usize,
    last: bool,
}

/// Characters that need another font than the built-in ones.
pub(crate) fn missing(title: &str, paragraphs: &[String], others: &[Vec<u8>]) -> Result<BTreeSet<char>> {
    let texts = || paragraphs.iter().map(String::as_str);
    let mut missing = Faces::new(fonts::regular(), others)?.missing(texts());
    missing.extend(Faces::new(fonts::bold(), others)?.missing(std::iter::once(title)));
    Ok(missing)
}

/// A document. `others` are fonts for characters the built-in ones do not have.
pub(crate) fn write(title: &str, paragraphs: &[String], others: &[Vec<u8>], made: Moment) -> Result<Vec<u8>> {
    let missing = missing(title, paragraphs, others)?;
    if !missing.is_empty() {
        return Err(unwritable(&missing));
    }
    let (regular, bold) = (Faces::new(fonts::regular(), others)?, Faces::new(fonts::bold(), others)?);
    let texts: Vec<String> = std::iter::once(title).chain(paragraphs.iter().map(String::as_str)).map(flat).collect();
    let mut lines = Vec::new();
    for (paragraph, text) in texts.iter().enumerate() {
        let first = paragraph == 0;
        let (faces, look) = if first { (&bold, TITLE) } else { (&regular, BODY) };
        let ranges = breaks::lines(text, faces, (PAGE.0 - 2.0 * MARGIN) / look.size);
        let count = ranges.len();
        lines.extend(ranges.into_iter().enumerate().map(|(at, range)| Line {
            range,
            look,
            bold: first,
            paragraph,
            last: at + 1 == count,
        }));
    }
    let mut document = Document::new();
    let (year, month, day, hour, minute, second) = made;
    let made = DateTime::new(year)
        .month(month)
        .day(day)
        .hour(hour)
        .minute(minute)
        .second(second)
        .utc_offset_hour(0)
        .utc_offset_minute(0);
    document.set_metadata(Metadata::new().title(title.to_owned()).creator("Satchel".to_owned()).creation_date(made));
    draw(&mut document, &lines, &texts, (&regular, &bold))?;
    document.finish().map_err(|e| Error::internal(format!("{e:?}")))
}

/// Tabs as blanks, and nothing that cannot be drawn.
fn flat(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\t', "    ");
    text.chars().filter(|c| *c == '\n' || !c.is_control()).collect()
}

fn draw(document: &mut Document, lines: &[Line], texts: &[String], faces: (&Faces<'_>, &Faces<'_>)) -> Result<()> {
    let bidi: Vec<BidiInfo<'_>> = texts.iter().map(|text| BidiInfo::new(text, None)).collect();
    let settings = || PageSettings::from_wh(PAGE.0, PAGE.1).ok_or_else(|| Error::internal("the page has no size"));
    let mut rest = lines;
    loop {
        let mut page = document.start_page_with(settings()?);
        let mut surface = page.surface();
        surface.set_fill(Some(Fill::default()));
        let mut y = MARGIN;
        while let Some((line, behind)) = rest.split_first() {
            if y + line.look.leading > PAGE.1 - MARGIN {
                break;
            }
            y += line.look.leading;
            let face = if line.bold { faces.1 } else { faces.0 };
            if let (Some(text), Some(bidi)) = (texts.get(line.paragraph), bidi.get(line.paragraph)) {
                draw_line(&mut surface, line, (text, bidi), face, y);
            }
            y += if line.last { line.look.after } else { 0.0 };
            rest = behind;
        }
        surface.finish();
        page.finish();
        if rest.is_empty() {
            return Ok(());
        }
    }
}

fn draw_line(
    surface: &mut krilla::surface::Surface<'_>,
    line: &Line,
    (text, bidi): (&str, &BidiInfo<'_>),
    face: &Faces<'_>,
    y: f32,
) {
    let within = |paragraph: &&unicode_bidi::ParagraphInfo| {
        paragraph.range.start <= line.range.start && line.range.start < paragraph.range.end
    };
    let Some(paragraph) = bidi.paragraphs.iter().find(within) else { return };
    let (levels, runs) = bidi.visual_runs(paragraph, line.range.clone());
    let mut pieces = Vec::new();
    for run in runs {
        let right_to_left = levels.get(run.start).is_some_and(|level| level.is_rtl());
        pieces.extend(face.shape(text, run, right_to_left));
    }
    let size = line.look.size;
    let width: f32 = pieces.iter().map(|piece| piece.width * size).sum();
    // Paragraphs that run from right to left begin at the right.
    let mut x = if paragraph.level.is_rtl() { PAGE.0 - MARGIN - width } else { MARGIN };
    for piece in pieces {
        let own = text.get(piece.range.clone()).unwrap_or_default();
        surface.draw_glyphs(Point::from_xy(x, y), &piece.glyphs, piece.font, own, size, false);
        x += piece.width * size;
    }
}

fn unwritable(missing: &BTreeSet<char>) -> Error {
    let shown: Vec<String> = missing.iter().take(10).map(|c| format!("'{c}'")).collect();
    Error::invalid(format!(
        "No font here has the characters {}{}. Make a DOCX instead, or have a font with them installed on the server.",
        shown.join(", "),
        if missing.len() > 10 { " and others" } else { "" }
    ))
}
