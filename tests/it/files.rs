//! Files under their roots: what is read and written, and that nothing outside can be reached.

#![expect(clippy::disallowed_methods, reason = "a test looks from outside")]

use std::{
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use proptest::prelude::*;
use satchel::{
    host::files::{Charset, Parents, Rooted, Window, Workspaces},
    model::{
        error::{Kind, Result},
        id::Id,
        user::UserId,
    },
};
use serde_json::{Value, json};

use crate::support::app::TestApp;

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
        self.all.of(self.user, &roots).unwrap()
    }
}

async fn read(files: &Rooted, path: &str) -> Result<String> {
    files.read_text(path, Charset::Utf8, Window::default()).await.map(|text| text.content)
}

#[tokio::test]
async fn paths_that_lead_outside_are_refused_whether_they_exist_or_not() {
    let bench = Bench::new();
    let files = bench.files(&["workspace"]);
    let workspace = files.workspace().to_owned();
    for (link, target) in [
        ("out", bench.base.join("outside")),
        ("key", PathBuf::from("../../vault.key")),
        ("up", PathBuf::from("../..")),
        ("root", PathBuf::from("/")),
        ("chain", PathBuf::from("up/vault.key")),
        ("dangling", bench.base.join("nothing")),
        ("magic", PathBuf::from("/proc/self/root")),
    ] {
        symlink(target, workspace.join(link)).unwrap();
    }
    let base = bench.base.display();
    for path in [
        "../other/diary".to_owned(),
        "../../vault.key".to_owned(),
        "a/../../other/diary".to_owned(),
        "./././../other/diary".to_owned(),
        format!("{base}/outside"),
        format!("{base}/data/vault.key"),
        format!("{}/../other/diary", workspace.display()),
        "/etc/passwd".to_owned(),
        "/no/such/file".to_owned(),
        "/proc/self/environ".to_owned(),
        format!("/proc/self/root{base}/outside"),
        "/dev/null".to_owned(),
        "out".to_owned(),
        "key".to_owned(),
        "up/vault.key".to_owned(),
        "up/nothing".to_owned(),
        "root/etc/passwd".to_owned(),
        "chain".to_owned(),
        "dangling".to_owned(),
        "magic/etc/passwd".to_owned(),
    ] {
        let error = read(&files, &path).await.unwrap_err();
        assert_eq!(error.kind(), Kind::Denied, "read {path}: {error:?}");
        assert!(error.message().contains("outside"), "{error}");
        let error = files.write(&path, b"x".to_vec(), Parents::Create).await.unwrap_err();
        assert_eq!(error.kind(), Kind::Denied, "write {path}: {error:?}");
        assert_eq!(files.directory(Some(&path)).await.unwrap_err().kind(), Kind::Denied, "directory {path}");
    }
    assert_eq!(std::fs::read_to_string(bench.base.join("outside")).unwrap(), "canary");
}

#[tokio::test]
async fn links_that_stay_inside_are_followed() {
    let bench = Bench::new();
    let second = bench.base.join("second");
    std::fs::create_dir(&second).unwrap();
    std::fs::write(second.join("file"), "there").unwrap();
    let files = bench.files(&["workspace", second.to_str().unwrap()]);
    let workspace = files.workspace();
    std::fs::create_dir(workspace.join("dir")).unwrap();
    std::fs::write(workspace.join("dir/file"), "here").unwrap();
    symlink("dir", workspace.join("relative")).unwrap();
    symlink(workspace.join("dir/file"), workspace.join("absolute")).unwrap();
    symlink(&second, workspace.join("across")).unwrap();
    for (path, content) in
        [("relative/file", "here"), ("absolute", "here"), ("relative/../dir/./file", "here"), ("across/file", "there")]
    {
        assert_eq!(read(&files, path).await.unwrap(), content, "{path}");
    }
    files.write("absolute", b"changed".to_vec(), Parents::Must).await.unwrap();
    assert_eq!(read(&files, "dir/file").await.unwrap(), "changed");
    assert!(workspace.join("absolute").is_symlink());
}

#[tokio::test]
async fn a_root_of_everything_still_hides_the_servers_own_data() {
    let bench = Bench::new();
    let files = bench.files(&["/"]);
    let outside = bench.base.join("outside");
    assert_eq!(read(&files, outside.to_str().unwrap()).await.unwrap(), "canary");
    for path in ["data/vault.key", "data/workspaces/other/diary"] {
        let path = bench.base.join(path);
        assert_eq!(read(&files, path.to_str().unwrap()).await.unwrap_err().kind(), Kind::Denied, "{path:?}");
    }
    for path in ["/proc/self/environ", "/proc/self/mem", "/sys/kernel/uevent_seqnum", "/dev/zero"] {
        assert_eq!(read(&files, path).await.unwrap_err().kind(), Kind::Denied, "{path}");
    }
    let own = bench.files(&["/", "workspace"]);
    let mine = own.roots()[1].join("mine");
    own.write(mine.to_str().unwrap(), b"x".to_vec(), Parents::Must).await.unwrap();
    assert_eq!(read(&own, mine.to_str().unwrap()).await.unwrap(), "x");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_changes_while_it_is_used_never_leads_outside() {
    let bench = Bench::new();
    let files = bench.files(&["workspace"]);
    let (workspace, base) = (files.workspace().to_owned(), bench.base.clone());
    std::fs::create_dir(workspace.join("real")).unwrap();
    std::fs::write(workspace.join("real/outside"), "inside").unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let swapping = std::thread::spawn({
        let stop = Arc::clone(&stop);
        move || {
            while !stop.load(Ordering::Relaxed) {
                // The directory itself becomes a link to where the canary lies, and back.
                let _ = std::fs::rename(workspace.join("real"), workspace.join("kept"));
                let _ = symlink(&base, workspace.join("real"));
                let _ = std::fs::remove_file(workspace.join("real"));
                let _ = std::fs::rename(workspace.join("kept"), workspace.join("real"));
            }
        }
    });
    let mut met = 0;
    for _ in 0..3_000 {
        match read(&files, "real/outside").await {
            Ok(content) => assert_eq!(content, "inside"),
            Err(error) => {
                assert!(matches!(error.kind(), Kind::Denied | Kind::NotFound), "{error:?}");
                met += 1;
            }
        }
        let _ = files.write("real/outside", b"inside".to_vec(), Parents::Must).await;
    }
    stop.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
    assert!(met > 0, "the race was never met");
    assert_eq!(std::fs::read_to_string(bench.base.join("outside")).unwrap(), "canary");
}

#[tokio::test]
async fn writing_a_hard_link_leaves_its_other_name_alone() {
    let bench = Bench::new();
    let files = bench.files(&["workspace"]);
    std::fs::hard_link(bench.base.join("outside"), files.workspace().join("linked")).unwrap();
    files.write("linked", b"new".to_vec(), Parents::Must).await.unwrap();
    assert_eq!(std::fs::read_to_string(bench.base.join("outside")).unwrap(), "canary");
    assert_eq!(read(&files, "linked").await.unwrap(), "new");
}

#[tokio::test]
async fn what_is_no_file_is_refused_at_once() {
    let bench = Bench::new();
    let files = bench.files(&["workspace"]);
    let pipe = files.workspace().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(files.workspace().join("socket")).unwrap();
    for path in ["pipe", "socket", "."] {
        assert_eq!(read(&files, path).await.unwrap_err().kind(), Kind::Invalid, "read {path}");
        assert_eq!(
            files.write(path, b"x".to_vec(), Parents::Must).await.unwrap_err().kind(),
            Kind::Invalid,
            "write {path}"
        );
    }
    assert_eq!(read(&files, "none").await.unwrap_err().kind(), Kind::NotFound);
    assert_eq!(files.directory(Some("pipe")).await.unwrap_err().kind(), Kind::NotFound);
}

#[tokio::test]
async fn a_replaced_file_keeps_its_mode_and_nothing_is_left_beside_it() {
    let bench = Bench::new();
    let files = bench.files(&["workspace"]);
    let path = files.workspace().join("script");
    std::fs::write(&path, "old").unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    files.write("script", b"new".to_vec(), Parents::Must).await.unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o755);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o444)).unwrap();
    assert_eq!(files.write("script", b"x".to_vec(), Parents::Must).await.unwrap_err().kind(), Kind::Denied);
    assert_eq!(files.write("a/b", b"x".to_vec(), Parents::Must).await.unwrap_err().kind(), Kind::NotFound);
    files.write("a/b", b"x".to_vec(), Parents::Create).await.unwrap();
    let mut names: Vec<_> =
        std::fs::read_dir(files.workspace()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["a", "script"]);
    let mode = std::fs::metadata(files.workspace()).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o700, "a workspace is its user's alone");
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_one_file_at_once_lose_none() {
    let bench = Bench::new();
    let files = bench.files(&["workspace"]);
    files.write("log", Vec::new(), Parents::Must).await.unwrap();
    let adding = (0..40).map(|_| {
        let files = files.clone();
        tokio::spawn(async move { files.update("log", |text| Ok((Some(format!("{text}x")), ()))).await })
    });
    for added in adding.collect::<Vec<_>>() {
        added.await.unwrap().unwrap();
    }
    assert_eq!(read(&files, "log").await.unwrap().len(), 40);
}

#[tokio::test]
async fn a_full_disk_is_said_and_the_old_file_stays() {
    let bench = Bench::new();
    let small = bench.base.join("small");
    std::fs::create_dir(&small).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&small).status();
    if !mounted.is_ok_and(|status| status.success()) {
        // Only root can make a disk so small; what it would say is one line of the table in host::files.
        return;
    }
    let files = bench.files(&[small.to_str().unwrap()]);
    files.write("file", b"old".to_vec(), Parents::Must).await.unwrap();
    let error = files.write("file", vec![b'x'; 200_000], Parents::Must).await.unwrap_err();
    let (content, left) = (read(&files, "file").await.unwrap(), std::fs::read_dir(&small).unwrap().count());
    assert!(Command::new("umount").arg(&small).status().unwrap().success());
    assert_eq!((error.kind(), content.as_str(), left), (Kind::DiskFull, "old", 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_path_leads_to_a_canary(parts in prop::collection::vec(
        prop::sample::select(vec!["..", ".", "", "a", "link", "up", "data", "workspaces", "other", "diary", "vault.key",
                                  "outside", "proc", "self", "root", "//", "~", "\u{2025}", "%2e%2e"]), 1..9),
        absolute in any::<bool>()) {
        let bench = Bench::new();
        let files = bench.files(&["workspace"]);
        symlink("../../..", files.workspace().join("up")).unwrap();
        symlink(&bench.base, files.workspace().join("link")).unwrap();
        let start = if absolute { format!("{}/", files.workspace().display()) } else { String::new() };
        let path = format!("{start}{}", parts.join("/"));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let found = runtime.block_on(read(&files, &path));
        prop_assert!(found.is_err(), "{path} gave {found:?}");
        if let Ok(place) = files.locate(&path) {
            prop_assert!(place.starts_with(files.workspace()), "{path} is {place:?}");
        }
    }

    #[test]
    fn windows_put_together_are_the_file(text in "\\PC{0,60}", limit in 4u64..20) {
        let bench = Bench::new();
        let files = bench.files(&["workspace"]);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let whole = runtime.block_on(async {
            files.write("text", text.clone().into_bytes(), Parents::Must).await.unwrap();
            let (mut whole, mut offset) = (String::new(), 0);
            loop {
                let window = Window { offset, limit: Some(limit) };
                let part = files.read_text("text", Charset::Utf8, window).await.unwrap();
                assert!(part.content.len() as u64 <= limit);
                whole.push_str(&part.content);
                match part.next_offset {
                    Some(next) => offset = next,
                    None => return whole,
                }
            }
        });
        prop_assert_eq!(whole, text);
    }
}

async fn error(app: &TestApp, tool: &str, arguments: Value) -> (Kind, String) {
    let owner = app.caller(&["*"]).await;
    let error = app.data(&owner, tool, arguments.clone()).await.unwrap_err();
    (error.kind(), error.message().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn each_name_gives_back_its_own_keys() {
    let app = TestApp::start().await;
    let owner = app.caller(&["*"]).await;
    let written = json!({"ok": true, "bytesWritten": 3});
    for tool in ["write", "fs-write"] {
        let data = app.data(&owner, tool, json!({"path": "a", "content": "é\n"})).await.unwrap();
        assert_eq!(data, written, "{tool}");
    }
    for tool in ["read", "fs-read"] {
        assert_eq!(app.data(&owner, tool, json!({"path": "a"})).await.unwrap(), json!({"content": "é\n"}), "{tool}");
    }
    let absolute = app.satchel.app.workspaces.of(owner.user, &["workspace".to_owned()]).unwrap().workspace().join("a");
    let data = app.data(&owner, "fs-read", json!({"path": absolute})).await.unwrap();
    assert_eq!(data, json!({"content": "é\n"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_arguments_and_files_are_named() {
    let app = TestApp::start().await;
    for (tool, arguments, kind, word) in [
        ("read", json!({"path": "none"}), Kind::NotFound, "none"),
        ("read", json!({"path": ""}), Kind::Invalid, "path"),
        ("read", json!({"path": "a", "encoding": "klingon"}), Kind::Invalid, "klingon"),
        ("read", json!({"path": "a", "offset": -1}), Kind::Invalid, "offset"),
        ("fs-read", json!({"path": "a", "encoding": "utf-8"}), Kind::Invalid, "encoding"),
        ("write", json!({"path": "a/b", "content": "x"}), Kind::NotFound, "create_dirs"),
        ("write", json!({"path": "a", "content": 1}), Kind::Invalid, "content"),
        ("write", json!({"path": "a", "content": "日", "encoding": "latin-1"}), Kind::Invalid, "日"),
        ("fs-write", json!({"path": "a/b", "content": "x"}), Kind::NotFound, "directory"),
        ("write", json!({"path": "folder/", "content": "x"}), Kind::Invalid, "is a directory"),
        ("edit", json!({"path": "a", "old_text": "x", "new_text": "y", "occurrence": 0}), Kind::Invalid, "occurrence"),
        ("apply_patch", json!({"path": "a", "patch": "x"}), Kind::Invalid, "@@"),
    ] {
        let (got, message) = error(&app, tool, arguments.clone()).await;
        assert_eq!(got, kind, "{tool} {arguments}: {message}");
        assert!(message.contains(word), "{tool} {arguments}: {message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_text_is_an_error_and_another_encoding_reads_it() {
    let app = TestApp::start().await;
    let owner = app.caller(&["*"]).await;
    let text = json!({"path": "a", "content": "Zoë", "encoding": "iso-8859-1"});
    assert_eq!(app.data(&owner, "write", text).await.unwrap()["bytesWritten"], json!(3));
    let error = app.data(&owner, "read", json!({"path": "a"})).await.unwrap_err();
    assert!(error.message().contains("not UTF-8 text: the byte at 2"), "{error}");
    let data = app.data(&owner, "read", json!({"path": "a", "encoding": "latin1"})).await.unwrap();
    assert_eq!(data, json!({"content": "Zoë"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_or_a_patch_that_does_not_fit_changes_nothing() {
    let app = TestApp::start().await;
    let owner = app.caller(&["*"]).await;
    app.data(&owner, "write", json!({"path": "a", "content": "one\ntwo\nthree\n"})).await.unwrap();
    let edit = json!({"path": "a", "old_text": "four", "new_text": "x"});
    assert_eq!(app.data(&owner, "edit", edit).await.unwrap_err().kind(), Kind::Invalid);
    let patch = json!({"path": "a", "patch": "@@ -1 +1 @@\n-one\n+1\n@@ -3 +3 @@\n-drei\n+3\n"});
    let error = app.data(&owner, "apply_patch", patch).await.unwrap_err();
    assert!(error.message().starts_with("Hunk 2 of 2"), "{error}");
    let try_only = json!({"path": "a", "patch": "@@ -1 +1 @@\n-one\n+1\n", "dry_run": true});
    assert_eq!(app.data(&owner, "apply_patch", try_only).await.unwrap()["ok"], json!(true));
    assert_eq!(app.data(&owner, "read", json!({"path": "a"})).await.unwrap(), json!({"content": "one\ntwo\nthree\n"}));
    let new = json!({"path": "b", "patch": "--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+hello\n"});
    assert_eq!(app.data(&owner, "apply_patch", new.clone()).await.unwrap()["added"], json!(1));
    assert_eq!(app.data(&owner, "apply_patch", new).await.unwrap_err().kind(), Kind::Conflict);
    assert_eq!(app.data(&owner, "read", json!({"path": "b"})).await.unwrap(), json!({"content": "hello\n"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn users_have_workspaces_of_their_own() {
    let app = TestApp::start().await;
    let (one, two) = (app.caller(&["*"]).await, app.caller(&["*"]).await);
    app.data(&one, "write", json!({"path": "a", "content": "mine"})).await.unwrap();
    assert_eq!(app.data(&two, "read", json!({"path": "a"})).await.unwrap_err().kind(), Kind::NotFound);
    let theirs = Path::new("..").join(one.user.to_string()).join("a");
    assert_eq!(app.data(&two, "read", json!({"path": theirs})).await.unwrap_err().kind(), Kind::Denied);
}
