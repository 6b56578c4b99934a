//! Documents and the real binary: what a kill in the middle leaves, what the command line says, what memory it takes.

#![expect(clippy::disallowed_methods, reason = "writes files to be taken in and reads the process's memory")]

use std::{
    fs,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{
    chat::Person,
    http::{Request, send},
    library::{File, form, pause},
    program::{Home, Serving, With},
};

/// Longest wait for a document to be ready.
const PATIENCE: Duration = Duration::from_secs(600);

async fn settled(person: &Person, id: &str) -> Value {
    let begun = Instant::now();
    loop {
        let document = person.do_it("GET", &format!("/api/knowledge/documents/{id}"), Value::Null).await;
        if !["queued", "reading", "embedding"].contains(&document["status"].as_str().unwrap()) {
            return document;
        }
        assert!(begun.elapsed() < PATIENCE, "not in time: {document}");
        pause().await;
    }
}

fn owner(home: &Home, server: &Serving) -> Person {
    Person::bearer(&server.url, &home.token())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_in_the_middle_loses_no_document() {
    let home = Home::new().await;
    let mut ids: Vec<String> = Vec::new();
    // The last document is as far as one of these when the server is killed.
    let far =
        [&["queued", "reading", "embedding", "ready"][..], &["reading", "embedding", "ready"], &["embedding", "ready"]];
    for (round, far) in far.into_iter().enumerate() {
        let server = home.serve(&[]).await;
        let person = owner(&home, &server);
        for n in 0..4 {
            let text: String =
                (0..60).map(|p| format!("Round {round}, file {n}: paragraph {p} is about locks.\n\n")).collect();
            let new = json!({"title": format!("Text {round}-{n}"), "text": text});
            let added = person.do_it("POST", "/api/knowledge/documents", new).await;
            ids.push(added["id"].as_str().unwrap().to_owned());
        }
        let last = format!("/api/knowledge/documents/{}", ids.last().unwrap());
        while !far.contains(&person.do_it("GET", &last, Value::Null).await["status"].as_str().unwrap()) {
            pause().await;
        }
        let pid = rustix::process::Pid::from_raw(i32::try_from(server.pid()).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        server.end().await;
    }
    let server = home.serve(&[]).await;
    let person = owner(&home, &server);
    for id in &ids {
        let document = settled(&person, id).await;
        assert_eq!(document["status"], "ready", "{document}");
    }
    let found = person.do_it("POST", "/api/knowledge/search", json!({"query": "round 2 file 3 locks"})).await;
    assert_eq!(found["results"][0]["title"], "Text 2-3", "{found}");
    server.stop().await;
    let database = rusqlite::Connection::open(home.path().join("satchel.db")).unwrap();
    let count = |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let stray = "SELECT count(*) FROM chunks c JOIN documents d ON d.number = c.document WHERE c.version <> d.version";
    assert_eq!(count(stray), 0);
    let orphans = "SELECT count(*) FROM vectors v WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.hash = v.hash)";
    assert_eq!(count(orphans), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_takes_files_and_folders_in() {
    let home = Home::new().await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("good.md"), "# Otters\n\nOtters hold hands.").unwrap();
    fs::create_dir(folder.path().join("more")).unwrap();
    fs::write(folder.path().join("more/also.txt"), "Beavers build dams.").unwrap();
    let path = folder.path().to_str().unwrap();
    let told = home.run_with(&["ingest", path], With::default()).await;
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.contains("good.md: ready, 1 passages") && told.out.contains("also.txt: ready"), "{}", told.out);
    assert!(told.out.ends_with("2 taken in, 0 failed.\n"), "{}", told.out);
    fs::write(folder.path().join("bad.pdf"), "%PDF-1.4 no more").unwrap();
    fs::write(folder.path().join("none.txt"), "").unwrap();
    let told = home.run(&["ingest", "--json", path]).await;
    assert_eq!(told.code, 1, "{told:?}");
    let answer: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(answer["failed"], 2, "{answer}");
    assert!(told.out.contains("'none.txt' is empty."), "{answer}");
    let missing = home.run(&["ingest", "/no/such/file.txt"]).await;
    assert!(missing.code == 1 && missing.out.contains("cannot be read"), "{missing:?}");
    let unknown = home.run(&["ingest", "--collection", "Nowhere", path]).await;
    assert!(unknown.code == 1 && unknown.err.contains("There are 'General'"), "{unknown:?}");
    assert_eq!(home.run(&["ingest"]).await.code, 2);
}

/// Most resident memory of a process so far, in MB.
fn peak_mb(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_text_takes_the_memory_of_a_part_of_it() {
    let home = Home::new().await;
    let server = home.serve(&[]).await;
    let person = owner(&home, &server);
    let line = "The keeper of the lock writes down the height of the water at every hour of the day and the night.\n";
    let text = line.repeat((6 << 20) / line.len());
    let (content_type, body) = form(&[File::new("log.txt", text)], &[]);
    let before = peak_mb(server.pid());
    let request = Request::new("POST", "/api/knowledge/documents").bearer(&home.token()).raw(&content_type, body);
    let address = server.url.socket_addrs(|| None).unwrap()[0];
    let answer = send(address, &request).await;
    assert_eq!(answer.status, 202, "{}", answer.text());
    let id = answer.json()["id"].as_str().unwrap().to_owned();
    let received = peak_mb(server.pid());
    assert!(received < before + 30, "{before} MB before, {received} MB after receiving");
    let mut read = received;
    loop {
        // Before the status: once it is read, the model that embeds it is loaded.
        let peak = peak_mb(server.pid());
        let document = person.do_it("GET", &format!("/api/knowledge/documents/{id}"), Value::Null).await;
        match document["status"].as_str() {
            Some("queued" | "reading") => read = peak,
            Some("embedding") => break,
            _ => panic!("{document}"),
        }
        pause().await;
    }
    assert!(read < before + 60, "{before} MB before, {read} MB after reading");
    person.do_it("DELETE", &format!("/api/knowledge/documents/{id}?forever=true"), Value::Null).await;
    server.stop().await;
}
