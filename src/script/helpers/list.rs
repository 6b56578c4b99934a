//! Every helper: what it is called, how it is written, what it does, and an example that is a test.

use rhai::Engine;

use super::{csv, encode, json, lists, numbers, patterns, tables, text, time, xml, zones};

/// One function scripts can call, as the guide and the editor show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Helper {
    /// Its name.
    pub name: &'static str,
    /// The signature, for instance `split(text, separator) -> array`.
    pub signature: &'static str,
    /// A sentence on what it does; with units and errors where there are any.
    pub what: &'static str,
    /// An expression that uses it.
    pub example: &'static str,
    /// The result, as JSON.
    pub result: &'static str,
}

/// Helpers of one kind.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// The purpose, a word.
    pub name: &'static str,
    /// The helpers.
    pub helpers: &'static [Helper],
    /// Gives them to an engine.
    pub register: fn(&mut Engine),
}

/// A helper, named by its signature.
pub(super) const fn helper(
    signature: &'static str,
    what: &'static str,
    example: &'static str,
    result: &'static str,
) -> Helper {
    let (mut length, mut rest) = (0, signature.as_bytes());
    while let Some((first, more)) = rest.split_first() {
        if *first == b'(' {
            break;
        }
        (length, rest) = (length + 1, more);
    }
    Helper { name: signature.split_at(length).0, signature, what, example, result }
}

/// Every group.
pub fn all() -> &'static [Group] {
    &[
        json::GROUP,
        text::GROUP,
        patterns::GROUP,
        time::GROUP,
        zones::GROUP,
        csv::GROUP,
        tables::GROUP,
        xml::GROUP,
        encode::GROUP,
        numbers::GROUP,
        lists::GROUP,
    ]
}

/// Gives every helper to an engine. What `now()` says is the machine's time, unless the engine's default tag is a
/// [`Clock`](super::Clock).
pub fn register(engine: &mut Engine) {
    for group in all() {
        (group.register)(engine);
    }
}
