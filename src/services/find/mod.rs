//! The tools that fit a need: by its words, by its meaning, and by what helped before.
//!
//! `profile` is what a tool says of itself, `lexical` and `views` find in it by word and by meaning, `parts` takes a
//! need of several steps apart, `embedding` brings their meaning together, `ranking` joins the scores, `past` lets former
//! successes vote, `finder` is the handle.

pub mod catalogue;
pub mod collisions;
pub mod conversation;
mod embedding;
pub mod finder;
pub mod hit;
pub mod learner;
pub mod lexical;
pub mod parts;
pub mod past;
pub mod profile;
pub mod ranking;
pub mod trial;
pub mod views;
