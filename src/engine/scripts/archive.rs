//! Scripts as files: one, or a zip of many.

use std::io::{Cursor, Read, Write};

use zip::{ZipArchive, ZipWriter, write::SimpleFileOptions};

use super::publishing::Workbench;
use crate::{
    model::error::{Error, Result},
    script::limits::MAX_SOURCE,
};

/// Most files of one archive.
const MAX_FILES: usize = 500;

impl Workbench {
    /// A zip of every script of the console: the draft where there is one, else the live text.
    pub fn export(&self) -> Result<Vec<u8>> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for shown in self.library().all().iter() {
            let Some(kept) = &shown.kept else { continue };
            let live = kept.live.as_ref().map(|(_, source)| source);
            let Some(text) = kept.draft.as_ref().or(live) else { continue };
            zip.start_file(format!("{}.rhai", shown.name), SimpleFileOptions::default()).map_err(Error::internal)?;
            zip.write_all(text.as_bytes()).map_err(Error::internal)?;
        }
        Ok(zip.finish().map_err(Error::internal)?.into_inner())
    }

    /// The texts of a file: the `.rhai` files in a zip, or the one text it is.
    pub fn unpack(&self, bytes: &[u8]) -> Result<Vec<(String, String)>> {
        if !bytes.starts_with(b"PK") {
            let text = std::str::from_utf8(bytes).map_err(|_| Error::invalid("The file is neither text nor a zip."))?;
            return Ok(vec![("the file".to_owned(), text.to_owned())]);
        }
        let wrong = |error: zip::result::ZipError| Error::invalid(format!("The zip cannot be read: {error}."));
        let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(wrong)?;
        if zip.len() > MAX_FILES {
            return Err(Error::invalid(format!("The zip holds more than {MAX_FILES} files.")));
        }
        let mut texts = Vec::new();
        for n in 0..zip.len() {
            let file = zip.by_index(n).map_err(wrong)?;
            let name = String::from_utf8_lossy(file.name_raw()).into_owned();
            if !name.ends_with(".rhai") || file.is_dir() {
                continue;
            }
            let mut text = String::new();
            // One byte more than a script may have: what is longer says so when it is saved.
            let read = file.take(MAX_SOURCE as u64 + 1).read_to_string(&mut text);
            read.map_err(|_| Error::invalid(format!("'{name}' in the zip is no text.")))?;
            texts.push((name, text));
        }
        if texts.is_empty() {
            return Err(Error::invalid("The zip holds no .rhai file."));
        }
        Ok(texts)
    }
}
