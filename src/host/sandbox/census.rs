//! Counting the processes of a sandbox and what they hold, from `/proc`.

use std::{
    collections::{HashMap, HashSet},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use rustix::process::Pid;

use crate::quota::BLOCK;

/// One process as `/proc` shows it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Entry {
    parent: i32,
    threads: u64,
    memory: u64,
}

/// A sandbox's processes now.
#[derive(Debug, Default)]
pub(super) struct Census {
    /// Their ids, as `/proc` numbers them.
    pub(super) ids: Vec<i32>,
    /// Their threads.
    pub(super) threads: u64,
    /// Their memory in bytes, swapped out or not, with page tables; shared pages count once for each.
    pub(super) memory: u64,
    /// Their open files, pipes and sockets; a shared one counts once for each.
    pub(super) descriptors: u64,
}

/// Memory of processes in bytes, with shared pages counted once.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Proportional {
    /// Memory that is theirs alone, and files they map.
    pub(super) own: u64,
    /// Memory that more than one could share: files in memory, and memory that is mapped as shared.
    pub(super) shared: u64,
}

/// Things that processes hold open, each counted once.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Open {
    pub(super) sockets: u64,
    pub(super) pipes: u64,
    pub(super) others: u64,
}

/// All that descend from `ancestor`, but for `except`.
pub(super) fn descendants(ancestor: Pid, except: Option<Pid>) -> Census {
    let ancestor = ancestor.as_raw_nonzero().get();
    let except = except.map(|pid| pid.as_raw_nonzero().get());
    let mut ids = children(ancestor).map_or_else(|| search(ancestor), |first| walk(first, ancestor));
    ids.retain(|id| Some(*id) != except);
    let mut census = Census::default();
    for (id, entry) in ids.iter().filter_map(|id| Some((*id, status(id)?))) {
        census.threads += entry.threads;
        census.memory += entry.memory;
        census.descriptors += descriptors(id);
    }
    Census { ids, ..census }
}

/// Memory with shared pages counted once: slower to find out. `None` if one of them cannot be looked at.
pub(super) fn proportional(census: &Census) -> Option<Proportional> {
    census.ids.iter().try_fold(Proportional::default(), |sum, id| {
        let text = match read(&process(*id).join("smaps_rollup")) {
            Ok(text) => text,
            // It ended meanwhile.
            Err(e) if e.raw_os_error() == Some(libc::ESRCH) || !process(*id).exists() => return Some(sum),
            Err(_) => return None,
        };
        let of = |name: &str| kib(&text, name).unwrap_or_default();
        let shared = of("Pss_Shmem:");
        let own = (of("Pss:") + of("SwapPss:")).saturating_sub(shared) + page_tables(*id);
        Some(Proportional { own: sum.own + own, shared: sum.shared + shared })
    })
}

/// Things they hold open: slower to find out than the number of their descriptors.
pub(super) fn open(census: &Census) -> Open {
    let mut seen = HashSet::new();
    let mut open = Open::default();
    for fd in census.ids.iter().flat_map(|id| open_files(*id)) {
        let Ok(target) = std::fs::read_link(&fd) else { continue };
        let counted = match target.to_string_lossy() {
            name if name.starts_with("socket:") => &mut open.sockets,
            name if name.starts_with("pipe:") => &mut open.pipes,
            _ => {
                open.others += 1;
                continue;
            }
        };
        *counted += u64::from(seen.insert(target));
    }
    open
}

/// Bytes of files on this file system that they hold open and that have no name any more.
pub(super) fn nameless(census: &Census, device: u64) -> u64 {
    let mut seen = HashSet::new();
    let files = census.ids.iter().flat_map(|id| open_files(*id)).filter_map(|fd| std::fs::metadata(fd).ok());
    let nameless = files.filter(|file| file.is_file() && file.nlink() == 0 && file.dev() == device);
    nameless.filter(|file| seen.insert(file.ino())).map(|file| file.blocks().saturating_mul(BLOCK)).sum()
}

/// Returns whether one of them maps shared memory that lies in no file: nothing shows how much of it there is.
pub(super) fn maps_shared_memory(census: &Census) -> bool {
    let maps = |id: &i32| read(&process(*id).join("maps")).unwrap_or_default();
    census.ids.iter().map(maps).any(|text| text.lines().any(|line| line.ends_with("/dev/zero (deleted)")))
}

/// The ids as signals take them.
pub(super) fn pids(census: &Census) -> impl Iterator<Item = Pid> + '_ {
    census.ids.iter().filter_map(|id| Pid::from_raw(*id))
}

/// The directory of a process in `/proc`.
pub(super) fn process(id: i32) -> PathBuf {
    Path::new("/proc").join(id.to_string())
}

fn open_files(id: i32) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(process(id).join("fd")).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// Counts a process's descriptors: the size of the directory, or, before Linux 6.2, its entries.
fn descriptors(id: i32) -> u64 {
    let size = std::fs::metadata(process(id).join("fd")).map_or(0, |about| about.len());
    if size > 0 { size } else { open_files(id).count() as u64 }
}

/// The children of all threads of a process; `None` if this kernel does not list them.
fn children(id: i32) -> Option<Vec<i32>> {
    let threads = std::fs::read_dir(process(id).join("task")).ok()?;
    let lists = threads.filter_map(|thread| read(&thread.ok()?.path().join("children")).ok());
    let lists: Vec<String> = lists.collect();
    let own = lists.iter().flat_map(|list| list.split_ascii_whitespace()).filter_map(|id| id.parse().ok());
    (!lists.is_empty()).then(|| own.collect())
}

fn walk(first: Vec<i32>, ancestor: i32) -> Vec<i32> {
    let (mut found, mut seen) = (Vec::new(), HashSet::from([ancestor]));
    let mut pending = first;
    while let Some(id) = pending.pop() {
        // Ids are reused while this reads, so even a tree may seem to have a circle.
        if seen.insert(id) {
            found.push(id);
            pending.extend(children(id).unwrap_or_default());
        }
    }
    found
}

/// The same by looking at every process there is.
fn search(ancestor: i32) -> Vec<i32> {
    let Ok(listing) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = listing.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let parents: HashMap<i32, i32> = ids.filter_map(|id| Some((id, status(&id)?.parent))).collect();
    let descends = |id: &i32| {
        let mut chain = std::iter::successors(Some(*id), |id| parents.get(id).copied()).skip(1).take(parents.len());
        chain.any(|parent| parent == ancestor)
    };
    parents.keys().copied().filter(descends).collect()
}

fn status(id: &i32) -> Option<Entry> {
    parse(&read(&process(*id).join("status")).ok()?)
}

fn page_tables(id: i32) -> u64 {
    read(&process(id).join("status")).ok().and_then(|text| kib(&text, "VmPTE:")).unwrap_or_default()
}

/// proc(5)'s status: a line for each field. The name has no line breaks, whatever it holds.
fn parse(status: &str) -> Option<Entry> {
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let has_ended = field("State:")?.starts_with(['Z', 'X']);
    let threads = if has_ended { 0 } else { field("Threads:")?.parse().ok()? };
    let held = ["VmRSS:", "VmSwap:", "VmPTE:", "HugetlbPages:"];
    let memory = held.iter().filter_map(|name| kib(status, name)).sum();
    Some(Entry { parent: field("PPid:")?.parse().ok()?, threads, memory })
}

/// A field that is given in kB, in bytes.
fn kib(text: &str, name: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    value.split_ascii_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[expect(clippy::disallowed_methods, reason = "this is the host layer, and /proc is no user's file")]
fn read(path: &Path) -> io::Result<String> {
    std::fs::read_to_string(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_what_is_resident_swapped_out_and_spent_on_page_tables() {
        let status = "Name:\tPPid: 9\nState:\tS (sleeping)\nPPid:\t7\nVmSize:\t  9000 kB\nVmRSS:\t    10 kB\n\
                      VmPTE:\t     4 kB\nVmSwap:\t     2 kB\nHugetlbPages:\t       0 kB\nThreads:\t3\n";
        assert_eq!(parse(status), Some(Entry { parent: 7, threads: 3, memory: 16 << 10 }));
        let ended = "Name:\tsh\nState:\tZ (zombie)\nPPid:\t7\nThreads:\t1\n";
        assert_eq!(parse(ended), Some(Entry { parent: 7, threads: 0, memory: 0 }));
    }

    #[test]
    fn both_ways_of_counting_find_this_process_below_its_parent() {
        let (own, parent) = (rustix::process::getpid(), rustix::process::getppid().unwrap());
        let id = own.as_raw_nonzero().get();
        assert!(descendants(parent, None).ids.contains(&id));
        assert!(!descendants(parent, Some(own)).ids.contains(&id));
        assert!(search(parent.as_raw_nonzero().get()).contains(&id));
    }

    #[test]
    fn what_this_process_holds_open_is_seen() {
        let census = Census { ids: vec![rustix::process::getpid().as_raw_nonzero().get()], ..Census::default() };
        let before = open(&census);
        let (pair, pipe) = (std::os::unix::net::UnixStream::pair().unwrap(), std::io::pipe().unwrap());
        let twice = pair.0.try_clone().unwrap();
        let after = open(&census);
        // Other tests of this process open and close things, too: what is held here stays.
        assert!(after.sockets >= 2 && after.pipes >= 1, "{before:?} {after:?}");
        assert!(descriptors(census.ids[0]) >= 5);
        drop((pair, pipe, twice));
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, &[1; 1 << 20]).unwrap();
        file.sync_all().unwrap();
        assert!(nameless(&census, file.metadata().unwrap().dev()) >= 1 << 20);
    }
}
