//! The last steps before the program: limits, no privileges, rules, filter, exec. Each only takes away.

use std::{
    io::{self, Seek, Write},
    os::unix::process::CommandExt,
    process::{Command, Stdio},
};

use rustix::{
    fs::{MemfdFlags, Mode, memfd_create},
    process::{Resource, Rlimit, getrlimit, setrlimit, setsid, umask},
    thread::{
        CapabilitySet, CapabilitySets, clear_ambient_capability_set, remove_capability_from_bounding_set,
        set_capabilities, set_no_new_privs,
    },
};

use super::{
    filter, paths,
    plan::{Part, Plan, Problem, Report},
    sys,
};

/// The niceness by which the program stands back behind the server and the helper.
const NICE: i32 = 5;

/// Temporary files where `/tmp` cannot be the sandbox's own, in the workspace.
pub(super) const OWN_TMP: &str = ".tmp";

/// Becomes the program, or says why not. With an empty plan every step is tried and nothing is run.
pub(super) fn become_program(plan: &Plan, stdin: &[u8], outside: &[i32]) -> Result<(), Report> {
    let stdin = input(stdin).map_err(|e| no_start(&e))?;
    setsid().map_err(|e| no_start(&e.into()))?;
    // Those who watch it must always come first.
    let _ = rustix::process::nice(NICE);
    if !plan.uses(Part::Mount) {
        // The machine's /tmp is not shown then; it being there already is as good.
        let _ = std::fs::create_dir(plan.view.workspace.join(OWN_TMP));
    }
    if std::env::set_current_dir(&plan.cwd).is_err() {
        return Err(Report::NoDirectory);
    }
    confine(plan, outside)?;
    let Some((program, arguments)) = plan.argv.split_first() else { return Ok(()) };
    sys::close_on_exec_from_three();
    #[expect(clippy::disallowed_methods, reason = "this is the one place where a program starts")]
    let mut command = Command::new(program);
    let error = command.args(arguments).env_clear().envs(plan.env.iter().cloned()).stdin(stdin).exec();
    Err(no_start(&error))
}

fn confine(plan: &Plan, outside: &[i32]) -> Result<(), Problem> {
    umask(Mode::from_raw_mode(0o022));
    limit(plan).map_err(Problem::new(Part::User, "set limits"))?;
    set_no_new_privs(true).map_err(Problem::new(Part::Seccomp, "give up new privileges"))?;
    drop_capabilities().map_err(Problem::new(Part::User, "drop capabilities"))?;
    if plan.uses(Part::Landlock) {
        paths::restrict(plan)?;
    }
    if plan.uses(Part::Seccomp) {
        filter::apply(plan, outside)?;
    }
    Ok(())
}

/// The whole input as a file in memory: no pipe to keep filled, no deadlock.
fn input(bytes: &[u8]) -> io::Result<Stdio> {
    if bytes.is_empty() {
        return Ok(Stdio::null());
    }
    let mut file = std::fs::File::from(memfd_create(c"stdin", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file.into())
}

fn limit(plan: &Plan) -> io::Result<()> {
    let limits = plan.limits;
    let all = [
        (Resource::Cpu, limits.cpu_seconds),
        // Private memory. The address space is left wide: run-times reserve far more of it than they use.
        (Resource::Data, limits.memory),
        (Resource::Nproc, limits.processes),
        (Resource::Fsize, limits.file),
        (Resource::Nofile, limits.open_files),
        (Resource::Memlock, 8 << 20),
        (Resource::Core, 0),
    ];
    for (resource, wanted) in all {
        // Nobody but the machine's owner may raise what was set below.
        let most = getrlimit(resource).maximum.map_or(wanted, |most| most.min(wanted));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
}

fn drop_capabilities() -> io::Result<()> {
    // Those of the bounding set can only be dropped by who may; without them no_new_privs holds what follows.
    for capability in CapabilitySet::all().iter() {
        let _ = remove_capability_from_bounding_set(capability);
    }
    let _ = clear_ambient_capability_set();
    let none = CapabilitySet::empty();
    Ok(set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?)
}

fn no_start(e: &io::Error) -> Report {
    Report::NoStart { errno: e.raw_os_error().unwrap_or(libc::EINVAL) }
}
