//! The vault's key in a backup: the one its secrets are sealed with, whatever happens while it is made.

#![expect(clippy::disallowed_methods, reason = "exchanges keys and looks at backups")]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

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

use super::made::{archive, file, lived_in, opened, sealed, tree};
use crate::support::program::Home;

/// A key no vault was sealed with.
const OTHER: &str = "0000000000000000000000000000000000000000000000000000000000000000\n";

/// Makes `out/x.age` and its key of a directory where nothing runs, with the vault's key.
fn backup(data: &Path, out: &Path, watch: &Watch) -> Result<Manifest> {
    let seal = Seal::recipient(&seal::new_key_file(&out.join("x.age.key"))?)?;
    let extras = Extras { fetched_models: std::iter::empty::<String>().collect(), vault_key: true };
    let (work, target, now) = (data.join("work"), out.join("x.age"), Time::from_millis(1_795_000_000_000));
    write::make(&Job { data: data.to_owned(), work, target, seal, extras, now }, watch)
}

/// Puts another key in the place of a data directory's own.
fn exchange_key(data: &Path) {
    let other = data.join("secret.key.other");
    fs::write(&other, OTHER).unwrap();
    fs::set_permissions(&other, fs::Permissions::from_mode(0o600)).unwrap();
    fs::rename(other, data.join("secret.key")).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_changed_while_the_backup_is_written_is_not_in_it() {
    let (home, out) = (lived_in().await, tempfile::tempdir().unwrap());
    let data = home.path();
    // What is written besides is large enough for the key to change meanwhile.
    let contents: Vec<PathBuf> = tree(&data.join("files")).into_keys().filter(|path| path.is_file()).collect();
    assert!(!contents.is_empty());
    for content in contents {
        fs::write(content, vec![7; 32 << 20]).unwrap();
    }
    let key = fs::read(data.join("secret.key")).unwrap();
    let (watch, place) = (Watch::default(), out.path().to_owned());
    let making = thread::spawn({
        let (data, watch) = (data.clone(), watch.clone());
        move || backup(&data, &place, &watch)
    });
    while watch.progress().part != Part::Writing && !making.is_finished() {
        thread::sleep(Duration::from_millis(1));
    }
    exchange_key(&data);
    making.join().unwrap().unwrap();
    let names = opened(&out.path().join("x.age"), &out.path().join("x.age.key"));
    assert_eq!(names["secret.key"], key);
    assert!(!data.join("work/backup").exists(), "the key stays where the backup was made");
}

#[tokio::test]
async fn a_key_that_does_not_open_the_copy_makes_no_backup() {
    let (home, out) = (Home::new().await, tempfile::tempdir().unwrap());
    exchange_key(&home.path());
    let error = backup(&home.path(), out.path(), &Watch::default()).unwrap_err();
    assert!(error.message().contains("was changed while the backup was made"), "{error}");
    assert!(!out.path().join("x.age").exists() && !out.path().join("x.age.part").exists());
}

#[tokio::test]
async fn a_key_in_a_backup_that_does_not_open_it_is_refused_unless_another_is_given_or_it_is_forgotten() {
    let (home, out) = (Home::new().await, tempfile::tempdir().unwrap());
    backup(&home.path(), out.path(), &Watch::default()).unwrap();
    let path = |name: &str| out.path().join(name).to_str().unwrap().to_owned();
    let key = out.path().join("x.age.key");
    let mut names = opened(&out.path().join("x.age"), &key);
    names.insert("secret.key".to_owned(), OTHER.as_bytes().to_vec());
    let manifest = names.remove("manifest.json").unwrap();
    names.remove("SHA256SUMS").unwrap();
    let rest = names.into_iter().map(|(name, bytes)| file(name.leak(), bytes));
    let entries: Vec<_> = [file("manifest.json", manifest)].into_iter().chain(rest).collect();
    fs::write(path("bad.age"), sealed(&archive(&entries, None), &key)).unwrap();
    let restore = async |words: &[&str], to: &str| {
        let (file, key, to) = (path("bad.age"), path("x.age.key"), path(to));
        home.run(&[&["restore", &file, "--identity", &key, "--data", &to], words].concat()).await
    };
    let told = restore(&[], "refused").await;
    assert!(told.code == 1 && told.err.contains("not the one its secrets are sealed with"), "{told:?}");
    assert!(!out.path().join("refused").exists());
    let own = home.path().join("secret.key");
    let told = restore(&["--vault-key-file", own.to_str().unwrap()], "keyed").await;
    assert_eq!(told.code, 0, "{told:?}");
    assert_eq!(fs::read(out.path().join("keyed/secret.key")).unwrap(), fs::read(&own).unwrap());
    let told = restore(&["--forget-secrets"], "forgotten").await;
    assert_eq!(told.code, 0, "{told:?}");
    for data in ["keyed", "forgotten"] {
        let told = home.run(&["tools", "--data", &path(data)]).await;
        assert_eq!(told.code, 0, "{data}: {told:?}");
    }
}
