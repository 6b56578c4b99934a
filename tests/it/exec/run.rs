//! What a command gets and gives back.

#![expect(clippy::disallowed_methods, reason = "a test looks from outside")]

use std::time::Duration;

use satchel::{
    host::sandbox::{Action, Command, Ended, Level, Part, Sandbox},
    model::error::Kind,
};
use tokio_util::sync::CancellationToken;

use super::bench::{Bench, exists};

#[tokio::test]
async fn output_errors_and_exit_code_come_back() {
    let bench = Bench::new();
    let finished = bench.shell("echo out; echo err >&2; printf '\\377'; exit 3").await;
    assert_eq!(finished.stdout, "out\n\u{fffd}");
    assert_eq!(finished.stderr, "err\n");
    assert_eq!(finished.ended, Ended { code: Some(3), signal: None, limit: None });
    assert!(!finished.timed_out);
}

#[tokio::test]
async fn a_command_killed_by_a_signal_has_no_exit_code() {
    let finished = Bench::new().shell("kill -9 $$").await;
    assert_eq!(finished.ended, Ended { code: None, signal: Some(9), limit: None });
}

#[tokio::test]
async fn what_was_written_before_a_timeout_is_kept() {
    let bench = Bench::new();
    let mut command = bench.command("echo before; echo oops >&2; sleep 600; echo after");
    command.timeout = Duration::from_secs(1);
    let finished = loop {
        let finished = bench.run(command.clone()).await.unwrap();
        // A busy machine may take longer to write both.
        if command.timeout > Duration::from_secs(60) || !(finished.stdout.is_empty() || finished.stderr.is_empty()) {
            break finished;
        }
        command.timeout *= 2;
    };
    assert_eq!((finished.stdout.as_str(), finished.stderr.as_str()), ("before\n", "oops\n"));
    assert!(finished.timed_out);
    assert_eq!(finished.ended.code, None);
    bench.assert_nothing_left().await;
}

#[tokio::test]
async fn cancelling_or_dropping_a_run_ends_it() {
    let bench = Bench::new();
    bench.sandbox.capabilities().await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let error = bench.sandbox.run(&bench.files, bench.command("sleep 300"), &cancel).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Cancelled);
    let here = bench.files.workspace().join("here");
    tokio::select! {
        finished = bench.run(bench.command("touch here; sleep 300")) => panic!("{finished:?}"),
        () = exists(&here) => {}
    }
    bench.assert_nothing_left().await;
}

#[tokio::test]
async fn standard_input_arrives_whole_and_is_empty_otherwise() {
    let bench = Bench::new();
    let mut command = bench.command("wc -c");
    command.stdin = vec![b'x'; 900_000];
    assert_eq!(bench.run(command).await.unwrap().stdout.trim(), "900000");
    assert_eq!(bench.shell("cat; echo end").await.stdout, "end\n");
    let mut command = bench.command("true");
    command.stdin = vec![0; 1_000_001];
    assert_eq!(bench.run(command).await.unwrap_err().kind(), Kind::Invalid);
}

#[tokio::test]
async fn the_environment_is_what_was_given_and_a_small_base() {
    let bench = Bench::new();
    let finished = bench.run(Command {
        action: Action::Program("env".to_owned(), Vec::new()),
        env: vec![("GREETING".to_owned(), "hello".to_owned()), ("LANG".to_owned(), "C".to_owned())],
        ..bench.command("")
    });
    let mut lines: Vec<String> = finished.await.unwrap().stdout.lines().map(str::to_owned).collect();
    lines.retain(|line| !line.starts_with("TMPDIR="));
    lines.sort();
    let home = format!("HOME={}", bench.files.workspace().display());
    let path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    assert_eq!(lines, ["GREETING=hello", &home, "LANG=C", path, "USER=satchel"]);
}

#[tokio::test]
async fn a_program_that_cannot_start_is_an_error_that_names_it() {
    let bench = Bench::new();
    std::fs::write(bench.files.workspace().join("plain"), "x").unwrap();
    for program in ["no-such-program", "./no-such-program", "./plain", ""] {
        let action = Action::Program(program.to_owned(), Vec::new());
        let error = bench.run(Command { action, ..bench.command("") }).await.unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid, "{program}");
        assert!(error.message().contains(program), "{error}");
    }
    let command = Command { cwd: bench.data().join("workspaces"), ..bench.command("true") };
    assert!(bench.run(Command { cwd: "/no/such".into(), ..command }).await.is_err());
}

#[tokio::test]
async fn arguments_reach_a_program_as_they_are() {
    let bench = Bench::new();
    let arguments = ["%s|", "a b", "$HOME", "*", "`id`", "", "ü\n"].map(str::to_owned).to_vec();
    let action = Action::Program("printf".to_owned(), arguments);
    let finished = bench.run(Command { action, ..bench.command("") }).await.unwrap();
    assert_eq!(finished.stdout, "a b|$HOME|*|`id`||ü\n|");
}

#[tokio::test]
async fn a_blocked_program_can_be_neither_run_nor_copied() {
    let bench = Bench::new();
    let missing = &bench.sandbox.capabilities().await.missing;
    assert!(
        missing.iter().all(|(part, _)| *part != Part::Mount),
        "programs are blocked by mounts, which this machine refuses: {missing:?}"
    );
    let line = "x=so; cp /usr/bin/${x}rt mine; ./mine </dev/null && echo ran; ${x}rt </dev/null && echo ran; true";
    let mut command = bench.command(line);
    command.blocked = vec!["sor*".to_owned()];
    assert_eq!(bench.run(command).await.unwrap().stdout, "");
}

#[tokio::test]
async fn temporary_files_have_a_place_of_their_own() {
    for parts in [&[][..], &[Part::Mount, Part::Proc]] {
        let bench = Bench::without(parts).await;
        let finished = bench.shell("f=$(mktemp) && echo made > $f && cat $f").await;
        assert_eq!(finished.stdout, "made\n", "without {parts:?}: {finished:?}");
    }
}

#[tokio::test]
async fn a_machine_without_means_runs_nothing() {
    let bench = Bench::without(&[Part::Mount, Part::Landlock]).await;
    assert_eq!(bench.sandbox.capabilities().await.level, Level::Off);
    assert_eq!(bench.run(bench.command("true")).await.unwrap_err().kind(), Kind::Unconfigured);
    let broken = Sandbox::new("/bin/false", bench.dir.path());
    assert_eq!(broken.capabilities().await.level, Level::Off);
}
