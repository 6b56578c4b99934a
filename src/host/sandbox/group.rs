//! A control group (version 2) for one command, where the server may make one: then the kernel counts all memory and all
//! processes of the command itself, and the watch only comes second. Where it may not, the watch is alone.

use std::{
    fs::File,
    io::{self, Read, Write},
    os::fd::{AsFd, OwnedFd},
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::{
    fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, unlinkat},
    process::getpid,
};

use super::plan::{Limit, Limits};

/// Prefix of these groups' names; the helper's process id follows.
const NAME: &str = "satchel-command-";

/// Processes of the sandbox's own in the group: the supervisor.
const OURS: u64 = 1;

/// Tries to remove a group whose processes are about to be gone, and the time between two.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(2);

/// A group that was made for one command.
#[derive(Debug)]
pub(super) struct Group {
    parent: OwnedFd,
    name: String,
    /// Opened with the server's rights, which count when a process moves in.
    procs: File,
    events: File,
}

impl Group {
    /// A group below the server's own or beside it; `None` where the machine has none of this kind, or the server may not.
    pub(super) fn make(limits: Limits) -> Option<Self> {
        let own = own_group(&read("/proc/self/cgroup")?, &read("/proc/self/mountinfo")?)?;
        // A group with processes in it, as the server's own mostly is, cannot hold limited ones.
        [Some(own.as_path()), own.parent()].into_iter().flatten().find_map(|parent| Self::below(parent, limits).ok())
    }

    fn below(parent: &Path, limits: Limits) -> io::Result<Self> {
        let parent = openat(CWD, parent, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        if !limits_children(&parent)? {
            write_in(&parent, "cgroup.subtree_control", "+memory +pids")?;
        }
        remove_abandoned(&parent);
        let name = format!("{NAME}{}", getpid().as_raw_nonzero());
        mkdirat(&parent, &name, Mode::from_raw_mode(0o755))?;
        match Self::furnish(&parent, &name, limits) {
            Ok((procs, events)) => Ok(Self { parent, name, procs, events }),
            Err(e) => {
                // One without its limits is of no use; the failure to make it is what counts.
                let _ = unlinkat(&parent, &name, AtFlags::REMOVEDIR);
                Err(e)
            }
        }
    }

    fn furnish(parent: &OwnedFd, name: &str, limits: Limits) -> io::Result<(File, File)> {
        let dir = openat(parent, name, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        write_in(&dir, "memory.max", &limits.memory.to_string())?;
        write_in(&dir, "memory.oom.group", "1")?;
        write_in(&dir, "pids.max", &(limits.processes + OURS).to_string())?;
        // Not there where the machine does not swap.
        let _ = write_in(&dir, "memory.swap.max", "0");
        Ok((open_in(&dir, "cgroup.procs", OFlags::WRONLY)?, open_in(&dir, "memory.events", OFlags::RDONLY)?))
    }

    /// Moves this process in, and with it all that it starts. Where that fails the watch still holds.
    pub(super) fn enter(&self) {
        let _ = (&self.procs).write_all(b"0");
    }

    /// Returns the limit of memory, if the kernel ended the command for it.
    pub(super) fn exceeded(&self) -> Option<Limit> {
        let mut text = String::new();
        (&self.events).read_to_string(&mut text).ok()?;
        kills(&text).then_some(Limit::Memory)
    }

    /// Removes the group: everything in it was ended.
    pub(super) fn remove(self) {
        for _ in 0..TRIES {
            match unlinkat(&self.parent, &self.name, AtFlags::REMOVEDIR) {
                Err(rustix::io::Errno::BUSY) => std::thread::sleep(PAUSE),
                _ => return,
            }
        }
    }
}

/// Directory of this process's group: its path (the line `0::` of proc's cgroup) at the mount of cgroup2.
fn own_group(cgroup: &str, mountinfo: &str) -> Option<PathBuf> {
    let path = cgroup.lines().find_map(|line| line.strip_prefix("0::"))?;
    mountinfo.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let mut fields = place.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        if !kind.starts_with("cgroup2 ") {
            return None;
        }
        let below = Path::new(path).strip_prefix(root).ok()?;
        Some(Path::new(point).join(below))
    })
}

/// Returns whether groups below this one can be given limits of memory and of processes.
fn limits_children(group: &OwnedFd) -> io::Result<bool> {
    let mut text = String::new();
    open_in(group, "cgroup.subtree_control", OFlags::RDONLY)?.read_to_string(&mut text)?;
    let controllers: Vec<&str> = text.split_ascii_whitespace().collect();
    Ok(["memory", "pids"].iter().all(|wanted| controllers.contains(wanted)))
}

/// Removes groups whose helper was killed.
fn remove_abandoned(parent: &OwnedFd) {
    let Ok(listing) = rustix::fs::Dir::read_from(parent) else { return };
    for entry in listing.flatten() {
        let name = entry.file_name().to_string_lossy();
        let helper = name.strip_prefix(NAME).and_then(|id| id.parse::<u32>().ok());
        if helper.is_some_and(|id| !Path::new("/proc").join(id.to_string()).exists()) {
            // One that still holds something stays.
            let _ = unlinkat(parent, name.as_ref(), AtFlags::REMOVEDIR);
        }
    }
}

fn kills(events: &str) -> bool {
    let count = |name: &str| events.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    ["oom_kill ", "oom_group_kill "].into_iter().filter_map(count).any(|count| count > 0)
}

fn open_in(dir: &OwnedFd, name: &str, flags: OFlags) -> io::Result<File> {
    Ok(openat(dir.as_fd(), name, flags | OFlags::CLOEXEC, Mode::empty())?.into())
}

fn write_in(dir: &OwnedFd, name: &str, text: &str) -> io::Result<()> {
    open_in(dir, name, OFlags::WRONLY)?.write_all(text.as_bytes())
}

#[expect(clippy::disallowed_methods, reason = "this is the host layer, and /proc is no user's file")]
fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay out what they look at")]
mod tests {
    use super::*;

    #[test]
    fn the_servers_own_group_is_found_at_its_mount() {
        let mounts = "24 1 0:22 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                      25 1 0:23 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";
        let own = |cgroup: &str, mounts: &str| own_group(cgroup, mounts);
        let found = own("5:memory:/x\n0::/system.slice/satchel.service\n", mounts).unwrap();
        assert_eq!(found, Path::new("/sys/fs/cgroup/system.slice/satchel.service"));
        let inner = "25 1 0:23 /machine/box /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        assert_eq!(own("0::/machine/box/app\n", inner).unwrap(), Path::new("/sys/fs/cgroup/app"));
        assert_eq!(own("0::/elsewhere\n", inner), None);
        assert_eq!(own("5:memory:/x\n", mounts), None);
        assert_eq!(own("0::/\n", "24 1 0:22 / / rw - ext4 /dev/vda rw\n"), None);
    }

    #[test]
    fn a_folder_that_is_no_group_is_left_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Group::below(dir.path(), Limits::default()).is_err());
        std::fs::File::create(dir.path().join("cgroup.subtree_control")).unwrap();
        assert!(Group::below(dir.path(), Limits::default()).is_err());
        let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["cgroup.subtree_control"]);
    }

    #[test]
    fn the_kernels_kills_are_told_from_its_warnings() {
        assert!(!kills("low 0\nhigh 0\nmax 12\noom 3\noom_kill 0\noom_group_kill 0\n"));
        assert!(kills("max 12\noom 3\noom_kill 2\n"));
    }
}
