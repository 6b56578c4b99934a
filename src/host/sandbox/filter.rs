//! seccomp: the calls a program in the sandbox never makes.

use std::{collections::BTreeMap, env::consts::ARCH};

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};

use super::plan::{Part, Plan, Problem};

/// Calls that change the machine, reach other processes or open a large part of the kernel.
const NEVER: &[i64] = &[
    // mounts and roots
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    // other processes
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    // kernel machinery
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_fanotify_init,
    libc::SYS_memfd_secret,
    // files by handle go around every path rule
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    // the machine itself
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    libc::SYS_nfsservctl,
    // memory that no limit counts
    libc::SYS_memfd_create,
    libc::SYS_shmget,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_mq_open,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
];

/// Calls programs try first and do without when the kernel does not know them: clone3 hides its flags in memory,
/// where no filter can read them.
const UNKNOWN: &[i64] = &[
    libc::SYS_clone3,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // The mode it makes a file with lies in memory, too.
    libc::SYS_openat2,
];

/// Calls whose callers copy instead where the kernel says that they do not suit: they lend pages to a pipe, and a lent
/// page stays in memory when its owner has let go of it, the whole huge page around it, too.
const UNSUITABLE: &[i64] = &[libc::SYS_splice, libc::SYS_vmsplice, libc::SYS_tee];

/// Calls whose callers write instead where the file system does not know them: this takes gigabytes in no time, so that a
/// disk would be full before anybody looks.
const UNSUPPORTED: &[i64] = &[libc::SYS_fallocate];

/// Wishes about a socket's buffers: the kernel cuts them to what it likes anyhow, and here it likes what there is.
const WISHES: &[i32] = &[libc::SO_SNDBUF, libc::SO_RCVBUF, libc::SO_SNDBUFFORCE, libc::SO_RCVBUFFORCE];

/// Calls that give a file a mode, and which of their arguments that is.
const MODES: &[(i64, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (FCHMODAT2, 2),
    (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
];

/// Calls that give a file a mode where they make one; the arguments with the flags and with the mode.
const OPENING: &[(i64, u8, u8)] = &[
    (libc::SYS_openat, 2, 3),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1, 2),
];

/// Younger than the C library's headers here; the same number on every machine.
const FCHMODAT2: i64 = 452;

const NEW_NAMESPACES: [i32; 8] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
    0x80,
];

/// The kernel ORs this into the numbers of its other calling convention on x86-64.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;

/// Puts the filters on. From here on this process and its children keep them.
pub(super) fn apply(plan: &Plan, outside: &[i32]) -> Result<(), Problem> {
    let unable = || Problem::new::<String>(Part::Seccomp, "put the filter on");
    let filters = [
        (all(UNKNOWN), libc::ENOSYS),
        (all(UNSUITABLE), libc::EINVAL),
        (all(UNSUPPORTED), libc::EOPNOTSUPP),
        // Told that it was done, and nothing is.
        (wishes().map_err(unable())?, 0),
        (never(plan, outside).map_err(unable())?, libc::EPERM),
    ];
    for (rules, errno) in filters {
        let program = compile(rules, errno).map_err(unable())?;
        apply_filter(&program).map_err(|e| unable()(e.to_string()))?;
    }
    Ok(())
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn all(calls: &[i64]) -> Rules {
    calls.iter().map(|call| (*call, Vec::new())).collect()
}

fn wishes() -> Result<Rules, String> {
    let rules = WISHES.iter().map(|wish| socket_option(*wish)).collect::<Result<_, _>>()?;
    Ok(Rules::from([(libc::SYS_setsockopt, rules)]))
}

fn never(plan: &Plan, outside: &[i32]) -> Result<Rules, String> {
    let mut rules = all(NEVER);
    let flags = NEW_NAMESPACES.iter().map(|flag| has_flag(0, *flag)).collect::<Result<_, _>>()?;
    rules.insert(libc::SYS_clone, flags);
    // Pushing characters into a terminal's input, where one was inherited.
    rules.insert(libc::SYS_ioctl, vec![equals(1, libc::TIOCSTI)?, equals(1, libc::TIOCLINUX)?]);
    // Only the native personality and asking for it.
    rules.insert(libc::SYS_personality, vec![none_of(0, &[0, u64::from(u32::MAX)])?]);
    let families = if plan.uses(Part::Network) {
        vec![none_of(0, &[libc::AF_UNIX, libc::AF_INET, libc::AF_INET6].map(number))?]
    } else {
        // Without a network of its own no socket at all: a path rule does not hold back those of other programs.
        Vec::new()
    };
    rules.insert(libc::SYS_socket, families);
    rules.extend(set_ids()?);
    rules.extend(unseen_memory()?);
    if !plan.uses(Part::Pid) {
        let kills = outside.iter().map(|id| equals(0, *id)).collect::<Result<Vec<_>, _>>()?;
        rules.insert(libc::SYS_kill, kills.clone());
        rules.insert(libc::SYS_tgkill, kills);
        rules.insert(libc::SYS_tkill, Vec::new());
        rules.insert(libc::SYS_pidfd_send_signal, Vec::new());
    }
    Ok(rules)
}

/// No file is given the bits that let others run it as its owner or group: outside the sandbox they would hold.
fn set_ids() -> Result<Rules, String> {
    let bits = [libc::S_ISUID, libc::S_ISGID].map(|bit| i32::try_from(bit).unwrap_or_default());
    let gives = |mode: u8| bits.map(|bit| has_flag(mode, bit));
    let mut rules = Rules::new();
    for (call, mode) in MODES {
        rules.insert(*call, gives(*mode).into_iter().collect::<Result<_, _>>()?);
    }
    // Without these flags no file is made, and what stands for the mode means nothing.
    let makes = [libc::O_CREAT, libc::O_TMPFILE & !libc::O_DIRECTORY];
    for (call, flags, mode) in OPENING {
        let both = |(flag, bit)| rule(vec![masked(*flags, flag), masked(*mode, bit)]);
        let pairs = makes.into_iter().flat_map(|flag| bits.map(|bit| (flag, bit)));
        rules.insert(*call, pairs.map(both).collect::<Result<_, _>>()?);
    }
    Ok(rules)
}

/// Memory nobody counts: larger pipes, pages lent to a socket, and huge pages set aside by the machine's owner.
fn unseen_memory() -> Result<Rules, String> {
    Ok(Rules::from([
        (libc::SYS_fcntl, vec![equals(1, libc::F_SETPIPE_SZ)?]),
        (libc::SYS_setsockopt, vec![socket_option(libc::SO_ZEROCOPY)?]),
        (libc::SYS_mmap, vec![has_flag(3, libc::MAP_HUGETLB)?]),
    ]))
}

fn compile(rules: Rules, errno: i32) -> Result<BpfProgram, String> {
    let arch = TargetArch::try_from(ARCH).map_err(|e| e.to_string())?;
    let action = SeccompAction::Errno(u32::try_from(errno).unwrap_or(1));
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, arch).map_err(|e| e.to_string())?;
    let mut program: BpfProgram = filter.try_into().map_err(|e: seccompiler::BackendError| e.to_string())?;
    program.splice(0..0, refuse_x32());
    Ok(program)
}

/// Three instructions ahead of the filter: any call of the x32 convention does not exist.
#[cfg(target_arch = "x86_64")]
fn refuse_x32() -> Vec<sock_filter> {
    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const ENOSYS: u32 = 0x0005_0000 | 38;
    vec![
        sock_filter { code: LOAD_WORD, jt: 0, jf: 0, k: 0 },
        sock_filter { code: JUMP_IF_AT_LEAST, jt: 0, jf: 1, k: X32 },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: ENOSYS },
    ]
}

#[cfg(not(target_arch = "x86_64"))]
fn refuse_x32() -> Vec<sock_filter> {
    Vec::new()
}

fn number(value: i32) -> u64 {
    u64::from(value.cast_unsigned())
}

fn rule(conditions: Vec<Result<SeccompCondition, seccompiler::BackendError>>) -> Result<SeccompRule, String> {
    let conditions = conditions.into_iter().collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?;
    SeccompRule::new(conditions).map_err(|e| e.to_string())
}

fn equals(argument: u8, value: impl TryInto<i64>) -> Result<SeccompRule, String> {
    let value = value.try_into().map_err(|_| "a number too large".to_owned())?;
    // The kernel reads these arguments as 32 bits, whatever stands above.
    let low = u64::from_ne_bytes(value.to_ne_bytes()) & u64::from(u32::MAX);
    rule(vec![SeccompCondition::new(argument, Len::Dword, Op::Eq, low)])
}

fn socket_option(option: i32) -> Result<SeccompRule, String> {
    let equal = |argument, value| SeccompCondition::new(argument, Len::Dword, Op::Eq, number(value));
    rule(vec![equal(1, libc::SOL_SOCKET), equal(2, option)])
}

fn has_flag(argument: u8, flag: i32) -> Result<SeccompRule, String> {
    rule(vec![masked(argument, flag)])
}

fn masked(argument: u8, flag: i32) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, Len::Dword, Op::MaskedEq(number(flag)), number(flag))
}

fn none_of(argument: u8, values: &[u64]) -> Result<SeccompRule, String> {
    rule(values.iter().map(|value| SeccompCondition::new(argument, Len::Dword, Op::Ne, *value)).collect())
}
