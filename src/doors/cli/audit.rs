//! `satchel audit`: verifying reads the database itself, so that it needs no server and trusts none.

use std::path::Path;

use serde_json::{Value, json};

use super::{client::Client, run::Exit, screen::Screen};
use satchel_host::clock::Clock;
use satchel_model::{
    error::{Error, Result},
    figure::grouped,
};
use satchel_store::{audit, dir, sql::Connection};

/// Verifies the chain of a data directory against anchors, one JSON object a line.
pub fn verify(data: &Path, anchors: &str, json: bool) -> Result<Exit> {
    let anchors = audit::parse_anchors(anchors)?;
    let connection = Connection::open_read_only(&dir::database(data)).map_err(|error| {
        Error::not_found(format!("There is no audit to read in {}.", data.display())).caused_by(error)
    })?;
    let found = audit::verify(&connection, &anchors, Clock::new().now())?;
    let ok = found.ok;
    let value = serde_json::to_value(&found).map_err(Error::internal)?;
    Screen::new(json).show(&value, |_| match &found.problem {
        None => format!("The chain stands: {} entries, {} anchors met.", grouped(found.entries), anchors.len()),
        Some(problem) => format!("The chain is broken. {problem}"),
    })?;
    Ok(if ok { Exit::Done } else { Exit::Failed })
}

pub(super) async fn anchor(client: &Client, screen: &Screen) -> Result<Exit> {
    let anchor: Value = client.post("/api/audit/anchors", &json!({})).await?;
    screen.show(&anchor, ToString::to_string)?;
    Ok(Exit::Done)
}
