//! The floor of free disk: what people send and make leaves room for the database to write.

use std::path::Path;

use satchel_model::{
    error::{Error, Kind, Result},
    figure,
    settings::Files,
};

/// Room on a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Free {
    /// Bytes that are free.
    pub(super) bytes: u64,
    /// Bytes of them that are kept for the database.
    pub(super) kept: u64,
}

/// The room on the disk of a directory, of which `settings` keep some.
pub(super) fn free(directory: &Path, settings: &Files) -> Result<Free> {
    let disk = rustix::fs::statvfs(directory).map_err(Error::internal)?;
    let [bytes, all] = [disk.f_bavail, disk.f_blocks].map(|blocks| blocks.saturating_mul(disk.f_frsize));
    Ok(Free { bytes, kept: settings.kept_free(all) })
}

/// Checks that there is room for so many more bytes in this directory.
///
/// # Errors
///
/// [`Kind::DiskFull`] if they would leave less of its disk free than `settings` keep: nothing was written.
pub fn ensure_room(directory: &Path, settings: &Files, bytes: u64) -> Result<()> {
    let Free { bytes: free, kept } = free(directory, settings)?;
    if free.checked_sub(bytes).is_some_and(|left| left >= kept) {
        return Ok(());
    }
    let message = format!(
        "The disk has {} free, of which {} are kept for the database: nothing was written. Free some space, or have an \
         administrator lower files.keep_free_mb.",
        figure::bytes(free),
        figure::bytes(kept)
    );
    Err(Error::new(Kind::DiskFull, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_go_below_the_floor_is_refused_and_what_stays_above_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let settings = |keep_free_mb| Files { keep_free_mb, ..Files::default() };
        ensure_room(directory.path(), &settings(Some(0)), 1).unwrap();
        let refused = ensure_room(directory.path(), &settings(Some(u32::MAX)), 1).unwrap_err();
        assert!(refused.kind() == Kind::DiskFull && refused.message().contains("files.keep_free_mb"), "{refused}");
        let refused = ensure_room(directory.path(), &settings(Some(0)), u64::MAX / 2);
        assert_eq!(refused.unwrap_err().kind(), Kind::DiskFull);
    }
}
