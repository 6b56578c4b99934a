//! Scripts as tools: their life, what they reach, what contains them.

mod contained;
mod crowd;
mod ended;
mod filters;
mod folder;
mod guarded;
mod life;
pub(super) mod reach;
mod secrets;
mod shares;
mod shipped;
mod two;
mod watch;
