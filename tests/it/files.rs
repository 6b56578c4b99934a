//! Files under their roots: what is read and written, and that nothing outside can be reached.

#![expect(clippy::disallowed_methods, reason = "a test looks from outside")]

mod generated;
mod origins;
mod outside;
mod running;
mod shared;
mod tools;
mod written;

use std::path::PathBuf;

use satchel::{
    host::files::{Charset, Rooted, Window, Workspaces},
    model::{error::Result, id::Id, settings::Files, user::UserId},
};

struct Bench {
    _dir: tempfile::TempDir,
    /// Everything is in here; the data directory is `data` in it.
    base: PathBuf,
    user: UserId,
    all: Workspaces,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("data/workspaces/other")).unwrap();
        std::fs::write(base.join("data/vault.key"), "canary").unwrap();
        std::fs::write(base.join("data/workspaces/other/diary"), "canary").unwrap();
        std::fs::write(base.join("outside"), "canary").unwrap();
        Self { all: Workspaces::new(base.join("data")), base, user: Id::new(), _dir: dir }
    }

    fn files(&self, roots: &[&str]) -> Rooted {
        let roots: Vec<String> = roots.iter().map(|&root| root.to_owned()).collect();
        self.all.open(self.user, &Files { roots, ..Files::default() }).unwrap()
    }
}

async fn read(files: &Rooted, path: &str) -> Result<String> {
    files.read_text(path, Charset::Utf8, Window::default()).await.map(|text| text.content)
}
