//! Programs that a model writes to call several tools: run in a confined worker, each call through the gate.
//!
//! A call in one that a person must be asked about parks the program. What its calls have answered is kept, and when the
//! person has decided it is run from its beginning, with those answers in their place: no call is made twice.

mod journal;
mod run;

pub use run::{MAX_CALLS, run};
