//! Reading an archive that may come from anybody: into an empty directory, nothing beside it, and nothing unproven.
#![expect(clippy::disallowed_methods, reason = "what is restored are the store's own files")]

use std::{
    collections::HashMap,
    fs::File,
    io::{self, BufReader, Read, Write},
    path::Path,
};

use sha2::{Digest, Sha256};
use tar::{Archive, EntryType};

use super::{
    below::Root,
    fault,
    names::{self, DATABASE, DIGESTS, LEFT_OUT, MANIFEST, digest_line},
    pack::GROWTH,
    restore::require_known,
    seal::Opener,
    watch::Watch,
};
use crate::dir;
use satchel_model::{
    backup::{LeftOut, Manifest, Part, foreign},
    error::{Error, Result},
};

/// Longest manifest.
const MANIFEST_BYTES: u64 = 4 << 20;
/// Longest list of what was left out late.
const LEFT_OUT_BYTES: u64 = 1 << 20;
/// Longest file of digests.
const DIGESTS_BYTES: u64 = 1 << 30;
/// Most entries.
const MOST: u64 = 20_000_000;
/// Room that must stay beside what is restored.
const SPARE: u64 = 1 << 20;
/// Bytes read at once.
const PIECE: usize = 256 << 10;

/// Unpacks a backup into a directory of its own. Blocks. What was written before a failure stays for the caller to remove.
///
/// # Errors
/// One sentence where it is no backup, not for this key, damaged, cut, or holds what no backup of ours does.
pub(super) fn unpack(file: &Path, opener: &Opener, into: &Path, watch: &Watch) -> Result<Unpacked> {
    let input = File::open(file).map_err(|e| fault::unreadable(file, e))?;
    let found = input.metadata().map_err(|e| fault::unreadable(file, e))?;
    if !found.is_file() {
        return Err(Error::invalid(format!("{} is no file.", file.display())));
    }
    if found.len() == 0 {
        return Err(Error::invalid(format!("{} is empty: it is no backup.", file.display())));
    }
    watch.begin(Part::Reading, found.len());
    let mut stream = opener.open(BufReader::with_capacity(PIECE, Counted { input, watch }))?;
    let unpacked = entries(&mut stream, into)?;
    // The end proves itself only where it is read.
    io::copy(&mut stream, &mut io::sink()).map_err(cut)?;
    Ok(unpacked)
}

/// An archive that was unpacked.
pub(super) struct Unpacked {
    pub(super) manifest: Manifest,
    /// Contents of documents that are not what their name says: they had been damaged before.
    pub(super) rotten: Vec<String>,
}

struct Counted<'a> {
    input: File,
    watch: &'a Watch,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.watch.advance(read as u64).map_err(fault::carried)?;
        Ok(read)
    }
}

/// The entries that were unpacked so far.
struct Taken<'a> {
    into: &'a Path,
    root: Root,
    manifest: Option<Manifest>,
    /// Bytes that may still come.
    left: u64,
    /// Digests of what was unpacked, by name.
    digests: HashMap<Vec<u8>, [u8; 32]>,
    /// A name too long for a head, which comes before it.
    long_name: Option<Vec<u8>>,
    complete: bool,
}

fn entries(stream: &mut impl Read, into: &Path) -> Result<Unpacked> {
    let root = Root::open(into).map_err(|e| fault::unreadable(into, e))?;
    let mut taken =
        Taken { into, root, manifest: None, left: 0, digests: HashMap::new(), long_name: None, complete: false };
    let mut archive = Archive::new(stream);
    for entry in archive.entries().map_err(cut)?.raw(true) {
        let mut entry = entry.map_err(|error| broken(error, &taken))?;
        let kind = entry.header().entry_type();
        let name = match taken.long_name.take() {
            Some(name) => name,
            None => entry.path_bytes().into_owned(),
        };
        match kind {
            _ if taken.complete => return Err(Error::invalid("The backup is damaged: something follows its end.")),
            EntryType::GNULongName => taken.long_name = Some(long_name(&mut entry)?),
            EntryType::Regular => taken.take(name, entry.size(), &mut entry)?,
            _ => return Err(other_kind(&name)),
        }
    }
    match taken.manifest.take() {
        Some(manifest) if taken.complete => Ok(Unpacked { rotten: rotten(&taken.digests), manifest }),
        Some(_) => Err(Error::invalid("The backup is not whole: its end is missing. Take another copy of the file.")),
        None => Err(foreign()),
    }
}

impl Taken<'_> {
    fn take(&mut self, name: Vec<u8>, bytes: u64, entry: &mut impl Read) -> Result<()> {
        let Some(manifest) = &mut self.manifest else {
            if name != MANIFEST.as_bytes() {
                return Err(foreign());
            }
            let text = limited(entry, MANIFEST_BYTES)?;
            let manifest = Manifest::parse(&text)?;
            require_known(&manifest)?;
            require_room(self.into, &manifest)?;
            self.left = manifest.bytes.saturating_add(GROWTH);
            self.digests.insert(name, Sha256::digest(&text).into());
            self.manifest = Some(manifest);
            return Ok(());
        };
        if name == DIGESTS.as_bytes() {
            self.compare(&limited(entry, DIGESTS_BYTES)?)?;
            self.complete = true;
            return Ok(());
        }
        if name == LEFT_OUT.as_bytes() {
            let text = limited(entry, LEFT_OUT_BYTES)?;
            let late: LeftOut = serde_json::from_slice(&text).map_err(|e| foreign().caused_by(e))?;
            manifest.files = manifest.files.saturating_sub(late.count);
            manifest.left_out.extend(late);
            return match self.digests.insert(name, Sha256::digest(&text).into()) {
                Some(_) => Err(twice()),
                None => Ok(()),
            };
        }
        if self.digests.len() as u64 > manifest.files.min(MOST) {
            return Err(too_much());
        }
        // Known before anything of it is written: what it says of its size is what there was found to be room for.
        self.left = self.left.checked_sub(bytes).ok_or_else(too_much)?;
        let digest = self.write(&name, entry)?;
        if self.digests.insert(name, digest).is_some() {
            return Err(twice());
        }
        Ok(())
    }

    fn write(&self, name: &[u8], entry: &mut impl Read) -> Result<[u8; 32]> {
        // By its parts: with this directory before it, a name may be longer than any path.
        let mut file = self.root.create(&names::place(name)?).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => twice(),
            _ => fault::unwritable(self.into, error),
        })?;
        let (mut digest, mut piece) = (Sha256::new(), vec![0; PIECE]);
        loop {
            let read = entry.read(&mut piece).map_err(cut)?;
            let Some(bytes) = piece.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
            digest.update(bytes);
            file.write_all(bytes).map_err(|e| fault::unwritable(self.into, e))?;
        }
        Ok(digest.finalize().into())
    }

    /// Every entry has its line, and every line its entry.
    fn compare(&self, text: &[u8]) -> Result<()> {
        let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        let mut found: Vec<Vec<u8>> = self.digests.iter().map(|(name, digest)| digest_line(digest, name)).collect();
        lines.sort_unstable();
        found.sort_unstable();
        let database = self.digests.contains_key(DATABASE.as_bytes());
        if database && lines.len() == found.len() && lines.iter().zip(&found).all(|(line, own)| *line == own.as_slice())
        {
            return Ok(());
        }
        Err(Error::invalid(
            "The backup is damaged: what is in it does not fit its digests. Take another copy of the file.",
        ))
    }
}

/// The storage names contents by their digests.
fn rotten(digests: &HashMap<Vec<u8>, [u8; 32]>) -> Vec<String> {
    let contents = digests.iter().filter_map(|(name, digest)| {
        let named = std::str::from_utf8(name).ok()?.strip_prefix("files/")?.rsplit('/').next()?;
        (named != hex::encode(digest)).then(|| named.to_owned())
    });
    contents.collect()
}

fn require_room(into: &Path, manifest: &Manifest) -> Result<()> {
    let (needed, free) = (manifest.bytes.saturating_add(SPARE), dir::free_bytes(into)?);
    if free < needed { Err(fault::no_room(into, needed, free)) } else { Ok(()) }
}

fn limited(entry: &mut impl Read, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    entry.take(most + 1).read_to_end(&mut bytes).map_err(cut)?;
    if bytes.len() as u64 > most { Err(foreign()) } else { Ok(bytes) }
}

fn long_name(entry: &mut impl Read) -> Result<Vec<u8>> {
    let mut name = limited(entry, names::LONGEST as u64 + 1)?;
    while name.last() == Some(&0) {
        name.pop();
    }
    Ok(name)
}

fn other_kind(name: &[u8]) -> Error {
    let shown: String =
        String::from_utf8_lossy(name).chars().take(80).map(|c| if c.is_control() { '?' } else { c }).collect();
    Error::invalid(format!(
        "The backup holds '{shown}', which is no plain file: it was not made by Satchel, and nothing was restored."
    ))
}

fn too_much() -> Error {
    Error::invalid("The backup is damaged: it holds more than it says.")
}

fn twice() -> Error {
    Error::invalid("The backup holds one name twice: it was not made by Satchel, and nothing was restored.")
}

/// The failure while the archive was read.
fn cut(error: io::Error) -> Error {
    if let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        return inner.clone();
    }
    let told = match error.kind() {
        io::ErrorKind::UnexpectedEof => "The backup is not whole: it was cut. Take another copy of the file.",
        _ => "The backup is damaged. Take another copy of the file.",
    };
    Error::invalid(told).caused_by(error)
}

/// As [`cut`], where what is no tar at all is something else than a damaged one.
fn broken(error: io::Error, taken: &Taken<'_>) -> Error {
    let ours = error.get_ref().is_some_and(|inner| inner.is::<Error>());
    let ended = error.kind() == io::ErrorKind::UnexpectedEof || error.kind() == io::ErrorKind::InvalidData;
    if taken.manifest.is_none() && !ours && !ended { foreign().caused_by(error) } else { cut(error) }
}
