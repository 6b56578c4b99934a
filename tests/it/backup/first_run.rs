//! A backup in place of the first owner: read no further than it may be, put in place once, and never over somebody's data.

#![expect(clippy::disallowed_methods, reason = "looks at data directories and makes mounts")]

use std::{
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{sleep, timeout},
};

use crate::support::{
    chat::Person,
    http::{Request, TestServer, send},
    program::{Home, Place, Serving},
};

const PATIENCE: Duration = Duration::from_secs(120);

/// A backup with the vault's key in it, and the text of the key file that opens it.
async fn a_backup(home: &Home) -> (Vec<u8>, String) {
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("x.age");
    let made = home.run(&["backup", file.to_str().unwrap(), "--with-key"]).await;
    assert_eq!(made.code, 0, "{made:?}");
    (fs::read(&file).unwrap(), fs::read_to_string(out.path().join("x.age.key")).unwrap())
}

fn fields(fields: &[(&str, &str)]) -> Vec<u8> {
    let part = |(name, text): &(&str, &str)| {
        format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
    };
    fields.iter().map(part).collect::<String>().into_bytes()
}

fn whole(given: &[(&str, &str)], file: &[u8]) -> Vec<u8> {
    let mut body = fields(given);
    body.extend(b"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.age\"\r\n\r\n");
    body.extend(file);
    body.extend(b"\r\n--b--\r\n");
    body
}

/// A request of so many bytes, of which these are sent.
async fn begin(address: SocketAddr, length: usize, sent: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /api/setup/restore HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nContent-Type: \
         multipart/form-data; boundary=b\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(sent).await.unwrap();
    stream
}

/// Returns whether an answer is there to the end of its body.
fn is_complete(text: &str) -> bool {
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.to_ascii_lowercase().lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    length.is_some_and(|length: usize| body.len() >= length)
}

/// The status and the rest of an answer. What was not read of the request may cut the connection behind it.
async fn answer(mut stream: TcpStream) -> (u16, String) {
    let mut text = String::new();
    while !is_complete(&text) {
        let mut piece = vec![0; 4_096];
        match timeout(PATIENCE, stream.read(&mut piece)).await.expect("no answer in time") {
            Ok(read) if read > 0 => text.push_str(&String::from_utf8_lossy(&piece[..read])),
            _ => break,
        }
    }
    (text.get(9..12).and_then(|status| status.parse().ok()).unwrap_or_default(), text)
}

async fn restore(address: SocketAddr, body: &[u8]) -> (u16, String) {
    answer(begin(address, body.len(), body).await).await
}

fn link(server: &TestServer) -> String {
    let app = &server.app.satchel.app;
    app.stores.people.issue_link(app.clock.now()).expose().to_owned()
}

fn names(data: &Path) -> Vec<String> {
    let entries = fs::read_dir(data).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    entries.filter(|name| name.starts_with("restored") || name == "replaced").collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_is_read_no_further_than_it_may_be() {
    let server = TestServer::empty().await;
    let token = link(&server);
    let ours = ("token", token.as_str());
    let long = "x".repeat(5_000);
    // Each is answered although a gigabyte was announced that never comes.
    for (given, status, said) in [
        (vec![("identity", "x"), ours], 403, "`token` as the first field"),
        (vec![("token", "wrong")], 403, "set-up link"),
        (vec![("token", long.as_str())], 400, "too long"),
        (vec![ours, ("colour", "x")], 400, "at most once"),
        (vec![ours, ours], 400, "at most once"),
        (vec![ours, ("identity", "x"), ("identity", "x")], 400, "at most once"),
        (vec![ours, ("identity", long.as_str())], 400, "too long"),
    ] {
        let sent = [fields(&given), b"--b\r\n".to_vec()].concat();
        let (answered, text) = answer(begin(server.address, 1 << 30, &sent).await).await;
        assert!(answered == status && text.contains(said), "{given:?}: {text}");
    }
    assert!(!server.app.dir.path().join("work/incoming").exists());
    server.set_up("owner").await;
    let (answered, text) = answer(begin(server.address, 1 << 30, b"").await).await;
    assert!(answered == 409 && text.contains("an owner already"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_became_the_owner_while_it_was_sent_keeps_what_he_made() {
    let (file, key) = a_backup(&Home::new().await).await;
    let server = TestServer::empty().await;
    let token = link(&server);
    let body = whole(&[("token", &token), ("identity", &key)], &file);
    let (first, rest) = body.split_at(body.len() / 2);
    let mut stream = begin(server.address, body.len(), first).await;
    let incoming = server.app.dir.path().join("work/incoming");
    let received = async {
        while fs::read_dir(&incoming).map_or(0, Iterator::count) == 0 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, received).await.expect("nothing is received");
    assert_eq!(server.set_up("ada").await.status, 201);
    stream.write_all(rest).await.unwrap();
    let (status, text) = answer(stream).await;
    assert!(status == 409 && text.contains("an owner already"), "{text}");
    assert!(names(server.app.dir.path()).is_empty());
    server.sign_in("ada").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn once_it_is_restored_nobody_becomes_the_owner_and_nothing_is_restored_again() {
    let (file, key) = a_backup(&Home::new().await).await;
    let server = TestServer::empty().await;
    let token = link(&server);
    let body = whole(&[("token", &token), ("identity", &key)], &file);
    let (status, text) = restore(server.address, &body).await;
    assert_eq!(status, 200, "{text}");
    let refused = server.set_up("ada").await;
    assert!(refused.status == 409 && refused.problem().contains("taking the place"), "{}", refused.text());
    let token = link(&server);
    let (status, text) = restore(server.address, &whole(&[("token", &token), ("identity", &key)], &file)).await;
    assert!(status == 409 && text.contains("restored already"), "{text}");
    // What the first one prepared is whole: the next start is on it.
    let TestServer { app, .. } = server;
    let app = app.restart().await;
    let address = app.satchel.url.socket_addrs(|| None).unwrap()[0];
    let server = TestServer { app, address };
    let state = server.send(Request::get("/api/setup")).await.json();
    assert_eq!((&state["needed"], &state["restore_undone"]), (&Value::Bool(false), &Value::Bool(false)));
    assert!(names(server.app.dir.path()).is_empty());
}

async fn restored_over(server: &mut Serving, file: &[u8], key: &str) -> (u16, String) {
    let token = server.line().await.split("token=").nth(1).unwrap().to_owned();
    let address = server.url.socket_addrs(|| None).unwrap()[0];
    restore(address, &whole(&[("token", &token), ("identity", key)], file)).await
}

#[tokio::test]
async fn a_key_of_the_vault_that_does_not_open_it_is_refused() {
    let old = Home::new().await;
    let (file, key) = a_backup(&old).await;
    let vault = fs::read_to_string(old.path().join("secret.key")).unwrap();
    let other = "1f".repeat(32);
    for (name, value, status) in [
        ("SATCHEL_VAULT_PASSPHRASE", "correct horse battery", 409),
        ("SATCHEL_VAULT_KEY", other.as_str(), 409),
        ("SATCHEL_VAULT_KEY", vault.trim(), 200),
    ] {
        let new = Home::empty();
        let env = [(name, value)];
        let mut server = new.serve(&env).await;
        let (answered, text) = restored_over(&mut server, &file, &key).await;
        assert!(answered == status && (status == 200 || text.contains(name)), "{name}: {text}");
        assert_eq!(server.stop().await.code, 0);
        let mut server = new.serve(&env).await;
        if status == 200 {
            Person::sign_in(&server.url, "owner").await;
        } else {
            assert!(server.line().await.contains("token="), "{name}: somebody is there");
        }
        assert_eq!(server.stop().await.code, 0);
        assert!(names(&new.path()).is_empty());
    }
}

/// A home whose commands see a disk of its own at `models` in the data directory.
fn with_mounted_models(at: &Path) -> Home {
    fs::create_dir_all(at.join("data/models")).unwrap();
    let line = format!("mount -t tmpfs -o size=64k tmpfs '{}/data/models' && exec \"$@\"", at.display());
    let enter = ["unshare", "--map-root-user", "--mount", "sh", "-c", &line, "sh"].map(str::to_owned).to_vec();
    let inside: PathBuf = at.to_owned();
    Home::at(Place { enter, outside: inside.clone(), inside })
}

#[tokio::test]
async fn a_mount_in_the_data_directory_is_refused_and_a_start_survives_one() {
    let old = Home::new().await;
    let (file, key) = a_backup(&old).await;
    let dir = tempfile::tempdir().unwrap();
    let new = with_mounted_models(&dir.path().canonicalize().unwrap());
    let mut server = new.serve(&[]).await;
    let (status, text) = restored_over(&mut server, &file, &key).await;
    assert!(status == 409 && text.contains("data/models is a mount of its own"), "{text}");
    assert_eq!(server.stop().await.code, 0);
    // One that came after it was prepared: the start is on what was there, and says so.
    let data = new.path();
    fs::create_dir(data.join("restored")).unwrap();
    fs::copy(old.path().join("satchel.db"), data.join("restored/satchel.db")).unwrap();
    fs::write(data.join("restored.ready"), "").unwrap();
    let mut server = new.serve(&[]).await;
    assert!(server.line().await.contains("token="), "somebody is there");
    let address = server.url.socket_addrs(|| None).unwrap()[0];
    let state = send(address, &Request::get("/api/setup")).await.json();
    assert_eq!(state["restore_undone"], Value::Bool(true), "{state}");
    let told = server.stop().await;
    assert!(told.code == 0 && told.err.contains("did not take the place of what was there"), "{told:?}");
    assert!(names(&data).is_empty());
}

#[tokio::test]
async fn a_start_survives_what_an_exchange_left() {
    let home = Home::new().await;
    let data = home.path();
    // Killed while it cleared up.
    fs::create_dir(data.join("replaced")).unwrap();
    fs::write(data.join("replaced/secret.key"), "older").unwrap();
    fs::write(data.join("restored.moving"), "").unwrap();
    assert_eq!(home.run(&["tools"]).await.code, 0);
    assert!(names(&data).is_empty());
    // What was restored is gone, and what was there is out of the way.
    fs::create_dir(data.join("replaced")).unwrap();
    for name in ["satchel.db", "secret.key"] {
        fs::rename(data.join(name), data.join("replaced").join(name)).unwrap();
    }
    for name in ["restored.ready", "restored.moving"] {
        fs::write(data.join(name), "").unwrap();
    }
    let server = home.serve(&[]).await;
    Person::sign_in(&server.url, "owner").await;
    let told = server.stop().await;
    assert!(told.err.contains("did not take the place of what was there"), "{told:?}");
    assert!(names(&data).is_empty());
}
