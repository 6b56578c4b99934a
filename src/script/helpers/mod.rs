//! The functions scripts have beside Rhai's own, group by group: one file each.

mod clock;
mod csv;
mod decimal;
mod encode;
mod jq;
mod json;
mod list;
mod lists;
mod moment;
mod numbers;
mod patterns;
mod tables;
mod text;
mod time;
mod values;
mod xml;
mod zones;

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;

pub use clock::Clock;
pub use list::{Group, Helper, all, register};
pub use values::{Fallible, from_json, json_of, to_json, to_raw_json};
pub(super) use values::{array_fits, text_fits};
