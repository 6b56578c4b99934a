//! Commands: what they give back, and what they cannot do.

mod bench;
mod escape;
mod limits;
mod run;
mod tool;
