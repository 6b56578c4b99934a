//! The guarded way out without an application, and what its ledger was told.

use std::sync::Arc;

use parking_lot::Mutex;
use satchel::{
    model::egress::{Crossing, Origin, Part},
    net::{
        gate::{Gate, Ways},
        http::Http,
        llm::breaker::{Background, Breakers, Pace},
        meter::Ledger,
    },
};
use tokio::runtime::Handle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// A way out with no exception and no ledger.
pub fn way_out() -> Http {
    Gate::new(Ways::default(), Ledger::none()).on_behalf(origin())
}

/// Circuit breakers that are all closed, probed in this test's runtime.
pub fn breakers(pace: Pace) -> Breakers {
    let background =
        Background { runtime: Handle::current(), tracker: TaskTracker::new(), shutdown: CancellationToken::new() };
    Breakers::new(background, pace)
}

/// The attempts a ledger was told, in order.
pub type Told = Arc<Mutex<Vec<Crossing>>>;

/// A gate whose ledger is kept in memory.
pub fn recorded(ways: Ways) -> (Gate, Told) {
    let told = Told::default();
    let kept = Arc::clone(&told);
    (Gate::new(ways, Ledger::new(move |crossing| kept.lock().push(crossing))), told)
}

/// Somebody to send for.
pub fn origin() -> Origin {
    Origin::part(Part::Ingest, None)
}
