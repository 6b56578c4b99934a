//! The header of a script: the comment lines before its first line of code.

mod cursor;
mod head;
mod host;
mod kind;
mod parse;
mod tags;
#[cfg(test)]
mod tests;

pub use head::{BoundSecret, Head, HeadExample, Parameter, Place};
pub use host::Host;
pub use kind::Kind;
pub use parse::{duration, name_of, parse, without_mark};
pub use tags::{TAGS, Tag};
