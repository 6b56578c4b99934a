//! The placement of a worker: on any processor, or beside its caller.

use rustix::{
    process::Pid,
    thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity},
};

/// The processors of one process.
pub(super) struct Place {
    process: Option<Pid>,
    /// All it may have: those of the thread that started it. `None` if there is no choice.
    all: Option<CpuSet>,
    /// The one it was put on.
    only: Option<usize>,
}

impl Place {
    /// Of a child of this thread.
    pub(super) fn new(process: Option<u32>) -> Self {
        Self {
            process: process.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)),
            all: sched_getaffinity(None).ok().filter(|all| all.count() > 1),
            only: None,
        }
    }

    /// On the processor this thread runs on. It is awake, and free as soon as the thread waits for the answer: to wake
    /// another one, and to be woken by it, costs as much as a short script.
    pub(super) fn beside(&mut self) {
        let here = sched_getcpu();
        if self.only != Some(here) && self.all.is_some_and(|all| here < CpuSet::MAX_CPU && all.is_set(here)) {
            let mut one = CpuSet::new();
            one.set(here);
            self.put(&one, Some(here));
        }
    }

    /// On any, as the kernel sees fit.
    pub(super) fn anywhere(&mut self) {
        if let (Some(_), Some(all)) = (self.only, self.all) {
            self.put(&all, None);
        }
    }

    /// Moves it to these processors. Where the kernel refuses, it stays where it is, which is slower and not wrong.
    fn put(&mut self, set: &CpuSet, only: Option<usize>) {
        if self.process.is_some() {
            let _ = sched_setaffinity(self.process, set);
        }
        self.only = only;
    }
}
