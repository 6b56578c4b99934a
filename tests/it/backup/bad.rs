//! Files that are no backup, or one that somebody made or damaged: one sentence each, and the target is as before.

#![expect(clippy::disallowed_methods, reason = "makes and damages files")]

use std::{fs, path::Path};

use serde_json::json;
use tar::EntryType;

use super::made::{Made, archive, file, lived_in, manifest, sealed, tree};
use crate::support::program::{Home, Told};

/// Restoring is refused in one sentence that holds `said`, and nothing is left of it.
async fn refused(home: &Home, dir: &Path, name: &str, said: &str) {
    let before = tree(dir);
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let data = path("target");
    let told: Told = home.run(&["restore", &path(name), "--identity", &path("key"), "--data", &data]).await;
    assert_eq!((told.code, told.out.as_str(), told.err.lines().count()), (1, "", 1), "{name}: {told:?}");
    assert!(told.err.contains(said), "{name}: {told:?}");
    assert_eq!(tree(dir).keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>(), "{name} left something");
}

async fn with_backup() -> (Home, tempfile::TempDir, Vec<u8>) {
    let home = lived_in().await;
    let out = tempfile::tempdir().unwrap();
    let whole = out.path().join("whole");
    assert_eq!(home.run(&["backup", whole.to_str().unwrap()]).await.code, 0);
    fs::rename(out.path().join("whole.key"), out.path().join("key")).unwrap();
    let bytes = fs::read(&whole).unwrap();
    (home, out, bytes)
}

#[tokio::test]
async fn what_is_damaged_or_cut_is_refused() {
    let (home, out, whole) = with_backup().await;
    let dir = out.path();
    let put = |bytes: &[u8]| fs::write(dir.join("bad"), bytes).unwrap();
    put(&[]);
    refused(&home, dir, "bad", "is empty: it is no backup").await;
    put(&whole[..whole.len() / 2]);
    refused(&home, dir, "bad", "Take another copy of the file").await;
    // Where a piece ends is where a cut shows least.
    for end in [30, 150, 200, 300, 66_000, whole.len() - 1, whole.len() - 16, whole.len() - 40] {
        put(&whole[..end]);
        refused(&home, dir, "bad", "").await;
    }
    for at in [0, 25, 100, 190, 220, 5_000, whole.len() / 2, whole.len() - 5] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        put(&bytes);
        refused(&home, dir, "bad", "").await;
    }
    put(&[whole.as_slice(), b"more"].concat());
    refused(&home, dir, "bad", "damaged").await;
}

#[tokio::test]
async fn what_another_program_made_is_refused() {
    let (home, out, _) = with_backup().await;
    let dir = out.path();
    let key = dir.join("key");
    let put = |bytes: &[u8]| fs::write(dir.join("bad"), bytes).unwrap();
    let tar = archive(&[file("manifest.json", manifest(&json!({})))], None);
    for plain in [b"hello".as_slice(), &[0; 4096], &[0xff; 70_000], &tar] {
        put(plain);
        refused(&home, dir, "bad", "no backup of Satchel").await;
    }
    for inside in
        [b"a letter".to_vec(), vec![0; 2048], b"x".repeat(100_000), archive(&[file("letter.txt", "hi")], None)]
    {
        put(&sealed(&inside, &key));
        refused(&home, dir, "bad", "").await;
    }
    let others = archive(&[file("manifest.json", manifest(&json!({"program": "restic"})))], None);
    put(&sealed(&others, &key));
    refused(&home, dir, "bad", "another program made it").await;
    let newer = archive(&[file("manifest.json", manifest(&json!({"format": 2, "version": "9.0.0"})))], None);
    put(&sealed(&newer, &key));
    refused(&home, dir, "bad", "a newer Satchel (9.0.0)").await;
    // Known by its first entry: nothing else is there to be unpacked.
    let newer = archive(&[file("manifest.json", manifest(&json!({"schema": 999, "version": "9.0.0"})))], None);
    put(&sealed(&newer, &key));
    refused(&home, dir, "bad", "a newer Satchel (9.0.0; its schema is 999").await;
    refused(&home, dir, "not there", "There is no file").await;
}

#[tokio::test]
async fn names_that_escape_and_entries_that_are_no_files_are_refused() {
    let (home, out, _) = with_backup().await;
    let dir = out.path();
    let key = dir.join("key");
    let head = || file("manifest.json", manifest(&json!({})));
    let put = |entries: &[Made], sums: Option<&str>| {
        fs::write(dir.join("bad"), sealed(&archive(entries, sums), &key)).unwrap();
    };
    for name in [
        "../escaped",
        "/tmp/escaped",
        "files/../../escaped",
        "workspaces/./x",
        "lock",
        "backup.key",
        "other/x",
        "files/",
    ] {
        put(&[head(), file(name, "x")], None);
        refused(&home, dir, "bad", "not made by Satchel").await;
    }
    for kind in
        [EntryType::Symlink, EntryType::Link, EntryType::Char, EntryType::Block, EntryType::Fifo, EntryType::Directory]
    {
        put(&[head(), Made { name: "files/x", kind, bytes: Vec::new(), claimed: None }], None);
        refused(&home, dir, "bad", "no plain file").await;
    }
    put(&[head(), file("files/x", "1"), file("files/x", "2")], None);
    refused(&home, dir, "bad", "twice").await;
    put(&[head(), file("files/x", "1"), file("files/x/y", "2")], None);
    refused(&home, dir, "bad", "twice").await;
    put(&[head(), head()], None);
    refused(&home, dir, "bad", "not made by Satchel").await;
    put(&[head(), file("satchel.db", "x")], Some("0000  satchel.db\n"));
    refused(&home, dir, "bad", "does not fit its digests").await;
    put(&[head(), file("satchel.db", "not a database")], None);
    refused(&home, dir, "bad", "").await;
    put(&[head()], None);
    refused(&home, dir, "bad", "does not fit its digests").await;
    let huge = Made { claimed: Some(1 << 50), ..file("files/huge", "x") };
    put(&[head(), huge], None);
    refused(&home, dir, "bad", "holds more than it says").await;
    put(&[head(), file("files/x", vec![7; 20 << 20])], None);
    refused(&home, dir, "bad", "holds more than it says").await;
    let full = file("manifest.json", manifest(&json!({"bytes": 1_u64 << 60})));
    put(&[full, file("satchel.db", "x")], None);
    refused(&home, dir, "bad", "has no room").await;
}

#[tokio::test]
async fn a_directory_in_use_is_left_alone() {
    let (home, out, _) = with_backup().await;
    let dir = out.path();
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let data = home.path();
    let restore = async || {
        home.run(&["restore", &path("whole"), "--identity", &path("key"), "--data", data.to_str().unwrap()]).await
    };
    let before = tree(&data);
    let told = restore().await;
    assert!(told.code == 1 && told.err.contains("is not empty"), "{told:?}");
    assert_eq!(tree(&data), before);
    let server = home.serve(&[]).await;
    let told = restore().await;
    assert!(told.code == 1 && told.err.contains("A Satchel is running in"), "{told:?}");
    server.stop().await;
    let empty = dir.join("empty");
    fs::create_dir(&empty).unwrap();
    let told =
        home.run(&["restore", &path("whole"), "--identity", &path("key"), "--data", empty.to_str().unwrap()]).await;
    assert_eq!(told.code, 0, "{told:?}");
}
