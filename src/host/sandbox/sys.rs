//! The system calls no crate wraps safely. All `unsafe` of the host layer is here.

use std::{io, mem, os::fd::AsRawFd, path::Path, time::Duration};

use rustix::{
    net::{AddressFamily, SocketType, socket},
    process::Pid,
    thread::UnshareFlags,
};

/// The side of a fork this is.
pub(super) enum Side {
    /// The new process.
    Child,
    /// The old one, with the new one's id.
    Parent(Pid),
}

/// Splits this process in two. Only the helper calls it, which has one thread.
pub(super) fn fork() -> io::Result<Side> {
    #[expect(unsafe_code, reason = "a process that becomes the init of a namespace must be forked, not spawned")]
    // SAFETY: the helper has a single thread, so no lock is held by a thread the child would not have.
    let id = unsafe { libc::fork() };
    match Pid::from_raw(id) {
        _ if id < 0 => Err(io::Error::last_os_error()),
        Some(child) => Ok(Side::Parent(child)),
        None => Ok(Side::Child),
    }
}

/// Moves this process into new namespaces.
pub(super) fn unshare(flags: UnshareFlags) -> io::Result<()> {
    #[expect(unsafe_code, reason = "rustix marks it so because of FILES, which is never asked for here")]
    // SAFETY: without `FILES` no file descriptor table is split.
    let done = unsafe { rustix::thread::unshare_unsafe(flags) };
    Ok(done?)
}

/// The things a mount, and each below it, may not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bar {
    /// No set-uid programs, no devices.
    Privileges,
    /// Those, and no writing.
    Writing,
    /// A device keeps its mode and its times; what is written to it still arrives.
    Changes,
}

/// Restricts a mount and all mounts below it.
pub(super) fn restrict_mounts(path: &Path, bar: Bar) -> io::Result<()> {
    let path = std::ffi::CString::new(path.as_os_str().as_encoded_bytes())?;
    let attributes = libc::MOUNT_ATTR_NOSUID
        | match bar {
            Bar::Privileges => libc::MOUNT_ATTR_NODEV,
            Bar::Writing => libc::MOUNT_ATTR_NODEV | libc::MOUNT_ATTR_RDONLY,
            Bar::Changes => libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOEXEC,
        };
    let request = libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    #[expect(unsafe_code, reason = "rustix has no mount_setattr, and only it reaches the mounts below")]
    // SAFETY: the path ends in NUL, the struct has the size that is passed, and both outlive the call.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            libc::AT_RECURSIVE,
            &raw const request,
            mem::size_of::<libc::mount_attr>(),
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Marks every descriptor but the standard three to be closed by `exec`.
pub(super) fn close_on_exec_from_three() {
    #[expect(unsafe_code, reason = "rustix has no close_range")]
    // SAFETY: marking closes nothing now; after exec nobody uses them. An old kernel says ENOSYS, and then the
    // descriptors are closed by the flag they were opened with.
    let _ = unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}

/// The event a supervisor waits for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wake {
    /// A child changed.
    Child,
    /// It is asked to end the program.
    Terminate,
    /// The time passed.
    Tick,
}

/// The signals a supervisor takes one at a time instead of being interrupted by them.
pub(super) struct Signals(libc::sigset_t);

impl Signals {
    /// Holds SIGCHLD and SIGTERM back from now on.
    pub(super) fn hold() -> io::Result<Self> {
        #[expect(unsafe_code, reason = "no crate here wraps signal sets")]
        // SAFETY: the set is initialised by sigemptyset before anything reads it, and outlives the calls.
        let (set, result) = unsafe {
            let mut set = mem::zeroed();
            libc::sigemptyset(&raw mut set);
            libc::sigaddset(&raw mut set, libc::SIGCHLD);
            libc::sigaddset(&raw mut set, libc::SIGTERM);
            let result = libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
            (set, result)
        };
        if result == 0 { Ok(Self(set)) } else { Err(io::Error::last_os_error()) }
    }

    /// Lets them through again, for the program: a mask outlives exec.
    pub(super) fn release(&self) {
        #[expect(unsafe_code, reason = "no crate here wraps signal sets")]
        // SAFETY: the set was initialised by `hold`; the old mask is not asked for.
        let _ = unsafe { libc::sigprocmask(libc::SIG_UNBLOCK, &raw const self.0, std::ptr::null_mut()) };
    }

    /// Waits for one of them, at most this long.
    pub(super) fn wait(&self, limit: Duration) -> Wake {
        let limit = libc::timespec {
            tv_sec: libc::time_t::try_from(limit.as_secs()).unwrap_or(1),
            tv_nsec: libc::c_long::from(i32::try_from(limit.subsec_nanos()).unwrap_or(0)),
        };
        #[expect(unsafe_code, reason = "no crate here wraps sigtimedwait")]
        // SAFETY: set and limit outlive the call; no signal info is asked for.
        let signal = unsafe { libc::sigtimedwait(&raw const self.0, std::ptr::null_mut(), &raw const limit) };
        match signal {
            libc::SIGCHLD => Wake::Child,
            libc::SIGTERM => Wake::Terminate,
            _ => Wake::Tick,
        }
    }
}

/// Brings up the loopback device of a new network namespace, so that programs can talk to themselves.
pub(super) fn raise_loopback() -> io::Result<()> {
    let socket = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    #[expect(unsafe_code, reason = "no crate here wraps this ioctl")]
    // SAFETY: all-zero is a valid ifreq; the name is shorter than its field and stays NUL-terminated; the kernel
    // reads the request only during the call.
    let result = unsafe {
        let mut request: libc::ifreq = mem::zeroed();
        for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
            *to = libc::c_char::from_ne_bytes([*from]);
        }
        request.ifr_ifru.ifru_flags = libc::c_short::try_from(libc::IFF_UP | libc::IFF_RUNNING).unwrap_or_default();
        libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
