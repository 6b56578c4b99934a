//! Which server a backup is of: servers that keep theirs in one folder leave each other's alone.
#![expect(clippy::disallowed_methods, reason = "the data directory is the store's own")]

use std::{fs, io::Write, path::Path};

use super::{copy::new_private, write::Scrap};

/// Where it stands in the data directory. It is in no backup: what is restored is another server.
const FILE: &str = "instance.id";
/// Its length in hexadecimal digits.
const DIGITS: usize = 12;

/// The id of a data directory, made once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance(String);

impl Instance {
    /// Reads the id of a data directory, or makes it.
    pub fn open(data: &Path) -> Self {
        let path = data.join(FILE);
        let is_id = |text: &str| text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let known = fs::read_to_string(&path).ok().map(|text| text.trim().to_owned()).filter(|text| is_id(text));
        if let Some(known) = known {
            return Self(known);
        }
        let made = hex::encode(rand::random::<[u8; DIGITS / 2]>());
        drop(Scrap(path.clone()));
        let written = new_private(&path).and_then(|mut file| writeln!(file, "{made}").and_then(|()| file.sync_all()));
        if let Err(error) = written {
            tracing::warn!(%error, path = %path.display(), "backups made by this process will not be known as its own");
        }
        Self(made)
    }

    /// As it stands in names of files.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}
