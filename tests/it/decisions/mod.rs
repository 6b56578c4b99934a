//! The decisions of the specification that other tests do not name, each with a test that does: what answers look like,
//! what is asked about, and what tools take.

mod answers;
mod asking;
mod attached;
mod learned;
mod systems;
mod values;
