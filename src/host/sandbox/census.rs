//! Counting the processes of a sandbox and what they hold, from `/proc`.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

use rustix::process::Pid;

/// One process as `/proc` shows it.
struct Entry {
    parent: i32,
    threads: u64,
    resident_pages: u64,
}

/// A sandbox's processes now.
#[derive(Debug, Default)]
pub(super) struct Census {
    /// Their ids, as `/proc` numbers them.
    pub(super) ids: Vec<i32>,
    /// Their threads.
    pub(super) threads: u64,
    /// Their resident memory in bytes, shared pages counted once for each.
    pub(super) resident: u64,
}

/// All that descend from `ancestor`, but for `except`.
pub(super) fn descendants(ancestor: Pid, except: Option<Pid>) -> Census {
    let ancestor = ancestor.as_raw_nonzero().get();
    let except = except.map(|pid| pid.as_raw_nonzero().get());
    let mut ids = children(ancestor).map_or_else(|| search(ancestor), |first| walk(first, ancestor));
    ids.retain(|id| Some(*id) != except);
    let mut census = Census::default();
    for entry in ids.iter().filter_map(|id| stat(*id)) {
        census.threads += entry.threads;
        census.resident += entry.resident_pages * rustix::param::page_size() as u64;
    }
    Census { ids, ..census }
}

/// Memory with shared pages counted once: slower to find out.
pub(super) fn proportional(census: &Census) -> u64 {
    let of = |id: &i32| {
        let text = read(&process(*id).join("smaps_rollup"))?;
        let line = text.lines().find(|line| line.starts_with("Pss:"))?.to_owned();
        line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
    };
    // Unreadable means it just ended, or hides: then what is known of all stands.
    census.ids.iter().map(of).try_fold(0, |sum, one| Some(sum + one?)).unwrap_or(census.resident)
}

/// The ids as signals take them.
pub(super) fn pids(census: &Census) -> impl Iterator<Item = Pid> + '_ {
    census.ids.iter().filter_map(|id| Pid::from_raw(*id))
}

fn process(id: i32) -> PathBuf {
    Path::new("/proc").join(id.to_string())
}

/// The children of all threads of a process; none where this kernel does not list them.
fn children(id: i32) -> Option<Vec<i32>> {
    let threads = std::fs::read_dir(process(id).join("task")).ok()?;
    let lists = threads.filter_map(|thread| read(&thread.ok()?.path().join("children")));
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
    let parents: HashMap<i32, i32> = ids.filter_map(|id| Some((id, stat(id)?.parent))).collect();
    let descends = |id: &i32| {
        let mut chain = std::iter::successors(Some(*id), |id| parents.get(id).copied()).skip(1).take(parents.len());
        chain.any(|parent| parent == ancestor)
    };
    parents.keys().copied().filter(descends).collect()
}

fn stat(id: i32) -> Option<Entry> {
    parse(&read(&process(id).join("stat"))?)
}

/// Fields 4, 20 and 24 of proc(5)'s stat; the name before them may hold anything, brackets too.
fn parse(stat: &str) -> Option<Entry> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let ended = matches!(fields.first(), Some(&("Z" | "X")));
    let number = |at: usize| fields.get(at - 3)?.parse::<u64>().ok();
    let counted = |at: usize| if ended { Some(0) } else { number(at) };
    Some(Entry { parent: i32::try_from(number(4)?).ok()?, threads: counted(20)?, resident_pages: counted(24)? })
}

#[expect(clippy::disallowed_methods, reason = "this is the host layer, and /proc is no user's file")]
fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_does_not_shift_the_fields() {
        let stat = "42 (a) (b) S 7 42 42 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 3 0 1 1000 55 18446744073709551615";
        let entry = parse(stat).unwrap();
        assert_eq!((entry.parent, entry.threads, entry.resident_pages), (7, 3, 55));
    }

    #[test]
    fn both_ways_of_counting_find_this_process_below_its_parent() {
        let (own, parent) = (rustix::process::getpid(), rustix::process::getppid().unwrap());
        let id = own.as_raw_nonzero().get();
        assert!(descendants(parent, None).ids.contains(&id));
        assert!(!descendants(parent, Some(own)).ids.contains(&id));
        assert!(search(parent.as_raw_nonzero().get()).contains(&id));
    }
}
