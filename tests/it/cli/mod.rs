//! The command line as people and scripts meet it: the real binary, its output, its exit codes.

mod people;
mod platform;
mod runs;
mod start;
mod told;
mod tools;
