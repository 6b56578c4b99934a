//! Holes of files: they take no room on the disk, and as many zeros in an archive as they are long.
//!
//! A few megabytes on a disk can be terabytes of holes. Whoever makes such files would stop everybody's backups: there is
//! never room for them.

use std::{collections::HashMap, fs::File, io, os::unix::fs::MetadataExt};

use rustix::fs::{SeekFrom, seek};

/// Bytes of holes that go into a backup of one person's workspace, or of one folder of models or scripts.
pub(super) const MOST: u64 = 256 << 20;
/// Files up to this size may be all hole.
const SMALL: u64 = 4_096;
/// Most pieces of a file that are looked at.
const PIECES: u32 = 65_536;

/// Holes that have gone in, by whose they are.
#[derive(Default)]
pub(super) struct Holes(HashMap<Vec<u8>, u64>);

/// Whether a file of this size, so much of it on the disk, may have holes worth counting.
pub(super) fn may_have(bytes: u64, on_disk: u64) -> bool {
    bytes > SMALL && on_disk < bytes
}

impl Holes {
    /// Whether a file may go in; counts its holes where it does.
    pub(super) fn admit(&mut self, name: &[u8], file: &File) -> io::Result<bool> {
        let about = file.metadata()?;
        let on_disk = about.blocks().saturating_mul(512);
        if !may_have(about.len(), on_disk) {
            return Ok(true);
        }
        let holes = count(file, about.len(), on_disk)?;
        let so_far = self.0.entry(owner(name)).or_default();
        let admitted = so_far.saturating_add(holes) <= MOST;
        if admitted {
            *so_far += holes;
        }
        Ok(admitted)
    }
}

/// `workspaces/<person>`, say: the first two parts of a name.
fn owner(name: &[u8]) -> Vec<u8> {
    name.splitn(3, |byte| *byte == b'/').take(2).collect::<Vec<_>>().join(&b'/')
}

/// Bytes of holes. A disk that packs data has fewer blocks than bytes, and no holes where data is: the pieces say which.
fn count(file: &File, bytes: u64, on_disk: u64) -> io::Result<u64> {
    let (mut at, mut data) = (0, 0);
    let mut holes = bytes.saturating_sub(on_disk);
    for _ in 0..PIECES {
        let start = match seek(file, SeekFrom::Data(at)) {
            Ok(start) => start,
            // No data from here on.
            Err(rustix::io::Errno::NXIO) => bytes,
            // The disk cannot tell: its blocks do.
            Err(_) => break,
        };
        if start >= bytes {
            holes = bytes - data;
            break;
        }
        at = seek(file, SeekFrom::Hole(start)).unwrap_or(bytes).clamp(start, bytes);
        data += at - start;
        if at == bytes {
            holes = bytes - data;
            break;
        }
    }
    seek(file, SeekFrom::Start(0))?;
    Ok(holes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, Write};

    #[test]
    fn holes_are_counted_for_each_person_and_data_is_not() {
        let mut sparse = tempfile::tempfile().unwrap();
        sparse.write_all(&[7; 8_192]).unwrap();
        sparse.set_len(MOST / 2 + 8_192).unwrap();
        let mut dense = tempfile::tempfile().unwrap();
        dense.write_all(&vec![7; 1 << 20]).unwrap();
        let mut holes = Holes::default();
        let mut admitted = |name: &str, file: &File| holes.admit(name.as_bytes(), file).unwrap();
        assert_eq!(
            ["workspaces/a/1", "workspaces/a/b/2", "workspaces/a/3", "workspaces/c/1"]
                .map(|name| admitted(name, &sparse)),
            [true, true, false, true]
        );
        assert!(admitted("workspaces/a/4", &dense));
        assert_eq!(sparse.stream_position().unwrap(), 0);
    }
}
