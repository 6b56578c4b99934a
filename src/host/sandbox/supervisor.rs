//! The supervisor: the first process inside. It furnishes the sandbox, starts the program, adopts its orphans,
//! and takes everything down when the program ends.

use std::{
    io::Read,
    os::{fd::OwnedFd, unix::net::UnixStream},
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    pipe::{PipeFlags, pipe_with},
    process::{
        DumpableBehavior, Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process_group, set_dumpable_behavior,
        set_parent_process_death_signal, wait, waitpid,
    },
    thread::UnshareFlags,
};

use super::{
    plan::{Part, Plan, Problem, Report},
    program,
    sys::{self, Side, Signals, Wake},
    view,
};

/// The time it sleeps where no signal comes.
const IDLE: Duration = Duration::from_secs(60);

/// Runs the plan to its end. `lifeline` closes when the helper dies; `outside` are processes never to be signalled.
pub(super) fn supervise(plan: &Plan, stdin: &[u8], control: &UnixStream, lifeline: &OwnedFd, outside: &[i32]) {
    let report = match start(plan, stdin, lifeline, outside) {
        Ok(None) => Report::Ended { code: Some(0), signal: None, limit: None },
        Ok(Some((program, signals))) => {
            Report::Started.send(control);
            wait_for(program, &signals)
        }
        Err(report) => report,
    };
    report.send(control);
}

/// `None` if the plan was only tried.
fn start(plan: &Plan, stdin: &[u8], lifeline: &OwnedFd, outside: &[i32]) -> Result<Option<(Pid, Signals)>, Report> {
    let inside = |e: std::io::Error| Report::Unable { part: None, message: format!("start: {e}") };
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|e| inside(e.into()))?;
    if is_cut(lifeline) {
        return Err(inside(std::io::ErrorKind::BrokenPipe.into()));
    }
    furnish(plan)?;
    let signals = Signals::hold().map_err(inside)?;
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC).map_err(|e| inside(e.into()))?;
    let child = match sys::fork().map_err(inside)? {
        Side::Child => {
            drop(reader);
            signals.release();
            let refused = program::become_program(plan, stdin, outside).err();
            if let Some(report) = &refused {
                report.send(std::fs::File::from(writer));
            }
            std::process::exit(i32::from(refused.is_some()));
        }
        Side::Parent(child) => child,
    };
    drop(writer);
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let mut refused = Vec::new();
    std::fs::File::from(reader).read_to_end(&mut refused).map_err(inside)?;
    match serde_json::from_slice(&refused) {
        Ok(report) => Err(report),
        Err(_) if !plan.argv.is_empty() => Ok(Some((child, signals))),
        Err(_) => tried(child).map(|()| None),
    }
}

/// A trial came through every step only where it ended by itself.
fn tried(child: Pid) -> Result<(), Report> {
    match waitpid(Some(child), WaitOptions::empty()) {
        Ok(Some((_, status))) if status.exit_status() == Some(0) => Ok(()),
        _ => Err(Problem::new(Part::Seccomp, "try the filter")("the trial was ended by it").into()),
    }
}

fn furnish(plan: &Plan) -> Result<(), Problem> {
    if plan.uses(Part::Mount) {
        sys::unshare(UnshareFlags::NEWNS).map_err(Problem::new(Part::Mount, "make a namespace"))?;
        view::build(plan)?;
    }
    if plan.uses(Part::Uts) {
        rustix::system::sethostname(b"satchel").map_err(Problem::new(Part::Uts, "name the host"))?;
    }
    if plan.uses(Part::Network) {
        // A program that talks to itself over loopback does without where this fails.
        let _ = sys::raise_loopback();
    }
    Ok(())
}

fn is_cut(lifeline: &OwnedFd) -> bool {
    let mut fds = [PollFd::new(lifeline, PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut fds, Some(&now)).is_ok_and(|ready| ready > 0)
}

/// Waits for the program's end. What it uses, the helper watches: only it surely has a `/proc` to look at.
fn wait_for(program: Pid, signals: &Signals) -> Report {
    loop {
        match signals.wait(IDLE) {
            // In its namespace the init reaches all but itself this way; without one the helper does it.
            Wake::Terminate if getpid() == Pid::INIT => {
                let _ = kill_process_group(Pid::INIT, Signal::TERM);
            }
            _ => {}
        }
        if let Some(status) = reap(program) {
            return Report::Ended { code: status.exit_status(), signal: status.terminating_signal(), limit: None };
        }
    }
}

/// Collects every child that ended, and gives back the program's end.
fn reap(program: Pid) -> Option<WaitStatus> {
    let mut ended = None;
    while let Ok(Some((child, status))) = wait(WaitOptions::NOHANG) {
        if child == program {
            ended = Some(status);
        }
    }
    ended
}
