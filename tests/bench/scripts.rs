//! A script through its worker: a transform of one kilobyte of JSON, beside a Python process doing the same.

#![expect(clippy::disallowed_methods, reason = "starts Python")]

use std::{
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Result};
use futures_util::future::try_join_all;
use satchel::{
    host::{clock::Clock, workers::Workers},
    model::{output::Output, score::percentile, script::Origin},
    services::scripts::{Loaded, evaluate},
};
use serde_json::{Value, json};

use super::{
    report::{Report, Target},
    usage,
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_satchel");
const CALLS: usize = 20_000;
/// Calls at the same time while they are counted: one after another, where everybody sleeps between them; a few; and many,
/// of which workers take along what waits.
const AT_ONCE: [usize; 3] = [1, 4, 16];
const NEW_WORKERS: usize = 40;
/// Calls and processes of Python are counted in turn, so many times: what slows the machine for a while slows both.
const ROUNDS: usize = 10;
/// Processes of Python in each.
const PYTHON_CALLS: usize = 10;
const SCRIPT: &str = r#"
// @name totals
// @description d
// @when w
// @param rows object[] "r"
fn run(args) {
    let total = 0.0;
    let late = [];
    for row in args.rows {
        total += row.amount;
        if row.days > 30 { late.push(#{ id: row.id, due: row.amount * 1.05 }); }
    }
    #{ total: total, late: late, count: args.rows.len() }
}
"#;
const PYTHON: &str = r#"
import json, sys
rows = json.load(sys.stdin)["rows"]
late = [{"id": r["id"], "due": r["amount"] * 1.05} for r in rows if r["days"] > 30]
print(json.dumps({"total": sum(r["amount"] for r in rows), "late": late, "count": len(rows)}))
"#;

/// One kilobyte of JSON.
fn rows() -> Value {
    let rows: Vec<Value> =
        (0..19).map(|n| json!({"id": format!("INV-{n:04}"), "amount": 100.5 + f64::from(n), "days": n * 4})).collect();
    json!({"rows": rows})
}

pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let workers = Workers::new(PROGRAM.into());
    let script = Loaded::ungranted(Origin::Folder, SCRIPT);
    let arguments = rows();
    report.note(&format!("{} bytes of arguments", arguments.to_string().len()));
    let call = async || -> Result<Output> { Ok(evaluate(&workers, &script, &arguments, Clock::new().now()).await?) };
    let first = call().await?;
    anyhow::ensure!(first.data.get("count") == Some(&json!(19)), "{first:?}");
    let mut started = Vec::with_capacity(NEW_WORKERS);
    for _ in 0..NEW_WORKERS {
        let begun = Instant::now();
        evaluate(&Workers::new(PROGRAM.into()), &script, &arguments, Clock::new().now()).await?;
        started.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    started.sort_by(f64::total_cmp);
    report.figure("a new worker's first answer, ms", percentile(&started, 0.5), Target::AtMost(20.0));
    report.figure("the same, p95, ms", percentile(&started, 0.95), Target::None);
    for _ in 0..500 {
        call().await?;
    }
    let in_turn = async |count: usize| -> Result<Vec<f64>> {
        let mut times = Vec::with_capacity(count);
        for _ in 0..count {
            let begun = Instant::now();
            call().await?;
            times.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        Ok(times)
    };
    let mut times = in_turn(CALLS).await?;
    times.sort_by(f64::total_cmp);
    report.figure("p50, ms", percentile(&times, 0.5), Target::None);
    report.figure("p99, ms", percentile(&times, 0.99), Target::AtMost(1.0));
    let at_once = async |many: usize, count: usize| try_join_all((0..many).map(|_| in_turn(count / many))).await;
    at_once(16, 1_600).await?;
    let used = || -> Result<(f64, Vec<u32>)> {
        let pids = workers.idle();
        let mut seconds = usage::own_seconds();
        for pid in &pids {
            seconds += usage::cpu_seconds(*pid)?;
        }
        Ok((seconds, pids))
    };
    let interpreter = interpreter()?;
    let (mut ours, mut pythons) = ([0.0; AT_ONCE.len()], 0.0);
    for _ in 0..ROUNDS {
        for (many, ours) in AT_ONCE.into_iter().zip(&mut ours) {
            let (before, pids) = used()?;
            at_once(many, CALLS / ROUNDS).await?;
            let (after, present) = used()?;
            anyhow::ensure!(pids.iter().all(|pid| present.contains(pid)), "a worker was replaced");
            *ours += after - before;
        }
        pythons += python(&interpreter, &arguments)?;
    }
    let python = (PYTHON_CALLS * ROUNDS) as f64 / pythons;
    for (many, ours) in AT_ONCE.into_iter().zip(ours) {
        let rate = CALLS as f64 / ours;
        report.figure(&format!("{many} at a time, calls per CPU second of all"), rate, Target::AtLeast(8_000.0));
        report.figure(&format!("{many} at a time, times a Python process"), rate / python, Target::AtLeast(300.0));
    }
    let pid = *workers.idle().first().context("no worker")?;
    report.figure("worker memory, MB", usage::resident_mb(pid)?, Target::None);
    report.figure("Python processes per CPU second", python, Target::None);
    Ok(())
}

/// Returns the cost of the same by a new process of Python each, in CPU seconds.
fn python(program: &str, arguments: &Value) -> Result<f64> {
    let before = usage::own_seconds();
    for _ in 0..PYTHON_CALLS {
        let mut child = Command::new(program)
            .args(["-c", PYTHON])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .context("python3")?;
        serde_json::to_writer(child.stdin.take().context("no input")?, arguments)?;
        anyhow::ensure!(child.wait()?.success(), "Python failed");
    }
    Ok(usage::own_seconds() - before)
}

/// The interpreter itself: what is found by the name may be a script that looks for it, and costs more than it.
fn interpreter() -> Result<String> {
    let name = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let asked = Command::new(name).args(["-c", "import sys; print(sys.executable)"]).output().context("python3")?;
    Ok(String::from_utf8(asked.stdout)?.trim().to_owned())
}
