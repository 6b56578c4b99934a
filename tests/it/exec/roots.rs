//! Roots above, in and around the data directory: none shows it, runs what lies in it, or writes into it.

#![expect(clippy::disallowed_methods, reason = "a test looks from outside")]

use std::{
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process,
};

use satchel::host::sandbox::{Level, Part};

use super::bench::{Bench, SHORTFALLS};

/// The place of the data directory below the base.
const DATA: &str = "home/.local/data";

type Roots = fn(&Path) -> Vec<String>;

fn paths<const N: usize>(base: &Path, below: [&str; N]) -> Vec<String> {
    below.map(|path| if path == "workspace" { path.to_owned() } else { base.join(path).display().to_string() }).into()
}

/// Roots through which the data directory could be reached.
const ROOTS: [(&str, Roots); 9] = [
    ("above", |base| paths(base, ["home"])),
    ("above, then the workspace", |base| paths(base, ["home", "workspace"])),
    ("the workspace, then above", |base| paths(base, ["workspace", "home"])),
    ("above, then further above", |base| paths(base, ["home/.local", "", "workspace"])),
    ("further above, then above", |base| paths(base, ["", "home", "home/.local", "workspace"])),
    ("the data directory itself", |base| paths(base, ["workspace", DATA])),
    ("a directory in it", |base| paths(base, ["workspace", "home/.local/data/workspaces"])),
    ("a link to what lies above", |base| paths(base, ["link", "workspace"])),
    ("everything", |_| vec!["/".to_owned(), "workspace".to_owned()]),
];

fn bench(roots: Roots) -> Bench {
    Bench::with_roots(DATA, |base| {
        let tool = base.join(DATA).join("tool");
        std::fs::write(&tool, "#!/bin/sh\necho ESCAPED\n").unwrap();
        std::fs::set_permissions(&tool, PermissionsExt::from_mode(0o755)).unwrap();
        symlink(base.join("home"), base.join("link")).unwrap();
        std::fs::create_dir_all(base.join("home/.local/beside")).unwrap();
        roots(base)
    })
}

/// Lines that print ESCAPED where they get at the data directory.
fn attacks(bench: &Bench) -> Vec<String> {
    let data = bench.data().display().to_string();
    let base = bench.dir.path().canonicalize().unwrap().display().to_string();
    let reading = |path: String| format!("head -c 1 '{path}' | grep -q . && echo ESCAPED");
    vec![
        reading(format!("{data}/vault.key")),
        reading(format!("{data}/workspaces/other/diary")),
        reading(format!("/proc/self/root{data}/vault.key")),
        reading(format!("{base}/link/.local/data/vault.key")),
        format!("'{data}/tool'"),
        format!("sh '{data}/tool'"),
        format!("ls -A '{data}' | grep -q vault.key && echo ESCAPED"),
        format!("find '{base}' -name vault.key 2>/dev/null | grep -q . && echo ESCAPED"),
        format!("(echo x > '{data}/new') 2>/dev/null && echo ESCAPED"),
        format!("ln '{data}/vault.key' '{base}/home/hard' && {}", reading(format!("{base}/home/hard"))),
        format!("mv '{data}' '{base}/home/moved' && {}", reading(format!("{base}/home/moved/vault.key"))),
        format!("cp -r '{base}/home/.local' '{base}/home/all'; {}", reading(format!("{base}/home/all/data/vault.key"))),
        // The next command would find it where nothing covers it.
        format!("mv '{base}/home/.local' '{base}/home/away'; {}", reading(format!("{base}/home/away/data/vault.key"))),
        reading(format!("{base}/home/away/data/vault.key")),
    ]
}

#[tokio::test]
async fn no_root_shows_the_data_directory_to_a_command() {
    let mut tried = 0;
    for (name, roots) in ROOTS {
        for parts in SHORTFALLS {
            let bench = bench(roots).lacking(parts).await;
            if bench.sandbox.capabilities().await.level == Level::Off {
                continue;
            }
            // All in one go, and once more: the first may have moved what the second finds uncovered.
            let lines = format!("set -x\n{}", attacks(&bench).join("\n"));
            for _ in 0..2 {
                let finished = bench.shell(&lines).await;
                assert!(!finished.stdout.contains("ESCAPED"), "{name}, without {parts:?}: {finished:?}");
                tried += 1;
            }
            let left = |path: &str| bench.data().join(path).exists();
            assert!(left("vault.key") && !left("new"), "{name}, without {parts:?}: it was moved or written into");
        }
    }
    assert!(tried > 0, "no sandbox can be made on this machine");
}

#[test]
fn the_attacks_are_real_outside_the_sandbox() {
    for (at, line) in attacks(&bench(ROOTS[0].1)).into_iter().enumerate() {
        let bench = bench(ROOTS[0].1);
        // The last one is the second half of the one before.
        let lines = attacks(&bench);
        let line_here = if at + 1 == lines.len() { lines[at - 1].clone() } else { lines[at].clone() };
        let output = process::Command::new("/bin/bash").arg("-c").arg(&line_here).output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains("ESCAPED"), "{line}: {output:?}");
    }
}

#[tokio::test]
async fn what_lies_beside_the_data_directory_stays_open() {
    let mut tried = 0;
    for (name, roots) in ROOTS {
        for parts in [&[] as &[Part], SHORTFALLS[7]] {
            let bench = bench(roots).lacking(parts).await;
            if bench.sandbox.capabilities().await.level == Level::Off {
                continue;
            }
            tried += 1;
            let beside = bench.dir.path().canonicalize().unwrap().join("home/.local/beside");
            let data = bench.data();
            for root in bench.files.roots().iter().filter(|root| beside.starts_with(root)).take(1) {
                let finished = bench.shell(&format!("echo in > '{}/file'", beside.display())).await;
                let kept = std::fs::read_to_string(beside.join("file"));
                assert_eq!(kept.unwrap_or_default(), "in\n", "{name}, without {parts:?}, {root:?}: {finished:?}");
            }
            for own in bench.files.roots().iter().filter(|root| root.starts_with(&data)) {
                let finished = bench.shell(&format!("echo own > '{}/file'", own.display())).await;
                let kept = std::fs::read_to_string(own.join("file"));
                assert_eq!(kept.unwrap_or_default(), "own\n", "{name}, without {parts:?}: {finished:?}");
            }
            let finished =
                bench.shell("ls /usr/bin | wc -l && echo x > /dev/null && test -r /dev/urandom && pwd").await;
            assert_eq!(finished.ended.code, Some(0), "{name}, without {parts:?}: {finished:?}");
        }
    }
    assert!(tried > 0, "no sandbox can be made on this machine");
}

#[tokio::test]
async fn with_everything_as_root_a_command_sees_the_machine_and_its_own_kernel_files() {
    let bench = bench(|_| vec!["/".to_owned()]);
    let base = bench.dir.path().canonicalize().unwrap();
    let line = format!(
        "echo in > '{}/file' && cat /etc/os-release > /dev/null && test -d /usr/bin && test -c /dev/null && \
         test -e /proc/self/status && pwd",
        base.display()
    );
    let finished = bench.shell(&line).await;
    assert_eq!((finished.stdout.as_str(), finished.ended.code), ("/\n", Some(0)), "{finished:?}");
    assert_eq!(std::fs::read_to_string(base.join("file")).unwrap(), "in\n");
    let finished =
        bench.shell(&format!("test -e /proc/{}/status || test -d /run/lock && echo ESCAPED", process::id())).await;
    assert!(!finished.stdout.contains("ESCAPED"), "{finished:?}");
}
