//! Scripts as files: one, or a zip of many.

use std::io::{Cursor, Read, Write};

use zip::{ZipArchive, ZipWriter, write::SimpleFileOptions};

use super::publishing::Workbench;
use satchel_model::error::{Error, Result};
use satchel_script::limits::MAX_SOURCE;

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
}

/// The texts of a file, each with a name: the `.rhai` files in a zip, or the one text it is. What is no text says why.
pub fn unpack(bytes: &[u8]) -> Result<Vec<(String, Result<String>)>> {
    if !bytes.starts_with(b"PK") {
        let text = std::str::from_utf8(bytes).map_err(|_| Error::invalid("The file is neither text nor a zip."))?;
        return Ok(vec![("the file".to_owned(), Ok(text.to_owned()))]);
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
        if is_script(&name) && !file.is_dir() {
            let text = text(&name, file);
            texts.push((name, text));
        }
    }
    if texts.is_empty() {
        return Err(Error::invalid("The zip holds no .rhai file."));
    }
    Ok(texts)
}

/// Hidden files are none, nor is what a Mac puts beside each file.
fn is_script(path: &str) -> bool {
    let hidden = path.split('/').any(|part| part.starts_with('.') || part == "__MACOSX");
    path.ends_with(".rhai") && !hidden
}

fn text(name: &str, file: impl Read) -> Result<String> {
    let mut bytes = Vec::new();
    let read = file.take(MAX_SOURCE as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::invalid(format!("'{name}' in the zip cannot be read: {error}.")))?;
    if bytes.len() > MAX_SOURCE {
        return Err(Error::invalid(format!("'{name}' in the zip is longer than {} KB.", MAX_SOURCE >> 10)));
    }
    String::from_utf8(bytes).map_err(|_| Error::invalid(format!("'{name}' in the zip is no text in UTF-8.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn what_is_no_script_in_a_zip_keeps_no_other_back() {
        let long = format!("{}ü", "a".repeat(MAX_SOURCE));
        let packed = zip(&[
            ("mine/times.rhai", b"// @name times"),
            ("__MACOSX/mine/._times.rhai", b"\x00\x05\x16\x07\xff"),
            ("mine/._times.rhai", b"\xff"),
            ("mine/.DS_Store", b"\xff"),
            ("latin.rhai", b"// @name gr\xfc\xdfe"),
            ("long.rhai", long.as_bytes()),
            ("read.me", b"no script"),
        ]);
        let told: Vec<_> = unpack(&packed)
            .unwrap()
            .into_iter()
            .map(|(name, text)| (name, text.map_err(|error| error.message().to_owned())))
            .collect();
        let one = |name: &str, text: std::result::Result<&str, &str>| {
            (name.to_owned(), text.map(str::to_owned).map_err(str::to_owned))
        };
        assert_eq!(
            told,
            [
                one("mine/times.rhai", Ok("// @name times")),
                one("latin.rhai", Err("'latin.rhai' in the zip is no text in UTF-8.")),
                one("long.rhai", Err("'long.rhai' in the zip is longer than 64 KB.")),
            ]
        );
        let nothing = unpack(&zip(&[("__MACOSX/._x.rhai", b"x")])).unwrap_err();
        assert_eq!(nothing.message(), "The zip holds no .rhai file.");
    }
}
