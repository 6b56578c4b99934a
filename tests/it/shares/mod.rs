//! Bounded things are shared out by person: while somebody holds all they get, somebody else is served.

mod answers;
mod commands;
mod disk;
mod documents;
mod reads;
mod sizes;
mod systems;
