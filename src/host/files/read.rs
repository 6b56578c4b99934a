//! Reading: regular files only, bounded, and never half a character.

use std::{fs::File, io, os::unix::fs::FileExt};

use rustix::fs::{FileType, OFlags, fstat};

use super::{Charset, Fault, Place, encoding};
use satchel_model::{
    error::{Error, Result},
    figure,
};

/// Most bytes one read gives back.
pub const MAX_READ: u64 = 10_000_000;

/// A part of a file, in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Window {
    /// First byte; 0 means the beginning.
    pub offset: u64,
    /// Most bytes; `None` means to the end.
    pub limit: Option<u64>,
}

/// Text read from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The whole characters that lie within the window.
    pub content: String,
    /// The offset of the next window, in bytes; `None` at the end of the file.
    pub next_offset: Option<u64>,
    /// Bytes in the file.
    pub size: u64,
}

pub(super) fn text(place: &Place, path: &str, charset: Charset, window: Window) -> Result<Text> {
    let (file, size) = open(place, path)?;
    let wanted = size.saturating_sub(window.offset).min(window.limit.unwrap_or(u64::MAX));
    if wanted > MAX_READ || (!charset.finds_its_place() && size > MAX_READ) {
        return Err(too_large(path, size));
    }
    let (bytes, start) = if charset.finds_its_place() {
        (bytes_at(&file, window.offset, wanted, path)?, window.offset)
    } else {
        (bytes_at(&file, 0, size, path)?, 0)
    };
    let end = window.offset.saturating_add(wanted);
    let last = end >= size;
    let chunk = encoding::Chunk { bytes, start, from: window.offset, to: end, last };
    let (content, reached) = charset.decode(chunk).map_err(|at| not_text(path, charset, at))?;
    if content.is_empty() && wanted > 0 && !last {
        return Err(Error::invalid(format!(
            "The character of '{path}' at byte {} does not fit in a limit of {wanted}. Give a larger limit.",
            window.offset
        )));
    }
    Ok(Text { content, next_offset: (!last).then_some(reached), size })
}

/// Bytes that [`text`] reads.
pub(super) fn wanted(place: &Place, path: &str, charset: Charset, window: Window) -> Result<u64> {
    let (_, size) = open(place, path)?;
    let wanted = size.saturating_sub(window.offset).min(window.limit.unwrap_or(u64::MAX));
    Ok(if charset.finds_its_place() { wanted } else { size })
}

pub(super) fn bytes(place: &Place, path: &str) -> Result<Vec<u8>> {
    let (file, size) = open(place, path)?;
    if size > MAX_READ {
        return Err(too_large(path, size));
    }
    bytes_at(&file, 0, size, path)
}

/// A whole file that is a document: it cannot be read in parts.
pub(super) fn up_to(place: &Place, path: &str, most: u64) -> Result<Vec<u8>> {
    let (file, size) = open_up_to(place, path, most)?;
    bytes_at(&file, 0, size, path)
}

/// Opens a regular file of at most `most` bytes.
pub(super) fn open_up_to(place: &Place, path: &str, most: u64) -> Result<(File, u64)> {
    let (file, size) = open(place, path)?;
    if size > most {
        return Err(Error::invalid(format!("'{path}' has {size} bytes, and at most {most} are read. Split it.")));
    }
    Ok((file, size))
}

/// Returns whether something is there, whatever it is.
pub(super) fn exists(place: &Place) -> bool {
    let found = place.open(OFlags::PATH);
    !found.is_err_and(|e| matches!(e.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR)))
}

/// Opens a regular file. It is looked at before it is opened for reading: opening a device or a pipe has effects.
pub(super) fn open(place: &Place, path: &str) -> Result<(File, u64)> {
    let fault = |e: io::Error| Fault::new(path, e).of_file();
    regular(place, &File::from(place.open(OFlags::PATH).map_err(fault)?), path)?;
    let file = File::from(place.open(OFlags::RDONLY | OFlags::NONBLOCK).map_err(fault)?);
    let size = regular(place, &file, path)?;
    Ok((file, size))
}

/// The size of an open file, which must be a regular one and none of the server's own.
fn regular(place: &Place, file: &File, path: &str) -> Result<u64> {
    let stat = fstat(file).map_err(|e| Fault::new(path, e).of_file())?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {
            place.ensure_not_own_data(&stat, path)?;
            u64::try_from(stat.st_size).map_err(Error::internal)
        }
        FileType::Directory => Err(Fault::new(path, io::Error::from_raw_os_error(libc::EISDIR)).of_file()),
        _ => Err(Error::invalid(format!("'{path}' is a pipe, a socket or a device, not a file."))),
    }
}

fn bytes_at(file: &File, offset: u64, length: u64, path: &str) -> Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length).map_err(Error::internal)?];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        let at = offset.saturating_add(filled as u64);
        match file.read_at(rest, at) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(Fault::new(path, e).of_file()),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

fn too_large(path: &str, size: u64) -> Error {
    Error::invalid(format!(
        "'{path}' has {} and one read gives at most {}, {} bytes. Read it in parts with offset and limit.",
        figure::bytes(size),
        figure::bytes(MAX_READ),
        figure::grouped(MAX_READ)
    ))
}

fn not_text(path: &str, charset: Charset, at: u64) -> Error {
    Error::invalid(format!(
        "'{path}' is not {} text: the byte at {at} does not belong there. Name the right encoding, if it is text.",
        charset.name()
    ))
}
