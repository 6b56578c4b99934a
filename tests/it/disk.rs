//! A disk that is really full: writes are refused with 507, reads answer, nothing acknowledged is lost, and all is well
//! again once there is room.

#![expect(clippy::disallowed_methods, reason = "makes a small disk and fills it")]

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use satchel::store::dir;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    time::{sleep, timeout},
};

use crate::{
    migrations,
    support::{
        chat::Person,
        http::{Request, TestServer},
        program::{Home, PASSWORD, Place},
    },
};

/// A small file system in a namespace of its own, which lasts as long as this.
struct SmallDisk {
    holder: Child,
    mount: PathBuf,
    _dir: tempfile::TempDir,
}

impl SmallDisk {
    async fn make() -> Self {
        Self::of_megabytes(4).await
    }

    async fn of_megabytes(megabytes: u32) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mount = dir.path().to_owned();
        let script = format!(
            "mount -t tmpfs -o size={megabytes}m,mode=700 tmpfs '{}' && echo ready && exec cat",
            mount.display()
        );
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]);
        let mut holder = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines();
        let line = timeout(Duration::from_secs(120), lines.next_line()).await.expect("no disk in time").unwrap();
        let made = line.as_deref() == Some("ready");
        assert!(
            made,
            "no small disk can be made: this machine lets nobody make a user namespace (kernel.unprivileged_userns_clone)"
        );
        Self { holder, mount, _dir: dir }
    }

    fn home(&self) -> Home {
        let holder = self.holder.id().unwrap().to_string();
        let enter = ["nsenter", "--user", "--mount", "--preserve-credentials", "--target", &holder, "--"];
        Home::at(Place {
            enter: enter.map(str::to_owned).to_vec(),
            inside: self.mount.clone(),
            outside: self.outside(),
        })
    }

    /// The disk as this process sees it.
    fn outside(&self) -> PathBuf {
        let holder = format!("/proc/{}/root", self.holder.id().unwrap());
        PathBuf::from(holder + self.mount.to_str().unwrap())
    }

    /// Leaves not a byte.
    fn fill(&self) {
        let mut file = File::create(self.outside().join("filler")).unwrap();
        for size in [64 << 10, 4 << 10, 1] {
            loop {
                match file.write_all(&vec![7; size]) {
                    Ok(()) => {}
                    Err(error) if error.kind() == ErrorKind::StorageFull => break,
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }

    /// Makes so much room again.
    fn leave(&self, kilobytes: u64) {
        let filler = File::options().write(true).open(self.outside().join("filler")).unwrap();
        let length = filler.metadata().unwrap().len();
        filler.set_len(length - kilobytes * 1_024).unwrap();
    }

    fn empty(&self) {
        fs::remove_file(self.outside().join("filler")).unwrap();
    }
}

async fn remember(owner: &Person, number: u32) -> u16 {
    let body = json!({"content": format!("memory {number} {}", "x".repeat(2_000)), "category": "general"});
    owner.ask("POST", "/api/memories", body).await.0
}

/// The numbers of the memories that are there.
async fn remembered(owner: &Person) -> Vec<u32> {
    let all = owner.do_it("GET", "/api/memories", Value::Null).await;
    let number = |memory: &Value| memory["content"].as_str().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let mut numbers: Vec<u32> = all.as_array().unwrap().iter().map(number).collect();
    numbers.sort_unstable();
    numbers
}

#[tokio::test]
async fn a_full_disk_refuses_writes_serves_reads_and_loses_nothing() {
    let disk = SmallDisk::make().await;
    let home = disk.home();
    let start = [("SATCHEL_OWNER_NAME", "owner"), ("SATCHEL_OWNER_PASSWORD", PASSWORD)];
    let server = home.serve(&start).await;
    let owner = Person::sign_in(&server.url, "owner").await;
    let mut kept = Vec::new();
    for number in 0..3 {
        assert_eq!(remember(&owner, number).await, 201);
        kept.push(number);
    }
    disk.fill();
    // What lies in pages that are there already may still be written; then nothing is.
    let mut number = 3;
    loop {
        match remember(&owner, number).await {
            201 => kept.push(number),
            507 => break,
            status => panic!("{status}"),
        }
        number += 1;
        assert!(number < 1_000, "the disk is never full");
    }
    for (path, body) in [
        ("/api/tools/calculator/invoke", json!({"params": {"expression": "1 + 1"}})),
        ("/api/tools/list/invoke", json!({"params": {"action": "create", "list": "shopping"}})),
        ("/api/tools/write/invoke", json!({"params": {"path": "a.txt", "content": "x".repeat(100_000)}})),
        ("/api/conversations", json!({"title": "A talk"})),
        ("/api/users", json!({"username": "ada", "password": "a long password", "role": "viewer"})),
        ("/api/auth/login", json!({"username": "owner", "password": PASSWORD})),
        ("/api/vault/rotate", Value::Null),
    ] {
        let (status, answer) = owner.ask("POST", path, body).await;
        assert_eq!((status, &answer["type"]), (507, &json!("urn:satchel:disk-full")), "{path}: {answer}");
        assert!(answer["detail"].as_str().unwrap().contains("Free some space"), "{answer}");
    }
    for path in ["/healthz", "/api/auth/me", "/api/tools", "/api/audit", "/api/users", "/api/settings", "/api/doctor"] {
        assert_eq!(owner.ask("GET", path, Value::Null).await.0, 200, "{path}");
    }
    let report = owner.do_it("GET", "/api/doctor", Value::Null).await;
    let room = report["checks"].as_array().unwrap().iter().find(|check| check["name"] == "disk").unwrap();
    assert_eq!(room["ok"], false, "{room}");
    assert_eq!(remembered(&owner).await, kept);
    assert!(!disk.outside().join("secret.key.new").exists(), "a key that was not written whole stays");
    disk.empty();
    assert_eq!(remember(&owner, 5_000).await, 201);
    kept.push(5_000);
    assert_eq!(remembered(&owner).await, kept);
    assert_eq!(server.stop().await.code, 0);
    let server = home.serve(&[]).await;
    let owner = Person::sign_in(&server.url, "owner").await;
    assert_eq!(remembered(&owner).await, kept);
    let verified = owner.do_it("POST", "/api/audit/verify", Value::Null).await;
    assert_eq!(verified["ok"], true, "{verified}");
    server.stop().await;
}

#[tokio::test]
async fn a_start_on_a_full_disk_says_so() {
    let disk = SmallDisk::make().await;
    // Each time something else is the first that finds no room: the directory, the database, its log, a key.
    for kilobytes in [0, 4, 8, 16, 32, 64, 128, 256] {
        disk.fill();
        disk.leave(kilobytes);
        let told = disk.home().run(&["serve", "--listen", "127.0.0.1:0"]).await;
        assert_eq!((told.code, told.out.as_str(), told.err.lines().count()), (1, "", 1), "{kilobytes}: {told:?}");
        let said = ["is full", "No space left"].iter().any(|words| told.err.contains(words));
        assert!(said && !told.err.contains("Internal"), "{kilobytes}: {told:?}");
        disk.empty();
        fs::remove_dir_all(disk.home().path()).ok();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_may_not_grow_refuses_writes_and_recovers() {
    let server = TestServer::start().await;
    let cookie = server.sign_in("owner").await;
    let limit = async |pages: i64| {
        let db = &server.app.satchel.app.db;
        db.write(move |tx| tx.script(&format!("PRAGMA max_page_count = {pages}"))).await.unwrap();
    };
    limit(1).await;
    let send = async |number: u32| {
        let body = json!({"content": format!("{number} {}", "x".repeat(3_900)), "category": "general"});
        server.send(Request::post("/api/memories", &body).cookie(&cookie)).await
    };
    let mut kept = 0;
    let refused = loop {
        let answer = send(kept).await;
        if answer.status != 201 {
            break answer;
        }
        kept += 1;
        assert!(kept < 100, "it still grows");
    };
    assert_eq!(refused.status, 507, "{}", refused.text());
    assert!(refused.problem().contains("nothing was written"), "{}", refused.problem());
    let count =
        async || server.send(Request::get("/api/memories").cookie(&cookie)).await.json().as_array().unwrap().len();
    assert_eq!(count().await, kept as usize);
    limit(1 << 30).await;
    assert_eq!(send(kept).await.status, 201);
    assert_eq!(count().await, kept as usize + 1);
}

#[tokio::test]
async fn without_room_for_a_backup_or_a_restore_that_is_said_and_nothing_is_left() {
    let disk = SmallDisk::make().await;
    let home = disk.home();
    let start = [("SATCHEL_OWNER_NAME", "owner"), ("SATCHEL_OWNER_PASSWORD", PASSWORD)];
    let server = home.serve(&start).await;
    let owner = Person::sign_in(&server.url, "owner").await;
    assert_eq!(remember(&owner, 1).await, 201);
    let inside = |name: &str| disk.mount.join(name).to_str().unwrap().to_owned();
    let elsewhere = tempfile::tempdir().unwrap();
    let copy = elsewhere.path().join("x.age");
    assert_eq!(home.run(&["backup", copy.to_str().unwrap()]).await.code, 0);
    let phrase = elsewhere.path().join("phrase");
    fs::write(&phrase, "correct horse battery").unwrap();
    let names = || {
        let mut names: Vec<String> = fs::read_dir(disk.outside())
            .unwrap()
            .chain(fs::read_dir(home.path()).unwrap())
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    for kilobytes in [0, 64, 512] {
        disk.fill();
        disk.leave(kilobytes);
        let before = names();
        let told = home.run(&["backup", &inside("y.age"), "--passphrase-file", phrase.to_str().unwrap()]).await;
        assert_eq!((told.code, told.err.lines().count()), (1, 1), "{kilobytes}: {told:?}");
        assert!(told.err.contains("room") || told.err.contains("full"), "{kilobytes}: {told:?}");
        let key = copy.with_extension("age.key");
        let words = ["restore", copy.to_str().unwrap(), "--identity", key.to_str().unwrap(), "--data"];
        let told = home.run(&[words.as_slice(), &[&inside("target")]].concat()).await;
        assert_eq!((told.code, told.err.lines().count()), (1, 1), "{kilobytes}: {told:?}");
        let said = ["room", "full", "No space left"].iter().any(|words| told.err.contains(words));
        assert!(said, "{kilobytes}: {told:?}");
        assert_eq!(names(), before, "{kilobytes} KB left");
        disk.empty();
    }
    assert_eq!(remembered(&owner).await, [1]);
    server.stop().await;
}

/// Fills the disk as soon as something is there.
async fn fill_once_there(disk: &SmallDisk, begun: &Path) {
    let seen = timeout(Duration::from_secs(120), async {
        while !begun.exists() {
            sleep(Duration::from_millis(1)).await;
        }
    });
    seen.await.unwrap_or_else(|_| panic!("{} never appears", begun.display()));
    disk.fill();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_fills_in_the_middle_of_a_backup_or_a_restore_is_said_and_nothing_is_left() {
    let disk = SmallDisk::of_megabytes(200).await;
    let home = disk.home();
    let start = [("SATCHEL_OWNER_NAME", "owner"), ("SATCHEL_OWNER_PASSWORD", PASSWORD)];
    let server = home.serve(&start).await;
    let owner = Person::sign_in(&server.url, "owner").await;
    assert_eq!(remember(&owner, 1).await, 201);
    // Takes no room yet: there is enough for a backup when one begins.
    let folder = home.path().join("workspaces/00000000-0000-7000-8000-000000000000");
    fs::create_dir_all(&folder).unwrap();
    File::create(folder.join("large")).unwrap().set_len(120 << 20).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let path = |name: &str| elsewhere.path().join(name).to_str().unwrap().to_owned();
    // What a passphrase opens with is worked out once the file to make is there, and before anything is written to it.
    fs::write(path("phrase"), "correct horse battery").unwrap();
    let sealed = ["--passphrase-file", &path("phrase")];
    assert_eq!(home.run(&[["backup", &path("x.age")], sealed].concat()).await.code, 0);
    let names = || {
        let entries = [disk.outside(), home.path(), home.path().join("work")];
        let entries = entries.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
        entries.map(|entry| entry.unwrap().path()).collect::<BTreeSet<PathBuf>>()
    };
    let before = names();
    let inside = |name: &str| disk.mount.join(name).to_str().unwrap().to_owned();
    let (target, copy) = (inside("target"), path("x.age"));
    let restore = ["restore", &copy, "--data", &target];
    for (words, begun) in [
        ([["backup", &inside("y.age")].as_slice(), &sealed].concat(), "y.age.part"),
        ([restore.as_slice(), &sealed].concat(), ".target.restoring/satchel.db"),
    ] {
        let begun = disk.outside().join(begun);
        let (told, ()) = tokio::join!(home.run(&words), fill_once_there(&disk, &begun));
        assert_eq!((told.code, told.err.lines().count()), (1, 1), "{told:?}");
        assert!(told.err.contains("is full"), "{told:?}");
        disk.empty();
        assert_eq!(names(), before, "{}", begun.display());
    }
    assert_eq!(remembered(&owner).await, [1]);
    server.stop().await;
}

#[tokio::test]
async fn without_room_for_the_snapshot_the_database_is_not_brought_up_to_date() {
    let disk = SmallDisk::make().await;
    let home = disk.home();
    fs::create_dir(home.path()).unwrap();
    // Made elsewhere: SQLite follows no path through another namespace.
    let (elsewhere, earlier) = (tempfile::tempdir().unwrap(), migrations::newest() - 1);
    let (made, database) = (dir::database(elsewhere.path()), dir::database(&home.path()));
    migrations::made(&made, earlier);
    fs::copy(&made, &database).unwrap();
    let told = home.run(&["serve", "--listen", "127.0.0.1:0"]).await;
    assert_eq!((told.code, told.err.lines().count()), (1, 1), "{told:?}");
    assert!(told.err.contains("There is no room for the snapshot"), "{told:?}");
    fs::copy(&database, &made).unwrap();
    assert_eq!(migrations::schema(&made), earlier);
    assert_eq!(fs::read_dir(home.path().join("snapshots")).unwrap().count(), 0);
}
