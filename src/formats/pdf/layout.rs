//! Lines put together into headings, paragraphs, lists and tables, by their size and place.

use std::collections::HashMap;

use super::line::{Cell, Line};
use crate::extracted::{BlockKind, Draft, Table};
use satchel_model::error::Result;

/// A heading is this much larger than running text.
const LARGER: f64 = 1.12;

/// Longest heading, in characters.
const MAX_HEADING: usize = 160;

/// Characters from which on a page has a size of running text of its own.
const FULL_PAGE: usize = 250;

/// Lines of a paragraph are at most this far apart, as a share of the size.
const LEADING: f64 = 1.75;

/// Adds what the lines of a document say.
pub(super) fn blocks(lines: &[Line], draft: &mut Draft) -> Result<()> {
    let sizes = Sizes::new(lines);
    let mut at = 0;
    let mut paragraph: Vec<&Line> = Vec::new();
    while let Some(line) = lines.get(at) {
        let rows = table(lines.get(at..).unwrap_or_default());
        if !rows.is_empty() {
            end(&mut paragraph, &sizes, draft)?;
            at += rows.len();
            draft.table(Table { name: None, page: Some(line.page), rows })?;
            continue;
        }
        if paragraph.last().is_some_and(|before| !goes_on(before, line)) {
            end(&mut paragraph, &sizes, draft)?;
        }
        paragraph.push(line);
        at += 1;
    }
    end(&mut paragraph, &sizes, draft)
}

/// The sizes of running text, and those of headings from the largest.
struct Sizes {
    body: i64,
    pages: HashMap<u32, i64>,
    headings: Vec<i64>,
}

/// Sizes in tenths of a point, so that they can be counted.
fn tenths(size: f64) -> i64 {
    (size * 10.0).round() as i64
}

/// Characters of each size.
type Counts = HashMap<i64, usize>;

impl Sizes {
    fn new(lines: &[Line]) -> Self {
        let (mut all, mut pages): (Counts, HashMap<u32, Counts>) = (Counts::new(), HashMap::new());
        for line in lines {
            let length = line.cells.iter().map(|cell| cell.text.len()).sum::<usize>();
            *all.entry(tenths(line.size)).or_default() += length;
            *pages.entry(line.page).or_default().entry(tenths(line.size)).or_default() += length;
        }
        pages.retain(|_, counts| counts.values().sum::<usize>() >= FULL_PAGE);
        let pages: HashMap<u32, i64> = pages.iter().map(|(page, counts)| (*page, usual(counts))).collect();
        let body = usual(&all);
        let least = pages.values().copied().chain([body]).min().unwrap_or(body);
        let mut headings: Vec<i64> = all.into_keys().filter(|size| is_larger(*size, least)).collect();
        headings.sort_unstable_by(|a, b| b.cmp(a));
        Self { body, pages, headings }
    }

    fn heading(&self, line: &Line) -> Option<u8> {
        let (size, body) = (tenths(line.size), self.pages.get(&line.page).copied().unwrap_or(self.body));
        if !is_larger(size, body) {
            return None;
        }
        let place = self.headings.iter().position(|heading| *heading == size)?;
        u8::try_from(place + 1).ok().map(|level| level.min(6))
    }
}

/// The size most characters have.
fn usual(counts: &Counts) -> i64 {
    counts.iter().max_by_key(|(size, count)| (**count, **size)).map_or(0, |(size, _)| *size)
}

fn is_larger(size: i64, body: i64) -> bool {
    size as f64 > body as f64 * LARGER
}

/// Returns whether a line goes on with the paragraph the one before belongs to.
fn goes_on(before: &Line, line: &Line) -> bool {
    let size = before.size.max(line.size);
    let down = before.height - line.height;
    let indented = line.start() - before.start() > 0.8 * size;
    before.page == line.page
        && before.angle == line.angle
        && (before.size - line.size).abs() < 0.1 * size
        && (0.3 * size..LEADING * size).contains(&down)
        && line.start() < before.end()
        && (!indented || is_item(before))
        && !is_item(line)
}

/// Returns whether a line begins with a bullet or a number of a list.
fn is_item(line: &Line) -> bool {
    let first = line.cells.first().map(|cell| cell.text.trim_start()).unwrap_or_default();
    let word = first.split_whitespace().next().unwrap_or_default();
    let alone = line.cells.len() > 1 && line.cells.first().is_some_and(|cell| cell.text.trim() == word);
    is_marker(word) && (alone || first.trim_end().len() > word.len())
}

fn is_marker(word: &str) -> bool {
    if matches!(word, "•" | "◦" | "▪" | "‣" | "–" | "-" | "*" | "·" | "●" | "○" | "■" | "" | "➢" | "✓")
    {
        return true;
    }
    let inner = word.strip_prefix('(').unwrap_or(word);
    let Some(inner) = inner.strip_suffix(['.', ')']) else { return false };
    let digits = (1..=3).contains(&inner.len()) && inner.chars().all(|c| c.is_ascii_digit());
    digits || (inner.len() == 1 && inner.chars().all(|c| c.is_ascii_lowercase()))
}

/// The rows of the table that begins here; empty where none does.
fn table(lines: &[Line]) -> Vec<Vec<String>> {
    let Some(first) = lines.first().filter(|first| first.cells.len() > 1 && !is_item(first)) else { return Vec::new() };
    let mut columns: Vec<(f64, f64)> = first.cells.iter().map(|cell| (cell.start, cell.end)).collect();
    let mut rows = vec![first.cells.iter().map(text).collect::<Vec<_>>()];
    let mut before = first;
    for line in lines.iter().skip(1) {
        let down = before.height - line.height;
        let near = before.page == line.page && before.angle == line.angle && (0.3..4.0).contains(&(down / line.size));
        let Some(places) =
            near.then(|| fit(line, &columns)).flatten().filter(|_| line.cells.len() > 1 && !is_item(line))
        else {
            break;
        };
        let mut row = vec![String::new(); columns.len()];
        for (place, cell) in places.iter().zip(&line.cells) {
            if let (Some(column), Some(target)) = (columns.get_mut(*place), row.get_mut(*place)) {
                *column = (column.0.min(cell.start), column.1.max(cell.end));
                *target = text(cell);
            }
        }
        rows.push(row);
        before = line;
    }
    if rows.len() > 1 { rows } else { Vec::new() }
}

fn text(cell: &Cell) -> String {
    cell.text.trim().to_owned()
}

/// The column each cell of a line belongs to: the one it overlaps, each only once. `None` if that does not work out.
fn fit(line: &Line, columns: &[(f64, f64)]) -> Option<Vec<usize>> {
    let mut places = Vec::new();
    for cell in &line.cells {
        let mut over = columns.iter().enumerate().filter(|(_, (start, end))| cell.start < *end && *start < cell.end);
        let (place, _) = over.next()?;
        if over.next().is_some() || places.last().is_some_and(|last| place <= *last) {
            return None;
        }
        places.push(place);
    }
    Some(places)
}

fn end(paragraph: &mut Vec<&Line>, sizes: &Sizes, draft: &mut Draft) -> Result<()> {
    let Some(first) = paragraph.first().copied() else { return Ok(()) };
    let mut text = String::new();
    for line in paragraph.drain(..) {
        join(&mut text, &line.text());
    }
    let heading = sizes.heading(first).filter(|_| text.chars().count() <= MAX_HEADING);
    let kind = match heading {
        Some(level) => BlockKind::Heading(level),
        None if is_item(first) => BlockKind::ListItem,
        None => BlockKind::Paragraph,
    };
    draft.block(kind, &text, Some(first.page))
}

/// Adds a line; a word that was cut at the end of the line before is put together.
fn join(text: &mut String, line: &str) {
    let cut = text.strip_suffix(['-', '\u{2010}']).filter(|rest| rest.ends_with(char::is_lowercase)).map(str::len);
    match cut {
        Some(length) if line.starts_with(char::is_lowercase) => text.truncate(length),
        _ if !text.is_empty() => text.push(' '),
        _ => {}
    }
    text.push_str(line);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{extracted::Kind, limits::Limits};

    fn line(height: f64, size: f64, cells: &[(f64, &str)]) -> Line {
        let cell = |(start, text): &(f64, &str)| Cell {
            start: *start,
            end: start + 5.0 * text.len() as f64,
            text: (*text).to_owned(),
        };
        Line { page: 1, height, size, angle: 0, cells: cells.iter().map(cell).collect() }
    }

    #[test]
    fn lines_become_what_they_are() {
        let lines = [
            line(100.0, 20.0, &[(0.0, "Title")]),
            line(80.0, 10.0, &[(0.0, "Running text that is exam-")]),
            line(68.0, 10.0, &[(0.0, "ple enough for anybody.")]),
            line(56.0, 10.0, &[(10.0, "Indented anew.")]),
            line(40.0, 10.0, &[(0.0, "•"), (20.0, "one")]),
            line(28.0, 10.0, &[(0.0, "•"), (20.0, "two")]),
            line(10.0, 10.0, &[(0.0, "Name"), (100.0, "Price")]),
            line(-2.0, 10.0, &[(0.0, "Tea"), (108.0, "2.50")]),
            line(-14.0, 10.0, &[(0.0, "Cake"), (108.0, "3.10")]),
        ];
        let mut draft = Draft::new(Kind::Pdf, &Limits::default());
        blocks(&lines, &mut draft).unwrap();
        use BlockKind::{Heading, ListItem, Paragraph, TableRow};
        let found: Vec<(BlockKind, &str)> = draft.done.blocks.iter().map(|b| (b.kind, b.text.as_str())).collect();
        let wanted = [
            (Heading(1), "Title"),
            (Paragraph, "Running text that is example enough for anybody."),
            (Paragraph, "Indented anew."),
            (ListItem, "• one"),
            (ListItem, "• two"),
            (TableRow, "Name\tPrice"),
            (TableRow, "Tea\t2.50"),
            (TableRow, "Cake\t3.10"),
        ];
        assert_eq!(found, wanted);
        assert_eq!(draft.done.tables[0].rows.len(), 3);
    }
}
