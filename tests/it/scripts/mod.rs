//! Scripts as tools: their life, what they reach, what contains them.

mod contained;
mod crowd;
mod folder;
mod life;
pub(super) mod reach;
mod shipped;
mod watch;
