//! A file whose table is broken: its objects are found by looking for them.

use std::collections::HashMap;

use lopdf::{Dictionary, Object};

use super::{
    file::{Entry, File, find},
    lexer::{Lexer, is_space},
    xref::put,
};
use satchel_model::error::Result;

/// Looks through the whole file, once.
pub(super) fn rebuild(file: &mut File<'_>) -> Result<()> {
    file.entries.clear();
    let (mut found, mut from) = (HashMap::new(), 0);
    while let Some(at) = file.bytes.get(from..).and_then(|rest| find(rest, b"obj")).map(|at| from + at) {
        file.budget.search(at - from)?;
        if let Some((id, start)) = head(file.bytes, at) {
            // The last of several with one number is the newest.
            found.insert(id, start);
        }
        from = at + 3;
    }
    for (id, at) in &found {
        put(file, u64::from(*id), Entry::At(*at))?;
    }
    let mut places: Vec<(u32, usize)> = found.into_iter().collect();
    places.sort_by_key(|(_, at)| *at);
    let mut trailer = trailers(file)?;
    for (id, at) in places {
        let mut lexer = Lexer::new(file.bytes, at);
        let _ = (lexer.number(), lexer.number(), lexer.keyword(b"obj"));
        let Some(Object::Dictionary(dictionary)) = lexer.object(&mut file.budget)? else { continue };
        match dictionary.get(b"Type").and_then(Object::as_name) {
            Ok(b"XRef") if dictionary.has(b"Root") => trailer = dictionary,
            Ok(b"Catalog") if !trailer.has(b"Root") => trailer.set("Root", Object::Reference((id, 0))),
            Ok(b"ObjStm") => within(file, id, at)?,
            _ => {}
        }
    }
    file.trailer = trailer;
    Ok(())
}

/// The number before an `obj`, and where it begins.
fn head(bytes: &[u8], obj: usize) -> Option<(u32, usize)> {
    let before = bytes.get(obj.saturating_sub(24)..obj)?;
    let mut words = before.rsplit(|byte| is_space(*byte)).filter(|word| !word.is_empty());
    let (generation, number) = (words.next()?, words.next()?);
    let digits = |word: &[u8]| word.iter().all(u8::is_ascii_digit);
    // What stands before the number may touch it, as in `endobj12 0 obj`.
    let tail = number.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
    let number = number.get(tail..).filter(|number| !number.is_empty() && digits(generation))?;
    let id = std::str::from_utf8(number).ok()?.parse().ok()?;
    let start = before.windows(number.len()).rposition(|window| std::ptr::eq(window.as_ptr(), number.as_ptr()))?;
    Some((id, obj - before.len() + start))
}

/// All trailers together, the last one first.
fn trailers(file: &mut File<'_>) -> Result<Dictionary> {
    let (mut all, mut from) = (Dictionary::new(), 0);
    while let Some(at) = file.bytes.get(from..).and_then(|rest| find(rest, b"trailer")).map(|at| from + at) {
        file.budget.search(at - from)?;
        from = at + 7;
        if let Some(Object::Dictionary(trailer)) = Lexer::new(file.bytes, from).object(&mut file.budget)? {
            for (key, value) in &trailer {
                all.set(key.clone(), value.clone());
            }
        }
    }
    Ok(all)
}

/// The numbers of the objects in a stream of them.
fn within(file: &mut File<'_>, id: u32, at: usize) -> Result<()> {
    let Some((_, Object::Stream(stream))) = file.object_at(at)? else { return Ok(()) };
    let count = stream.dict.get(b"N").and_then(Object::as_i64).unwrap_or(0);
    let data = file.data(&stream)?;
    let mut head = Lexer::new(&data, 0);
    for _ in 0..count {
        let (Some(inner), Some(_)) = (head.number(), head.number()) else { break };
        put(file, inner, Entry::Within(id))?;
    }
    Ok(())
}
