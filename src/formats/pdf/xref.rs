//! The table of objects: old tables, streams, and both together, from the newest to the oldest.

use std::collections::HashSet;

use lopdf::{Dictionary, Object};

use super::{
    file::{Entry, File},
    lexer::Lexer,
};
use satchel_model::error::{Error, Result};

/// Bytes at the end in which the table's place is told.
const TAIL: usize = 2048;

/// Most objects of a file.
const MAX_ENTRIES: usize = 500_000;

/// Reads the tables. What is broken leaves the file without a root, to be mended.
pub(super) fn load(file: &mut File<'_>) -> Result<()> {
    let from = file.bytes.len().saturating_sub(TAIL);
    let tail = file.bytes.get(from..).unwrap_or_default();
    let Some(at) = tail.windows(9).rposition(|word| word == b"startxref") else { return Ok(()) };
    let start = Lexer::new(file.bytes, from + at + 9).number();
    let mut pending: Vec<usize> = start.and_then(|start| usize::try_from(start).ok()).into_iter().collect();
    let mut seen = HashSet::new();
    while let Some(at) = pending.pop() {
        if !seen.insert(at) {
            continue;
        }
        let Some(trailer) = section(file, at)? else { return Ok(()) };
        let place =
            |key: &[u8]| trailer.get(key).ok().and_then(|at| at.as_i64().ok()).and_then(|at| usize::try_from(at).ok());
        pending.extend(place(b"Prev"));
        pending.extend(place(b"XRefStm"));
        for (key, value) in &trailer {
            if !file.trailer.has(key) {
                file.trailer.set(key.clone(), value.clone());
            }
        }
    }
    Ok(())
}

/// One section, and its trailer; `None` if it cannot be read.
fn section(file: &mut File<'_>, at: usize) -> Result<Option<Dictionary>> {
    let mut lexer = Lexer::new(file.bytes, at);
    if lexer.keyword(b"xref") { table(file, lexer) } else { stream(file, at) }
}

fn table(file: &mut File<'_>, mut lexer: Lexer<'_>) -> Result<Option<Dictionary>> {
    while let Some(first) = lexer.number() {
        let Some(count) = lexer.number() else { return Ok(None) };
        for id in first..first.saturating_add(count) {
            let (Some(at), Some(_)) = (lexer.number(), lexer.number()) else { return Ok(None) };
            let entry = match (lexer.keyword(b"n"), usize::try_from(at)) {
                (true, Ok(at)) if at > 0 => Entry::At(at),
                _ => {
                    lexer.keyword(b"f");
                    Entry::Free
                }
            };
            put(file, id, entry)?;
        }
    }
    if !lexer.keyword(b"trailer") {
        return Ok(None);
    }
    Ok(lexer.object(&mut file.budget)?.and_then(|trailer| trailer.as_dict().ok().cloned()))
}

fn stream(file: &mut File<'_>, at: usize) -> Result<Option<Dictionary>> {
    let Some((_, Object::Stream(stream))) = file.object_at(at)? else { return Ok(None) };
    let numbers = |key: &[u8]| -> Vec<u64> {
        let items = stream.dict.get(key).and_then(Object::as_array).map_or(&[][..], Vec::as_slice);
        items.iter().filter_map(|item| u64::try_from(item.as_i64().ok()?).ok()).collect()
    };
    let widths = numbers(b"W");
    let [kind, second, third] = widths.as_slice() else { return Ok(None) };
    if [kind, second, third].iter().any(|width| **width > 8) {
        return Ok(None);
    }
    let size = stream.dict.get(b"Size").and_then(Object::as_i64).unwrap_or(0);
    let mut index = numbers(b"Index");
    if index.is_empty() {
        index = vec![0, u64::try_from(size).unwrap_or(0)];
    }
    let data = file.data(&stream)?;
    let mut rows = data.chunks(usize::try_from(kind + second + third).unwrap_or(0).max(1));
    for range in index.chunks(2) {
        let (first, count) = (range.first().copied().unwrap_or(0), range.get(1).copied().unwrap_or(0));
        for (id, row) in (first..first.saturating_add(count)).zip(rows.by_ref()) {
            let mut row = row.iter();
            let mut field =
                |width: u64| (0..width).fold(0_u64, |sum, _| (sum << 8) | u64::from(*row.next().unwrap_or(&0)));
            let kind = if *kind == 0 { 1 } else { field(*kind) };
            let entry = match (kind, field(*second)) {
                (1, at) => usize::try_from(at).map_or(Entry::Free, Entry::At),
                (2, stream) => u32::try_from(stream).map_or(Entry::Free, Entry::Within),
                _ => Entry::Free,
            };
            put(file, id, entry)?;
        }
    }
    Ok(Some(stream.dict))
}

/// Puts an entry, unless a newer section has put one: what stands in a newer section counts.
pub(super) fn put(file: &mut File<'_>, id: u64, entry: Entry) -> Result<()> {
    let Ok(id) = u32::try_from(id) else { return Ok(()) };
    file.entries.entry(id).or_insert(entry);
    if file.entries.len() > MAX_ENTRIES {
        return Err(Error::invalid(format!("The PDF was refused: it has more than {MAX_ENTRIES} objects.")));
    }
    Ok(())
}
