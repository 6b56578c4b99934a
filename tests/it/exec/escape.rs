//! Ways out of the sandbox. Each prints ESCAPED where it is one, which a run outside the sandbox shows.

#![expect(clippy::disallowed_methods, reason = "a test looks from outside")]

use std::{net::TcpListener, process};

use satchel::host::sandbox::Part;

use super::bench::{Bench, benches, exists};

/// Lines that get something they should not, given the data directory, the server's process and a port it listens on.
fn escapes(bench: &Bench, port: u16) -> Vec<String> {
    let (data, pid) = (bench.data().display().to_string(), process::id());
    let reading = |path: String| format!("head -c 1 '{path}' | grep -q . && echo ESCAPED");
    vec![
        reading(format!("{data}/vault.key")),
        reading(format!("{data}/workspaces/other/diary")),
        reading(format!("/proc/self/root{data}/vault.key")),
        reading(format!("/proc/{pid}/root{data}/vault.key")),
        reading(format!("/proc/{pid}/environ")),
        reading("../other/diary".to_owned()),
        format!("ln -s '{data}/vault.key' soft; {}", reading("soft".to_owned())),
        format!("ln '{data}/vault.key' hard && {}", reading("hard".to_owned())),
        format!("touch '{data}/new' && test -e '{data}/vault.key' && echo ESCAPED"),
        format!("ls '{data}' | grep -q vault.key && echo ESCAPED"),
        format!("kill -0 {pid} && echo ESCAPED"),
        format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo ESCAPED"),
    ]
}

/// More lines that escape on some machines or only as root, so that a run outside proves nothing.
const PRIVILEGED: [&str; 19] = [
    "env | grep -q CARGO && echo ESCAPED",
    "head -c 1 /etc/shadow && echo ESCAPED",
    "ls /root && ls /home && echo ESCAPED",
    "touch /usr/bin/x && echo ESCAPED",
    "touch /etc/x && echo ESCAPED",
    ": >> /bin/ls && echo ESCAPED",
    "mount -t tmpfs none /usr && echo ESCAPED",
    "umount /usr && echo ESCAPED",
    "unshare -U true && echo ESCAPED",
    "unshare -n true && echo ESCAPED",
    "chroot / true && echo ESCAPED",
    "nsenter -t 1 -m true && echo ESCAPED",
    "mknod disk b 8 0 && head -c 1 disk && echo ESCAPED",
    "mknod kmsg c 1 11 && head -c 1 kmsg && echo ESCAPED",
    "head -c 1 /dev/mem && echo ESCAPED",
    "head -c 1 /dev/kmsg && echo ESCAPED",
    ": >> /proc/sys/kernel/core_pattern && echo ESCAPED",
    ": >> /proc/sysrq-trigger && echo ESCAPED",
    "hostname escaped && echo ESCAPED",
];

#[tokio::test]
async fn no_escape_succeeds_whatever_the_kernel_lacks() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut tried = 0;
    for (name, bench) in benches().await {
        let lines = escapes(&bench, port).into_iter().chain(PRIVILEGED.map(str::to_owned));
        // Only the filter forbids new namespaces. In one the rest still holds, so it is no way out by itself.
        let filtered = bench.sandbox.capabilities().await.missing.iter().all(|(part, _)| *part != Part::Seccomp);
        for line in lines.filter(|line| filtered || !line.starts_with("unshare")) {
            let finished = bench.shell(&line).await;
            assert!(!finished.stdout.contains("ESCAPED"), "{name}: {line}: {finished:?}");
            tried += 1;
        }
        bench.assert_nothing_left().await;
        assert!(listener.accept().is_err(), "{name}: a connection came in");
    }
    #[expect(clippy::print_stdout, reason = "a promise prints its figure")]
    {
        println!("{tried} escapes tried, none succeeded");
    }
}

#[test]
fn the_escapes_are_real_outside_the_sandbox() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let bench = Bench::new();
    for line in escapes(&bench, listener.local_addr().unwrap().port()) {
        let mut shell = process::Command::new("/bin/bash");
        let output = shell.arg("-c").arg(&line).current_dir(bench.files.workspace()).output().unwrap();
        let _ = std::fs::remove_file(bench.data().join("new"));
        assert!(String::from_utf8_lossy(&output.stdout).contains("ESCAPED"), "{line}: {output:?}");
    }
}

#[tokio::test]
async fn what_is_written_outside_the_workspace_is_not_there() {
    for (name, bench) in benches().await {
        let outside = format!("/tmp/satchel-{}", bench.mark);
        bench.shell(&format!("echo x > {outside}; echo y > /dev/shm/satchel-{}", bench.mark)).await;
        assert!(!std::path::Path::new(&outside).exists(), "{name}");
        assert!(!std::path::Path::new(&format!("/dev/shm/satchel-{}", bench.mark)).exists(), "{name}");
        bench.shell("echo inside > kept").await;
        assert_eq!(std::fs::read_to_string(bench.files.workspace().join("kept")).unwrap(), "inside\n", "{name}");
    }
}

#[tokio::test]
async fn a_daemon_does_not_outlive_its_command() {
    for (name, bench) in benches().await {
        let line =
            "setsid sh -c 'trap \"\" TERM HUP; sleep 300' >/dev/null 2>&1 & (sleep 300 &) ; nohup sleep 300 & echo ok";
        let finished = bench.shell(line).await;
        assert_eq!((finished.stdout.as_str(), finished.ended.code), ("ok\n", Some(0)), "{name}");
        assert!(bench.left().is_empty(), "{name}: {:?}", bench.left());
    }
}

#[tokio::test]
async fn the_helpers_death_ends_the_command() {
    let bench = Bench::new();
    bench.sandbox.capabilities().await;
    let running = bench.run(bench.command("touch here; sleep 300"));
    let killing = async {
        let here = bench.files.workspace().join("here");
        exists(&here).await;
        let own = process::id();
        let children = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
        let listed = std::fs::read_dir(format!("/proc/{own}/task")).unwrap().flatten();
        let of_threads = listed.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
        for child in
            of_threads.chain([children]).flat_map(|text| text.split(' ').map(str::to_owned).collect::<Vec<_>>())
        {
            let cmdline = std::fs::read_to_string(format!("/proc/{child}/cmdline")).unwrap_or_default();
            if cmdline.starts_with("satchel-sandbox") {
                let killed = process::Command::new("kill").args(["-9", &child]).status().unwrap();
                assert!(killed.success());
            }
        }
    };
    let (finished, ()) = tokio::join!(running, killing);
    assert_eq!(finished.unwrap().ended.code, None);
    bench.assert_nothing_left().await;
}
