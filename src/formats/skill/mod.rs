//! Skills: folders with a SKILL.md, as files or as a zip.

mod folder;
mod head;
mod yaml;

pub use folder::read;
