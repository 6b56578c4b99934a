//! What people's programs do in their workspaces: nothing of it stops a backup, or brings in what was not asked for.

#![expect(clippy::disallowed_methods, reason = "lays out workspaces and looks at backups")]

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use satchel::{
    model::{
        backup::{Manifest, Part},
        error::Result,
        time::Time,
    },
    store::backup::{
        contents::Extras,
        seal::{self, Seal},
        watch::Watch,
        write::{self, Job},
    },
};
use serde_json::Value;

use super::made::opened;
use crate::support::{
    http::{Request, TestServer},
    program::Home,
};

const PERSON: &str = "workspaces/00000000-0000-7000-8000-000000000000";

/// Makes `out/x.age` and its key of a directory where nothing runs.
fn backup(data: &Path, out: &Path, watch: &Watch) -> Result<Manifest> {
    let key = out.join("x.age.key");
    let seal = Seal::recipient(&seal::new_key_file(&key)?)?;
    let extras = Extras { fetched_models: std::iter::empty::<String>().collect(), vault_key: false };
    let (work, target, now) = (data.join("work"), out.join("x.age"), Time::from_millis(1_795_000_000_000));
    write::make(&Job { data: data.to_owned(), work, target, seal, extras, now }, watch)
}

fn workspace(home: &Home) -> PathBuf {
    let folder = home.path().join(PERSON);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_becomes_a_link_or_a_pipe_brings_nothing_in_and_holds_nothing_up() {
    let (home, out) = (Home::new().await, tempfile::tempdir().unwrap());
    let (data, folder) = (home.path(), workspace(&home));
    let secret = fs::read(data.join("secret.key")).unwrap();
    // Written first, and long enough for the others to change after they were found.
    fs::write(folder.join("a"), vec![7; 8 << 20]).unwrap();
    for name in ["link", "pipe", "kept"] {
        fs::write(folder.join(name), vec![b'.'; secret.len()]).unwrap();
    }
    let (watch, place) = (Watch::default(), out.path().to_owned());
    let making = thread::spawn({
        let (data, watch) = (data.clone(), watch.clone());
        move || backup(&data, &place, &watch)
    });
    while watch.progress().part != Part::Writing && !making.is_finished() {
        thread::sleep(Duration::from_millis(1));
    }
    symlink(data.join("secret.key"), folder.join("link.new")).unwrap();
    fs::rename(folder.join("link.new"), folder.join("link")).unwrap();
    mknodat(CWD, folder.join("pipe.new"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    fs::rename(folder.join("pipe.new"), folder.join("pipe")).unwrap();
    let manifest = making.join().unwrap().unwrap();
    assert_eq!(manifest.left_out.count, 2, "{manifest:?}");
    let names = opened(&out.path().join("x.age"), &out.path().join("x.age.key"));
    assert!(names.values().all(|bytes| *bytes != secret), "the vault's key is in it");
    assert!(names.contains_key(&format!("{PERSON}/kept")), "{:?}", names.keys());
    let late: Value = serde_json::from_slice(&names["left-out.json"]).unwrap();
    assert!(late["count"] == 2 && late["first"].to_string().contains(&format!("{PERSON}/pipe")), "{late}");
    let told = home.run(&["backup", "verify", out.path().join("x.age").to_str().unwrap()]).await;
    assert!(told.code == 0 && told.out.contains("2 files or folders are not in the backup"), "{told:?}");
    let told = home
        .run(&["restore", out.path().join("x.age").to_str().unwrap(), "--data", out.path().join("d").to_str().unwrap()])
        .await;
    assert_eq!(told.code, 0, "{told:?}");
}

#[tokio::test]
async fn what_would_stop_everybodys_backups_is_left_out_and_told() {
    let (home, out) = (Home::new().await, tempfile::tempdir().unwrap());
    let folder = workspace(&home);
    fs::write(folder.join("kept"), "kept").unwrap();
    for number in 0..120 {
        fs::File::create(folder.join(format!("hole{number}"))).unwrap().set_len(1 << 30).unwrap();
    }
    let long: PathBuf = std::iter::repeat_n("d".repeat(200), 11).collect();
    fs::create_dir_all(folder.join(&long)).unwrap();
    fs::write(folder.join(&long).join("deep"), "x").unwrap();
    let closed = home.path().join("workspaces/closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let file = out.path().join("x.age");
    let told = home.run(&["backup", file.to_str().unwrap()]).await;
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(told.code, 0, "{told:?}");
    assert!(fs::metadata(&file).unwrap().len() < 64 << 20);
    let names = opened(&file, &out.path().join("x.age.key"));
    let manifest: Value = serde_json::from_slice(&names["manifest.json"]).unwrap();
    // Who may read everything is kept out of no folder.
    let unreadable = u64::from(!rustix::process::geteuid().is_root());
    assert_eq!(manifest["left_out"]["count"].as_u64(), Some(121 + unreadable), "{manifest}");
    let why = manifest["left_out"]["first"].to_string();
    assert!(why.contains("holes in this folder's files"), "{why}");
    assert_eq!(names[&format!("{PERSON}/kept")], b"kept");
    let told = home.run(&["backup", "verify", file.to_str().unwrap()]).await;
    assert!(told.code == 0 && told.out.contains("files or folders are not in the backup"), "{told:?}");
}

#[tokio::test]
async fn an_anchor_of_what_is_not_in_the_copy_is_not_in_the_backup() {
    let (home, out) = (Home::new().await, tempfile::tempdir().unwrap());
    let line = r#"{"seq": 1000000, "hash": "ab", "at": "2026-11-23T12:00:00.000Z"}"#;
    fs::write(home.path().join("anchors.jsonl"), format!("{line}\n")).unwrap();
    backup(&home.path(), out.path(), &Watch::default()).unwrap();
    let names = opened(&out.path().join("x.age"), &out.path().join("x.age.key"));
    assert!(!names.contains_key("anchors.jsonl"), "{:?}", names.keys());
    let told = home.run(&["backup", "verify", out.path().join("x.age").to_str().unwrap()]).await;
    assert!(told.code == 0 && told.out.contains("The audit stands"), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_among_the_backups_is_not_sent() {
    let server = TestServer::start().await;
    let data = server.app.dir.path();
    fs::create_dir_all(data.join("backups")).unwrap();
    symlink(data.join("secret.key"), data.join("backups/ln.age")).unwrap();
    let cookie = server.sign_in("owner").await;
    let answer = server.send(Request::get("/api/backups/ln/file").cookie(&cookie)).await;
    assert_eq!(answer.status, 404, "{}", answer.text());
}
