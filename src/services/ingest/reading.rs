//! Reads a document's file and cuts it into passages, on a thread that may block. A long text is read in parts, so that
//! its size does not become memory.

use std::io::Read;

use crate::reading::Reader;
use satchel_app::App;
use satchel_formats::{
    chunk::{Cutter, Part},
    extracted::{Extracted, Kind},
};
use satchel_model::{
    error::{Error, Result},
    knowledge::{SourceKind, fitted_title},
};
use satchel_store::{
    documents::Content,
    ingest::{Facts, Job, Piece},
};

/// A text is read in parts of this size.
const PART: usize = 2 << 20;
/// Chunks written at once, and bytes of the text: whoever else writes waits for no more.
const WRITTEN: usize = 50;
const WRITTEN_TEXT: usize = 128 << 10;
/// The distance from the end of a part within which a paragraph's end is looked for.
const TAIL: usize = 256 << 10;

/// Reads a document into its row. Blocks.
pub(super) fn read(app: &App, job: &Job, content: &Content) -> Result<()> {
    let whole = usize::try_from(content.bytes).map_err(Error::internal)?;
    let reader = Reader::new(&app.host.readers);
    let mut desk = Desk { app, job, content, reader, title: None, done: 0, whole: whole.max(1) };
    if whole > PART && desk.in_parts()? {
        return Ok(());
    }
    let extracted = desk.extract()?;
    desk.describe(&extracted, extracted.pages)?;
    let title = desk.title.clone();
    let tokens = |text: &str| app.search.embedder.count_tokens(text);
    let part = Cutter::new(title.as_deref(), &tokens).take(&extracted);
    drop(extracted);
    desk.done = whole;
    desk.put(part)
}

/// One document being read.
struct Desk<'a> {
    app: &'a App,
    job: &'a Job,
    content: &'a Content,
    reader: Reader,
    title: Option<String>,
    done: usize,
    whole: usize,
}

impl Desk<'_> {
    /// Reads a long text in parts. False, with nothing done, where it is none.
    fn in_parts(&mut self) -> Result<bool> {
        let mut file = self.app.stores.knowledge.files.open(&self.content.hash)?;
        let mut left = Vec::with_capacity(PART + TAIL);
        let mut last = fill(&mut file, &mut left)?;
        if left.contains(&0) {
            return Ok(false);
        }
        let app = self.app;
        let tokens = |text: &str| app.search.embedder.count_tokens(text);
        let mut cutter: Option<Cutter<'_>> = None;
        while !left.is_empty() {
            let end = if last { left.len() } else { end_of_part(&left, &self.content.name) };
            let part = left.get(..end).unwrap_or_default();
            if part.iter().all(u8::is_ascii_whitespace) {
                left.drain(..end);
                last = fill(&mut file, &mut left)?;
                continue;
            }
            let extracted = match (self.reader.document(part, &self.content.name), &cutter) {
                (Ok(extracted), _) => extracted,
                (Err(_), None) => return Ok(false),
                (Err(error), Some(_)) => return Err(error),
            };
            if cutter.is_none() {
                if !comes_in_parts(extracted.kind, &self.content.name) {
                    return Ok(false);
                }
                self.describe(&extracted, None)?;
            }
            let title = self.title.as_deref();
            let part = cutter.get_or_insert_with(|| Cutter::new(title, &tokens)).take(&extracted);
            drop(extracted);
            left.drain(..end);
            self.done += end;
            self.put(part)?;
            last = fill(&mut file, &mut left)?;
        }
        Ok(true)
    }

    /// Returns the contents of a file; of a page that was fetched, its article.
    fn extract(&self) -> Result<Extracted> {
        let open = || Ok((self.app.stores.knowledge.files.open(&self.content.hash)?, self.content.bytes));
        match self.job.source {
            SourceKind::Url => self.reader.article(open, &self.content.name, self.job.uri.as_deref()),
            _ => self.reader.document(open()?, &self.content.name),
        }
    }

    fn describe(&mut self, extracted: &Extracted, pages: Option<u32>) -> Result<()> {
        let facts = Facts {
            title: extracted.title.as_deref().filter(|title| !title.trim().is_empty()).map(fitted_title),
            kind: extracted.kind.as_str().to_owned(),
            pages,
        };
        self.title = self.app.lifecycle.runtime.block_on(self.app.stores.knowledge.ingest.describe(self.job, facts))?;
        Ok(())
    }

    /// Writes a part into the database, a little at a time: others write, too.
    fn put(&self, part: Part) -> Result<()> {
        let progress = self.done as f64 / self.whole as f64;
        let mut texts = pieces(part.start, &part.text).peekable();
        let mut chunks = part.chunks;
        loop {
            let rest = chunks.split_off(chunks.len().min(WRITTEN));
            let piece = Piece { text: texts.next(), chunks, progress };
            self.app.lifecycle.runtime.block_on(self.app.stores.knowledge.ingest.add(
                self.job,
                self.title.clone(),
                piece,
            ))?;
            if rest.is_empty() && texts.peek().is_none() {
                return Ok(());
            }
            chunks = rest;
        }
    }
}

/// A text in pieces that end with whole characters, each with its place in the whole, in characters.
fn pieces(start: u64, text: &str) -> impl Iterator<Item = (u64, String)> {
    let (mut at, mut rest) = (start, text);
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(WRITTEN_TEXT));
        let place = at;
        rest = after;
        at += piece.chars().count() as u64;
        (!piece.is_empty()).then(|| (place, piece.to_owned()))
    })
}

/// Kinds that mean the same in parts as in one.
fn comes_in_parts(kind: Kind, name: &str) -> bool {
    let lines = [".jsonl", ".ndjson"].iter().any(|ending| name.to_ascii_lowercase().ends_with(ending));
    matches!(kind, Kind::Text | Kind::Markdown | Kind::Csv | Kind::Code) || (kind == Kind::Json && lines)
}

/// Reads on until a part is full. True at the end of the file.
fn fill(file: &mut impl Read, left: &mut Vec<u8>) -> Result<bool> {
    let room = (PART + TAIL).saturating_sub(left.len());
    let read = file.take(room as u64).read_to_end(left).map_err(Error::internal)?;
    Ok(read < room)
}

/// Returns where a part ends: after an empty line near its end, else after a line, else after a character.
fn end_of_part(bytes: &[u8], name: &str) -> usize {
    let from = bytes.len().saturating_sub(TAIL);
    let tail = bytes.get(from..).unwrap_or_default();
    let rows =
        [".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".log"].iter().any(|end| name.to_lowercase().ends_with(end));
    let paragraph = tail.windows(2).rposition(|pair| pair == b"\n\n").filter(|_| !rows).map(|at| at + 2);
    let line = || last_line(bytes, from, rows);
    let end = paragraph.or_else(line).map(|at| from + at);
    end.unwrap_or_else(|| {
        let whole = (1..=4).map(|n| bytes.len() - n.min(bytes.len())).find(|at| {
            // A byte that goes on from another begins with the bits 10.
            bytes.get(*at).is_some_and(|byte| byte & 0b1100_0000 != 0b1000_0000)
        });
        whole.filter(|at| *at > 0).unwrap_or(bytes.len())
    })
}

/// After the last line break of the tail; in rows, one that stands in no quoted cell.
fn last_line(bytes: &[u8], from: usize, rows: bool) -> Option<usize> {
    let tail = bytes.get(from..)?;
    if !rows {
        return tail.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
    }
    let mut quoted = bytes.get(..from)?.iter().filter(|byte| **byte == b'"').count() % 2 == 1;
    let mut end = None;
    for (at, byte) in tail.iter().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => end = Some(at + 1),
            _ => {}
        }
    }
    // Quotes that never close are no quotes.
    end.or_else(|| tail.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_where_something_ends() {
        assert_eq!(end_of_part(b"one\n\ntwo\nthree", "a.txt"), 5);
        assert_eq!(end_of_part(b"one\ntwo", "a.txt"), 4);
        assert_eq!(end_of_part(b"a,b\n\"x\ny", "a.csv"), 4);
        assert_eq!(end_of_part("xé".as_bytes(), "a.txt"), 1);
        assert_eq!(end_of_part(b"abc", "a.txt"), 2);
    }

    #[test]
    fn a_text_is_written_in_pieces_that_know_their_places() {
        let text = format!("a{}", "é".repeat(WRITTEN_TEXT));
        let all: Vec<_> = pieces(7, &text).collect();
        assert!(all.len() == 3 && all.iter().all(|(_, piece)| piece.len() <= WRITTEN_TEXT));
        assert_eq!(all.iter().map(|(_, piece)| piece.as_str()).collect::<String>(), text);
        let half = WRITTEN_TEXT as u64 / 2;
        assert_eq!(all.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [7, 7 + half, 7 + 2 * half]);
    }

    #[test]
    fn lines_of_json_come_in_parts_and_one_value_does_not() {
        assert!(comes_in_parts(Kind::Json, "x.JSONL") && !comes_in_parts(Kind::Json, "x.json"));
        assert!(comes_in_parts(Kind::Text, "x") && !comes_in_parts(Kind::Pdf, "x.pdf"));
    }
}
