//! Commands that want too much.

use std::time::{Duration, Instant};

use satchel::host::sandbox::{Limit, Limits, Part};

use super::bench::{Bench, benches};

#[tokio::test]
async fn a_fork_bomb_is_ended_and_leaves_nothing() {
    for (name, bench) in benches().await {
        // Bounded, should the limit fail: a few thousand processes trouble a machine and do not stop it.
        let line = "f() { [ $1 -gt 9 ] && exec sleep 20; f $(($1 + 1)) & f $(($1 + 1)) & wait; }; f 1";
        let begun = Instant::now();
        let mut command = bench.command(line);
        command.timeout = Duration::from_secs(5);
        let finished = bench.run(command).await.unwrap();
        assert!(begun.elapsed() < Duration::from_secs(20), "{name}: took {:?}", begun.elapsed());
        // The kernel counts an ordinary user's processes itself; root's are counted from outside.
        let refused = finished.stderr.contains("Resource temporarily unavailable");
        assert!(refused || finished.ended.limit == Some(Limit::Processes), "{name}: {finished:?}");
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
        let line = "for i in 1 2 3 4 5 6; do (head -c 60000000 /dev/zero | tail -n 1 | sleep 30) & done; wait";
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

#[tokio::test]
async fn output_beyond_what_is_kept_is_counted() {
    let bench = Bench::new();
    let finished = bench.shell("head -c 5000000 /dev/zero | tr '\\0' x; echo done >&2").await;
    assert_eq!((finished.stdout.len(), finished.dropped), (1_000_000, 4_000_000));
    assert_eq!((finished.stderr.as_str(), finished.ended.code), ("done\n", Some(0)));
}
