//! The helper's watch over a running command: memory, however it is held, processes, and the contents of the workspace.

use std::{os::unix::fs::MetadataExt, path::Path};

use super::{
    census::{self, Census, Proportional},
    kernel::Costs,
    machine::{Machine, Scarcity},
    plan::{BoundedFolder, Limit, Plan},
    view,
};
use crate::{
    disk,
    quota::{Count, Excess, Quota, UNCOUNTABLE, Usage, count},
};

/// Entries of the workspace that are looked at each time.
const ENTRIES: usize = 4_000;

/// Bytes by which the free disk may fall where a command finds too little of it.
const SLACK: u64 = 64 << 20;

/// Looks between two counts of the workspace: as many as the last one took, but no more than this.
const LONGEST_REST: usize = 20;

/// The watch over one command.
#[derive(Debug)]
pub(super) struct Watch<'a> {
    plan: &'a Plan,
    costs: Costs,
    /// Shared memory of the machine before the command began; `None` where a control group counts the command's own.
    shared_before: Option<u64>,
    scarcity: Scarcity,
    folder: Option<Folder>,
}

impl<'a> Watch<'a> {
    /// Begins before the command does.
    pub(super) fn new(plan: &'a Plan, has_group: bool) -> Self {
        Self {
            plan,
            costs: Costs::new(plan),
            shared_before: Machine::now().filter(|_| !has_group).map(|machine| machine.shared),
            scarcity: Scarcity::default(),
            folder: plan.bounded.clone().map(Folder::new),
        }
    }

    /// The plan of the command it watches.
    pub(super) fn plan(&self) -> &'a Plan {
        self.plan
    }

    /// The limit the command is over, if any.
    pub(super) fn look(&mut self, census: &Census) -> Option<Limit> {
        if census.threads > self.plan.limits.processes {
            return Some(Limit::Processes);
        }
        let machine = Machine::now();
        let grown = growth(self.shared_before, machine);
        let files = self.files_in_memory(census);
        let held = census.memory + files + self.costs.at_most(census);
        if held + grown > self.plan.limits.memory && self.exceeds(census, files, grown) {
            return Some(Limit::Memory);
        }
        if machine.is_some_and(|machine| self.scarcity.requires(machine, held, self.plan.limits.memory)) {
            return Some(Limit::Machine);
        }
        self.folder.as_mut().and_then(|folder| folder.look(census))
    }

    /// The same as the cheap sum, with what is shared counted once and what is open looked at.
    fn exceeds(&self, census: &Census, files: u64, grown: u64) -> bool {
        let all = Proportional { own: census.memory, shared: 0 };
        let Proportional { own, shared } = census::proportional(census).unwrap_or(all);
        let base = own + self.costs.exactly(census);
        let seen = shared + files;
        // Shared memory stays when it is unmapped in part, or told to be forgotten, and then nothing shows whose it is.
        base + seen > self.plan.limits.memory
            || (base + seen.max(grown) > self.plan.limits.memory && census::maps_shared_memory(census))
    }

    /// Contents of `/tmp` and `/dev/shm` of the sandbox, as one of its programs sees them.
    fn files_in_memory(&self, census: &Census) -> u64 {
        let of = |id: &i32, place: &Path| {
            let below_root = place.strip_prefix("/").unwrap_or(place);
            let about = rustix::fs::statfs(census::process(*id).join("root").join(below_root)).ok()?;
            let used = about.f_blocks.saturating_sub(about.f_bfree);
            Some(used.saturating_mul(u64::try_from(about.f_bsize).unwrap_or_default()))
        };
        let places = view::in_memory(self.plan);
        places.into_iter().filter_map(|place| census.ids.iter().find_map(|id| of(id, place))).sum()
    }
}

/// The workspace, counted again and again, a piece at each look.
#[derive(Debug)]
struct Folder {
    about: BoundedFolder,
    device: Option<u64>,
    count: Count,
    looks: usize,
    rest: usize,
    /// The most it may hold: its quota, or what was in it already.
    most: Quota,
    floor: Floor,
}

/// The free bytes of a disk below which a command may not bring it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Floor(Option<u64>);

impl Floor {
    /// The bytes kept free of it, or a little less than there are where that is less already.
    fn new(free: disk::Free) -> Self {
        Self(Some(free.kept.min(free.bytes.saturating_sub(SLACK))))
    }

    fn is_undercut(self, free: disk::Free) -> bool {
        self.0.is_some_and(|floor| free.bytes < floor)
    }
}

impl Folder {
    fn new(about: BoundedFolder) -> Self {
        let device = std::fs::metadata(&about.folder).ok().map(|found| found.dev());
        let quota = Quota::from(&about.settings);
        let countable = Quota { bytes: u64::MAX, files: quota.files.saturating_mul(2) };
        let most = at_least(quota, count(&about.folder, countable));
        let count = Count::new(about.folder.clone());
        let floor = disk::free(&about.folder, &about.settings).map_or(Floor(None), Floor::new);
        Self { about, device, count, looks: 0, rest: 0, most, floor }
    }

    fn look(&mut self, census: &Census) -> Option<Limit> {
        // A file without a name that only a socket or a mapping holds is not counted, but it takes of the disk.
        if disk::free(&self.about.folder, &self.about.settings).is_ok_and(|free| self.floor.is_undercut(free)) {
            return Some(Limit::Disk);
        }
        if self.rest > 0 {
            self.rest -= 1;
            return None;
        }
        self.looks += 1;
        let usage = match self.count.advance(ENTRIES) {
            Some(whole) => {
                self.count = Count::new(self.about.folder.clone());
                self.rest = std::mem::take(&mut self.looks).min(LONGEST_REST);
                let nameless = self.device.map_or(0, |device| census::nameless(census, device));
                whole.plus(Usage { bytes: nameless, files: 0 })
            }
            None => self.count.found(),
        };
        Some(match self.most.excess(usage)? {
            Excess::Bytes => Limit::Workspace,
            Excess::Files => Limit::Files,
        })
    }
}

/// Bytes by which the shared memory of the machine has grown since; whoever's it is, as nothing says whose.
fn growth(before: Option<u64>, machine: Option<Machine>) -> u64 {
    machine.zip(before).map_or(0, |(machine, before)| machine.shared.saturating_sub(before))
}

/// A workspace that is over its quota already may be used, to make room in it, and may not grow.
fn at_least(quota: Quota, usage: Usage) -> Quota {
    let files = if usage.files == UNCOUNTABLE { 0 } else { usage.files };
    Quota { bytes: quota.bytes.max(usage.bytes), files: quota.files.max(files) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_memory_of_others_counts_only_where_no_control_group_does() {
        let machine = Machine::now();
        let shared = machine.map_or(0, |machine| machine.shared);
        assert_eq!((growth(Some(0), machine), growth(None, machine)), (shared, 0));
    }

    #[test]
    fn a_disk_may_be_filled_to_its_floor_and_a_fuller_one_a_little_more() {
        let disk = |bytes| disk::Free { bytes, kept: 500 << 20 };
        let floor = Floor::new(disk(900 << 20));
        assert!(!floor.is_undercut(disk(500 << 20)) && floor.is_undercut(disk(499 << 20)));
        let floor = Floor::new(disk(100 << 20));
        assert!(!floor.is_undercut(disk(36 << 20)) && floor.is_undercut(disk(35 << 20)));
        assert!(!Floor::new(disk(10 << 20)).is_undercut(disk(0)));
    }

    #[test]
    fn what_was_there_may_stay_and_what_cannot_be_counted_may_not() {
        let quota = Quota { bytes: 10, files: 10 };
        let most = at_least(quota, Usage { bytes: 5, files: 20 });
        assert_eq!(most, Quota { bytes: 10, files: 20 });
        assert_eq!(most.excess(Usage { bytes: 5, files: 21 }), Some(Excess::Files));
        let hidden = Usage { bytes: 5, files: UNCOUNTABLE };
        assert_eq!(at_least(quota, hidden).excess(hidden), Some(Excess::Files));
    }
}
