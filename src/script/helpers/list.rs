//! Every helper: what it is called, how it is written, what it does, and an example that is a test.

use rhai::Engine;

/// One function scripts can call, as the guide and the editor show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Helper {
    /// Its name.
    pub name: &'static str,
    /// How it is called, for instance `split(text, separator) -> array`.
    pub signature: &'static str,
    /// What it does, a sentence; with units and errors where there are any.
    pub what: &'static str,
    /// An expression that uses it.
    pub example: &'static str,
    /// What that gives, as JSON.
    pub result: &'static str,
}

/// Helpers of one kind.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// What they are for, a word.
    pub name: &'static str,
    /// The helpers.
    pub helpers: &'static [Helper],
    /// Gives them to an engine.
    pub register: fn(&mut Engine),
}

/// Every group.
pub fn all() -> &'static [Group] {
    &[]
}

/// Gives every helper to an engine.
pub fn register(engine: &mut Engine) {
    for group in all() {
        (group.register)(engine);
    }
}
