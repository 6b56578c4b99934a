//! Policies and rules: what they deny, ask and spare, that all views of them agree, and replay.

mod agree;
mod layers;
mod replay;
mod rules;
