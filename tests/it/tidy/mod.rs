//! The rules of the tree itself, as tests. Std only: `make tidy` compiles this directory alone, in a second.

mod circles;
mod dialect;
mod driver;
mod layers;
mod rules;
pub mod source;
mod tree;
