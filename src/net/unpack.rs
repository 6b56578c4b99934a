//! Bodies in an encoding nobody asked for (RFC 9110, 8.4.1), unpacked piece by piece.

use std::io::{self, Write};

use bytes::Bytes;
use flate2::{Decompress, FlushDecompress, Status, write::MultiGzDecoder};
use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap};

use satchel_model::error::{Error, Result};

/// Packed bytes that are unpacked at once: at most about a thousand times as many come out.
const PIECE: usize = 1_024;
/// Room for what comes out in one step.
const ROOM: usize = 32 * 1_024;

/// Unpacks a body.
#[derive(Debug)]
pub(super) enum Unpacker {
    /// Nothing has come yet: gzip.
    Gzip,
    /// Nothing has come yet: `deflate` is zlib's format, and some send it bare.
    Deflate,
    InGzip(MultiGzDecoder<Vec<u8>>),
    InDeflate(Decompress),
    /// Its end was there; what stands behind it is left out.
    Ended,
    /// It cannot be unpacked here.
    Unknown(String),
}

impl Unpacker {
    /// For a body with this head, where it is still packed. The head then says so no more.
    pub(super) fn from_headers(headers: &mut HeaderMap) -> Option<Self> {
        let named = headers.get(CONTENT_ENCODING)?.to_str().ok()?.trim().to_ascii_lowercase();
        let unpacker = match named.as_str() {
            "gzip" | "x-gzip" => Self::Gzip,
            "deflate" => Self::Deflate,
            "br" | "zstd" | "compress" | "x-compress" | "dcb" | "dcz" => Self::Unknown(named),
            _ => return None,
        };
        headers.remove(CONTENT_ENCODING);
        headers.remove(CONTENT_LENGTH);
        Some(unpacker)
    }

    /// Returns what comes out of the beginning of `packed`, which is taken off. Empty where more is needed.
    pub(super) fn unpack(&mut self, packed: &mut Bytes) -> Result<Bytes> {
        let piece = packed.split_to(PIECE.min(packed.len()));
        self.begin(piece.first().copied());
        match self {
            Self::InGzip(to) => fed(to, &piece).map(|()| taken(to.get_mut())),
            Self::InDeflate(from) => inflate(from, &piece).map(|(unpacked, ended)| {
                if ended {
                    *self = Self::Ended;
                }
                unpacked
            }),
            Self::Gzip | Self::Deflate | Self::Ended => Ok(Bytes::new()),
            Self::Unknown(named) => {
                return Err(Error::upstream(format!(
                    "The answer is packed as '{named}', which was not asked for and is not known here."
                )));
            }
        }
        .map_err(broken)
    }

    /// Returns what is left at the end.
    ///
    /// # Errors
    ///
    /// If the body broke off.
    pub(super) fn rest(&mut self) -> Result<Bytes> {
        match self {
            Self::InGzip(to) => to.try_finish().map(|()| taken(to.get_mut())),
            Self::InDeflate(_) => Err(io::ErrorKind::UnexpectedEof.into()),
            Self::Gzip | Self::Deflate | Self::Ended | Self::Unknown(_) => Ok(Bytes::new()),
        }
        .map_err(broken)
    }

    fn begin(&mut self, first: Option<u8>) {
        match (&self, first) {
            (Self::Gzip, Some(_)) => *self = Self::InGzip(MultiGzDecoder::new(Vec::new())),
            // The low bits of zlib's first byte name the method (RFC 1950, 2.2).
            (Self::Deflate, Some(byte)) => *self = Self::InDeflate(Decompress::new(byte & 0x0f == 8)),
            _ => {}
        }
    }
}

/// Feeds a piece; what stands behind the end of a stream is left out.
fn fed(to: &mut impl Write, mut piece: &[u8]) -> io::Result<()> {
    while !piece.is_empty() {
        match to.write(piece)? {
            0 => return Ok(()),
            read => piece = piece.get(read..).unwrap_or_default(),
        }
    }
    Ok(())
}

/// Returns what comes out of a piece, and whether it holds the end.
fn inflate(from: &mut Decompress, mut piece: &[u8]) -> io::Result<(Bytes, bool)> {
    let mut unpacked = Vec::new();
    loop {
        let (read, written) = (from.total_in(), from.total_out());
        unpacked.reserve(ROOM);
        let status = from.decompress_vec(piece, &mut unpacked, FlushDecompress::None)?;
        let read = usize::try_from(from.total_in() - read).unwrap_or(usize::MAX);
        piece = piece.get(read..).unwrap_or_default();
        if status == Status::StreamEnd {
            return Ok((unpacked.into(), true));
        }
        if read == 0 && from.total_out() == written {
            return Ok((unpacked.into(), false));
        }
    }
}

fn taken(unpacked: &mut Vec<u8>) -> Bytes {
    std::mem::take(unpacked).into()
}

fn broken(error: io::Error) -> Error {
    Error::upstream("The answer is packed and cannot be unpacked: it is damaged or broke off.").caused_by(error)
}
