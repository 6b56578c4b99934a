//! Drafts: what somebody writes of a system or an endpoint, and what comes of it.

mod endpoint;
mod slug;
mod system;

use serde::{Deserialize, Deserializer};

use crate::error::{Error, Result};

pub use endpoint::{EndpointDraft, METHODS};
pub use slug::{endpoint_slug, unique_slug};
pub use system::{SystemDraft, base_url};

/// Longest name, in characters.
pub const MAX_NAME: usize = 100;
/// Longest description, in characters.
pub const MAX_TEXT: usize = 4_000;

/// Tells "null" from "left out".
fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

fn line(text: String, what: &str) -> Result<String> {
    let text = text.trim().to_owned();
    let fits = (1..=MAX_NAME).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    fits.then_some(text).ok_or_else(|| Error::invalid(format!("The {what} is 1 to {MAX_NAME} characters on one line.")))
}

fn text(text: String, what: &str) -> Result<String> {
    let text = text.trim().to_owned();
    let fits = text.chars().count() <= MAX_TEXT;
    fits.then_some(text).ok_or_else(|| Error::invalid(format!("The {what} has at most {MAX_TEXT} characters.")))
}
