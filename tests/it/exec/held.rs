//! What a command asks of the kernel and does not get. Each line of perl says how the kernel refused.

#![expect(clippy::disallowed_methods, reason = "a test looks from outside")]

use std::process;

use satchel::host::sandbox::Part;

use super::bench::{Bench, benches, exists, lacks};

/// Younger than the C library's headers.
const FCHMODAT2: i64 = 452;

/// A call, as the arguments of perl's `syscall`, and what the kernel may answer.
#[derive(Clone)]
struct Refused {
    what: &'static str,
    call: String,
    answers: &'static [&'static str],
}

fn refused(what: &'static str, call: String, answers: &'static [&'static str]) -> Refused {
    Refused { what, call, answers }
}

/// Calls that only the filter refuses, whatever else holds.
fn filtered() -> Vec<Refused> {
    const NEVER: &[&str] = &["EPERM"];
    const UNKNOWN: &[&str] = &["ENOSYS"];
    let socket = |family: i32| format!("{}, {family}, 3, 0", libc::SYS_socket);
    let high = 1_i64 << 40;
    let clone = |flags: i64| format!("{}, {flags}, 0, 0, 0, 0", libc::SYS_clone);
    let user = i64::from(libc::CLONE_NEWUSER | libc::SIGCHLD);
    let typed = format!("{}, 0, {}, 'x'", libc::SYS_ioctl, i64::try_from(libc::TIOCSTI).unwrap() | high);
    vec![
        refused("unshare", format!("{}, {}", libc::SYS_unshare, libc::CLONE_NEWUSER), NEVER),
        refused("clone with a user namespace", clone(user), NEVER),
        refused("the same with bits that nobody reads", clone(user | high), NEVER),
        refused("clone3", format!("{}, 0, 0", libc::SYS_clone3), UNKNOWN),
        refused("openat2", format!("{}, -100, 'f', 0, 0", libc::SYS_openat2), UNKNOWN),
        refused("io_uring_setup", format!("{}, 1, 0", libc::SYS_io_uring_setup), UNKNOWN),
        refused("ptrace", format!("{}, 0, 0, 0, 0", libc::SYS_ptrace), NEVER),
        refused("process_vm_readv", format!("{}, $$, 0, 0, 0, 0, 0", libc::SYS_process_vm_readv), NEVER),
        refused("mount", format!("{}, 'none', '/tmp', 'tmpfs', 0, 0", libc::SYS_mount), NEVER),
        refused("TIOCSTI with bits that nobody reads", typed, NEVER),
        refused("memfd_create", format!("{}, 'x', 0", libc::SYS_memfd_create), NEVER),
        refused("memfd_secret", format!("{}, 0", libc::SYS_memfd_secret), NEVER),
        refused("bpf", format!("{}, 0, 0, 0", libc::SYS_bpf), NEVER),
        refused("userfaultfd", format!("{}, 0", libc::SYS_userfaultfd), NEVER),
        refused("perf_event_open", format!("{}, 0, 0, -1, -1, 0", libc::SYS_perf_event_open), NEVER),
        refused("keyctl", format!("{}, 0, 0", libc::SYS_keyctl), NEVER),
        refused("a packet socket", socket(libc::AF_PACKET), NEVER),
        refused("a netlink socket", socket(libc::AF_NETLINK), NEVER),
        refused("a socket of the kernel's ciphers", socket(libc::AF_ALG), NEVER),
        refused("a socket to the hypervisor", socket(libc::AF_VSOCK), NEVER),
        refused("semget", format!("{}, 0, 1, 0600", libc::SYS_semget), NEVER),
        refused("mq_open", format!("{}, 'x', 0102, 0600, 0", libc::SYS_mq_open), NEVER),
        refused("huge pages", format!("{}, 0, 2097152, 3, 0x40022, -1, 0", libc::SYS_mmap), NEVER),
        refused("vmsplice", format!("{}, -1, 0, 0, 0", libc::SYS_vmsplice), &["EINVAL"]),
        refused("splice", format!("{}, -1, 0, -1, 0, 0, 0", libc::SYS_splice), &["EINVAL"]),
        refused("fallocate", format!("{}, -1, 0, 0, 1", libc::SYS_fallocate), &["EOPNOTSUPP", "ENOTSUP"]),
        refused("a set-uid mode", format!("{}, 1, 04755", libc::SYS_fchmod), NEVER),
        refused("the same by the youngest call", format!("{FCHMODAT2}, -100, 'f', 04755, 0"), NEVER),
    ]
}

/// Calls that the rest of the sandbox refuses, with the filter or without.
fn held() -> Vec<Refused> {
    let device = libc::makedev(8, 0);
    let block = libc::S_IFBLK | 0o600;
    const RIGHTS: &[&str] = &["EPERM", "EACCES"];
    vec![
        refused("a raw socket", format!("{}, 2, 3, 1", libc::SYS_socket), RIGHTS),
        refused("a raw socket of version 6", format!("{}, 10, 3, 58", libc::SYS_socket), RIGHTS),
        refused("mknod", format!("{}, -100, 'disk', {block}, {device}", libc::SYS_mknodat), RIGHTS),
        refused("chroot", format!("{}, '/'", libc::SYS_chroot), RIGHTS),
        refused(
            "a hard link to a program",
            format!("{}, -100, '/usr/bin/env', -100, 'env', 0", libc::SYS_linkat),
            &["EPERM", "EACCES", "EXDEV"],
        ),
    ]
}

/// A line that makes the call and prints the name of the kernel's answer. Perl hands over no constant texts.
fn perl(call: &str) -> String {
    let mut texts = 0;
    let call = call.split('\'').enumerate().map(|(at, part)| match at % 2 {
        0 => part.to_owned(),
        _ => {
            texts += 1;
            format!("(my $text{texts} = \"{part}\")")
        }
    });
    let call: String = call.collect();
    format!(
        "perl -MErrno -e 'my $r = syscall({call}); my ($name) = grep {{ $!{{$_}} }} sort keys %!; \
         print $r == -1 ? $name : \"GIVEN\"'"
    )
}

#[tokio::test]
#[cfg_attr(not(has_seccomp), ignore = "this kernel filters no system calls: it is built without seccomp")]
async fn calls_that_reach_the_kernels_depths_are_refused() {
    let mut tried = 0;
    for (name, bench) in benches().await {
        let calls = if lacks(&bench, Part::Seccomp).await { held() } else { [filtered(), held()].concat() };
        for Refused { what, call, answers } in calls {
            let finished = bench.shell(&perl(&call)).await;
            assert!(answers.contains(&finished.stdout.as_str()), "{name}: {what}: {finished:?}");
            tried += 1;
        }
    }
    #[expect(clippy::print_stdout, reason = "a promise prints its figure")]
    {
        println!("{tried} calls refused");
    }
}

#[test]
fn the_kernel_itself_refuses_them_for_other_reasons() {
    for Refused { what, call, answers } in filtered() {
        // Nothing is made and nothing is left by those that are harmless outside; the others are not tried here.
        if !["openat2", "vmsplice", "splice", "fallocate", "memfd_create", "semget"].contains(&what) {
            continue;
        }
        let line = if what == "semget" { format!("{call}); semctl($r, 0, 0, 0") } else { call };
        let output = process::Command::new("/bin/sh").args(["-c", &perl(&line)]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!answers.contains(&said.as_str()) && !said.is_empty(), "{what}: {output:?}");
    }
}

#[tokio::test]
#[cfg_attr(not(has_userns), ignore = "nobody may make a user namespace: see `sysctl user.max_user_namespaces`")]
async fn the_lines_that_look_at_the_first_process_are_real() {
    let bench = Bench::new();
    for line in [
        "head -c 1 /proc/self/environ | grep -q . && echo SHOWN",
        "head -c 1 /proc/self/maps | grep -q . && echo SHOWN",
        "for fd in /proc/$$/fd/*; do readlink $fd; done | grep -q . && echo SHOWN",
        "ls /proc/self/root/ | grep -q . && echo SHOWN",
    ] {
        let finished = bench.shell(line).await;
        assert_eq!(finished.stdout, "SHOWN\n", "{line}: {finished:?}");
    }
}

#[tokio::test]
async fn the_first_process_of_the_sandbox_shows_nothing() {
    for (name, bench) in benches().await {
        for line in [
            "head -c 1 /proc/1/environ | grep -q . && echo ESCAPED",
            "head -c 1 /proc/1/maps | grep -q . && echo ESCAPED",
            "head -c 1 /proc/1/mem && echo ESCAPED",
            // Where the server is root the numbers are listed; what they are, and what is in them, is not said.
            "for fd in /proc/1/fd/*; do readlink $fd || head -c 1 $fd; done | grep -q . && echo ESCAPED",
            "ls /proc/1/root/ | grep -q . && echo ESCAPED",
            "ls /proc/1/cwd/ | grep -q . && echo ESCAPED",
        ] {
            let finished = bench.shell(line).await;
            assert!(!finished.stdout.contains("ESCAPED"), "{name}: {line}: {finished:?}");
        }
    }
}

#[tokio::test]
#[cfg_attr(not(has_userns), ignore = "nobody may make a user namespace: see `sysctl user.max_user_namespaces`")]
async fn a_command_is_nobody_special_and_alone() {
    let bench = Bench::new();
    for part in [Part::User, Part::Pid, Part::Proc] {
        assert!(!lacks(&bench, part).await, "this machine lacks {part}");
    }
    let finished = bench.shell("perl -e '$> = 0; $< = 0; print \"$< $>\"'").await;
    assert_eq!(finished.stdout, "1000 1000", "{finished:?}");
    // The sandbox's own: what happens to it happens to nobody else.
    let finished = bench.shell("kill -9 1; kill -TERM -1; echo alive").await;
    assert_eq!((finished.stdout.as_str(), finished.ended.code), ("alive\n", Some(0)), "{finished:?}");
    let finished = bench.shell("cd /proc/self/fd && echo *").await;
    assert!(["0 1 2", "0 1 2 3"].contains(&finished.stdout.trim()), "{finished:?}");
    let finished = bench.shell("cat /proc/self/oom_score_adj").await;
    assert_eq!(finished.stdout, "1000\n");
}

#[tokio::test]
async fn without_a_process_namespace_the_machines_first_process_cannot_be_signalled() {
    let bench = Bench::without(&[Part::Pid, Part::Proc]).await;
    if bench.sandbox.capabilities().await.level == satchel::host::sandbox::Level::Off {
        assert!(bench.run(bench.command("true")).await.is_err());
        return;
    }
    let finished = bench.shell("kill -0 1 && echo ESCAPED; kill -0 $$ && echo own").await;
    assert_eq!(finished.stdout, "own\n", "{finished:?}");
}

#[tokio::test]
#[cfg_attr(not(has_userns), ignore = "nobody may make a user namespace: see `sysctl user.max_user_namespaces`")]
async fn the_processes_of_another_command_are_not_seen() {
    let (one, other) = (Bench::new(), Bench::new());
    let looking = async {
        exists(&one.files.workspace().join("here")).await;
        other.shell(&format!("grep -al {} /proc/[0-9]*/environ; ls -d /proc/[0-9]* | wc -l", one.mark)).await
    };
    let found = tokio::select! {
        finished = one.shell("touch here; sleep 600") => panic!("{finished:?}"),
        found = looking => found,
    };
    let seen: usize = found.stdout.trim().parse().unwrap_or_else(|_| panic!("{found:?}"));
    assert!(seen <= 6, "{found:?}");
}
