//! Commands that want too much.

#![expect(clippy::disallowed_methods, reason = "a test looks from outside")]

use std::{os::unix::fs::MetadataExt, process, time::Duration};

use satchel::host::sandbox::{Finished, Limit, Limits, Part};

use super::bench::{Bench, benches, lacks};

/// Returns whether it could start no more processes: the kernel counts an ordinary user's itself, root's are counted
/// from outside.
fn is_stopped(bomb: &Finished) -> bool {
    bomb.stderr.contains("Resource temporarily unavailable") || bomb.ended.limit == Some(Limit::Processes)
}

#[tokio::test]
async fn a_fork_bomb_is_ended_and_leaves_nothing() {
    for (name, bench) in benches().await {
        // Bounded, should the limit fail: a few thousand processes trouble a machine and do not stop it.
        let line = "f() { [ $1 -gt 9 ] && exec sleep 600; f $(($1 + 1)) & f $(($1 + 1)) & wait; }; f 1";
        let mut command = bench.command(line);
        command.timeout = Duration::from_secs(5);
        let finished = loop {
            let finished = bench.run(command.clone()).await.unwrap();
            // A busy machine may need more time until it can start no more.
            if is_stopped(&finished) || command.timeout > Duration::from_secs(120) {
                break finished;
            }
            command.timeout *= 5;
        };
        assert!(is_stopped(&finished), "{name}: {finished:?}");
        bench.assert_nothing_left().await;
    }
}

#[tokio::test]
async fn one_process_cannot_take_more_memory_than_allowed() {
    for (name, bench) in benches().await {
        let mut command = bench.command("head -c 600000000 /dev/zero | tail -n 1 | wc -c");
        command.limits = Limits { memory: 100_000_000, ..Limits::default() };
        let finished = bench.run(command).await.unwrap();
        assert_ne!(finished.stdout, "600000000\n", "{name}");
    }
}

#[tokio::test]
async fn many_processes_cannot_take_more_together() {
    for parts in [&[][..], &[Part::Pid, Part::Proc, Part::Mount]] {
        let bench = Bench::without(parts).await;
        let line = "for i in 1 2 3 4 5 6; do (head -c 60000000 /dev/zero | tail -n 1 | sleep 600) & done; wait";
        let mut command = bench.command(line);
        command.limits = Limits { memory: 200_000_000, ..Limits::default() };
        let finished = bench.run(command).await.unwrap();
        assert_eq!(finished.ended.limit, Some(Limit::Memory), "without {parts:?}: {finished:?}");
        bench.assert_nothing_left().await;
    }
}

#[tokio::test]
async fn a_file_cannot_grow_without_end_and_processor_time_is_bounded() {
    let bench = Bench::new();
    let mut command = bench.command("head -c 5000000 /dev/zero > big; stat -c %s big; while :; do :; done");
    command.limits = Limits { file: 1_000_000, cpu_seconds: 1, ..Limits::default() };
    let finished = bench.run(command).await.unwrap();
    assert_eq!((finished.stdout.as_str(), finished.ended.code), ("1000000\n", None), "{finished:?}");
}

/// Lines that give a file the bits by which others would run it as its owner, or as its group.
const SET_IDS: [&str; 6] = [
    "cp /bin/true a && chmod 4755 a",
    "cp /bin/true b && chmod g+s b",
    "install -m 6755 /bin/true c",
    "perl -e 'use Fcntl; sysopen(my $f, \"d\", O_CREAT|O_WRONLY, 04755) or exit 1'",
    "perl -e 'open(my $f, \">\", \"e\"); chmod(02755, $f) or exit 1'",
    "cp /bin/true f && perl -e 'my $f = \"f\"; syscall(452, -100, $f, 04755, 0) == 0 or exit 1'",
];

#[tokio::test]
#[cfg_attr(not(has_seccomp), ignore = "this kernel filters no system calls: it is built without seccomp")]
async fn no_file_is_given_the_bits_that_lend_its_owners_rights() {
    let mut tried = 0;
    for (name, bench) in benches().await {
        // Only the filter keeps a command from it.
        if lacks(&bench, Part::Seccomp).await {
            continue;
        }
        tried += 1;
        for line in SET_IDS {
            assert_ne!(bench.shell(line).await.ended.code, Some(0), "{name}: {line}");
        }
        for entry in std::fs::read_dir(bench.files.workspace()).unwrap().flatten() {
            let mode = entry.metadata().unwrap().mode();
            assert_eq!(mode & 0o6000, 0, "{name}: {entry:?} has {mode:o}");
        }
        let finished =
            bench.shell("cp /bin/true a && chmod 755 a && ./a && install -m 700 a z && mkdir -m 750 dir").await;
        assert_eq!(finished.ended.code, Some(0), "{name}: {finished:?}");
    }
    assert!(tried > 0, "no sandbox of this machine filters system calls");
}

#[test]
fn the_lines_that_give_such_bits_are_real_outside_the_sandbox() {
    // The last one asks for a call that older kernels do not have.
    for line in &SET_IDS[..SET_IDS.len() - 1] {
        let dir = tempfile::tempdir().unwrap();
        let output = process::Command::new("/bin/sh").args(["-c", line]).current_dir(dir.path()).output().unwrap();
        let mut modes = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().metadata().unwrap().mode());
        assert!(modes.any(|mode| mode & 0o6000 != 0), "{line}: {output:?}");
    }
}

#[tokio::test]
#[cfg_attr(not(has_userns), ignore = "nobody may make a user namespace: see `sysctl user.max_user_namespaces`")]
async fn a_device_takes_what_is_written_and_keeps_its_mode_and_times() {
    let bench = Bench::new();
    // Without a tree of its own the devices are the machine's, and their owner's.
    assert!(!lacks(&bench, Part::Mount).await, "a sandbox has no tree of its own here");
    for device in ["null", "zero", "full", "random", "urandom"] {
        let finished =
            bench.shell(&format!("chmod --reference=/dev/{device} /dev/{device} || touch /dev/{device}")).await;
        assert!(finished.stderr.matches("Read-only file system").count() == 2, "{device}: {finished:?}");
    }
    let outside = || {
        let about = std::fs::metadata("/dev/full").unwrap();
        (about.mode(), about.mtime(), about.ctime())
    };
    let before = outside();
    let finished = bench.shell("chmod 667 /dev/full; touch -d 2001-01-01 /dev/full").await;
    assert_eq!(outside(), before, "{finished:?}");
    let finished = bench.shell("echo x > /dev/null && echo x >> /dev/null && head -c 2 /dev/zero | wc -c").await;
    assert_eq!((finished.stdout.as_str(), finished.ended.code), ("2\n", Some(0)), "{finished:?}");
}

#[tokio::test]
async fn memory_that_belongs_to_no_process_is_not_given() {
    let lines = [
        "perl -e '$i = shmget(0, 4096, 0600); defined $i and shmctl($i, 0, 0) and print \"GIVEN\"'",
        "perl -e '$i = msgget(0, 0600); defined $i and msgctl($i, 0, 0) and print \"GIVEN\"'",
        "perl -e '$i = semget(0, 1, 0600); defined $i and semctl($i, 0, 0, 0) and print \"GIVEN\"'",
    ];
    for line in lines {
        let output = process::Command::new("/bin/sh").args(["-c", line]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "GIVEN", "the line is real: {line}");
        let finished = Bench::new().shell(line).await;
        assert_eq!(finished.stdout, "", "{line}: {finished:?}");
    }
}

#[tokio::test]
async fn output_beyond_what_is_kept_is_counted() {
    let bench = Bench::new();
    let finished = bench.shell("head -c 5000000 /dev/zero | tr '\\0' x; echo done >&2").await;
    assert_eq!((finished.stdout.len(), finished.dropped), (1_000_000, 4_000_000));
    assert_eq!((finished.stderr.as_str(), finished.ended.code), ("done\n", Some(0)));
}
