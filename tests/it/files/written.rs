//! Files as they are written: what is kept of them, and what a failure leaves.

use std::{os::unix::fs::PermissionsExt, process::Command};

use satchel::{host::files::Parents, model::error::Kind};

use super::{Bench, read};

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
#[cfg_attr(not(can_mount), ignore = "mounts a small disk, which only root can")]
async fn a_full_disk_is_said_and_the_old_file_stays() {
    let bench = Bench::new();
    let small = bench.base.join("small");
    std::fs::create_dir(&small).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&small).status();
    assert!(mounted.unwrap().success(), "only root can mount a disk so small");
    let files = bench.files(&[small.to_str().unwrap()]);
    files.write("file", b"old".to_vec(), Parents::Must).await.unwrap();
    let error = files.write("file", vec![b'x'; 200_000], Parents::Must).await.unwrap_err();
    let (content, left) = (read(&files, "file").await.unwrap(), std::fs::read_dir(&small).unwrap().count());
    assert!(Command::new("umount").arg(&small).status().unwrap().success());
    assert_eq!((error.kind(), content.as_str(), left), (Kind::DiskFull, "old", 1));
}
