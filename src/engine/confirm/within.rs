//! Calls within an approved one: its person said yes to what they were told, and to no more.

use super::{AssessedCall, cannot_ask, reach::NewPlaces};
use crate::{
    app::App,
    engine::{consent, invoker::Coverage},
    model::error::Result,
};

/// Fails where a call within an approved one would run a script, reach a place or do something its person was not told of.
pub(in crate::engine) async fn ensure_covered(
    app: &App,
    assessed: &AssessedCall<'_>,
    coverage: &Coverage,
) -> Result<()> {
    consent::ensure_agreed(&assessed.pending)?;
    let untold = |reason: &String| !coverage.reasons.contains(reason);
    if let Some(reason) = assessed.asks_because(app).filter(untold) {
        return Err(cannot_ask(assessed, &reason));
    }
    if !assessed.tainted {
        return Ok(());
    }
    let extent = assessed.extent(app).await?;
    let new = NewPlaces::new(app, assessed, &extent, &coverage.places).await?;
    new.message().map_or(Ok(()), |reason| Err(cannot_ask(assessed, &reason)))
}
