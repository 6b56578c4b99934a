//! Nothing outside the roots is reached, by a path, a link, or a race with one.

use std::{
    os::unix::fs::symlink,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use satchel::{
    host::files::Parents,
    model::{error::Kind, settings::Files},
};

use super::{Bench, read};

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
    for path in ["/proc/self/environ", "/proc/self/mem", "/sys/kernel/uevent_seqnum", "/dev/zero", "/run/credentials/x"]
    {
        assert_eq!(read(&files, path).await.unwrap_err().kind(), Kind::Denied, "{path}");
    }
    let own = bench.files(&["/", "workspace"]);
    let mine = own.roots()[1].join("mine");
    own.write(mine.to_str().unwrap(), b"x".to_vec(), Parents::Must).await.unwrap();
    assert_eq!(read(&own, mine.to_str().unwrap()).await.unwrap(), "x");
}

#[tokio::test]
async fn the_data_directory_is_open_through_no_root_and_the_users_folder_in_it_through_each() {
    let bench = Bench::new();
    let base = bench.base.clone();
    symlink(base.join("data"), base.join("link")).unwrap();
    let own = bench.files(&["workspace"]).workspace().to_owned();
    std::fs::write(own.join("mine"), "mine").unwrap();
    let path = |below: &str| base.join(below).to_str().unwrap().to_owned();
    for roots in [
        vec![path(""), path("data")],
        vec![path("link"), path("")],
        vec!["workspace".to_owned(), path("link")],
        vec![path("data/workspaces"), path(""), "/".to_owned()],
    ] {
        let files = bench.files(&roots.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(files.roots().iter().all(|root| !root.starts_with(base.join("data")) || *root == own), "{roots:?}");
        for hidden in ["data/vault.key", "link/vault.key", "data/workspaces/other/diary", "data/new", "link/no/such"] {
            let error = read(&files, &path(hidden)).await.unwrap_err();
            assert_eq!(error.kind(), Kind::Denied, "{roots:?}: read {hidden}: {error:?}");
            let error = files.write(&path(hidden), b"x".to_vec(), Parents::Create).await.unwrap_err();
            assert_eq!(error.kind(), Kind::Denied, "{roots:?}: write {hidden}: {error:?}");
        }
        for hidden in ["data", "link", "data/workspaces"] {
            assert_eq!(files.directory(Some(&path(hidden))).await.unwrap_err().kind(), Kind::Denied, "{hidden}");
        }
        assert_eq!(read(&files, own.join("mine").to_str().unwrap()).await.unwrap(), "mine", "{roots:?}");
    }
    for roots in [["data"], ["link"], ["data/workspaces/other"]] {
        let settings = Files { roots: roots.map(path).to_vec(), ..Files::default() };
        let error = bench.all.open(bench.user, &settings).unwrap_err();
        assert_eq!(error.kind(), Kind::Disabled, "{roots:?}");
        assert!(error.message().contains("server's own data"), "{error}");
    }
}

#[tokio::test]
async fn a_data_directory_that_was_moved_under_a_root_is_hidden_there() {
    let bench = Bench::new();
    std::fs::create_dir(bench.base.join("root")).unwrap();
    let moved = bench.base.join("root/moved");
    std::fs::rename(bench.base.join("data"), &moved).unwrap();
    let files = bench.files(&[bench.base.join("root").to_str().unwrap()]);
    assert_eq!(read(&files, "moved/vault.key").await.unwrap_err().kind(), Kind::Denied);
    assert_eq!(files.write("moved/x", b"x".to_vec(), Parents::Must).await.unwrap_err().kind(), Kind::Denied);
}

#[tokio::test]
async fn where_the_data_lies_is_told_to_nobody() {
    let bench = Bench::new();
    let second = bench.base.join("second");
    std::fs::create_dir(&second).unwrap();
    let files = bench.files(&["workspace", second.to_str().unwrap()]);
    for path in ["../../vault.key", "../other/diary", "../../../outside"] {
        let error = read(&files, path).await.unwrap_err();
        assert!(!error.message().contains(bench.base.to_str().unwrap()), "{error}");
        assert!(error.message().contains("Use a path below your workspace, or below a directory"), "{error}");
    }
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
