//! Bounds of a model's answer: whatever its provider sends, no more of it is taken in.

use satchel_model::{
    error::{Error, Result},
    figure,
};

/// Most bytes of text; the longest answers of today's models are half of it.
const TEXT: usize = 1 << 20;
/// Most calls; more is a model gone wrong.
const CALLS: usize = 64;
/// Most bytes of the arguments of all calls together.
const ARGUMENTS: usize = 4 << 20;
/// Most bytes of the stream, whatever they hold: reasoning, frames, silence that is kept alive.
const STREAM: usize = 128 << 20;

/// Counts of an answer so far.
#[derive(Debug, Default)]
pub(super) struct Intake {
    stream: usize,
    text: usize,
    calls: usize,
    arguments: usize,
}

/// Counts of calls that are not complete.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct PartialCalls {
    /// Their number.
    pub(super) calls: usize,
    /// Bytes of their names and arguments.
    pub(super) bytes: usize,
}

impl Intake {
    /// Counts a piece of the stream.
    pub(super) fn piece(&mut self, bytes: usize) -> Result<()> {
        self.stream = self.stream.saturating_add(bytes);
        within(self.stream, STREAM, "sent")
    }

    /// Counts a text. Returns the bytes of it that are still taken, and the error where that is not all.
    pub(super) fn text(&mut self, text: &str) -> (usize, Result<()>) {
        let room = text.floor_char_boundary(TEXT.saturating_sub(self.text));
        self.text = self.text.saturating_add(text.len());
        (room, within(self.text, TEXT, "wrote"))
    }

    /// Counts a call with so many bytes of arguments.
    pub(super) fn call(&mut self, arguments: usize) -> Result<()> {
        self.calls = self.calls.saturating_add(1);
        self.arguments = self.arguments.saturating_add(arguments);
        self.ensure_calls(PartialCalls::default())
    }

    /// Checks the number of calls, those that are not complete counted with the others.
    ///
    /// # Errors
    ///
    /// If there are too many.
    pub(super) fn ensure_calls(&self, unfinished: PartialCalls) -> Result<()> {
        if self.calls.saturating_add(unfinished.calls) > CALLS {
            return Err(Error::upstream(format!(
                "The model wanted more than {CALLS} calls at once: its answer was ended there, and none was made."
            )));
        }
        within(self.arguments.saturating_add(unfinished.bytes), ARGUMENTS, "wrote as arguments")
    }
}

fn within(bytes: usize, most: usize, did: &str) -> Result<()> {
    if bytes <= most {
        return Ok(());
    }
    let most = figure::bytes(most as u64);
    Err(Error::upstream(format!(
        "The model {did} more than {most}: its answer was ended there. What came before is kept."
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_up_to_its_bound_and_not_within_a_character() {
        let mut taken = Intake::default();
        let (room, fits) = taken.text(&"x".repeat(TEXT - 1));
        assert!(room == TEXT - 1 && fits.is_ok());
        let (room, fits) = taken.text("é!");
        assert!(room == 0 && fits.unwrap_err().message().contains("more than 1"));
    }

    #[test]
    fn a_stream_that_only_reasons_ends_too() {
        let mut taken = Intake::default();
        assert!(taken.piece(STREAM).is_ok());
        assert!(taken.piece(1).is_err());
    }

    #[test]
    fn calls_are_counted_with_those_that_never_end() {
        let mut taken = Intake::default();
        for _ in 0..CALLS {
            taken.call(10).unwrap();
        }
        assert!(taken.ensure_calls(PartialCalls { calls: 1, bytes: 0 }).is_err());
        assert!(taken.ensure_calls(PartialCalls { calls: 0, bytes: ARGUMENTS }).is_err());
        assert!(taken.call(10).unwrap_err().message().contains("64 calls"));
    }
}
