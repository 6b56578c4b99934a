//! Commands: what they give back, and what they cannot do.

mod bench;
mod escape;
mod held;
mod limits;
mod memory;
mod mounted;
mod quota;
mod roots;
mod run;
mod tool;
