//! The table of mounts: by which paths one directory can be reached.

use std::{
    ffi::OsString,
    io,
    os::unix::{ffi::OsStringExt, fs::MetadataExt},
    path::{Path, PathBuf},
};

use super::WORKSPACES;

/// A line of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    /// Its number.
    pub(super) id: u64,
    /// The file system, as two numbers.
    device: Vec<u8>,
    /// The directory or file of that file system it shows.
    root: PathBuf,
    /// The mount point.
    pub(super) point: PathBuf,
    /// The file system's kind.
    kind: Vec<u8>,
}

impl Mount {
    /// The number of names that lead to it.
    pub(super) fn depth(&self) -> usize {
        self.point.iter().count()
    }
}

/// The mounts this thread sees, the oldest first.
#[expect(clippy::disallowed_methods, reason = "this is the host layer, and /proc is no user's file")]
pub(super) fn table() -> io::Result<Vec<Mount>> {
    std::fs::read("/proc/thread-self/mountinfo").map(|text| parse(&text))
}

fn parse(text: &[u8]) -> Vec<Mount> {
    text.split(|byte| *byte == b'\n').filter_map(mount).collect()
}

/// `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`, see proc_pid_mountinfo(5).
fn mount(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|byte| *byte == b' ');
    let id = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let device = fields.nth(1)?.to_owned();
    let (root, point) = (path(fields.next()?), path(fields.next()?));
    let kind = fields.skip_while(|field| *field != b"-").nth(1)?.to_owned();
    Some(Mount { id, device, root, point, kind })
}

/// Spaces and the like stand as `\040` in it.
fn path(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, more)) = rest.split_first() {
        let code = more.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 8).ok()).filter(|_| *first == b'\\') {
            Some(byte) => {
                bytes.push(byte);
                rest = more.get(3..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    OsString::from_vec(bytes).into()
}

/// Something on a file system: the file system, and the path in it.
struct Spot<'a> {
    device: &'a [u8],
    path: PathBuf,
    /// Its identity, to tell paths that no longer lead to it.
    identity: Option<(u64, u64)>,
}

/// Every path by which the directory `dir`, or a part of it, can be reached. `home` is the mount it lies on.
pub(super) fn appearances(table: &[Mount], home: &Mount, dir: &Path) -> Vec<PathBuf> {
    let mut spots = Vec::new();
    if let Ok(below) = dir.strip_prefix(&home.point) {
        spots.push(Spot { device: &home.device, path: join(&home.root, below), identity: identity(dir) });
    }
    // What is mounted in it is the server's own as well, but for what somebody mounted in a user's folder.
    let workspaces = dir.join(WORKSPACES);
    let inner = table.iter().filter(|mount| {
        mount.point.starts_with(dir) && (mount.point == workspaces || !mount.point.starts_with(&workspaces))
    });
    spots.extend(inner.map(|mount| Spot {
        device: &mount.device,
        path: mount.root.clone(),
        identity: identity(&mount.point),
    }));
    spots.iter().flat_map(|spot| table.iter().filter_map(|mount| shown(mount, spot))).collect()
}

/// Returns where a mount shows something, or a part of it.
fn shown(mount: &Mount, spot: &Spot<'_>) -> Option<PathBuf> {
    if mount.device != spot.device {
        return None;
    }
    if mount.root.starts_with(&spot.path) {
        return Some(mount.point.clone());
    }
    let place = join(&mount.point, spot.path.strip_prefix(&mount.root).ok()?);
    // Another mount may lie on the way.
    let differs = identity(&place).is_some_and(|there| spot.identity.is_some_and(|here| here != there));
    (!differs).then_some(place)
}

fn join(base: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() { base.to_owned() } else { base.join(below) }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    path.symlink_metadata().ok().map(|about| (about.dev(), about.ino()))
}

/// Returns the places where processes are shown besides `/proc`: what looks like a file there can be the server's
/// memory.
pub(super) fn process_trees(table: &[Mount]) -> impl Iterator<Item = PathBuf> {
    let elsewhere = |mount: &&Mount| mount.kind == b"proc" && !mount.point.starts_with("/proc");
    table.iter().filter(elsewhere).map(|mount| mount.point.clone())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the machine's own table is read beside ours")]
mod tests {
    use super::*;

    const TABLE: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 27 254:0 /no/such/home /srv/everybody\\040here rw - ext4 /dev/vda rw
31 27 254:0 /no/such/home/u/data/models /mnt/models rw - ext4 /dev/vda rw
32 27 254:0 /no/such/home/u/data/secret.key /mnt/key rw - ext4 /dev/vda rw
33 27 254:0 /no/such/home/u/database /mnt/database rw - ext4 /dev/vda rw
34 27 254:1 /no/such/home/u/data /mnt/another rw - ext4 /dev/vdb rw
35 27 254:2 / /no/such/home/u/data/workspaces rw - xfs /dev/vdc rw
36 27 254:2 /other /mnt/spaces rw master:3 propagate_from:2 - xfs /dev/vdc rw
37 27 254:3 / /no/such/home/u/data/workspaces/me/mine rw - xfs /dev/vdd rw
38 27 254:3 / /mnt/mine rw - xfs /dev/vdd rw
39 27 0:21 / /srv/root/proc rw,relatime - proc proc rw
";

    #[test]
    fn every_path_to_a_directory_or_a_part_of_it_is_found() {
        let table = parse(TABLE.as_bytes());
        let mut found = appearances(&table, &table[1], Path::new("/no/such/home/u/data"));
        found.sort();
        found.dedup();
        let found: Vec<_> = found.iter().map(|path| path.to_str().unwrap()).collect();
        let expected = [
            "/mnt/key",
            "/mnt/models",
            "/mnt/spaces",
            "/no/such/home/u/data",
            "/no/such/home/u/data/workspaces",
            "/srv/everybody here/u/data",
        ];
        assert_eq!(found, expected);
        assert_eq!(process_trees(&table).collect::<Vec<_>>(), [Path::new("/srv/root/proc")]);
    }

    #[test]
    fn the_machines_own_table_reads() {
        let (table, raw) = (table().unwrap(), std::fs::read_to_string("/proc/thread-self/mountinfo").unwrap());
        assert_eq!(table.len(), raw.lines().count());
        assert!(table.iter().any(|mount| mount.kind == b"proc" && mount.point == Path::new("/proc")));
    }
}
