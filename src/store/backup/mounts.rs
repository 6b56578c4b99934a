//! What is mounted inside a data directory: it can be neither moved away nor replaced, and must not be emptied.
#![expect(clippy::disallowed_methods, reason = "asks the kernel where something is mounted")]

use std::{
    ffi::OsString,
    fs,
    os::unix::{ffi::OsStringExt, fs::MetadataExt},
    path::{Path, PathBuf},
};

/// What is mounted below `data`, but for its entries named in `except`: a mount point, or a directory on another device.
pub(super) fn inside(data: &Path, except: &[&str]) -> Option<PathBuf> {
    let data = fs::canonicalize(data).ok()?;
    let is_excepted = |path: &Path| {
        let first = path.strip_prefix(&data).ok().and_then(|inner| inner.iter().next());
        first.is_none_or(|first| except.iter().any(|name| first == *name))
    };
    // Without /proc the devices have to do.
    let table = fs::read("/proc/self/mountinfo").unwrap_or_default();
    let mounted = table.split(|byte| *byte == b'\n').filter_map(mount_point);
    mounted.chain(on_other_devices(&data)).find(|path| !is_excepted(path))
}

fn on_other_devices(data: &Path) -> Vec<PathBuf> {
    let Ok(device) = fs::metadata(data).map(|found| found.dev()) else { return Vec::new() };
    let entries = fs::read_dir(data).into_iter().flatten().flatten();
    // Directories alone: an overlay names the devices of files below it.
    let elsewhere = entries.filter(|entry| entry.metadata().is_ok_and(|found| found.is_dir() && found.dev() != device));
    elsewhere.map(|entry| entry.path()).collect()
}

/// The fifth field of a line of proc_pid_mountinfo(5), where blanks and the like are octal: `/a\040b`.
fn mount_point(line: &[u8]) -> Option<PathBuf> {
    let field = line.split(|byte| *byte == b' ').nth(4)?;
    let mut path = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let octal = after.get(..3).and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        match (*first, octal) {
            (b'\\', Some(byte)) => {
                path.push(byte);
                rest = after.get(3..).unwrap_or_default();
            }
            (byte, _) => {
                path.push(byte);
                rest = after;
            }
        }
    }
    Some(PathBuf::from(OsString::from_vec(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_point_is_read_with_its_blanks() {
        let line = br"36 35 98:0 / /srv/my\040data/models rw,noatime master:1 - ext3 /dev/root rw";
        assert_eq!(mount_point(line).unwrap(), Path::new("/srv/my data/models"));
        assert_eq!(mount_point(b""), None);
    }

    #[test]
    fn a_plain_directory_has_nothing_mounted_in_it() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("models")).unwrap();
        assert_eq!(inside(dir.path(), &[]), None);
    }
}
