//! `satchel backup`, `restore`, `backup verify`, with the real binary.

#![expect(clippy::disallowed_methods, reason = "looks at files and starts age and tar")]

use std::{fs, path::Path, process::Command};

use serde_json::json;

use super::made::{digests, lived_in, opened, tree};
use crate::support::program::Home;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[tokio::test]
async fn a_backup_restores_to_an_equal_directory_whether_a_server_runs_or_not() {
    let home = lived_in().await;
    let out = tempfile::tempdir().unwrap();
    for running in [false, true] {
        let server = if running { Some(home.serve(&[]).await) } else { None };
        let file = out.path().join(format!("{running}.age"));
        let told = home.run(&["backup", text(&file)]).await;
        assert_eq!((told.code, told.err.as_str()), (0, ""), "{told:?}");
        assert!(
            told.out.contains(".key opens it: keep it apart") && told.out.contains("vault's key is not in it"),
            "{told:?}"
        );
        if let Some(server) = server {
            assert_eq!(server.stop().await.code, 0);
        }
        let target = out.path().join(format!("restored {running}"));
        let restored = home.run(&["restore", text(&file), "--data", text(&target)]).await;
        assert_eq!((restored.code, restored.err.as_str()), (0, ""), "{restored:?}");
        assert!(restored.out.contains("every digest is right"), "{restored:?}");
        let names = opened(&file, &out.path().join(format!("{running}.age.key")));
        for absent in ["secret.key", "lock", "run.json", "workspaces/link"] {
            assert!(!names.contains_key(absent), "{absent} is in it");
        }
        assert!(names.keys().all(|name| !name.starts_with("indexes")), "{:?}", names.keys());
        let copied = out.path().join(format!("copy {running}.db"));
        fs::write(&copied, &names["satchel.db"]).unwrap();
        assert_eq!(digests(&target.join("satchel.db")), digests(&copied));
        for folder in ["files", "workspaces"] {
            let relative = |root: &Path| {
                tree(&root.join(folder))
                    .into_iter()
                    .filter(|(path, bytes)| !bytes.is_empty() && !path.is_symlink())
                    .map(|(path, bytes)| (path.strip_prefix(root).unwrap().to_owned(), bytes))
                    .collect::<Vec<_>>()
            };
            assert!(!relative(&target).is_empty(), "{folder}");
            assert_eq!(relative(&target), relative(&home.path()), "{folder}");
        }
    }
}

#[tokio::test]
async fn what_was_restored_runs_and_its_audit_stands() {
    let home = lived_in().await;
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("x.age");
    assert_eq!(home.run(&["backup", text(&file), "--with-key"]).await.code, 0);
    // Only the file and its key are left.
    let data = home.path();
    fs::remove_dir_all(&data).unwrap();
    let told = home.run(&["restore", text(&file)]).await;
    assert_eq!(told.code, 0, "{told:?}");
    let found = home.json(&["call", "recall_memories", "query=mill"]).await;
    assert!(found.to_string().contains("opens at seven"), "{found}");
    let found = home.json(&["call", "search_knowledge", "query=heron at the weir"]).await;
    assert!(found.to_string().contains("every morning"), "{found}");
    let verified = home.run(&["audit", "verify"]).await;
    assert!(verified.code == 0 && verified.out.starts_with("The chain stands"), "{verified:?}");
    // The start wrote into it that it was restored.
    let c = rusqlite::Connection::open(satchel::store::dir::database(&data)).unwrap();
    let sql = "SELECT count(*) FROM audit WHERE action = 'backup.restore' AND person = 'command line'";
    assert_eq!(c.query_row(sql, (), |row| row.get::<_, i64>(0)).unwrap(), 1);
    assert!(!data.join("unrecorded.jsonl").exists());
}

#[tokio::test]
#[cfg_attr(not(has_age), ignore = "age is not installed: apt-get install age")]
async fn ages_own_program_and_tar_open_it_and_sha256sum_agrees() {
    let home = lived_in().await;
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("x.age");
    assert_eq!(home.run(&["backup", text(&file)]).await.code, 0);
    let unpack =
        "age -d -i x.age.key x.age | tar -x -C plain && cd plain && sha256sum --check --quiet --strict SHA256SUMS";
    fs::create_dir(out.path().join("plain")).unwrap();
    let shell = |line: &str| Command::new("sh").args(["-c", line]).current_dir(out.path()).output().unwrap();
    let done = shell(unpack);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(out.path().join("plain/satchel.db").is_file());
}

#[tokio::test]
async fn a_recipient_and_a_passphrase_seal_it_and_open_it() {
    let home = Home::new().await;
    let out = tempfile::tempdir().unwrap();
    let path = |name: &str| out.path().join(name).to_str().unwrap().to_owned();
    assert_eq!(home.run(&["backup", &path("a.age")]).await.code, 0);
    let key = fs::read_to_string(path("a.age.key")).unwrap();
    let recipient = key.lines().find_map(|line| line.strip_prefix("# public key: ")).unwrap();
    fs::rename(path("a.age.key"), path("elsewhere.key")).unwrap();
    assert_eq!(home.run(&["backup", &path("b.age"), "--recipient", recipient]).await.code, 0);
    assert!(!Path::new(&path("b.age.key")).exists());
    for file in ["a.age", "b.age"] {
        let told = home.run(&["restore", &path(file), "--data", &path("none")]).await;
        assert!(told.code == 1 && told.err.contains("--identity"), "{told:?}");
        let target = path(&format!("{file}.data"));
        let told = home.run(&["restore", &path(file), "--identity", &path("elsewhere.key"), "--data", &target]).await;
        assert_eq!(told.code, 0, "{told:?}");
    }
    fs::write(path("phrase"), "correct horse battery\n").unwrap();
    fs::write(path("other"), "correct horse staple\n").unwrap();
    assert_eq!(home.run(&["backup", &path("c.age"), "--passphrase-file", &path("phrase")]).await.code, 0);
    let told =
        home.run(&["restore", &path("c.age"), "--passphrase-file", &path("other"), "--data", &path("none")]).await;
    assert_eq!((told.code, told.err.as_str()), (1, "satchel: The passphrase does not open this backup.\n"));
    let told = home.run(&["restore", &path("c.age"), "--passphrase-file", &path("phrase"), "--data", &path("d")]).await;
    assert_eq!(told.code, 0, "{told:?}");
    assert!(!Path::new(&path("none")).exists(), "a refused restore left something");
}

#[tokio::test]
async fn a_vault_whose_key_is_apart_is_opened_with_it_or_forgotten() {
    let home = Home::new().await;
    let out = tempfile::tempdir().unwrap();
    let path = |name: &str| out.path().join(name).to_str().unwrap().to_owned();
    let server = home.serve(&[]).await;
    let owner = crate::support::chat::Person::sign_in(&server.url, "owner").await;
    let provider = json!({"kind": "openai", "name": "mine", "model": "m", "api_key": "sk-canary-1234567890", "base_url": "https://api.example.com/v1"});
    owner.do_it("POST", "/api/providers", provider).await;
    assert_eq!(home.run(&["backup", &path("x.age")]).await.code, 0);
    server.stop().await;
    let restore = async |words: &[&str], to: &str| {
        home.run(&[&["restore", &path("x.age"), "--data", &path(to)], words].concat()).await
    };
    let told = restore(&[], "sealed").await;
    assert!(told.code == 0 && told.out.contains("put your copy of secret.key into"), "{told:?}");
    let key = home.path().join("secret.key");
    let told = restore(&["--vault-key-file", key.to_str().unwrap()], "keyed").await;
    assert_eq!(told.code, 0, "{told:?}");
    assert_eq!(fs::read(Path::new(&path("keyed")).join("secret.key")).unwrap(), fs::read(&key).unwrap());
    let told = restore(&["--forget-secrets"], "forgotten").await;
    assert_eq!(told.code, 0, "{told:?}");
    for (data, starts) in [("sealed", false), ("keyed", true), ("forgotten", true)] {
        let told = home.run(&["tools", "--data", &path(data)]).await;
        assert_eq!(told.code == 0, starts, "{data}: {told:?}");
    }
}

#[tokio::test]
async fn a_drill_says_what_it_did_and_leaves_nothing() {
    let home = lived_in().await;
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("x.age");
    assert_eq!(home.run(&["backup", text(&file)]).await.code, 0);
    let before = tree(&home.path());
    let told = home.run(&["backup", "verify", text(&file)]).await;
    assert_eq!(told.code, 0, "{told:?}");
    for said in [
        "every digest is right",
        "The database is whole",
        "as many as were backed up",
        "The audit stands",
        "search finds what was asked for",
        "thrown away",
        "can be relied on",
    ] {
        assert!(told.out.contains(said), "{said}: {}", told.out);
    }
    assert_eq!(tree(&home.path()).keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
    let drill = home.json(&["backup", "verify", text(&file)]).await;
    assert_eq!((&drill["ok"], &drill["problem"]), (&json!(true), &json!(null)));
}

#[tokio::test]
async fn a_name_that_is_taken_and_a_folder_that_is_not_there_are_said() {
    let home = Home::new().await;
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("x.age");
    fs::write(&file, "precious").unwrap();
    let told = home.run(&["backup", text(&file)]).await;
    assert!(told.code == 1 && told.err.contains("is there already"), "{told:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    let told = home.run(&["backup", text(&out.path().join("no/x.age"))]).await;
    assert!(told.code == 1 && told.err.lines().count() == 1, "{told:?}");
    let told = home.run(&["backup", text(&out.path().join("y.age")), "--recipient", "ssh-rsa AAAA"]).await;
    assert!(told.code == 1 && told.err.contains("begins with age1"), "{told:?}");
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 1, "something half-done is left");
}
