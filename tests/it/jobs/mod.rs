//! Jobs: at their moments, as their owner, and what comes of it.

mod authority;
mod clock;
mod desk;
mod hooks;
mod owners;
mod parked;
mod tasks;
mod tool;
mod wrong;
