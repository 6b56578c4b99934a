//! The kernel's errors about a file, in words a person can act on.

use std::io;

use satchel_model::error::{Error, Kind};

/// A failed file operation: the path as the caller wrote it, and the kernel's answer.
pub(super) struct Fault<'a> {
    path: &'a str,
    cause: io::Error,
}

impl<'a> Fault<'a> {
    pub(super) fn new(path: &'a str, cause: impl Into<io::Error>) -> Self {
        Self { path, cause: cause.into() }
    }

    /// As the answer about a file.
    pub(super) fn of_file(self) -> Error {
        self.explain("file")
    }

    /// As the answer about a directory.
    pub(super) fn of_directory(self) -> Error {
        self.explain("directory")
    }

    fn explain(self, what: &str) -> Error {
        let path = self.path;
        let (kind, message) = match self.cause.raw_os_error() {
            Some(libc::ENOENT) => (Kind::NotFound, format!("There is no {what} '{path}'.")),
            Some(libc::ENOTDIR) => (Kind::NotFound, format!("'{path}' goes through something that is no directory.")),
            Some(libc::EISDIR) => (Kind::Invalid, format!("'{path}' is a directory, not a file.")),
            Some(libc::EACCES | libc::EPERM) => (Kind::Denied, format!("The server may not open '{path}'.")),
            Some(libc::EROFS) => (Kind::Denied, format!("'{path}' is on a read-only file system.")),
            Some(libc::ELOOP | libc::EXDEV) => {
                (Kind::Denied, format!("'{path}' was replaced by a link while it was opened, so it was not touched."))
            }
            Some(libc::ENAMETOOLONG) => (Kind::Invalid, format!("A name in '{path}' is too long.")),
            Some(libc::ENOSPC | libc::EDQUOT) => {
                (Kind::DiskFull, "The disk is full: nothing was written. Free some space and try again.".to_owned())
            }
            _ => return Error::internal(self.cause),
        };
        Error::new(kind, message).caused_by(self.cause)
    }
}
