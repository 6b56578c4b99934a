//! Counting the processes of a sandbox and what they hold, from `/proc`.

use std::{collections::HashMap, path::Path};

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

/// This process, as the mounted `/proc` numbers it.
pub(super) fn own_id() -> Option<i32> {
    std::fs::read_link("/proc/self").ok()?.to_str()?.parse().ok()
}

/// All that descend from `ancestor`.
pub(super) fn descendants(ancestor: i32) -> Census {
    let all = everybody();
    let mut census = Census::default();
    for (id, entry) in &all {
        if descends(*id, ancestor, &all) {
            census.ids.push(*id);
            census.threads += entry.threads;
            census.resident += entry.resident_pages * rustix::param::page_size() as u64;
        }
    }
    census
}

/// Memory with shared pages counted once: slower to find out.
pub(super) fn proportional(census: &Census) -> u64 {
    let of = |id: &i32| {
        let text = read(&Path::new("/proc").join(id.to_string()).join("smaps_rollup"))?;
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

fn descends(id: i32, ancestor: i32, all: &HashMap<i32, Entry>) -> bool {
    let mut here = id;
    // A chain is never longer than there are processes; the bound holds against ids reused while reading.
    for _ in 0..all.len() {
        match all.get(&here) {
            Some(entry) if entry.parent == ancestor => return true,
            Some(entry) if entry.parent > 0 => here = entry.parent,
            _ => return false,
        }
    }
    false
}

fn everybody() -> HashMap<i32, Entry> {
    let Ok(listing) = std::fs::read_dir("/proc") else { return HashMap::new() };
    listing
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let id: i32 = entry.file_name().to_str()?.parse().ok()?;
            parse(&read(&entry.path().join("stat"))?).map(|entry| (id, entry))
        })
        .collect()
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
    fn this_process_descends_from_its_parent() {
        let parent = rustix::process::getppid().unwrap().as_raw_nonzero().get();
        assert!(descendants(parent).ids.contains(&own_id().unwrap()));
    }
}
