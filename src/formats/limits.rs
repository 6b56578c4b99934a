//! Limits of reading a document: bytes it unpacks to, and text it gives. Whatever grows is counted, so that a refusal says of
//! what there is too much. The process that reads it has limits of memory and time besides.

use satchel_model::error::{Error, Result};

/// The cost that reading one document may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file itself.
    pub file: usize,
    /// Bytes all compressed parts together may unpack to.
    pub unpacked: usize,
    /// Bytes one compressed part may unpack to.
    pub part: usize,
    /// Bytes of text and structure the result may take in memory.
    pub text: usize,
    /// Pages, slides or sheets.
    pub pages: usize,
}

impl Default for Limits {
    /// Room for a book or a large table within the memory of the process that reads.
    fn default() -> Self {
        Self { file: 64 << 20, unpacked: 96 << 20, part: 32 << 20, text: 24 << 20, pages: 10_000 }
    }
}

/// The rest of the limits while one PDF is read.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    unpacked: usize,
    text: usize,
}

/// Memory a kept piece of text takes beside its bytes.
const PIECE: usize = 64;

impl Budget {
    pub(super) fn new(limits: &Limits) -> Self {
        Self { limits: *limits, unpacked: limits.unpacked, text: limits.text }
    }

    /// Counts bytes that were unpacked.
    pub(super) fn unpack(&mut self, bytes: usize) -> Result<()> {
        match self.unpacked.checked_sub(bytes) {
            Some(left) => {
                self.unpacked = left;
                Ok(())
            }
            None => Err(self.unpacks_too_much()),
        }
    }

    /// Most bytes the next part may unpack to.
    pub(super) fn part(&self) -> usize {
        self.limits.part.min(self.unpacked)
    }

    /// The refusal of a document that grows too much.
    pub(super) fn unpacks_too_much(&self) -> Error {
        Error::invalid(format!(
            "The document was refused: it unpacks to more than {} MB, or one part of it to more than {} MB, as only \
             damaged or hostile files do.",
            self.limits.unpacked >> 20,
            self.limits.part >> 20
        ))
    }

    /// Counts a piece of text that is kept.
    pub(super) fn keep(&mut self, bytes: usize) -> Result<()> {
        self.text(bytes.saturating_add(PIECE))
    }

    /// Counts text that is added to a piece that is kept.
    pub(super) fn text(&mut self, bytes: usize) -> Result<()> {
        match self.text.checked_sub(bytes) {
            Some(left) => {
                self.text = left;
                Ok(())
            }
            None => Err(too_much_text(self.limits.text)),
        }
    }

    /// Counts one page, slide or sheet, of which `before` are done.
    pub(super) fn page(&mut self, before: usize) -> Result<()> {
        if before < self.limits.pages {
            return Ok(());
        }
        Err(Error::invalid(format!("The document has more than {} pages. Split it.", self.limits.pages)))
    }
}

/// Returns the refusal of a document that holds more than so many bytes.
pub(super) fn too_much_text(most: usize) -> Error {
    Error::invalid(format!("The document holds more than {} MB of text. Split it into smaller files.", most >> 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_is_stopped_with_a_sentence() {
        let limits = Limits { unpacked: 10, text: 200, pages: 1, ..Limits::default() };
        let mut budget = Budget::new(&limits);
        assert!(budget.unpack(6).is_ok());
        assert_eq!(budget.part(), 4);
        assert!(budget.unpack(5).unwrap_err().message().contains("unpacks to more"));
        assert!(budget.keep(100).is_ok());
        assert!(budget.keep(100).unwrap_err().message().contains("MB of text"));
        assert!(budget.page(1).unwrap_err().message().contains("more than 1 pages"));
    }
}
