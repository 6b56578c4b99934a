//! Refusals of a database that has too much to do, or is closing.

use serde_json::json;

use satchel_model::error::{Error, Kind};

pub(super) fn writing_busy() -> Error {
    busy("The server has more to write than it can keep up with: nothing was done. Try again in a minute.")
}

/// Does not say that nothing was done: the read may be of what has been.
pub(super) fn reading_busy() -> Error {
    busy("The server has more to read than it can keep up with. Try again in a minute.")
}

fn busy(message: &str) -> Error {
    Error::new(Kind::Busy, message).with_details(json!({"retry_after": 60}))
}

pub(super) fn closed() -> Error {
    Error::new(Kind::Cancelled, "The server is stopping. Try again once it is up.")
}
