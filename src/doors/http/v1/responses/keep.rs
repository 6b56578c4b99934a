//! Responses that are kept: read again, forgotten, and gone on after.

use super::tell::Head;
use crate::http::state::State;
use satchel_model::{
    call::CallId,
    caller::Caller,
    conversation::ConversationId,
    error::{Error, Kind, Result},
    id::shorten,
    response::{ResponseId, StoredResponse},
    run::RunId,
};
use satchel_store::responses;
use serde_json::{Value, json};

/// Begins the ids of responses.
const BEGIN: &str = "resp_";

/// The response of an id, as its person has it.
///
/// # Errors
///
/// If they have none such.
pub(super) async fn kept(state: &State, caller: &Caller, id: &str) -> Result<StoredResponse> {
    let found = match id.strip_prefix(BEGIN).and_then(|id| id.parse::<ResponseId>().ok()) {
        Some(known) => responses::get(&state.app.db, caller.user, known).await,
        None => Err(Error::not_found("There is no such response.")),
    };
    found.map_err(|error| if error.kind() == Kind::NotFound { gone(id) } else { error })
}

fn gone(id: &str) -> Error {
    let told = format!("There is no response '{}': it was not kept, or is forgotten.", shorten(id));
    Error::not_found(told).with_details(json!({"code": "previous_response_not_found"}))
}

/// Keeps a response.
///
/// # Errors
///
/// If its conversation is gone.
pub(super) async fn keep(
    state: &State,
    caller: &Caller,
    head: &Head,
    (at, decided, input): ((ConversationId, RunId), Vec<CallId>, Vec<Value>),
) -> Result<()> {
    let (conversation, run) = at;
    let (id, request, created_at) = (head.id, head.repeated.clone(), head.at);
    let new = StoredResponse { id, conversation, run, decided, request, input, created_at };
    responses::keep(&state.app.db, caller.user, new).await
}

/// Forgets a response; with the last one of a conversation, that too.
///
/// # Errors
///
/// If there is none such.
pub(super) async fn forget(state: &State, caller: &Caller, id: &str) -> Result<()> {
    let found = kept(state, caller, id).await?;
    let (found, is_last) = responses::forget(&state.app.db, caller.user, found.id).await?;
    if is_last {
        state.agent.delete(caller.user, found.conversation).await?;
    }
    Ok(())
}
