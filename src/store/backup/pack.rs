//! Writing an archive: entries one after the other, each with its digest, sealed as they come.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, BufWriter, IntoInnerError, Read, Write},
    os::unix::ffi::OsStrExt,
    path::Path,
};

use age::stream::StreamWriter;
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

use super::{
    contents::{Member, TOO_MANY_HOLES},
    fault,
    holes::Holes,
    names::{self, DIGESTS, LEFT_OUT, MANIFEST, digest_line},
    watch::Watch,
    write::Job,
};
use satchel_model::{
    backup::{LeftOut, Manifest},
    error::Error,
};

/// Bytes between two flushes of the file: see [`super::copy`].
const FLUSH: u64 = 4 << 20;
/// Bytes by which files may have grown in all between when they were found and when they are read: but for these, a
/// manifest says how large its backup is.
pub(super) const GROWTH: u64 = 16 << 20;

/// Writes everything. Returns what could not be read once its turn came.
///
/// # Errors
/// If it cannot be written, it was stopped, or a file cannot be read that a restored server needs.
pub(super) fn pack(
    job: &Job,
    manifest: &Manifest,
    members: &[Member],
    out: File,
    watch: &Watch,
) -> io::Result<(File, LeftOut)> {
    let mut archive = Archive {
        tar: Builder::new(job.seal.wrap(Paced { file: BufWriter::new(out), unflushed: 0 })?),
        digests: Vec::new(),
        mtime: u64::try_from(job.now.millis() / 1_000).unwrap_or_default(),
    };
    let text = serde_json::to_vec_pretty(manifest)?;
    archive.add(MANIFEST.as_bytes(), text.len() as u64, text.as_slice(), &Watch::default())?;
    let (mut opening, mut left_out) = (Opening { holes: Holes::default(), growth: GROWTH }, LeftOut::default());
    for member in members {
        match opening.open(member) {
            Ok((file, bytes)) => archive.add(&member.name, bytes, file, watch)?,
            Err(error) if names::is_dispensable(&member.name) => left_out.add(&member.name, &error.to_string()),
            Err(error) => {
                let name = String::from_utf8_lossy(&member.name);
                let told = format!("{name} cannot be read any more ({error}), so no backup was made: make it again.");
                return Err(fault::carried(Error::conflict(told).caused_by(error)));
            }
        }
    }
    if left_out.count > 0 {
        let text = serde_json::to_vec_pretty(&left_out)?;
        archive.add(LEFT_OUT.as_bytes(), text.len() as u64, text.as_slice(), &Watch::default())?;
    }
    let digests = std::mem::take(&mut archive.digests);
    archive.add(DIGESTS.as_bytes(), digests.len() as u64, digests.as_slice(), &Watch::default())?;
    let file = archive.tar.into_inner()?.finish()?.file.into_inner().map_err(IntoInnerError::into_error)?;
    Ok((file, left_out))
}

/// Files are opened as they are read: since they were found they may have gone, become links, or grown.
struct Opening {
    holes: Holes,
    /// Bytes by which those to come may have grown.
    growth: u64,
}

impl Opening {
    fn open(&mut self, member: &Member) -> io::Result<(File, u64)> {
        let (file, about) = member.open()?;
        // Only what people's programs make is measured: a database may well have holes.
        if names::is_dispensable(&member.name) && !self.holes.admit(&member.name, &file)? {
            return Err(io::Error::other(TOO_MANY_HOLES));
        }
        let left = self.growth.checked_sub(about.len().saturating_sub(member.bytes));
        self.growth = left.ok_or_else(|| io::Error::other("it grew too much while the backup was made"))?;
        Ok((file, about.len()))
    }
}

struct Archive {
    tar: Builder<StreamWriter<Paced>>,
    digests: Vec<u8>,
    mtime: u64,
}

impl Archive {
    fn add(&mut self, name: &[u8], bytes: u64, from: impl Read, watch: &Watch) -> io::Result<()> {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(bytes);
        header.set_mode(0o600);
        header.set_mtime(self.mtime);
        let mut from = Exactly { name, from, left: bytes, ended: false, digest: Sha256::new(), watch };
        self.tar.append_data(&mut header, path(name), &mut from)?;
        self.digests.extend(digest_line(&from.digest.finalize(), name));
        Ok(())
    }
}

/// As many bytes as the head said, whatever becomes of the file meanwhile: more are left out, missing ones are zero.
struct Exactly<'a, R> {
    name: &'a [u8],
    from: R,
    left: u64,
    ended: bool,
    digest: Sha256,
    watch: &'a Watch,
}

impl<R: Read> Read for Exactly<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let Some(buffer) = buffer.get_mut(..most).filter(|buffer| !buffer.is_empty()) else { return Ok(0) };
        let mut read = if self.ended { 0 } else { self.from.read(buffer).map_err(|e| unread(self.name, e))? };
        if read == 0 {
            self.ended = true;
            buffer.fill(0);
            read = buffer.len();
        }
        self.digest.update(buffer.get(..read).unwrap_or_default());
        self.left -= read as u64;
        self.watch.advance(read as u64).map_err(fault::carried)?;
        Ok(read)
    }
}

/// The failure of a file while it is read: what is written is not to blame.
fn unread(name: &[u8], error: io::Error) -> io::Error {
    fault::carried(fault::unreadable(path(name), error))
}

fn path(name: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(name))
}

/// A file that is flushed as it grows.
struct Paced {
    /// Holds the head back, of which age would say in its own words that the disk is full.
    file: BufWriter<File>,
    unflushed: u64,
}

impl Write for Paced {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.unflushed += written as u64;
        if self.unflushed >= FLUSH {
            self.unflushed = 0;
            self.file.flush()?;
            self.file.get_ref().sync_data()?;
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay out what is packed")]
mod tests {
    use super::*;
    use crate::backup::{below::Root, contents::Extras, copy::new_private, seal::Seal};
    use satchel_model::{
        backup::{FORMAT, PROGRAM, SealedTo},
        error::Result,
        time::Time,
    };
    use std::{fs, rc::Rc};

    fn job(data: &Path) -> Job {
        Job {
            data: data.to_owned(),
            work: data.join("work"),
            target: data.join("x.age"),
            seal: Seal::recipient("age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg").unwrap(),
            extras: Extras { fetched_models: std::collections::HashSet::new(), vault_key: false },
            now: Time::from_millis(1),
        }
    }

    fn manifest() -> Manifest {
        Manifest {
            program: PROGRAM.to_owned(),
            format: FORMAT,
            version: String::new(),
            schema: 1,
            created_at: Time::from_millis(1),
            sealed_to: SealedTo::Passphrase,
            recipient: None,
            vault_key: false,
            vault_key_id: None,
            bytes: 1,
            files: 1,
            rows: std::collections::BTreeMap::new(),
            audit: None,
            missing: Vec::new(),
            left_out: LeftOut::default(),
        }
    }

    /// Packs a file that was found and is gone.
    fn packed_without(name: &str) -> Result<LeftOut> {
        let dir = tempfile::tempdir().unwrap();
        let root = Rc::new(Root::open(dir.path()).unwrap());
        let out = new_private(&dir.path().join("x.age")).unwrap();
        let packed = pack(&job(dir.path()), &manifest(), &[Member::new(name, &root, 1)], out, &Watch::default());
        packed.map(|(_, left_out)| left_out).map_err(|e| fault::unwritable(dir.path(), e))
    }

    #[test]
    fn what_a_restored_server_needs_is_in_it_or_there_is_none() {
        for name in ["satchel.db", "satchel.toml", "anchors.jsonl", "secret.key", "files/ab/abcd"] {
            let error = packed_without(name).unwrap_err();
            assert!(error.message().starts_with(&format!("{name} cannot be read any more")), "{error}");
        }
        let left_out = packed_without("workspaces/u/x").unwrap();
        assert_eq!(left_out.count, 1);
        assert!(left_out.first[0].starts_with("workspaces/u/x: "), "{left_out:?}");
    }

    #[test]
    fn holes_and_growth_are_measured_where_peoples_programs_make_them() {
        let dir = tempfile::tempdir().unwrap();
        let root = Rc::new(Root::open(dir.path()).unwrap());
        fs::create_dir(dir.path().join("workspaces")).unwrap();
        for name in ["satchel.db", "workspaces/sparse"] {
            File::create(dir.path().join(name)).unwrap().set_len(1 << 30).unwrap();
        }
        let mut opening = Opening { holes: Holes::default(), growth: 10 };
        let mut opens = |name: &str, bytes| opening.open(&Member::new(name, &root, bytes)).is_ok();
        assert!(opens("satchel.db", 1 << 30));
        assert!(!opens("workspaces/sparse", 1 << 30));
        fs::write(dir.path().join("workspaces/log"), [7; 20]).unwrap();
        assert_eq!([12, 18, 19].map(|found| opens("workspaces/log", found)), [true, true, false]);
    }
}
