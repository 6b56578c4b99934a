//! Archives as others could make them, and homes worth a backup.

#![expect(clippy::disallowed_methods, reason = "makes backups by hand and looks at data directories")]

use std::{
    collections::BTreeMap,
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
};

use age::{Decryptor, Encryptor, Identity, x25519};
use rusqlite::Connection;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

use crate::support::program::Home;

/// A home with a memory, a document, a script and a file in a workspace.
pub async fn lived_in() -> Home {
    let home = Home::new().await;
    let place = home.path();
    fs::write(place.join("heron.md"), "# Weir\n\nThe heron stands at the weir every morning before the mill opens.\n")
        .unwrap();
    assert_eq!(home.run(&["ingest", place.join("heron.md").to_str().unwrap()]).await.code, 0);
    let memory = r#"{"content": "The mill opens at seven", "category": "general"}"#;
    assert_eq!(home.run(&["call", "save_memory", memory, "--yes"]).await.code, 0);
    fs::create_dir_all(place.join("workspaces/00000000-0000-7000-8000-000000000000/a b")).unwrap();
    let long = format!("workspaces/00000000-0000-7000-8000-000000000000/a b/{}.txt", "long name ".repeat(20).trim());
    fs::write(place.join(long), "kept").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", place.join("workspaces/link")).unwrap();
    fs::write(place.join("satchel.toml"), "log = 'warn'\n").unwrap();
    home
}

/// Rows of every table that says something, by name: what two databases of equal content have alike.
pub fn digests(database: &Path) -> BTreeMap<String, String> {
    let c = Connection::open(database).unwrap();
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND sql NOT LIKE 'CREATE VIRTUAL%'";
    let names: Vec<String> =
        c.prepare(sql).unwrap().query_map([], |row| row.get(0)).unwrap().map(|name| name.unwrap()).collect();
    let digest = |name: &String| {
        let mut statement = c.prepare(&format!("SELECT * FROM \"{name}\"")).unwrap();
        let columns = statement.column_count();
        let mut lines: Vec<String> = statement
            .query_map([], |row| {
                Ok((0..columns).map(|n| format!("{:?}|", row.get_ref(n).unwrap())).collect::<String>())
            })
            .unwrap()
            .map(|line| line.unwrap())
            .collect();
        lines.sort();
        (name.clone(), hex::encode(Sha256::digest(lines.join("\n"))))
    };
    names.iter().map(digest).collect()
}

/// Every file below a directory, with what is in it.
pub fn tree(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(tree(&path));
            found.insert(path, Vec::new());
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

/// Returns the contents of a backup, opened with a key file.
pub fn opened(file: &Path, key: &Path) -> BTreeMap<String, Vec<u8>> {
    let text = fs::read_to_string(key).unwrap();
    let line = text.lines().find(|line| line.starts_with("AGE-SECRET-KEY-1")).unwrap();
    let identity: x25519::Identity = line.parse().unwrap();
    let stream = Decryptor::new(fs::File::open(file).unwrap()).unwrap();
    let stream = stream.decrypt(std::iter::once(&identity as &dyn Identity)).unwrap();
    let mut archive = tar::Archive::new(stream);
    let entries = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        (entry.path().unwrap().to_str().unwrap().to_owned(), bytes)
    });
    entries.collect()
}

/// An entry of an archive made by hand.
pub struct Made {
    pub name: &'static str,
    pub kind: EntryType,
    pub bytes: Vec<u8>,
    /// As the head says it; else as many as there are.
    pub claimed: Option<u64>,
}

/// A plain file.
pub fn file(name: &'static str, bytes: impl Into<Vec<u8>>) -> Made {
    Made { name, kind: EntryType::Regular, bytes: bytes.into(), claimed: None }
}

/// A manifest as ours, with some fields otherwise.
pub fn manifest(changed: &Value) -> Vec<u8> {
    let mut manifest = json!({
        "program": "satchel", "format": 1, "version": "0.1.0", "schema": 22, "created_at": "2026-11-23T12:00:00.000Z",
        "sealed_to": "recipient", "recipient": null, "vault_key": false, "vault_key_id": null, "bytes": 1_000, "files": 9,
        "rows": {}, "audit": null, "missing": [],
    });
    for (key, value) in changed.as_object().unwrap() {
        manifest[key] = value.clone();
    }
    manifest.to_string().into_bytes()
}

/// A tar of these entries, with the digests they have or others.
pub fn archive(entries: &[Made], digests: Option<&str>) -> Vec<u8> {
    let mut tar = Builder::new(Vec::new());
    let mut sums = String::new();
    let mut add = |one: &Made| {
        let mut header = Header::new_gnu();
        // By hand: the library would refuse the names that matter here.
        let name = one.name.as_bytes();
        header.as_old_mut().name[..name.len()].copy_from_slice(name);
        header.set_entry_type(one.kind);
        header.set_size(one.claimed.unwrap_or(one.bytes.len() as u64));
        header.set_mode(0o600);
        if one.kind == EntryType::Symlink {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_cksum();
        tar.append(&header, one.bytes.as_slice()).unwrap();
    };
    for one in entries {
        add(one);
        sums.push_str(&format!("{}  {}\n", hex::encode(Sha256::digest(&one.bytes)), one.name));
    }
    add(&Made { name: "SHA256SUMS", ..file("", digests.unwrap_or(&sums).as_bytes()) });
    tar.into_inner().unwrap()
}

/// Bytes sealed to the key in a key file.
pub fn sealed(bytes: &[u8], key: &Path) -> Vec<u8> {
    let text = fs::read_to_string(key).unwrap();
    let line = text.lines().find(|line| line.starts_with("AGE-SECRET-KEY-1")).unwrap();
    let recipient = line.parse::<x25519::Identity>().unwrap().to_public();
    let encryptor = Encryptor::with_recipients(std::iter::once(&recipient as &dyn age::Recipient)).unwrap();
    let mut out = encryptor.wrap_output(Vec::new()).unwrap();
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}
