//! Calls within an approved one: its person said yes to what they were told, and to no more.

use super::{
    assessed::{AssessedCall, cannot_ask},
    reach::NewPlaces,
};
use crate::{approval::Coverage, changed, consent};
use satchel_app::App;
use satchel_model::error::Result;

/// Fails where a call within an approved one would run a script, reach a place or do something its person was not told of, or
/// where what it runs was changed since.
pub(crate) async fn ensure_covered(app: &App, assessed: &AssessedCall<'_>, coverage: &Coverage) -> Result<()> {
    consent::ensure_agreed(&assessed.pending)?;
    let extent = assessed.extent(app).await?;
    if !extent.runs_only(&coverage.parts) {
        return Err(changed::refusal());
    }
    let untold = |reason: &String| !coverage.reasons.contains(reason);
    let asking = assessed.asks_because(app).into_iter().chain(assessed.judged.asks.iter().cloned());
    if let Some(reason) = asking.into_iter().find(untold) {
        return Err(cannot_ask(assessed, &reason));
    }
    let new = NewPlaces::new(app, assessed, &extent, &coverage.places).await?;
    new.message().map_or(Ok(()), |reason| Err(cannot_ask(assessed, &reason)))
}
