//! The way in of a socket: bytes are read as far as there is room for them, and frames are counted as they come, also those
//! that make no message.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A connection whose other side may send so much. Where there is no room for more, reading waits, and
/// [`is_full`](Self::is_full) says so: whoever polls it makes room, and polls again.
#[derive(Debug)]
pub(super) struct Inlet<S> {
    stream: S,
    left: usize,
    is_full: bool,
    received: usize,
    frames: Frames,
    most_frames: usize,
}

impl<S> Inlet<S> {
    /// A connection that is to be upgraded yet.
    pub(super) fn new(stream: S, room: usize, most_frames: usize) -> Self {
        Self { stream, left: room, is_full: false, received: 0, frames: Frames::default(), most_frames }
    }

    /// Bytes that have come.
    pub(super) fn received(&self) -> usize {
        self.received
    }

    /// Returns whether it waits for room.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Makes room for so many bytes in all.
    pub(super) fn allow(&mut self, bytes: usize) {
        self.left = bytes.saturating_sub(self.received);
        self.is_full = false;
    }

    /// Returns whether more frames have come than are taken.
    pub(super) fn is_flooded(&self) -> bool {
        self.frames.count > self.most_frames
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Inlet<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.is_flooded() {
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, "too many frames")));
        }
        if this.left == 0 {
            this.is_full = true;
            return Poll::Pending;
        }
        let most = this.left.min(buf.remaining());
        let mut part = ReadBuf::new(buf.initialize_unfilled_to(most));
        ready!(Pin::new(&mut this.stream).poll_read(cx, &mut part))?;
        let count = part.filled().len();
        this.frames.take(part.filled());
        buf.advance(count);
        this.left -= count;
        this.received = this.received.saturating_add(count);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Inlet<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, buf)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

/// The frames (RFC 6455, 5.2) in what a server sends after the head of its answer.
#[derive(Debug, Default)]
struct Frames {
    count: usize,
    place: Place,
}

/// The place in the stream.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// In the head of the answer, after so many bytes of the empty line that ends it.
    Upgrade(usize),
    /// Before a frame.
    Start,
    /// After its first byte.
    Second,
    /// Within the bytes of a long length: so many are left of them.
    Length(u8, u64),
    /// Within its content, of which so many bytes are left.
    Content(u64),
}

impl Default for Place {
    fn default() -> Self {
        Self::Upgrade(0)
    }
}

impl Frames {
    fn take(&mut self, mut bytes: &[u8]) {
        while let Some((&byte, rest)) = bytes.split_first() {
            (self.place, bytes) = match self.place {
                Place::Upgrade(matched) => (after_head(matched, byte), rest),
                Place::Start => {
                    self.count += 1;
                    (Place::Second, rest)
                }
                Place::Second => {
                    let place = match byte & 0x7f {
                        126 => Place::Length(2, 0),
                        127 => Place::Length(8, 0),
                        length => content(u64::from(length)),
                    };
                    (place, rest)
                }
                Place::Length(left, length) => {
                    let length = length << 8 | u64::from(byte);
                    (if left == 1 { content(length) } else { Place::Length(left - 1, length) }, rest)
                }
                Place::Content(left) => {
                    let here = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                    (content(left - here as u64), bytes.get(here..).unwrap_or_default())
                }
            };
        }
    }
}

fn after_head(matched: usize, byte: u8) -> Place {
    match (matched, byte) {
        (3, b'\n') => Place::Start,
        (0 | 2, b'\r') | (1, b'\n') => Place::Upgrade(matched + 1),
        (_, b'\r') => Place::Upgrade(1),
        _ => Place::Upgrade(0),
    }
}

fn content(left: u64) -> Place {
    if left == 0 { Place::Start } else { Place::Content(left) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_counted_however_they_are_cut() {
        let mut sent = b"HTTP/1.1 101 Switching Protocols\r\nA: b\r\n\r\n".to_vec();
        sent.extend([0x81, 2, b'h', b'i', 0x01, 0, 0, 0, 0x80, 0]);
        sent.extend([0x82, 126, 1, 0].into_iter().chain([0; 256]));
        sent.extend([0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0].into_iter().chain([0x89; 65_536]));
        sent.extend([0x89, 0]);
        for piece in [1, 3, 1_000, usize::MAX] {
            let mut frames = Frames::default();
            sent.chunks(piece.min(sent.len())).for_each(|piece| frames.take(piece));
            assert_eq!(frames.count, 7, "in pieces of {piece}");
        }
    }
}
