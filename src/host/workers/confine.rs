//! What a worker gives up before it reads its first frame: files, network, processes, and most of the memory.

use std::{collections::BTreeMap, env::consts::ARCH, io};

use rustix::process::{Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

/// The stack of one, in bytes, where the server's is not smaller: one without a limit would be memory that no limit counts.
const STACK: u64 = 8 << 20;

/// Limits the kernel holds a worker to for its whole life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Private memory, what it starts with included, in bytes.
    pub memory: u64,
    /// Processor time, in seconds.
    pub cpu_seconds: u64,
}

impl Limits {
    /// Those of a worker for scripts. It is watched call by call; the processor time ends one that nobody watches any more.
    pub(super) const SCRIPTS: Self = Self { memory: 80 << 20, cpu_seconds: 600 };
}

/// All a worker ever asks of the kernel: read and write its pipes, memory, time, and its end.
const ALLOWED: &[i64] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_close,
    // The standard library looks at a descriptor before it closes it, where it is built for debugging.
    libc::SYS_fcntl,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_clock_gettime,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_sched_yield,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigaction,
    libc::SYS_sigaltstack,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_tgkill,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_restart_syscall,
];

/// Confines this process for the rest of its life.
///
/// # Errors
/// Where the kernel refuses a part of it: the process must not go on then.
#[expect(clippy::disallowed_methods, reason = "this is the host layer, and /proc is no user's file")]
pub fn confine(limits: Limits) -> io::Result<()> {
    // The first to go where the machine runs out of memory. A kernel without it does without.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    set_parent_process_death_signal(Some(Signal::KILL))?;
    for (resource, most) in [
        (Resource::Data, limits.memory),
        (Resource::Fsize, 0),
        (Resource::Core, 0),
        (Resource::Nofile, 8),
        (Resource::Nproc, 1),
        (Resource::Memlock, 0),
    ] {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    // Behind the others: where limits may not be seen, `getrlimit` panics.
    let stack = getrlimit(Resource::Stack).current.map_or(STACK, |now| now.min(STACK));
    setrlimit(Resource::Stack, Rlimit { current: Some(stack), maximum: Some(stack) })?;
    // The signal of the lower one says what it was; that of the other says nothing.
    let seconds = limits.cpu_seconds;
    setrlimit(Resource::Cpu, Rlimit { current: Some(seconds), maximum: Some(seconds + 1) })?;
    rustix::thread::set_no_new_privs(true)?;
    apply_filter(&filter().map_err(io::Error::other)?).map_err(io::Error::other)
}

fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let rules = ALLOWED.iter().map(|call| (*call, Vec::new())).collect::<BTreeMap<_, _>>();
    // What is not listed fails; a library that tries and does without goes on.
    let denied = SeccompAction::Errno(u32::try_from(libc::EPERM).unwrap_or(1));
    SeccompFilter::new(rules, denied, SeccompAction::Allow, ARCH.try_into()?)?.try_into()
}
