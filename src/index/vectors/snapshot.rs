//! Vectors on the disk: one file with everything a start needs, believed only when its checksum holds.
//!
//! `SATVEC1\n`, the length of the head, the head as JSON, then the rows' owners, scales and bytes and the graph's links,
//! all little-endian, then the SHA-256 of all before. It is written beside the old one and renamed over it.

#![expect(clippy::disallowed_methods, reason = "snapshots are this module's own files; user files are host's")]

use std::{
    fs::{self, File},
    io::{self, BufReader, BufWriter, Read, Write},
    path::Path,
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    index::{GraphKind, Owner, Vectors},
    rows::Row,
};
use satchel_model::error::{Error, Result};

const MAGIC: &[u8; 8] = b"SATVEC1\n";
/// No head is longer.
const LONGEST_HEAD: u32 = 1 << 16;

/// The state of the database that a snapshot was made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// The database it was made from.
    pub origin: String,
    /// The last change it has seen.
    pub seq: i64,
    /// The model its vectors are of.
    pub model: String,
}

#[derive(Serialize, Deserialize)]
struct Head {
    made: Made,
    dimensions: usize,
    rows: usize,
    words: usize,
}

/// Writes a snapshot in place of the one before. Where it fails the one before is still there.
pub fn save(path: &Path, vectors: &Vectors, made: &Made) -> Result<()> {
    let beside = path.with_extension("new");
    let dir = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir).map_err(Error::internal)?;
    write(&beside, vectors, made).map_err(Error::internal)?;
    fs::rename(&beside, path).map_err(Error::internal)?;
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(Error::internal)
}

/// Reads a snapshot back; `None` if there is no file. A file that is cut, changed or not one of ours is an error.
pub fn load(path: &Path, kind: GraphKind) -> Result<Option<(Vectors, Made)>> {
    match File::open(path) {
        Ok(file) => read(file, kind).map(Some).map_err(Error::internal),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::internal(error)),
    }
}

/// Puts a file that is not believed out of the way.
pub fn set_aside(path: &Path) {
    // Where it cannot be moved the next snapshot is written over it.
    let _ = fs::rename(path, path.with_extension("broken"));
}

fn write(path: &Path, vectors: &Vectors, made: &Made) -> io::Result<()> {
    let mut out = Hashed { inner: BufWriter::with_capacity(1 << 20, File::create(path)?), hash: Sha256::new() };
    let words = vectors.graph_words();
    let (rows, owners) = (vectors.rows(), vectors.owners());
    let head = Head { made: made.clone(), dimensions: rows.dimensions(), rows: owners.len(), words: words.len() };
    let head = serde_json::to_vec(&head)?;
    out.write_all(MAGIC)?;
    out.write_all(&u32::try_from(head.len()).map_err(io::Error::other)?.to_le_bytes())?;
    out.write_all(&head)?;
    for (row, owner) in (0..Row::MAX).zip(owners) {
        let (high, low, scale) = rows.parts(row);
        out.write_all(&owner.id.to_le_bytes())?;
        out.write_all(&owner.tag.to_le_bytes())?;
        out.write_all(&[u8::from(owner.dead)])?;
        out.write_all(&scale.to_le_bytes())?;
        out.write_all(high)?;
        out.write_all(low)?;
    }
    for words in words.chunks(1 << 16) {
        out.write_all(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>())?;
    }
    let Hashed { mut inner, hash } = out;
    inner.write_all(&hash.finalize())?;
    inner.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

fn read(file: File, kind: GraphKind) -> io::Result<(Vectors, Made)> {
    let size = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
    let mut input = Hashed { inner: BufReader::with_capacity(1 << 20, file), hash: Sha256::new() };
    if input.array()? != *MAGIC {
        return Err(damaged("it does not begin as one"));
    }
    let length = u32::from_le_bytes(input.array()?);
    if length > LONGEST_HEAD {
        return Err(damaged("its head is too long"));
    }
    let mut head = vec![0; length as usize];
    input.read_exact(&mut head)?;
    let head: Head = serde_json::from_slice(&head)?;
    let mut vectors = Vectors::new(head.dimensions, kind);
    let width = vectors.rows().width();
    // Before anything is allocated by numbers that may be wrong.
    let wanted = head.rows.saturating_mul(2 * width + 21).saturating_add(head.words.saturating_mul(4));
    if wanted > size {
        return Err(damaged("it is shorter than its head says"));
    }
    read_rows(&mut input, head.rows, width, &mut vectors)?;
    let mut words = vec![0; head.words * 4];
    input.read_exact(&mut words)?;
    let Hashed { mut inner, hash } = input;
    let mut sum = [0; 32];
    inner.read_exact(&mut sum)?;
    if hash.finalize()[..] != sum {
        return Err(damaged("its checksum does not hold"));
    }
    let (words, _) = words.as_chunks::<4>();
    vectors.use_graph(&words.iter().map(|word| u32::from_le_bytes(*word)).collect::<Vec<_>>());
    Ok((vectors, head.made))
}

fn read_rows(input: &mut Hashed<impl Read>, rows: usize, width: usize, vectors: &mut Vectors) -> io::Result<()> {
    let (mut high, mut low) = (vec![0; width], vec![0; width]);
    for _ in 0..rows {
        let (id, tag) = (i64::from_le_bytes(input.array()?), i64::from_le_bytes(input.array()?));
        let [dead] = input.array()?;
        let scale = f32::from_le_bytes(input.array()?);
        input.read_exact(&mut high)?;
        input.read_exact(&mut low)?;
        let row = vectors.rows_mut().push_raw(&high, &low, scale);
        vectors.own(row, Owner { id, tag, dead: dead != 0 });
    }
    Ok(())
}

fn damaged(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the snapshot is damaged: {why}"))
}

/// A stream whose bytes are added to the checksum as they pass through.
struct Hashed<T> {
    inner: T,
    hash: Sha256,
}

impl<W: Write> Hashed<W> {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.inner.write_all(bytes)
    }
}

impl<R: Read> Hashed<R> {
    fn read_exact(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.inner.read_exact(bytes)?;
        self.hash.update(bytes);
        Ok(())
    }

    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{
        super::index::{Nearest, SearchKind},
        *,
    };

    fn made() -> Made {
        Made { origin: "o".to_owned(), seq: 7, model: "m".to_owned() }
    }

    fn few() -> Vectors {
        let mut vectors = Vectors::new(3, GraphKind::Own);
        for id in 0..5 {
            vectors.put(id, id % 2, &[1.0, id as f32, -0.3]);
        }
        vectors.remove(2);
        vectors
    }

    fn found(vectors: &Vectors) -> Vec<(i64, f32)> {
        let tags = HashSet::from([0]);
        let mut found = vectors.nearest(&Nearest { vector: &[0.1, 1.0, 0.0], tags: None, ids: None, limit: 9 });
        found.extend(vectors.nearest(&Nearest { vector: &[0.1, 1.0, 0.0], tags: Some(&tags), ids: None, limit: 9 }));
        found
    }

    #[test]
    fn what_is_read_finds_what_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v");
        assert!(load(&path, GraphKind::Own).unwrap().is_none());
        save(&path, &few(), &made()).unwrap();
        let (vectors, read) = load(&path, GraphKind::Own).unwrap().unwrap();
        assert_eq!((read, found(&vectors), vectors.dead()), (made(), found(&few()), 1));
    }

    #[test]
    fn the_graph_comes_back_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v");
        let mut vectors = Vectors::with_graph_from(3, GraphKind::Own, 200);
        for id in 0..=400 {
            vectors.put(id, 0, &[(id % 151) as f32 - 75.0, (id % 53) as f32, (id % 29) as f32]);
        }
        while vectors.work(std::time::Duration::from_secs(1)) {}
        save(&path, &vectors, &made()).unwrap();
        let (again, _) = load(&path, GraphKind::Own).unwrap().unwrap();
        assert_eq!((again.search_kind(), again.has_work()), (SearchKind::Hnsw, false));
        assert_eq!((again.graph_words(), found(&again)), (vectors.graph_words(), found(&vectors)));
    }

    #[test]
    fn a_file_that_is_cut_or_changed_anywhere_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v");
        save(&path, &few(), &made()).unwrap();
        let good = fs::read(&path).unwrap();
        for length in 0..good.len() {
            fs::write(&path, &good[..length]).unwrap();
            assert!(load(&path, GraphKind::Own).is_err(), "cut to {length}");
        }
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            fs::write(&path, &bad).unwrap();
            assert!(load(&path, GraphKind::Own).is_err(), "changed at {at}");
        }
    }
}
