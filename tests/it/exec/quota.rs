//! The quota of a workspace: commands are ended and writes refused where there is no room.

#![expect(clippy::disallowed_methods, reason = "a test looks from outside")]

use satchel::{
    host::{
        files::Parents,
        sandbox::{Limit, Part},
    },
    model::{error::Kind, settings::Files},
};
use serde_json::json;

use super::bench::{Bench, benches, lacks};
use crate::support::{
    app::TestApp,
    http::{Request, TestServer},
    library::{File, form},
};

fn bounded() -> Bench {
    Bench::new().within(&Files { workspace_mb: 20, workspace_files: 200, ..Files::default() })
}

#[tokio::test]
async fn a_command_that_fills_the_workspace_is_ended() {
    for (line, limit) in [
        ("head -c 60000000 /dev/zero > big; sleep 600", Limit::Workspace),
        ("for i in 1 2 3 4 5 6; do head -c 6000000 /dev/zero > part$i; done; sleep 600", Limit::Workspace),
        // Without a name it takes no less room.
        ("exec 3> gone; rm gone; head -c 60000000 /dev/zero >&3; sleep 600", Limit::Workspace),
        ("mkdir -p a/b && cd a/b && for i in $(seq 500); do : > $i; done; sleep 600", Limit::Files),
    ] {
        let bench = bounded();
        let finished = bench.shell(line).await;
        assert_eq!(finished.ended.limit, Some(limit), "{line}: {finished:?}");
        bench.assert_nothing_left().await;
    }
}

#[tokio::test]
async fn a_workspace_that_is_too_full_can_be_tidied_and_does_not_grow() {
    let bench = bounded();
    let own = bench.files.workspace();
    std::fs::write(own.join("old"), vec![1; 30 << 20]).unwrap();
    let finished = bench.shell("head -c 10000000 /dev/zero > more; sleep 600").await;
    assert_eq!(finished.ended.limit, Some(Limit::Workspace), "{finished:?}");
    let refused = bench.files.write("note", b"x".to_vec(), Parents::Must).await.unwrap_err();
    assert_eq!(refused.kind(), Kind::DiskFull);
    assert!(refused.message().contains("may hold 20 MB"), "{refused}");
    let finished = bench.shell("ls > /tmp/list 2>&1; rm old more && echo ok").await;
    assert_eq!((finished.stdout.as_str(), finished.ended.limit), ("ok\n", None), "{finished:?}");
    bench.files.write("note", b"x".to_vec(), Parents::Must).await.unwrap();
}

#[tokio::test]
async fn a_command_that_fills_the_disk_is_ended_and_one_that_needs_little_is_not() {
    // The disk is below the floor already: a little more may be taken of it.
    let bench = Bench::new().within(&Files { keep_free_mb: Some(u32::MAX), ..Files::default() });
    let finished = bench.shell("echo ok > note && cat note").await;
    assert_eq!((finished.stdout.as_str(), finished.ended.limit), ("ok\n", None), "{finished:?}");
    let line = "for i in $(seq 20); do head -c 100000000 /dev/zero > part$i; done; sleep 600";
    let finished = bench.shell(line).await;
    assert_eq!(finished.ended.limit, Some(Limit::Disk), "{finished:?}");
    bench.assert_nothing_left().await;
}

#[tokio::test]
async fn a_folder_too_deep_to_be_counted_hides_nothing() {
    let bench = bounded();
    let line = r#"perl -e 'for (1..30) { mkdir "d" x 200; chdir "d" x 200 } sleep 600'"#;
    let finished = bench.shell(line).await;
    assert_eq!(finished.ended.limit, Some(Limit::Files), "{finished:?}");
}

#[tokio::test]
#[cfg_attr(not(has_seccomp), ignore = "this kernel filters no system calls: it is built without seccomp")]
async fn room_is_taken_by_writing_and_not_all_at_once() {
    let mut tried = 0;
    for (name, bench) in benches().await {
        let finished = bench.shell("fallocate -l 1M big && echo given; echo x > small && cat small").await;
        let filtered = !lacks(&bench, Part::Seccomp).await;
        assert_eq!(finished.stdout == "x\n", filtered, "{name}: {finished:?}");
        tried += usize::from(filtered);
    }
    assert!(tried > 0, "no sandbox of this machine filters system calls");
}

#[tokio::test]
async fn writes_are_refused_where_there_is_no_room_and_replacing_is_not() {
    let bench = bounded();
    bench.files.write("one", vec![1; 15 << 20], Parents::Must).await.unwrap();
    let refused = bench.files.write("two", vec![1; 6 << 20], Parents::Must).await.unwrap_err();
    assert_eq!(refused.kind(), Kind::DiskFull);
    assert!(!bench.files.workspace().join("two").exists());
    bench.files.write("one", vec![2; 15 << 20], Parents::Must).await.unwrap();
    // What was removed beside the file tools makes room at once.
    std::fs::remove_file(bench.files.workspace().join("one")).unwrap();
    bench.files.write("two", vec![1; 16 << 20], Parents::Must).await.unwrap();
    for number in 0..199 {
        bench.files.write(&format!("small{number}"), Vec::new(), Parents::Must).await.unwrap();
    }
    let refused = bench.files.write_new("made", "report", "txt", b"x".to_vec()).await.unwrap_err();
    assert!(refused.message().contains("200 files"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_settings_say_how_much_a_workspace_holds() {
    let app = TestApp::start().await;
    app.set(json!({"exec": {"mode": "sandboxed"}, "files": {"workspace_mb": 1}})).await;
    let owner = app.caller(&["*"]).await;
    let refused = app.data(&owner, "write", json!({"path": "a", "content": "x".repeat(1_200_000)})).await.unwrap_err();
    assert_eq!(refused.kind(), Kind::DiskFull);
    let filled = json!({"command": "head -c 30000000 /dev/zero > big; sleep 600"});
    let data = app.data(&owner, "exec", filled).await.unwrap();
    assert!(data["stderr"].as_str().unwrap().contains("the workspace is full"), "{data}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_workspace_is_said_over_http() {
    let server = TestServer::start().await;
    server.owner("PUT", "/api/settings", &json!({"files": {"workspace_mb": 1}})).await;
    let cookie = server.sign_in("owner").await;
    let large = "x".repeat(1_200_000);
    let (kind, body) = form(&[File::new("large.txt", large.as_str())], &[]);
    let answer = server.send(Request::new("POST", "/api/files").raw(&kind, body).cookie(&cookie)).await;
    assert_eq!(answer.status, 507, "{}", answer.text());
    assert!(answer.problem().contains("The workspace is full"), "{}", answer.problem());
    // A tool's own failure is an answer.
    let body = json!({"params": {"path": "a", "content": large}});
    let answer = server.send(Request::new("POST", "/api/tools/write/invoke").json(&body).cookie(&cookie)).await;
    assert_eq!((answer.status, &answer.json()["problem"]["kind"]), (200, &json!("disk_full")), "{}", answer.text());
}
