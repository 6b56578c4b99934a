//! The files beside the database that belong into a backup.
//!
//! Contents of documents are linked as soon as they are known: one that is removed meanwhile is in the backup all the same,
//! as the copy of the database names it.

use std::{
    collections::{BTreeSet, HashSet},
    fs::{self, DirBuilder, File, Metadata},
    io::{self, ErrorKind},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    rc::Rc,
};

use rustix::fs::FileType;

use super::{
    below::{Found, Root},
    fault,
    holes::{self, Holes},
    names::{CONTENTS, FOLDERS, LONGEST_MADE},
};
use satchel_model::{
    backup::LeftOut,
    error::{Error, Result},
};

/// Deepest folder that is looked into.
const DEEPEST: usize = 100;
/// The configuration of a data directory.
const CONFIG: &str = "satchel.toml";
/// Most names of missing files that are told.
pub(super) const TOLD: usize = 100;

/// A file that goes into the archive.
pub(super) struct Member {
    /// Its name in the archive.
    pub(super) name: Vec<u8>,
    /// Its size as it was found.
    pub(super) bytes: u64,
    root: Rc<Root>,
    below: Vec<u8>,
}

impl Member {
    /// A file in a directory.
    pub(super) fn new(name: &str, root: &Rc<Root>, bytes: u64) -> Self {
        Self { name: name.into(), bytes, root: Rc::clone(root), below: name.into() }
    }

    /// Opens it, whatever it has become since it was found.
    ///
    /// # Errors
    /// Where it is no plain file any more.
    pub(super) fn open(&self) -> io::Result<(File, Metadata)> {
        self.root.file(&self.below)
    }
}

/// Things that go in besides.
pub struct Extras {
    /// Folders of models that can be fetched again, and are left out.
    pub fetched_models: HashSet<String>,
    /// Whether the vault's key goes in.
    pub vault_key: bool,
}

/// Links contents into `held`; those that are gone are left out.
pub(super) fn hold(data: &Path, held: &Path, hashes: &BTreeSet<String>) -> Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(held).map_err(|e| fault::unwritable(held, e))?;
    for hash in hashes {
        // Where links cannot be made, the file itself is read later.
        let _ = fs::hard_link(data.join("files").join(stored(hash)), held.join(hash));
    }
    Ok(())
}

/// Where the storage has a content.
fn stored(hash: &str) -> PathBuf {
    Path::new(hash.get(..2).unwrap_or_default()).join(hash)
}

/// What goes into an archive, and what was there and does not.
#[derive(Default)]
pub(super) struct Selection {
    pub(super) members: Vec<Member>,
    /// Contents that rows name and that are gone, the first of them.
    pub(super) missing: Vec<String>,
    pub(super) left_out: LeftOut,
    holes: Holes,
}

impl Selection {
    /// Takes the contents the copy of the database names.
    pub(super) fn take_contents(&mut self, data: &Path, held: &Path, hashes: &BTreeSet<String>) -> Result<()> {
        let (held, storage) = (directory(held)?, directory(&data.join("files"))?);
        for hash in hashes {
            let stored = stored(hash).to_string_lossy().into_owned();
            let mut found = None;
            for (root, below) in [(&held, hash), (&storage, &stored)] {
                if let (None, Some(root)) = (&found, root) {
                    found = content(root, below, &stored)?;
                }
            }
            match found {
                Some(member) => self.members.push(member),
                None if self.missing.len() < TOLD => self.missing.push(hash.clone()),
                None => {}
            }
        }
        Ok(())
    }

    /// Takes everything else but the vault's key.
    pub(super) fn take_rest(&mut self, data: &Path, extras: &Extras) -> Result<()> {
        let root = Rc::new(Root::open(data).map_err(|e| fault::unreadable(data, e))?);
        match root.look(CONFIG.as_bytes()).map_err(|e| fault::unreadable(&data.join(CONFIG), e))? {
            Some(found) if found.kind == FileType::RegularFile => {
                self.members.push(Member::new(CONFIG, &root, found.bytes));
            }
            Some(_) => self.left_out.add(CONFIG.as_bytes(), "it is no plain file"),
            None => {}
        }
        for folder in FOLDERS.iter().filter(|folder| **folder != CONTENTS) {
            if let Some(root) = directory(&data.join(folder))? {
                let skipped = |name: &[u8]| {
                    *folder == "models"
                        && std::str::from_utf8(name).is_ok_and(|name| extras.fetched_models.contains(name))
                };
                let walk = Walk { folder, root: &root, skipped: &skipped };
                self.walk(&walk, b"", 0)?;
            }
        }
        Ok(())
    }

    fn walk(&mut self, walk: &Walk<'_>, below: &[u8], depth: usize) -> Result<()> {
        let name = joined(walk.folder.as_bytes(), below);
        if depth >= DEEPEST {
            self.left_out.add(&name, "it lies too deep");
            return Ok(());
        }
        let entries = match walk.root.list(below) {
            Ok(entries) => entries,
            // What a person's program made unreadable to everybody is not worth the whole backup.
            Err(error) if depth > 0 => {
                self.left_out.add(&name, &format!("the folder cannot be read ({error})"));
                return Ok(());
            }
            Err(error) => {
                return Err(Error::conflict(format!("{} cannot be read: {error}.", walk.folder)).caused_by(error));
            }
        };
        for found in entries {
            if depth == 0 && (walk.skipped)(&found.name) {
                continue;
            }
            let inner = joined(below, &found.name);
            match found.kind {
                _ if walk.folder.len() + 1 + inner.len() > LONGEST_MADE => {
                    let why = format!("its name is longer than {LONGEST_MADE} bytes");
                    self.left_out.add(&joined(walk.folder.as_bytes(), &inner), &why);
                }
                FileType::Directory => self.walk(walk, &inner, depth + 1)?,
                FileType::RegularFile => self.take(walk, inner, &found),
                _ => {}
            }
        }
        Ok(())
    }

    fn take(&mut self, walk: &Walk<'_>, below: Vec<u8>, found: &Found) {
        let member = Member {
            name: joined(walk.folder.as_bytes(), &below),
            bytes: found.bytes,
            root: Rc::clone(walk.root),
            below,
        };
        if holes::may_have(found.bytes, found.on_disk) {
            let admitted = member.open().and_then(|(file, _)| self.holes.admit(&member.name, &file));
            match admitted {
                Ok(true) => {}
                Ok(false) => return self.left_out.add(&member.name, TOO_MANY_HOLES),
                Err(error) => return self.left_out.add(&member.name, &format!("it cannot be read ({error})")),
            }
        }
        self.members.push(member);
    }
}

/// A content in one of the places where it can lie. `None` if it is not there.
fn content(root: &Rc<Root>, below: &str, stored: &str) -> Result<Option<Member>> {
    let name = format!("{CONTENTS}/{stored}");
    let found = root.look(below.as_bytes()).map_err(|e| fault::unreadable(Path::new(&name), e))?;
    Ok(found.filter(|found| found.kind == FileType::RegularFile).map(|found| Member {
        name: name.into_bytes(),
        bytes: found.bytes,
        root: Rc::clone(root),
        below: below.into(),
    }))
}

/// Why a file is left out that is mostly hole.
pub(super) const TOO_MANY_HOLES: &str = "the holes in this folder's files come to more than 256 MB";

/// A folder that is walked.
struct Walk<'a> {
    folder: &'a str,
    root: &'a Rc<Root>,
    /// Whether a name directly in it is left out.
    skipped: &'a dyn Fn(&[u8]) -> bool,
}

/// A directory, if it is there.
fn directory(path: &Path) -> Result<Option<Rc<Root>>> {
    match Root::open(path) {
        Ok(root) => Ok(Some(Rc::new(root))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(fault::unreadable(path, error)),
    }
}

fn joined(folder: &[u8], name: &[u8]) -> Vec<u8> {
    match (folder, name) {
        (b"", only) | (only, b"") => only.to_vec(),
        _ => [folder, name].join(&b'/'),
    }
}
