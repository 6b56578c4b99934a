//! Scripts as tools: their life, what they reach, what contains them.

mod contained;
mod life;
mod reach;
mod shipped;
mod watch;
