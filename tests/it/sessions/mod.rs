//! Sessions: agents that have others do something, each within the rights of all above it.

mod asked;
mod bounds;
mod ends;
mod keys;
mod killed;
mod later;
mod offered;
mod rules;
mod specialists;
mod stage;
mod stopped;
mod tainted;
mod wakes;
