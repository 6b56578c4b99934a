//! Memory in every form that belongs to no process: a command has no more of it than of any other.

#![expect(clippy::disallowed_methods, reason = "a test looks from outside")]

use std::process;

use satchel::host::sandbox::{Finished, Limit, Limits, Part};

use super::bench::{Bench, lacks};

/// The memory the commands here may have: they take more, and not so much that a machine would feel it.
const MEMORY: u64 = 150 << 20;

async fn run(bench: &Bench, line: &str) -> Finished {
    let mut command = bench.command(line);
    command.limits = Limits { memory: MEMORY, ..Limits::default() };
    bench.run(command).await.unwrap()
}

async fn is_ended(bench: &Bench, line: &str) {
    let finished = run(bench, line).await;
    assert_eq!(finished.ended.limit, Some(Limit::Memory), "{line}: {finished:?}");
    bench.assert_nothing_left().await;
}

/// Fills 800 pairs of sockets and waits.
const SOCKETS: &str = r#"perl -e 'use Socket; use Fcntl;
    for (1..4) {
        next if fork;
        for (1..200) {
            socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) or last;
            fcntl($a, F_SETFL, O_NONBLOCK);
            syswrite($a, "x" x 200000);
            push @held, $a, $b;
        }
        sleep 600;
    }
    wait'"#;

#[tokio::test]
async fn what_is_in_sockets_counts() {
    for parts in [&[][..], &[Part::Network]] {
        is_ended(&Bench::without(parts).await, SOCKETS).await;
    }
}

#[tokio::test]
#[cfg_attr(not(has_seccomp), ignore = "this kernel filters no system calls: it is built without seccomp")]
async fn buffers_of_sockets_and_pipes_keep_their_size() {
    let larger = r#"perl -e 'use Socket;
        socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0);
        my $size = sub { unpack "i", getsockopt($a, SOL_SOCKET, SO_SNDBUF) };
        my $before = $size->();
        print setsockopt($a, SOL_SOCKET, SO_SNDBUF, $before / 4) ? "told, " : "refused, ";
        print $size->() == $before ? "kept\n" : "changed\n";
        pipe my $r, my $w;
        print fcntl($r, 1031, 4096) ? "changed\n" : "kept\n"'"#;
    let outside = process::Command::new("/bin/sh").args(["-c", larger]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&outside.stdout), "told, changed\nchanged\n");
    let finished = Bench::new().shell(larger).await;
    assert_eq!(finished.stdout, "told, kept\nkept\n", "{finished:?}");
}

#[tokio::test]
#[cfg_attr(not(has_userns), ignore = "nobody may make a user namespace: see `sysctl user.max_user_namespaces`")]
async fn files_in_memory_count_and_have_a_number() {
    let bench = Bench::new();
    assert!(!lacks(&bench, Part::Mount).await, "a sandbox has no tree of its own here");
    is_ended(&bench, "head -c 200000000 /dev/zero > /tmp/big; sleep 600").await;
    let names = r#"perl -e 'for (1..70000) { open(my $f, ">", "/tmp/$_") or do { print "$!"; last } }'"#;
    assert_eq!(bench.shell(names).await.stdout, "No space left on device");
}

/// A perl program with the numbers it needs.
fn perl(text: &str) -> String {
    let text = text.replace("MMAP", &libc::SYS_mmap.to_string()).replace("MADVISE", &libc::SYS_madvise.to_string());
    format!("perl -e '{text}'")
}

/// A program that asks whether this kernel can touch memory for a program that has no pointers (MADV_POPULATE_WRITE,
/// Linux 5.14).
const POPULATES: &str = "my $a = syscall(MMAP, 0, 4096, 3, 0x22, -1, 0); print syscall(MADVISE, $a, 4096, 23)";

#[tokio::test]
async fn shared_memory_that_is_let_go_of_counts() {
    let populates = process::Command::new("/bin/sh").args(["-c", &perl(POPULATES)]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&populates.stdout), "0", "needs a kernel of 5.14 or later");
    // No page of it is mapped any more when the next is taken, so that no process shows it.
    let line = "for (1..8) {
            my $a = syscall(MMAP, 0, 67108864, 3, 0x21, -1, 0);
            syscall(MADVISE, $a, 67108864, 23) == 0 or die $!;
            syscall(MADVISE, $a, 67108864, 4);
        }
        sleep 600";
    is_ended(&Bench::new(), &perl(line)).await;
}

#[tokio::test]
async fn page_tables_count() {
    // 120 GiB that are only read take no memory but the tables that say so.
    let line = "for (1..30) {
            my $a = syscall(MMAP, 0, 4294967296, 1, 0x4022, -1, 0);
            syscall(MADVISE, $a, 4294967296, 15);
            syscall(MADVISE, $a, 4294967296, 22) == 0 or die $!;
        }
        sleep 600";
    is_ended(&Bench::new(), &perl(line)).await;
}

#[tokio::test]
async fn a_command_that_uses_some_of_everything_runs_to_its_end() {
    let line = r#"perl -e 'use Socket;
        for (1..40) { socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0); pipe my $r, my $w; push @held, $a, $b, $r, $w }
        my $text = "x" x 20000000; print length($text), "\n"' && head -c 1000000 /dev/zero > "$TMPDIR/small" && echo ok"#;
    for parts in [&[][..], &[Part::Network]] {
        let finished = run(&Bench::without(parts).await, line).await;
        assert_eq!((finished.stdout.as_str(), finished.ended.limit), ("20000000\nok\n", None), "{finished:?}");
    }
}
