//! Commands: what they give back, and what they cannot do.

mod bench;
mod escape;
mod limits;
mod mounted;
mod roots;
mod run;
mod tool;
