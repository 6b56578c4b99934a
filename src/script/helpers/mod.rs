//! The functions scripts have beside Rhai's own, group by group: one file each.

mod list;

pub use list::{Group, Helper, all, register};
