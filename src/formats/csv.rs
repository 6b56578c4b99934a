//! Rows of separated values; the separator is found by looking.

use csv::{Reader, ReaderBuilder, StringRecord};

use super::{
    charset,
    extracted::{BlockKind, Draft, Table},
};
use satchel_model::error::{Error, Result};

/// Separators in the order they are preferred.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Rows the guess looks at, and bytes.
const LOOKED_AT: (usize, usize) = (20, 64 << 10);

/// Most columns of a row, as many as a workbook has.
const COLUMNS: usize = 16_384;

/// Cells of a row after which its record is not used again: it keeps the room it took.
const WIDE: usize = 1_000;

pub(super) fn read(bytes: &[u8], draft: &mut Draft) -> Result<()> {
    let (text, encoding) = charset::decode(bytes, None)?;
    draft.note("encoding", encoding);
    let separator = separator(&text);
    draft.note("separator", char::from(separator).to_string());
    let (mut rows, mut table) = (Rows::new(&text, separator), Table::default());
    while let Some(record) = rows.read()? {
        let row: Vec<String> = record.iter().map(|cell| cell.trim().to_owned()).collect();
        draft.keep(row.iter().map(|cell| cell.len() + size_of::<String>()).sum())?;
        if row.iter().any(|cell| !cell.is_empty()) {
            draft.block(BlockKind::TableRow, &row.join("\t"), None)?;
            table.rows.push(row);
        }
    }
    draft.note("rows", table.rows.len());
    draft.note("columns", table.rows.iter().map(Vec::len).max().unwrap_or(0));
    if !table.rows.is_empty() {
        draft.done.tables.push(table);
    }
    Ok(())
}

/// The rows of a text, one after the other. One record serves for all: a copy of one takes room for as many cells as the
/// widest had.
pub(super) struct Rows<'a> {
    reader: Reader<&'a [u8]>,
    record: StringRecord,
}

impl<'a> Rows<'a> {
    /// The rows of a text whose cells this separates, from the first on.
    pub(super) fn new(text: &'a str, separator: u8) -> Self {
        let reader =
            ReaderBuilder::new().delimiter(separator).has_headers(false).flexible(true).from_reader(text.as_bytes());
        Self { reader, record: StringRecord::new() }
    }

    /// Reads the next row; `None` after the last one.
    ///
    /// # Errors
    ///
    /// If it has more columns than are read.
    pub(super) fn read(&mut self) -> Result<Option<&StringRecord>> {
        if self.record.len() > WIDE {
            self.record = StringRecord::new();
        }
        let more = self.reader.read_record(&mut self.record);
        if !more.map_err(|e| Error::invalid(format!("The rows cannot be read: {e}.")))? {
            return Ok(None);
        }
        let columns = self.record.len();
        if columns <= COLUMNS {
            return Ok(Some(&self.record));
        }
        let line = self.record.position().map_or(1, csv::Position::line);
        Err(Error::invalid(format!(
            "Line {line} has {columns} columns and at most {COLUMNS} are read. Check that its quotes are closed, or split \
             the table."
        )))
    }
}

/// The separator that cuts the first rows into the most columns, equally many in each.
fn separator(text: &str) -> u8 {
    let text = text.get(..text.floor_char_boundary(LOOKED_AT.1)).unwrap_or(text);
    let score = |separator: &u8| {
        let mut reader =
            ReaderBuilder::new().delimiter(*separator).has_headers(false).flexible(true).from_reader(text.as_bytes());
        let widths: Vec<usize> =
            reader.records().take(LOOKED_AT.0).map_while(Result::ok).map(|row| row.len()).collect();
        let most = widths.iter().copied().max().unwrap_or(0);
        let alike = widths.iter().filter(|width| **width == most).count();
        if most < 2 { 0 } else { alike * 1000 / widths.len().max(1) + most.min(100) }
    };
    let scored = SEPARATORS.iter().rev().map(|separator| (score(separator), *separator));
    scored.max_by_key(|(score, _)| *score).map_or(b',', |(_, separator)| separator)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{extracted::Kind, limits::Limits},
        *,
    };

    fn rows(text: &str) -> Vec<Vec<String>> {
        let mut draft = Draft::new(Kind::Csv, &Limits::default());
        read(text.as_bytes(), &mut draft).unwrap();
        draft.done.tables.into_iter().flat_map(|table| table.rows).collect()
    }

    #[test]
    fn the_separator_is_found() {
        assert_eq!(rows("name;price\nTea;2,50\nCake;3,10\n"), [["name", "price"], ["Tea", "2,50"], ["Cake", "3,10"]]);
        assert_eq!(rows("a\tb\n1\t2\n"), [["a", "b"], ["1", "2"]]);
        assert_eq!(rows("a,b\n\"x, y\",\"line\nline\"\n"), [["a", "b"], ["x, y", "line\nline"]]);
        assert_eq!(rows("only\none\n"), [["only"], ["one"]]);
    }

    #[test]
    fn a_wide_row_costs_the_rows_after_it_nothing_and_too_wide_a_one_is_refused() {
        let text = |wide: usize| format!("{}\n{}", ",".repeat(wide), "a\n".repeat(100_000));
        let read_rows = rows(&text(10_000));
        assert_eq!((read_rows.len(), &read_rows[0]), (100_000, &vec!["a".to_owned()]));
        let mut draft = Draft::new(Kind::Csv, &Limits::default());
        let refused = read(text(200_000).as_bytes(), &mut draft).unwrap_err();
        assert!(refused.message().starts_with("Line 1 has 200001 columns"), "{refused}");
    }
}
