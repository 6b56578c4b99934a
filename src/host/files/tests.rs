//! The roots that settings may name.

use super::*;

#[test]
fn a_root_is_the_workspace_or_a_directory_that_tools_may_reach() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    let file = tempfile::NamedTempFile::new_in(&base).unwrap();
    std::fs::DirBuilder::new().recursive(true).create(base.join("data/workspaces/somebody")).unwrap();
    std::os::unix::fs::symlink("data", base.join("link")).unwrap();
    let files = Workspaces::new(base.join("data"));
    for entry in ["workspace", base.to_str().unwrap(), "/"] {
        files.ensure_root(entry).unwrap();
    }
    let refused = |entry: &str, why: &str| {
        let error = files.ensure_root(entry).unwrap_err();
        assert!(error.kind() == Kind::Invalid && error.message().contains(why), "{entry}: {error}");
    };
    for entry in [file.path().to_str().unwrap(), "relative/path", "src", "/no/such/directory", ""] {
        refused(entry, "write the absolute path");
    }
    for below in ["data", "data/workspaces", "data/workspaces/somebody", "link/workspaces"] {
        refused(base.join(below).to_str().unwrap(), "lies in the server's own data");
    }
    for entry in ["/proc/self", "/dev"] {
        refused(entry, "is the machine's own");
    }
}
