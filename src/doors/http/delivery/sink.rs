//! JSON as it is written: kept, kept up to a number of bytes, or only counted.

use std::io::{self, Write};

use serde::Serialize;

use satchel_model::error::{Error, Result};

/// A writer of JSON that keeps or counts. One type for all three, so that each value's code is compiled once.
pub(in crate::http) struct Sink {
    kept: Vec<u8>,
    keeps: bool,
    bytes: usize,
    most: usize,
}

impl Sink {
    /// Keeps what is no longer than so many bytes, and fails with [`io::ErrorKind::FileTooLarge`] beyond.
    pub(in crate::http) fn beginning(most: usize) -> Self {
        Self { kept: Vec::with_capacity(128), keeps: true, bytes: 0, most }
    }

    fn counting() -> Self {
        Self { kept: Vec::new(), keeps: false, bytes: 0, most: usize::MAX }
    }

    /// The bytes it has kept.
    pub(in crate::http) fn into_kept(self) -> Vec<u8> {
        self.kept
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes = self.bytes.saturating_add(bytes.len());
        if self.bytes > self.most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if self.keeps {
            self.kept.extend_from_slice(bytes);
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a value once.
pub(super) type WriteOnce = Box<dyn FnOnce(&mut Sink) -> serde_json::Result<()> + Send>;

/// A writer of the value that is made by then.
pub(super) fn write_made<T: Serialize>(make: impl FnOnce() -> T + Send + 'static) -> WriteOnce {
    Box::new(move |sink| serde_json::to_writer(sink, &make()))
}

/// The whole of it.
pub(super) fn whole(write: WriteOnce) -> Result<Vec<u8>> {
    let mut sink = Sink::beginning(usize::MAX);
    write(&mut sink).map_err(Error::internal)?;
    Ok(sink.into_kept())
}

/// A value that can be written again, whatever its type.
pub(in crate::http) trait Writable: Send {
    fn write(&self, sink: &mut Sink) -> serde_json::Result<()>;

    /// Its length as JSON, in bytes.
    fn measure(&self) -> Result<usize> {
        let mut sink = Sink::counting();
        self.write(&mut sink).map_err(Error::internal)?;
        Ok(sink.bytes)
    }
}

impl<T: Serialize + Send> Writable for T {
    fn write(&self, sink: &mut Sink) -> serde_json::Result<()> {
        serde_json::to_writer(sink, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sink_keeps_what_fits_and_counts_what_is_measured() {
        let mut beginning = Sink::beginning(9);
        let stopped = serde_json::to_writer(&mut beginning, &["tea", "milk"]).unwrap_err();
        assert!(stopped.is_io() && beginning.kept.len() <= 9 && beginning.kept.starts_with(b"[\"tea\","));
        assert_eq!(["tea", "milk"].measure().unwrap(), whole(write_made(|| ["tea", "milk"])).unwrap().len());
    }
}
