//! Frames, between the server and a worker: a length in four bytes, little-endian, whose highest bit is set where a question
//! was asked (by the worker) or is answered (by the server), and as many bytes.

/// Bytes of a frame's head.
pub const HEAD: usize = 4;
/// The bit of questions and answers.
const ASKED: u32 = 1 << 31;

/// The header that stands before a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Bytes that follow.
    pub length: usize,
    /// `true` if it is a question, or the answer to one.
    pub asked: bool,
}

impl Head {
    /// Reads one.
    pub fn from_bytes(bytes: [u8; HEAD]) -> Self {
        let head = u32::from_le_bytes(bytes);
        Self { length: usize::try_from(head & !ASKED).unwrap_or(usize::MAX), asked: head & ASKED != 0 }
    }
}

/// Appends a frame. None, and nothing appended, where it is longer than a head can say: 2 GiB.
#[must_use]
pub fn put(whole: &mut Vec<u8>, frame: &[u8], asked: bool) -> Option<()> {
    let length = u32::try_from(frame.len()).ok().filter(|length| length & ASKED == 0)?;
    whole.reserve(HEAD + frame.len());
    whole.extend_from_slice(&(if asked { length | ASKED } else { length }).to_le_bytes());
    whole.extend_from_slice(frame);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_says_what_was_put() {
        let mut whole = Vec::new();
        put(&mut whole, b"task", false).unwrap();
        put(&mut whole, b"", true).unwrap();
        let (first, rest) = whole.split_first_chunk::<HEAD>().unwrap();
        assert_eq!(Head::from_bytes(*first), Head { length: 4, asked: false });
        let second = rest.strip_prefix(b"task").unwrap().first_chunk::<HEAD>().unwrap();
        assert_eq!(Head::from_bytes(*second), Head { length: 0, asked: true });
    }
}
