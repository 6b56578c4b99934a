//! ONNX Runtime's interface with rten behind it, so that fastembed runs on a pure-Rust engine in a static binary.
//!
//! fastembed calls `ort`, and `ort` calls a table of C functions. [`table`] is that table: what fastembed needs of it is
//! implemented here, everything else answers "unimplemented" (`ort_sys::stub`). All its `unsafe` is in these files. What
//! it relies on is what `ort` promises at its own calls: a pointer it passes in came out of the matching function here,
//! is not used after its release, and an output pointer can be written to. No panic leaves a function (`status`), and
//! no pointer into a caller's memory outlives the call, but for the inputs of a run, which their `ort::Value` keeps.

mod graph;
mod info;
mod memory;
mod session;
mod spread;
mod status;
pub mod table;
mod value;
