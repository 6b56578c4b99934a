//! A package with some parts changed: every other part is copied as it is packed, bit for bit.

use std::{
    collections::HashMap,
    io::{Cursor, Write},
};

use zip::{CompressionMethod, ZipWriter, result::ZipError, write::SimpleFileOptions};

use super::package::{Package, damaged};
use satchel_model::error::{Error, Result};

/// The changes to parts, by name: a new content, or `None` for a part that goes away.
pub(crate) type Changes = HashMap<String, Option<Vec<u8>>>;

/// The package with the changes made.
pub(crate) fn rewrite(package: &mut Package<'_>, changes: &Changes) -> Result<Vec<u8>> {
    let archive = package.archive();
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..archive.len() {
        let file = archive.by_index_raw(index).map_err(damaged)?;
        let name = file.name().map_err(damaged)?.into_owned();
        match changes.get(&name) {
            None => out.raw_copy_file(file).map_err(unwritten)?,
            Some(None) => {}
            Some(Some(content)) => {
                drop(file);
                put(&mut out, &name, content)?;
            }
        }
    }
    Ok(out.finish().map_err(unwritten)?.into_inner())
}

/// A new package of these parts.
pub(crate) fn create(parts: &[(&str, String)]) -> Result<Vec<u8>> {
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    parts.iter().try_for_each(|(name, content)| put(&mut out, name, content.as_bytes()))?;
    Ok(out.finish().map_err(unwritten)?.into_inner())
}

fn put(out: &mut ZipWriter<Cursor<Vec<u8>>>, name: &str, content: &[u8]) -> Result<()> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    out.start_file(name, options).map_err(unwritten)?;
    out.write_all(content).map_err(Error::internal)
}

fn unwritten(cause: ZipError) -> Error {
    Error::internal(cause)
}
