//! Backups: a copy of the database and of the files its rows name, as a tar in one standard age file, and back.

mod anchors;
mod below;
pub mod contents;
mod copy;
pub mod drill;
pub mod exchange;
mod fault;
mod holes;
pub mod instance;
pub mod log;
mod mounts;
mod names;
pub mod notes;
mod pack;
pub mod restore;
pub mod rollback;
pub mod seal;
pub mod shelf;
pub mod snapshots;
mod stage;
mod survey;
mod unpack;
pub mod watch;
pub mod write;
