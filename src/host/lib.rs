//! The machine: time, files, processes, the clipboard. Everything here is narrowed before a tool sees it.

pub mod aside;
pub mod clipboard;
pub mod clock;
pub mod disk;
pub mod files;
pub mod folder;
pub mod fonts;
mod hidden;
pub mod jsonl;
pub mod process;
pub mod quota;
pub mod sandbox;
pub mod stop;
pub mod work;
pub mod workers;
