//! gRPC's frames: a flag byte, a length, a message.
//!
//! Formats: <https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md> and `PROTOCOL-WEB.md` beside it.

use bytes::{Buf, BufMut, Bytes, BytesMut};

use crate::model::error::{Error, Result};

/// Flag and length.
const HEAD: usize = 5;
/// The flag of a compressed message; none are asked for.
const COMPRESSED: u8 = 1;
/// The flag of gRPC-Web's trailers.
const TRAILERS: u8 = 0x80;

/// One frame.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// A message.
    Message(Bytes),
    /// gRPC-Web's trailers: lines of `name: value`.
    Trailers(Bytes),
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
}

impl Frames {
    /// Takes messages of at most this many bytes.
    pub fn new(most: usize) -> Self {
        Self { pending: BytesMut::new(), most }
    }

    /// Takes a piece of the body.
    pub fn feed(&mut self, piece: &[u8]) {
        self.pending.extend_from_slice(piece);
    }

    /// The next whole frame, if it is there. Fails where it is compressed, too long or no frame.
    pub fn next_frame(&mut self) -> Result<Option<Frame>> {
        let Some(&[flag, a, b, c, d]) = self.pending.first_chunk::<HEAD>() else { return Ok(None) };
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        if flag & !(COMPRESSED | TRAILERS) != 0 {
            return Err(Error::upstream("The answer is not gRPC: its frames cannot be read."));
        }
        if flag & COMPRESSED != 0 {
            return Err(Error::upstream("The answer is compressed although that was not asked for."));
        }
        if length > self.most {
            return Err(Error::upstream(format!("The answer has a message of more than {} bytes.", self.most)));
        }
        if self.pending.len() < HEAD + length {
            return Ok(None);
        }
        self.pending.advance(HEAD);
        let content = self.pending.split_to(length).freeze();
        Ok(Some(if flag & TRAILERS == 0 { Frame::Message(content) } else { Frame::Trailers(content) }))
    }

    /// Whether part of a frame is left over.
    pub fn is_cut(&self) -> bool {
        !self.pending.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn frames_are_found_wherever_the_body_is_cut(
            messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..6),
            step in 1_usize..20,
        ) {
            let messages: Vec<Bytes> = messages.into_iter().map(Bytes::from).collect();
            let mut frames = Frames::new(40);
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
            let mut frames = Frames::new(50);
            frames.feed(&bytes);
            while let Ok(Some(_)) = frames.next_frame() {}
        }
    }

    #[test]
    fn a_length_that_lies_takes_no_memory() {
        let mut frames = Frames::new(1_000);
        frames.feed(&[0, 0xff, 0xff, 0xff, 0xff]);
        assert!(frames.next_frame().unwrap_err().message().contains("more than 1000 bytes"));
        let mut frames = Frames::new(1_000);
        frames.feed(b"<html>");
        assert!(frames.next_frame().unwrap_err().message().contains("not gRPC"));
    }
}
