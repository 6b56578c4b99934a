//! Limits of reading a document, beside the memory and the time of the process that reads it. Whatever grows in a PDF is
//! counted, so that a refusal says of what there is too much.

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
    /// Values that are looked at, such as the operands of a PDF's pages.
    pub values: usize,
    /// Values that are kept while the document is read, such as a PDF's objects.
    pub objects: usize,
}

impl Default for Limits {
    /// Room for a book or a large table; a hostile file stays below 128 MB and two seconds.
    fn default() -> Self {
        Self {
            file: 64 << 20,
            unpacked: 96 << 20,
            part: 32 << 20,
            text: 24 << 20,
            pages: 10_000,
            values: 20_000_000,
            objects: 400_000,
        }
    }
}

/// The rest of the limits while one PDF is read.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    unpacked: usize,
    text: usize,
    values: usize,
    objects: usize,
}

/// Memory a kept piece of text takes beside its bytes.
const PIECE: usize = 64;

impl Budget {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            limits: *limits,
            unpacked: limits.unpacked,
            text: limits.text,
            values: limits.values,
            objects: limits.objects,
        }
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

    /// Counts one value that is looked at and let go.
    pub(super) fn value(&mut self) -> Result<()> {
        self.values = self.values.checked_sub(1).ok_or_else(too_many_pieces)?;
        Ok(())
    }

    /// Counts one value that is kept.
    pub(super) fn object(&mut self) -> Result<()> {
        self.objects = self.objects.checked_sub(1).ok_or_else(too_many_pieces)?;
        self.value()
    }

    /// Counts values that were copied, each of which costs as much as looking at several.
    pub(super) fn copy(&mut self, values: usize) -> Result<()> {
        self.values = self.values.saturating_sub(values.saturating_mul(4));
        self.value()
    }

    /// Counts bytes that were searched.
    pub(super) fn search(&mut self, bytes: usize) -> Result<()> {
        self.values = self.values.saturating_sub(bytes / 64);
        self.value()
    }
}

/// Returns the refusal of a document that holds more than so many bytes.
pub(super) fn too_much_text(most: usize) -> Error {
    Error::invalid(format!("The document holds more than {} MB of text. Split it into smaller files.", most >> 20))
}

fn too_many_pieces() -> Error {
    Error::invalid("The document was refused: it is built from far too many pieces, as only hostile files are.")
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
