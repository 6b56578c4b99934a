//! Glyphs put together into lines: where a gap is a blank, and where it is a column's edge.

use crate::limits::Budget;
use satchel_model::error::Result;

/// One shown character, measured along its line and across it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Glyph {
    pub(super) start: f64,
    pub(super) end: f64,
    /// Of the base line; larger is higher on the page.
    pub(super) height: f64,
    pub(super) size: f64,
    /// The line's direction in degrees.
    pub(super) angle: i32,
    pub(super) text: String,
}

/// Text between two wide gaps.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cell {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) text: String,
}

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) page: u32,
    pub(super) height: f64,
    pub(super) size: f64,
    pub(super) angle: i32,
    pub(super) cells: Vec<Cell>,
}

/// A gap of this share of the size is a blank.
const BLANK: f64 = 0.16;

/// A gap of this share of the size is a column's edge.
const EDGE: f64 = 0.95;

/// The distance a line may step back and still be the same, as a share of the size.
const BACK: f64 = 0.6;

impl Line {
    pub(super) fn start(&self) -> f64 {
        self.cells.first().map_or(0.0, |cell| cell.start)
    }

    pub(super) fn end(&self) -> f64 {
        self.cells.last().map_or(0.0, |cell| cell.end)
    }

    /// The line as running text.
    pub(super) fn text(&self) -> String {
        let cells: Vec<&str> = self.cells.iter().map(|cell| cell.text.trim()).collect();
        logical(&cells.join(" "))
    }

    /// Returns whether a glyph goes on where the line ends.
    fn takes(&self, glyph: &Glyph) -> bool {
        let size = self.size.max(glyph.size);
        self.angle == glyph.angle
            && (self.height - glyph.height).abs() < 0.45 * size
            && glyph.start > self.end() - BACK * size
    }

    fn put(&mut self, glyph: Glyph) {
        let gap = glyph.start - self.end();
        // A raised mark is small; the line is as large as its letters.
        let size = self.size.max(glyph.size);
        if glyph.size > self.size {
            (self.size, self.height) = (glyph.size, glyph.height);
        }
        let Some(cell) = self.cells.last_mut() else { return };
        let blank = cell.text.ends_with(' ') || glyph.text.starts_with(' ');
        if gap > EDGE * size && !glyph.text.trim().is_empty() {
            self.cells.push(Cell { start: glyph.start, end: glyph.end, text: glyph.text });
            return;
        }
        if gap < -0.1 * size
            && let Some(letter) = accented(&cell.text, &glyph.text)
        {
            cell.text.pop();
            cell.text.push(letter);
            cell.end = cell.end.max(glyph.end);
            return;
        }
        if gap > BLANK * size && !blank && !glyph.text.is_empty() {
            cell.text.push(' ');
        }
        cell.text.push_str(&glyph.text);
        // A blank at the end does not count for what comes next in another column.
        if !glyph.text.trim().is_empty() || glyph.text.is_empty() || gap <= BLANK * size {
            cell.end = cell.end.max(glyph.end);
        }
    }
}

/// Accents that are set on their own before their letter, as TeX does, and their combining forms.
const ACCENTS: [(char, char); 9] = [
    ('´', '\u{301}'),
    ('`', '\u{300}'),
    ('ˆ', '\u{302}'),
    ('^', '\u{302}'),
    ('˜', '\u{303}'),
    ('¨', '\u{308}'),
    ('ˇ', '\u{30c}'),
    ('˚', '\u{30a}'),
    ('¸', '\u{327}'),
];

/// The letter with the accent it was set over.
fn accented(before: &str, letter: &str) -> Option<char> {
    let accent = before.chars().last()?;
    let (_, mark) = ACCENTS.iter().find(|(known, _)| *known == accent)?;
    let mut letters = letter.chars();
    let letter = letters.next().filter(|_| letters.next().is_none())?;
    // TeX has a letter without its dot for this.
    let letter = if letter == 'ı' { 'i' } else { letter };
    unicode_normalization::char::compose(letter, *mark)
}

/// Returns whether a character is of a script that runs from right to left.
fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}') && !c.is_numeric()
}

/// Text that was put together from left to right, in the order it is read in.
pub(super) fn logical(shown: &str) -> String {
    if !shown.contains(is_right_to_left) {
        return shown.to_owned();
    }
    let mut chars: Vec<char> = shown.chars().collect();
    let backward = chars.iter().filter(|c| is_right_to_left(**c)).count();
    let forward = chars.iter().filter(|c| c.is_alphabetic() && !is_right_to_left(**c)).count();
    if backward >= forward {
        chars.reverse();
        turn(&mut chars, |c| c.is_alphanumeric() && !is_right_to_left(c));
    } else {
        turn(&mut chars, is_right_to_left);
    }
    chars.into_iter().collect()
}

/// Turns round each stretch that begins and ends with characters of a kind, what stands between them being neutral.
fn turn(chars: &mut [char], of_kind: impl Fn(char) -> bool) {
    let mut at = 0;
    while let Some(from) = chars.iter().skip(at).position(|c| of_kind(*c)).map(|from| from + at) {
        let mut end = from + 1;
        for (place, c) in chars.iter().enumerate().skip(end) {
            match () {
                () if of_kind(*c) => end = place + 1,
                () if c.is_alphanumeric() => break,
                () => {}
            }
        }
        if let Some(stretch) = chars.get_mut(from..end) {
            stretch.reverse();
        }
        at = end;
    }
}

/// Lines of a document while it is read.
#[derive(Debug, Default)]
pub(super) struct Lines {
    done: Vec<Line>,
    open: Option<Line>,
    page: u32,
}

impl Lines {
    /// Begins a page.
    pub(super) fn page(&mut self, page: u32) {
        self.done.extend(self.open.take());
        self.page = page;
    }

    pub(super) fn put(&mut self, glyph: Glyph, budget: &mut Budget) -> Result<()> {
        if let Some(open) = self.open.as_mut().filter(|open| open.takes(&glyph)) {
            budget.text(glyph.text.len())?;
            open.put(glyph);
            return Ok(());
        }
        if glyph.text.trim().is_empty() {
            return Ok(());
        }
        budget.keep(glyph.text.len() + size_of::<Line>() + size_of::<Cell>())?;
        let cell = Cell { start: glyph.start, end: glyph.end, text: glyph.text };
        let Glyph { height, size, angle, .. } = glyph;
        self.done.extend(self.open.take());
        self.open = Some(Line { page: self.page, height, size, angle, cells: vec![cell] });
        Ok(())
    }

    /// All lines in the order they were shown.
    pub(super) fn end(mut self) -> Vec<Line> {
        self.done.extend(self.open.take());
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn lines(glyphs: &[(f64, f64, &str)]) -> Vec<Vec<String>> {
        let (mut lines, mut budget) = (Lines::default(), Budget::new(&Limits::default()));
        for (start, height, text) in glyphs {
            let end = start + 5.0 * text.chars().count() as f64;
            let glyph = Glyph { start: *start, end, height: *height, size: 10.0, angle: 0, text: (*text).to_owned() };
            lines.put(glyph, &mut budget).unwrap();
        }
        lines.end().into_iter().map(|line| line.cells.into_iter().map(|cell| cell.text).collect()).collect()
    }

    #[test]
    fn gaps_are_blanks_or_edges() {
        assert_eq!(lines(&[(0.0, 0.0, "ab"), (10.5, 0.0, "c"), (18.0, 0.0, "d")]), [["abc d"]]);
        assert_eq!(lines(&[(0.0, 0.0, "ab"), (40.0, 0.0, "c")]), [["ab", "c"]]);
        assert_eq!(lines(&[(0.0, 0.0, "ab "), (40.0, 0.0, " "), (45.0, 0.0, "c")]), [["ab  ", "c"]]);
    }

    #[test]
    fn scripts_that_run_from_right_to_left_are_turned_round() {
        assert_eq!(logical("Greek, םלוע םולש (test) 12"), "Greek, שלום עולם (test) 12");
        assert_eq!(logical(".12 abc xyz םלוע םולש"), "שלום עולם 12 abc xyz.");
        assert_eq!(logical("abc"), "abc");
    }

    #[test]
    fn another_height_or_a_step_back_is_another_line() {
        assert_eq!(lines(&[(0.0, 0.0, "a"), (0.0, -12.0, "b"), (20.0, -12.0, "c"), (0.0, -12.0, "d")]).len(), 3);
        assert_eq!(lines(&[(0.0, 0.0, "a"), (5.0, 3.0, "2")]), [["a2"]]);
    }
}
