//! What the helper watches while a command runs: memory, however it is held, processes, and what the workspace holds.

use std::{os::unix::fs::MetadataExt, path::Path};

use super::{
    census::{self, Census, Proportional},
    kernel::Costs,
    machine::{Machine, Scarcity},
    plan::{Bounded, Limit, Plan},
    view,
};
use crate::host::quota::{Count, Excess, Quota, UNCOUNTABLE, Usage, count};

/// Entries of the workspace that are looked at each time.
const ENTRIES: usize = 4_000;

/// Looks between two counts of the workspace: as many as the last one took, but no more than this.
const LONGEST_REST: usize = 20;

/// The watch over one command.
#[derive(Debug)]
pub(super) struct Watch<'a> {
    plan: &'a Plan,
    costs: Costs,
    /// Shared memory of the machine before the command began.
    shared_before: u64,
    scarcity: Scarcity,
    folder: Option<Folder>,
}

impl<'a> Watch<'a> {
    /// Begins before the command does.
    pub(super) fn new(plan: &'a Plan) -> Self {
        Self {
            plan,
            costs: Costs::of(plan),
            shared_before: Machine::now().map_or(u64::MAX, |machine| machine.shared),
            scarcity: Scarcity::default(),
            folder: plan.bounded.clone().map(Folder::new),
        }
    }

    /// What is run.
    pub(super) fn plan(&self) -> &'a Plan {
        self.plan
    }

    /// The limit the command is over, if any.
    pub(super) fn look(&mut self, census: &Census) -> Option<Limit> {
        if census.threads > self.plan.limits.processes {
            return Some(Limit::Processes);
        }
        let machine = Machine::now();
        let grown = machine.map_or(0, |machine| machine.shared.saturating_sub(self.shared_before));
        let files = self.files_in_memory(census);
        let held = census.memory + files + self.costs.at_most(census);
        if held + grown > self.plan.limits.memory && self.exceeds(census, files, grown) {
            return Some(Limit::Memory);
        }
        if machine.is_some_and(|machine| self.scarcity.demands(machine, held, self.plan.limits.memory)) {
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

    /// What lies in `/tmp` and `/dev/shm` of the sandbox, as one of its programs sees them.
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
    about: Bounded,
    device: Option<u64>,
    count: Count,
    looks: usize,
    rest: usize,
    /// What it may hold: its quota, or what was in it already.
    most: Quota,
}

impl Folder {
    fn new(about: Bounded) -> Self {
        let device = std::fs::metadata(&about.folder).ok().map(|found| found.dev());
        let countable = Quota { bytes: u64::MAX, files: about.quota.files.saturating_mul(2) };
        let most = at_least(about.quota, count(&about.folder, countable));
        let count = Count::new(about.folder.clone());
        Self { about, device, count, looks: 0, rest: 0, most }
    }

    fn look(&mut self, census: &Census) -> Option<Limit> {
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

/// A workspace that is over its quota already may be used, to make room in it, and may not grow.
fn at_least(quota: Quota, usage: Usage) -> Quota {
    let files = if usage.files == UNCOUNTABLE { 0 } else { usage.files };
    Quota { bytes: quota.bytes.max(usage.bytes), files: quota.files.max(files) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
