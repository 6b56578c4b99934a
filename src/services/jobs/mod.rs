//! Jobs: what is done by itself, at its moments, as its owner and with what they may do then.

pub mod calls;
mod clock;
mod ending;
mod making;
mod parked;
mod running;
pub mod service;
pub mod signature;
pub mod tasks;
