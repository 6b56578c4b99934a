//! The confinement of a worker before it reads its first frame: files, network, processes, and most of the memory.

use std::{collections::BTreeMap, env::consts::ARCH, io};

use rustix::process::{Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

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

/// The system calls a worker makes whatever the arguments: read and write its pipes, memory, time, and its end. The
/// rest is in [`by_argument`].
const ALLOWED: &[i64] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_munmap,
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
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_restart_syscall,
];

/// Confines this process for the rest of its life.
///
/// # Errors
///
/// If the kernel refuses a part of it: the process must not go on then.
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

fn filter() -> Result<BpfProgram, BackendError> {
    let mut rules: BTreeMap<_, _> = ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
    rules.extend(by_argument()?);
    // What is not listed fails; a library that tries and does without goes on.
    let denied = SeccompAction::Errno(u32::try_from(libc::EPERM).unwrap_or(1));
    SeccompFilter::new(rules, denied, SeccompAction::Allow, ARCH.try_into()?)?.try_into()
}

/// The calls that are allowed with some arguments only.
fn by_argument() -> Result<[(i64, Vec<SeccompRule>); 4], BackendError> {
    let own = std::process::id().cast_signed();
    Ok([
        // A second descriptor of its own pipe; built for debugging, the standard library also looks at one before it closes it.
        // Another command would have signals sent to other processes.
        (libc::SYS_fcntl, vec![rule([equal(1, libc::F_DUPFD_CLOEXEC)])?, rule([equal(1, libc::F_GETFD)])?]),
        // Memory of its own, which its limit counts: not where a mapping moves or grows by itself, is read only or becomes so.
        // None holds code, and none is of the pages a machine keeps apart.
        (libc::SYS_mmap, vec![mapping(libc::PROT_NONE)?, mapping(DATA)?]),
        (libc::SYS_mprotect, vec![rule([equal(2, DATA)])?]),
        // A signal to itself: how it ends where a panic must not go on.
        (libc::SYS_tgkill, vec![rule([equal(0, own)])?]),
    ])
}

/// A private mapping with exactly this protection.
fn mapping(protection: i32) -> Result<SeccompRule, BackendError> {
    rule([equal(2, protection), without(3, libc::MAP_SHARED | libc::MAP_GROWSDOWN | libc::MAP_HUGETLB)])
}

/// All of the conditions.
fn rule<const N: usize>(conditions: [Result<SeccompCondition, BackendError>; N]) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(conditions.into_iter().collect::<Result<_, _>>()?)
}

/// The argument of this number is `value`.
fn equal(argument: u8, value: i32) -> Result<SeccompCondition, BackendError> {
    let value = u64::from(value.cast_unsigned());
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

/// The argument of this number has none of the bits of `flag`.
fn without(argument: u8, flag: i32) -> Result<SeccompCondition, BackendError> {
    let mask = u64::from(flag.cast_unsigned());
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(mask), 0)
}

/// Memory that is read and written.
const DATA: i32 = libc::PROT_READ | libc::PROT_WRITE;

#[cfg(test)]
mod tests {
    use std::{os::unix::process::parent_id, thread};

    use super::*;

    const PAGE: usize = 4096;

    /// Asks in a thread of its own, which alone is filtered.
    fn filtered<T: Send + 'static>(ask: impl FnOnce() -> T + Send + 'static) -> T {
        thread::spawn(|| {
            rustix::thread::set_no_new_privs(true).unwrap();
            apply_filter(&filter().unwrap()).unwrap();
            ask()
        })
        .join()
        .unwrap()
    }

    #[expect(unsafe_code, reason = "the kernel itself is asked")]
    fn maps(protection: i32, flags: i32) -> bool {
        // SAFETY: memory that nobody has yet.
        unsafe {
            libc::mmap(std::ptr::null_mut(), PAGE, protection, flags | libc::MAP_ANONYMOUS, -1, 0) != libc::MAP_FAILED
        }
    }

    /// Whether memory that was written may be given this protection.
    #[expect(unsafe_code, reason = "the kernel itself is asked")]
    fn protects(protection: i32) -> bool {
        // SAFETY: memory that nobody else has, and nobody touches after.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let page = libc::mmap(std::ptr::null_mut(), PAGE, DATA, flags, -1, 0);
            assert!(page != libc::MAP_FAILED);
            libc::mprotect(page, PAGE, protection) == 0
        }
    }

    #[expect(unsafe_code, reason = "the kernel itself is asked")]
    fn signals(process: u32, thread: i32) -> bool {
        // SAFETY: signal 0 only asks whether it might be sent.
        unsafe { libc::syscall(libc::SYS_tgkill, process, thread, 0) == 0 }
    }

    #[expect(unsafe_code, reason = "the kernel itself is asked")]
    fn commands(command: i32, argument: i32) -> bool {
        // SAFETY: descriptor 0 is only looked at, or a copy of it made.
        unsafe { libc::fcntl(0, command, argument) != -1 }
    }

    #[test]
    fn memory_is_its_own_and_holds_no_code() {
        assert!(filtered(|| maps(DATA, libc::MAP_PRIVATE)));
        assert!(filtered(|| maps(libc::PROT_NONE, libc::MAP_PRIVATE)));
        assert!(!filtered(|| maps(DATA, libc::MAP_SHARED)), "no limit counts it");
        assert!(!filtered(|| maps(DATA, libc::MAP_SHARED_VALIDATE)));
        assert!(!filtered(|| maps(DATA, libc::MAP_PRIVATE | libc::MAP_GROWSDOWN)), "no limit counts a stack");
        assert!(!filtered(|| maps(DATA, libc::MAP_PRIVATE | libc::MAP_HUGETLB)));
        assert!(!filtered(|| maps(libc::PROT_READ, libc::MAP_PRIVATE)), "no limit counts what is only read");
        assert!(!filtered(|| maps(DATA | libc::PROT_EXEC, libc::MAP_PRIVATE)));
        assert!(filtered(|| protects(DATA)));
        for protection in [libc::PROT_NONE, libc::PROT_READ, DATA | libc::PROT_EXEC] {
            assert!(!filtered(move || protects(protection)), "what was written would count no more");
        }
    }

    #[test]
    fn it_sends_signals_to_nobody_else() {
        let parent = parent_id();
        assert!(signals(parent, parent.cast_signed()), "without the filter it may");
        assert!(!filtered(move || signals(parent, parent.cast_signed())));
        assert!(filtered(|| signals(std::process::id(), rustix::thread::gettid().as_raw_nonzero().get())));
        assert!(filtered(|| commands(libc::F_DUPFD_CLOEXEC, 3)));
        assert!(!filtered(move || commands(libc::F_SETOWN, parent.cast_signed())));
    }
}
