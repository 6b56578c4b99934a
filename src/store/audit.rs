//! wip
use crate::model::{audit::Event, error::Result};
/// wip
pub fn append(c: &rusqlite::Connection, event: &Event) -> Result<()> {
    let _ = (c, event);
    Ok(())
}
