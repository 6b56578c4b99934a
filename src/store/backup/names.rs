//! Names of entries: what may stand in an archive, and where it goes.

use std::{
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use satchel_model::error::{Error, Result};

/// The first entry.
pub(super) const MANIFEST: &str = "manifest.json";
/// What was found and could not be read once its turn came: the manifest is written by then.
pub(super) const LEFT_OUT: &str = "left-out.json";
/// The last entry: what `sha256sum --check` reads.
pub(super) const DIGESTS: &str = "SHA256SUMS";
/// The copy of the database.
pub(super) const DATABASE: &str = "satchel.db";
/// The anchors of the audit.
pub(super) const ANCHORS: &str = "anchors.jsonl";
/// The vault's key.
pub(super) const VAULT_KEY: &str = "secret.key";
/// Files that stand by themselves.
const FILES: [&str; 4] = [DATABASE, "satchel.toml", ANCHORS, VAULT_KEY];
/// Folders with anything in them.
pub(super) const FOLDERS: [&str; 4] = [CONTENTS, "scripts", "workspaces", "models"];
/// The folder of documents' contents.
pub(super) const CONTENTS: &str = "files";
/// Longest name that is read, in bytes: what the kernel takes.
pub(super) const LONGEST: usize = 4_095;
/// Longest name that is written, in bytes: it must fit below a data directory whose own path is longer than this one's.
pub(super) const LONGEST_MADE: usize = 2_048;
/// Longest part of one.
const LONGEST_PART: usize = 255;

/// Where an entry goes, below the directory that is restored. Fails for a name that is not of an archive of ours: one that
/// leads out of it, above all.
pub(super) fn place(name: &[u8]) -> Result<PathBuf> {
    let parts: Vec<&[u8]> = name.split(|byte| *byte == b'/').collect();
    let plain = |part: &&[u8]| {
        !part.is_empty() && *part != b"." && *part != b".." && part.len() <= LONGEST_PART && !part.contains(&0)
    };
    let known = match parts.as_slice() {
        [file] => FILES.iter().any(|known| known.as_bytes() == *file),
        [folder, ..] => FOLDERS.iter().any(|known| known.as_bytes() == *folder),
        [] => false,
    };
    if known && name.len() <= LONGEST && parts.iter().all(plain) {
        return Ok(Path::new(OsStr::from_bytes(name)).to_owned());
    }
    let shown: String =
        String::from_utf8_lossy(name).chars().take(80).map(|c| if c.is_control() { '?' } else { c }).collect();
    Err(Error::invalid(format!(
        "The backup holds '{shown}', which belongs to no data directory: it was not made by Satchel, and nothing was restored."
    )))
}

/// Whether a backup is one without this file: what people's programs make comes and goes while it is made. Everything else
/// a restored server needs.
pub(super) fn is_dispensable(name: &[u8]) -> bool {
    let first = name.split(|byte| *byte == b'/').next().unwrap_or_default();
    FOLDERS.iter().any(|folder| *folder != CONTENTS && folder.as_bytes() == first)
}

/// A line of the digests. A name with a backslash or a line's end is written as `sha256sum` writes it.
pub(super) fn digest_line(digest: &[u8], name: &[u8]) -> Vec<u8> {
    let mut line = Vec::with_capacity(name.len() + 70);
    let escaped = name.iter().any(|byte| matches!(byte, b'\\' | b'\n' | b'\r'));
    if escaped {
        line.push(b'\\');
    }
    line.extend_from_slice(hex::encode(digest).as_bytes());
    line.extend_from_slice(b"  ");
    for byte in name {
        match byte {
            b'\\' => line.extend_from_slice(b"\\\\"),
            b'\n' => line.extend_from_slice(b"\\n"),
            b'\r' => line.extend_from_slice(b"\\r"),
            other => line.push(*other),
        }
    }
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_data_directory_are_taken() {
        for name in
            ["satchel.db", "satchel.toml", "secret.key", "files/ab/abcd", "workspaces/u/a b/ü.txt", "scripts/.a.rhai"]
        {
            assert_eq!(place(name.as_bytes()).unwrap(), Path::new(name));
        }
        place(b"workspaces/u/\xff\n").unwrap();
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for name in [
            "",
            "/",
            ".",
            "..",
            "/etc/passwd",
            "../x",
            "files/../../x",
            "files//x",
            "files/./x",
            "files/",
            "satchel.db/x",
            "lock",
            "run.json",
            "backup.key",
            "backups/x",
            "indexes/x",
            "manifest.json",
            "SHA256SUMS",
            "files/\0",
        ] {
            let error = place(name.as_bytes()).unwrap_err();
            assert!(error.message().contains("not made by Satchel"), "{name}: {error}");
        }
        assert!(place(format!("files/{}", "x".repeat(256)).as_bytes()).is_err());
        assert!(place(format!("files/{}", "x/".repeat(3_000)).as_bytes()).is_err());
    }

    #[test]
    fn what_a_restored_server_needs_is_never_left_out() {
        for name in ["satchel.db", "satchel.toml", "anchors.jsonl", "secret.key", "files/ab/abcd"] {
            assert!(!is_dispensable(name.as_bytes()), "{name}");
        }
        for name in ["workspaces/u/x", "scripts/x.rhai", "models/m/x"] {
            assert!(is_dispensable(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn a_digest_is_written_as_sha256sum_writes_it() {
        assert_eq!(digest_line(&[0xab], b"files/x"), b"ab  files/x\n");
        assert_eq!(digest_line(&[0xab], b"a\\b\n"), b"\\ab  a\\\\b\\n\n");
    }
}
