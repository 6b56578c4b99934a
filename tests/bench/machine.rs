//! What the machine did besides the measurement: a figure taken on a busy machine says so.

use std::time::Instant;

use super::usage;

/// Counts the machine's busy time from a point on.
pub(crate) struct Watch {
    begun: Instant,
    busy: f64,
    ours: f64,
}

impl Watch {
    /// Starts counting.
    pub(crate) fn start() -> Self {
        Self { begun: Instant::now(), busy: usage::machine_seconds(), ours: usage::own_seconds() }
    }

    /// One line: cores, load, and what processes other than this program and its servers used.
    pub(crate) fn summary(&self) -> String {
        let wall = self.begun.elapsed().as_secs_f64();
        let busy = usage::machine_seconds() - self.busy;
        let ours = usage::own_seconds() - self.ours;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let others = ((busy - ours) / wall).max(0.0);
        format!("[{wall:.0} s on {cores} cores, load {}, other programs used {others:.2} cores]", usage::load_average())
    }
}
