//! Output of a program, as much of it as is kept.

use std::{collections::VecDeque, sync::Arc};

use parking_lot::Mutex;
use tokio::{io::AsyncReadExt, task::JoinHandle};

/// The part that stays where there is more than fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    First,
    Last,
}

/// Bytes written so far, bounded; what does not fit is counted.
#[derive(Debug)]
pub(crate) struct Tape {
    kept: VecDeque<u8>,
    total: u64,
    capacity: usize,
    keep: Keep,
}

/// A tape that is written while it is read.
pub(crate) type SharedTape = Arc<Mutex<Tape>>;

impl Tape {
    /// An empty tape of so many bytes.
    pub(crate) fn new(capacity: usize, keep: Keep) -> Self {
        Self { kept: VecDeque::new(), total: 0, capacity, keep }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        match self.keep {
            Keep::First => {
                let room = self.capacity.saturating_sub(self.kept.len());
                self.kept.extend(bytes.iter().take(room));
            }
            Keep::Last => {
                self.kept.extend(bytes.iter().skip(bytes.len().saturating_sub(self.capacity)));
                let surplus = self.kept.len().saturating_sub(self.capacity);
                self.kept.drain(..surplus);
            }
        }
    }

    /// Returns what is kept as text; bytes that are no UTF-8 become U+FFFD, a character cut by the tape's edge is left
    /// out.
    pub(crate) fn text(&self) -> String {
        let bytes: Vec<u8> = self.kept.iter().copied().collect();
        let cut = self.dropped() > 0;
        let inside = |byte: &u8| (byte & 0b1100_0000) == 0b1000_0000;
        let text = match self.keep {
            Keep::Last if cut => {
                let start = bytes.iter().take(3).take_while(|byte| inside(byte)).count();
                bytes.get(start..).unwrap_or_default()
            }
            Keep::First if cut => match std::str::from_utf8(&bytes) {
                Err(e) if e.error_len().is_none() => bytes.get(..e.valid_up_to()).unwrap_or_default(),
                _ => &bytes,
            },
            Keep::First | Keep::Last => &bytes,
        };
        String::from_utf8_lossy(text).into_owned()
    }

    /// Bytes written.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Bytes written and not kept.
    pub(crate) fn dropped(&self) -> u64 {
        self.total - self.kept.len() as u64
    }
}

/// Copies a program's output to a tape until it ends; what was read is on the tape whatever happens to the task.
pub(crate) fn record(
    mut from: impl tokio::io::AsyncRead + Unpin + Send + 'static,
    tape: &SharedTape,
) -> JoinHandle<()> {
    let tape = Arc::clone(tape);
    tokio::spawn(async move {
        let mut buffer = vec![0; 16 * 1024];
        while let Ok(count @ 1..) = from.read(&mut buffer).await {
            tape.lock().push(buffer.get(..count).unwrap_or_default());
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tape(keep: Keep, writes: &[&str]) -> (String, u64) {
        let mut tape = Tape::new(4, keep);
        writes.iter().for_each(|text| tape.push(text.as_bytes()));
        (tape.text(), tape.dropped())
    }

    #[test]
    fn a_full_tape_keeps_its_end_and_counts_the_rest() {
        assert_eq!(tape(Keep::First, &["abc", "def"]), ("abcd".to_owned(), 2));
        assert_eq!(tape(Keep::Last, &["abc", "def"]), ("cdef".to_owned(), 2));
        assert_eq!(tape(Keep::Last, &["0123456789"]), ("6789".to_owned(), 6));
    }

    #[test]
    fn a_character_at_the_edge_is_left_out_and_a_wrong_byte_is_shown_as_such() {
        assert_eq!(tape(Keep::First, &["abc€"]), ("abc".to_owned(), 2));
        assert_eq!(tape(Keep::Last, &["€abc"]), ("abc".to_owned(), 2));
        let mut odd = Tape::new(9, Keep::First);
        odd.push(b"a\xffb");
        assert_eq!(odd.text(), "a\u{fffd}b");
    }
}
