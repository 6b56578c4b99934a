//! The helper: the same binary, run again with one hidden argument. It makes the namespaces, and stays outside
//! to end everything when the server says so or is gone.

use std::{
    io::{self, Read},
    os::{
        fd::{AsFd, OwnedFd},
        unix::net::UnixStream,
    },
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    pipe::{PipeFlags, pipe_with},
    process::{
        Pid, Signal, WaitOptions, getgid, getpgrp, getpid, getppid, getuid, kill_process, set_child_subreaper, setsid,
        wait,
    },
    thread::UnshareFlags,
};

use super::{
    census::{self, Census},
    group::Group,
    kernel,
    plan::{Limit, Part, Plan, Problem, Report},
    supervisor,
    sys::{self, Side},
    view::INSIDE_ID,
    watch::Watch,
};

/// The hidden first argument.
pub(super) const ARGUMENT: &str = "__sandbox";

/// The interval at which it looks at what the program uses.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// Between two looks at whether everything left behind has died.
const PAUSE: Duration = Duration::from_millis(2);

/// Becomes the sandbox's helper where this process was started as one, and then never returns.
/// `main` calls it before anything else: the helper must have one thread.
pub fn run_if_helper() {
    if std::env::args_os().nth(1).is_some_and(|first| first == ARGUMENT) {
        let Ok(socket) = io::stdin().as_fd().try_clone_to_owned() else { std::process::exit(2) };
        std::process::exit(if help(UnixStream::from(socket)).is_ok() { 0 } else { 2 });
    }
}

fn help(mut control: UnixStream) -> io::Result<()> {
    let (plan, stdin) = Plan::receive(&mut control)?;
    // Never signalled by the program: this helper first, the server, whole groups, and the machine's init.
    let server = getppid().map_or(1, |pid| pid.as_raw_nonzero().get());
    let group = getpgrp().as_raw_nonzero().get();
    let _ = setsid();
    let outside = [getpid().as_raw_nonzero().get(), server, -group, -server, -1, 1];
    set_child_subreaper(Some(getpid()))?;
    go_first();
    // While this still has the server's rights.
    let group = if plan.argv.is_empty() { None } else { Group::make(plan.limits) };
    if let Err(problem) = separate(&plan) {
        Report::from(problem).send(&control);
        return Ok(());
    }
    kernel::bound_buffers(&plan);
    let mut watch = Watch::new(&plan, group.is_some());
    let (lifeline, held) = pipe_with(PipeFlags::CLOEXEC)?;
    let (done, ends) = pipe_with(PipeFlags::CLOEXEC)?;
    let supervisor = match sys::fork() {
        Ok(Side::Child) => {
            drop((held, done));
            if let Some(group) = &group {
                group.enter();
            }
            supervisor::supervise(&plan, &stdin, &control, &lifeline, &outside);
            drop(ends);
            std::process::exit(0);
        }
        Ok(Side::Parent(child)) => child,
        Err(e) => {
            Report::from(Problem::new(Part::Pid, "fork")(e)).send(&control);
            return Ok(());
        }
    };
    drop((lifeline, ends, stdin));
    let limit = follow(&mut watch, &mut control, &done, supervisor);
    let _ = kill_process(supervisor, Signal::KILL);
    sweep();
    let limit = limit?.or_else(|| group.as_ref()?.exceeded());
    if limit.is_some() {
        Report::Ended { code: None, signal: Some(libc::SIGKILL), limit }.send(&control);
    }
    drop(held);
    if let Some(group) = group {
        group.remove();
    }
    Ok(())
}

/// Makes this and all it starts end before anything else where the machine runs out of memory.
#[expect(clippy::disallowed_methods, reason = "this is the host layer, and /proc is no user's file")]
fn go_first() {
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
}

/// Makes the namespaces that hold for everything started from here.
fn separate(plan: &Plan) -> Result<(), Problem> {
    if plan.uses(Part::User) {
        enter_user_namespace().map_err(Problem::new(Part::User, "make a namespace"))?;
    }
    let namespaces = [
        (Part::Pid, UnshareFlags::NEWPID),
        (Part::Network, UnshareFlags::NEWNET),
        (Part::Ipc, UnshareFlags::NEWIPC),
        (Part::Uts, UnshareFlags::NEWUTS),
    ];
    for (part, flag) in namespaces.into_iter().filter(|(part, _)| plan.uses(*part)) {
        sys::unshare(flag).map_err(Problem::new(part, "make a namespace"))?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "this is the host layer, and /proc is no user's file")]
fn enter_user_namespace() -> io::Result<()> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    // Only root may, and only root needs to.
    let _ = rustix::thread::set_thread_groups(&[]);
    sys::unshare(UnshareFlags::NEWUSER)?;
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("{INSIDE_ID} {user} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("{INSIDE_ID} {group} 1"))
}

/// Waits until the supervisor ends, the server lets go, or the program uses more than it may, which is then named.
/// Passes on the wish to end gently (a `T`).
fn follow(
    watch: &mut Watch<'_>,
    control: &mut UnixStream,
    done: &OwnedFd,
    supervisor: Pid,
) -> io::Result<Option<Limit>> {
    loop {
        let mut fds = [PollFd::new(&*control, PollFlags::IN), PollFd::new(done, PollFlags::IN)];
        match poll(&mut fds, Some(&TICK)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
        let [server, ended] = fds.map(|fd| !fd.revents().is_empty());
        let mut word = [0];
        if ended || (server && !matches!(control.read(&mut word), Ok(1))) {
            return Ok(None);
        }
        // The supervisor's end shows on its pipe; what else ends here are orphans it could not adopt.
        reap();
        let census = census::descendants(getpid(), Some(supervisor));
        if word == *b"T" {
            terminate(watch.plan(), &census, supervisor);
        }
        if let Some(limit) = watch.look(&census) {
            return Ok(Some(limit));
        }
    }
}

fn terminate(plan: &Plan, census: &Census, supervisor: Pid) {
    if plan.uses(Part::Pid) {
        let _ = kill_process(supervisor, Signal::TERM);
        return;
    }
    for pid in census::pids(census) {
        let _ = kill_process(pid, Signal::TERM);
    }
}

fn reap() {
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
}

/// Ends whatever still descends from here, and does not rest before. Stopping first keeps a process from making
/// more while others are killed.
fn sweep() {
    loop {
        reap();
        let left = census::descendants(getpid(), None);
        if left.ids.is_empty() {
            return;
        }
        for signal in [Signal::STOP, Signal::KILL] {
            for pid in census::pids(&left) {
                let _ = kill_process(pid, signal);
            }
        }
        std::thread::sleep(PAUSE);
    }
}
