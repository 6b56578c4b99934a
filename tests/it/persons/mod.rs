//! A person is a person: keys, names, scripts of others, and what the audit and a provider may not repeat.

mod answers;
mod audit;
mod consent;
mod keys;
mod names;
mod standing;
mod turns;
