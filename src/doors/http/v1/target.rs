//! The one that a model's name means: an agent, or a model that is connected.

use serde_json::json;

use crate::http::state::State;
use satchel_model::{
    caller::Caller,
    error::{Error, Result},
    id::shorten,
    llm::Provider,
};
use satchel_services::agents::model_name;

/// Begins the names of agents.
pub(super) const AGENTS: &str = "satchel/";
/// The name of the embedding model.
pub(super) const EMBEDDING: &str = "satchel/embedding";

/// The one that a request is for.
pub(super) enum Target {
    /// An agent, by its name or id.
    Agent(String),
    /// Models, the first to be asked first.
    Providers(Vec<Provider>),
}

/// Returns the one that a model's name means, and notes that it was called.
///
/// # Errors
///
/// If no model that is connected has that name.
pub(super) async fn target(state: &State, caller: &Caller, model: &str) -> Result<Target> {
    let target = meant(state, model).await?;
    note_call(state, caller, model).await;
    Ok(target)
}

/// Notes that a model was called.
pub(super) async fn note_call(state: &State, caller: &Caller, model: &str) {
    if let Some(key) = caller.credential.key() {
        state.app.stores.people.note_call(key, model, state.app.clock.now()).await;
    }
}

async fn meant(state: &State, model: &str) -> Result<Target> {
    if let Some(agent) = model.strip_prefix(AGENTS) {
        return Ok(Target::Agent(agent.to_owned()));
    }
    let mut all = state.agent.providers().chain(None).await?;
    let is_meant = |one: &&Provider| model_name(one) == model || format!("{}:{}", one.name, one.model) == model;
    let meant = all.iter().find(is_meant).map(|one| one.id).ok_or_else(|| unknown(model))?;
    // The others stand in for it, in their order.
    all.sort_by_key(|one| one.id != meant);
    Ok(Target::Providers(all))
}

/// The error for a model that is not there.
pub(super) fn unknown(model: &str) -> Error {
    let message = format!(
        "There is no model '{}' here: write satchel/<agent> for an agent, or <provider>:<model>; GET /v1/models lists them.",
        shorten(model)
    );
    Error::not_found(message).with_details(json!({"field": "model", "code": "model_not_found"}))
}

/// The same error for an agent that is not there.
pub(super) fn not_found(error: Error, model: &str) -> Error {
    if error.kind() == satchel_model::error::Kind::NotFound { unknown(model) } else { error }
}
