//! Memory of the kernel's that a sandbox makes it hold, which belongs to no process: what is in sockets and in pipes.
//!
//! None of it shows anywhere, so the most that can be in it counts. For this to be close enough, nobody enlarges a buffer
//! in the sandbox: seccomp lets SO_SNDBUF and SO_RCVBUF do nothing and refuses F_SETPIPE_SZ, and [`bound_buffers`] holds
//! back what the kernel enlarges by itself. Then, with the kernel's usual figures:
//!
//! - A socket holds what it sent and nobody took (`wmem_default`, 208 KiB), and receives twice as much at most: one
//!   message to the limit and one beyond it. That is 624 KiB, so 2 GiB are 3,360 sockets, and not the 262,144 that 256
//!   processes with 1,024 descriptors each could hold.
//! - Pipes hold 64 KiB until all of a user's together have `pipe-user-pages-soft` (64 MiB), and 8 KiB from there on.
//!   Pages that are lent to a pipe rather than copied (`vmsplice`, `splice`, `tee`) would not count, and are refused.
//! - Every other descriptor costs a file, its inode and its name: 2 KiB. A thread costs its stack and itself: 32 KiB.

use std::{fs, path::Path};

use super::{
    census::{self, Census, Open},
    plan::{Part, Plan},
};

const THREAD: u64 = 32 << 10;
const DESCRIPTOR: u64 = 2 << 10;
const PIPE: u64 = 64 << 10;
const LATER_PIPE: u64 = 8 << 10;
const PAGE: u64 = 4 << 10;

/// Most bytes that one thing of a kind can hold here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Costs {
    socket: u64,
    /// Bytes in pipes from which on new ones are small.
    pipes: u64,
    /// `true` if every socket of this network namespace is the sandbox's.
    own_network: bool,
}

/// Holds back buffers that grow by themselves, in the network namespace of the helper. What cannot be written here, no
/// kernel lets grow, or lies in a container that has no such namespace.
#[expect(clippy::disallowed_methods, reason = "this is the host layer, and /proc is no user's file")]
pub(super) fn bound_buffers(plan: &Plan) {
    if !plan.uses(Part::Network) {
        return;
    }
    let most = setting("net/core/wmem_default").unwrap_or(212_992);
    for (name, value) in [
        ("ipv4/tcp_wmem", format!("4096 16384 {most}")),
        ("ipv4/tcp_rmem", format!("4096 131072 {most}")),
        // Messages that wait in a socket when those who sent them are gone.
        ("unix/max_dgram_qlen", "1".to_owned()),
    ] {
        let _ = fs::write(Path::new("/proc/sys/net").join(name), value);
    }
}

impl Costs {
    /// As this kernel has them.
    pub(super) fn new(plan: &Plan) -> Self {
        let sent = setting("net/core/wmem_default").unwrap_or(212_992);
        let received = setting("net/core/rmem_default").unwrap_or(212_992);
        // 0 is no bound.
        let soft = setting("fs/pipe-user-pages-soft").map_or(64 << 20, |pages| pages.saturating_mul(PAGE));
        let pipes = if soft == 0 { u64::MAX } else { soft };
        Self { socket: sent + 2 * sent.max(received), pipes, own_network: plan.uses(Part::Network) }
    }

    /// The most these processes can make the kernel hold, whatever their descriptors are.
    pub(super) fn at_most(&self, census: &Census) -> u64 {
        let sockets = if self.own_network { sockets_here() } else { None };
        let open = Open { sockets: sockets.unwrap_or(census.descriptors), pipes: census.descriptors, others: 0 };
        self.sum(census, open)
    }

    /// The same, looking at what each descriptor is.
    pub(super) fn exactly(&self, census: &Census) -> u64 {
        let open = census::open(census);
        // Those under way from one process to another have no descriptor.
        let sockets = if self.own_network { sockets_here() } else { None };
        self.sum(census, Open { sockets: sockets.unwrap_or(open.sockets), ..open })
    }

    fn sum(&self, census: &Census, open: Open) -> u64 {
        let pipes = open.pipes.saturating_mul(PIPE).min(self.pipes.saturating_add(open.pipes * LATER_PIPE));
        census.threads * THREAD
            + census.descriptors * DESCRIPTOR
            + open.sockets.saturating_mul(self.socket).saturating_add(pipes)
    }
}

/// Sockets of the helper's network namespace, those that nobody has a descriptor for included.
fn sockets_here() -> Option<u64> {
    parse_sockets(&read("/proc/self/net/sockstat")?)
}

fn parse_sockets(sockstat: &str) -> Option<u64> {
    sockstat.lines().find_map(|line| line.strip_prefix("sockets: used "))?.trim().parse().ok()
}

fn setting(name: &str) -> Option<u64> {
    read(Path::new("/proc/sys").join(name))?.trim().parse().ok()
}

#[expect(clippy::disallowed_methods, reason = "this is the host layer, and /proc is no user's file")]
fn read(path: impl AsRef<Path>) -> Option<String> {
    fs::read_to_string(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Costs = Costs { socket: 638_976, pipes: 64 << 20, own_network: true };

    fn census(descriptors: u64) -> Census {
        Census { threads: 1, descriptors, ..Census::default() }
    }

    #[test]
    fn two_gibibytes_are_spent_on_3360_sockets() {
        let with = |sockets| USUAL.sum(&census(0), Open { sockets, ..Open::default() });
        assert!(with(3_360) <= 2 << 30 && with(3_361) > 2 << 30);
    }

    #[test]
    fn pipes_are_small_once_a_user_has_many() {
        let with = |pipes| USUAL.sum(&census(0), Open { pipes, ..Open::default() }) - THREAD;
        assert_eq!(with(10), 10 * PIPE);
        assert_eq!(with(100_000), (64 << 20) + 100_000 * LATER_PIPE);
    }

    #[test]
    fn all_descriptors_that_256_processes_can_have_are_more_than_2_gibibytes() {
        assert!(USUAL.sum(&census(256 * 1_024), Open { pipes: 256 * 1_024, ..Open::default() }) > 2 << 30);
    }

    #[test]
    fn the_kernel_says_how_many_sockets_there_are() {
        let text = "sockets: used 7\nTCP: inuse 0 orphan 0 tw 0 alloc 1 mem 104\n";
        assert_eq!(parse_sockets(text), Some(7));
        assert!(sockets_here().is_some());
    }
}
