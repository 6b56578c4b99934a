//! gRPC's frames: a flag byte, a length, a message.
//!
//! Formats: <https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md> and `PROTOCOL-WEB.md` beside it.

use std::io::Read;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use flate2::read::MultiGzDecoder;
use http::HeaderMap;

use satchel_model::error::{Error, Result};

/// Flag and length.
const HEAD: usize = 5;
/// The flag of a compressed message.
const COMPRESSED: u8 = 1;
/// The flag of gRPC-Web's trailers.
const TRAILERS: u8 = 0x80;

/// A deflated byte stands for no more bytes than this (<https://zlib.net/zlib_tech.html>).
const DEFLATED: usize = 1_032;

/// The encodings `grpc-accept-encoding` asks for.
pub const ACCEPTED: &str = "identity,gzip";

/// The compression of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Not at all.
    Identity,
    /// Gzip.
    Gzip,
}

impl Encoding {
    /// As the head of an answer says. What was not asked for counts as none: a message in it cannot be read.
    pub fn from_headers(headers: &HeaderMap) -> Self {
        let named = headers.get("grpc-encoding").and_then(|value| value.to_str().ok());
        if named.is_some_and(|name| name.trim().eq_ignore_ascii_case("gzip")) { Self::Gzip } else { Self::Identity }
    }
}

/// One frame.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// A message.
    Message(Bytes),
    /// gRPC-Web's trailers: lines of `name: value`.
    Trailers(Bytes),
}

/// A frame that is there as a whole, and may be packed yet.
#[derive(Debug)]
pub struct Whole {
    flag: u8,
    /// Bytes of its content.
    pub length: usize,
    /// Most bytes of its content once it is unpacked.
    pub unpacked_at_most: usize,
}

/// Messages as one body.
pub fn join(messages: &[Bytes]) -> Bytes {
    let mut body = BytesMut::with_capacity(messages.iter().map(|message| message.len() + HEAD).sum());
    for message in messages {
        body.put_u8(0);
        body.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
        body.extend_from_slice(message);
    }
    body.freeze()
}

/// Cuts a body that arrives in pieces into frames.
#[derive(Debug)]
pub struct Frames {
    pending: BytesMut,
    most: usize,
    encoding: Encoding,
}

impl Frames {
    /// Takes messages of at most this many bytes, unpacked.
    pub fn new(most: usize, encoding: Encoding) -> Self {
        Self { pending: BytesMut::new(), most, encoding }
    }

    /// Takes a piece of the body.
    pub fn feed(&mut self, piece: &[u8]) {
        self.pending.extend_from_slice(piece);
    }

    /// Returns the next frame, if it is there as a whole: it is to be unpacked next.
    ///
    /// # Errors
    ///
    /// If it is too long or no frame.
    pub fn whole(&mut self) -> Result<Option<Whole>> {
        let Some(&[flag, a, b, c, d]) = self.pending.first_chunk::<HEAD>() else { return Ok(None) };
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        if flag & !(COMPRESSED | TRAILERS) != 0 {
            return Err(Error::upstream("The answer is not gRPC: its frames cannot be read."));
        }
        if length > self.most {
            return Err(self.too_long());
        }
        if self.pending.len() < HEAD + length {
            return Ok(None);
        }
        let unpacked_at_most =
            if flag & COMPRESSED == 0 { length } else { length.saturating_mul(DEFLATED).min(self.most) };
        Ok(Some(Whole { flag, length, unpacked_at_most }))
    }

    /// Takes the frame that was found, unpacked.
    ///
    /// # Errors
    ///
    /// If it is too long, or packed otherwise than was said.
    pub fn unpack(&mut self, Whole { flag, length, .. }: Whole) -> Result<Frame> {
        self.pending.advance(HEAD);
        let content = self.pending.split_to(length).freeze();
        let content = if flag & COMPRESSED == 0 { content } else { self.unpacked(&content)? };
        Ok(if flag & TRAILERS == 0 { Frame::Message(content) } else { Frame::Trailers(content) })
    }

    /// A compressed message, unpacked no further than one may be long.
    fn unpacked(&self, packed: &[u8]) -> Result<Bytes> {
        if self.encoding != Encoding::Gzip {
            return Err(Error::upstream("The answer is compressed, and not as gzip, which is all that was asked for."));
        }
        let mut unpacked = Vec::new();
        let most = u64::try_from(self.most).unwrap_or(u64::MAX).saturating_add(1);
        MultiGzDecoder::new(packed)
            .take(most)
            .read_to_end(&mut unpacked)
            .map_err(|error| Error::upstream("The answer has a damaged gzip message.").caused_by(error))?;
        if unpacked.len() > self.most { Err(self.too_long()) } else { Ok(unpacked.into()) }
    }

    fn too_long(&self) -> Error {
        Error::upstream(format!("The answer has a message of more than {} bytes.", self.most))
    }

    /// Returns whether part of a frame is left over.
    pub fn is_cut(&self) -> bool {
        !self.pending.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl Frames {
        fn next_frame(&mut self) -> Result<Option<Frame>> {
            self.whole()?.map(|whole| self.unpack(whole)).transpose()
        }
    }

    proptest! {
        #[test]
        fn frames_are_found_wherever_the_body_is_cut(
            messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..6),
            step in 1_usize..20,
        ) {
            let messages: Vec<Bytes> = messages.into_iter().map(Bytes::from).collect();
            let mut frames = Frames::new(40, Encoding::Identity);
            let mut found = Vec::new();
            for piece in join(&messages).chunks(step) {
                frames.feed(piece);
                while let Some(frame) = frames.next_frame().unwrap() {
                    found.push(frame);
                }
            }
            prop_assert!(!frames.is_cut());
            prop_assert_eq!(found, messages.into_iter().map(Frame::Message).collect::<Vec<_>>());
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let mut frames = Frames::new(50, Encoding::Gzip);
            frames.feed(&bytes);
            while let Ok(Some(_)) = frames.next_frame() {}
        }
    }

    #[test]
    fn a_length_that_lies_takes_no_memory() {
        let mut frames = Frames::new(1_000, Encoding::Identity);
        frames.feed(&[0, 0xff, 0xff, 0xff, 0xff]);
        assert!(frames.next_frame().unwrap_err().message().contains("more than 1000 bytes"));
        let mut frames = Frames::new(1_000, Encoding::Identity);
        frames.feed(b"<html>");
        assert!(frames.next_frame().unwrap_err().message().contains("not gRPC"));
    }

    /// A frame of this message, packed.
    fn packed(message: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut encoder, message).unwrap();
        let packed = encoder.finish().unwrap();
        let mut frame = vec![COMPRESSED];
        frame.extend_from_slice(&u32::try_from(packed.len()).unwrap().to_be_bytes());
        frame.extend_from_slice(&packed);
        frame
    }

    #[test]
    fn gzip_is_unpacked_as_far_as_a_message_may_be_long() {
        let read = |encoding, frame: &[u8]| {
            let mut frames = Frames::new(1_000, encoding);
            frames.feed(frame);
            frames.next_frame()
        };
        let text = "hello ".repeat(100);
        let found = read(Encoding::Gzip, &packed(text.as_bytes())).unwrap();
        assert_eq!(found, Some(Frame::Message(text.into())));
        let bomb = packed(&[0; 500_000]);
        assert!(bomb.len() < 1_000, "only what it unpacks to is too long");
        assert!(read(Encoding::Gzip, &bomb).unwrap_err().message().contains("more than 1000 bytes"));
        let damaged = [COMPRESSED, 0, 0, 0, 3, 1, 2, 3];
        assert!(read(Encoding::Gzip, &damaged).unwrap_err().message().contains("damaged gzip"));
        assert!(read(Encoding::Identity, &packed(b"a")).unwrap_err().message().contains("not as gzip"));
    }
}
