//! `/api/offline/ask`: what can be said without a model: tools that fit, passages that answer, and nothing more.

use actix_web::web::Data;
use serde::{Deserialize, Serialize};

use super::{
    body::Body,
    json::Json,
    route::{Guard::SignedIn, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{caller::Caller, policy::Situation};
use satchel_services::{
    find::{finder::Asker, hit::Hit},
    knowledge::{context, search::Hit as Passage},
};

/// Tools an answer names at most.
const NAMED: usize = 5;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(ask, SignedIn).calls_others()]
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct OfflineQuestion {
    /// The need, in the person's words.
    #[schema(min_length = 1, pattern = r"\S")]
    text: String,
}

/// The answer that can be given without a model.
#[derive(Serialize, utoipa::ToSchema)]
struct OfflineAnswer {
    /// Tools that fit, to be run by form.
    tools: Vec<Hit>,
    /// Passages of documents that answer, to be quoted.
    passages: Vec<Passage>,
    /// A note on what this is and is not.
    note: String,
}

/// Finds the tools that fit, and the passages of documents that bear on what is wanted.
#[utoipa::path(post, path = "/api/offline/ask",
    request_body = OfflineQuestion, tag = "conversations", responses((status = 200, body = OfflineAnswer)))]
async fn ask(
    state: Data<State>,
    Who(caller): Who<Caller>,
    body: Body<OfflineQuestion>,
) -> HttpResult<Json<OfflineAnswer>> {
    let text = body.0.text;
    let (registry, settings) = (state.invoker.registry(), state.app.settings.get());
    let policy = state.invoker.policy(&Situation::default());
    let asker = Asker { registry: &registry, caller: &caller, settings: &settings, policy: &policy };
    let tools = state.finder.find(asker, &text, NAMED).await?.hits;
    let passages = context::passages(&state.app, &caller, &text).await?;
    let note = match (tools.is_empty(), passages.is_empty()) {
        (true, true) => {
            "No model is connected, so nothing can be answered, and no tool fits this. Try others, or \
                 connect a model under Settings."
        }
        (false, true) => {
            "No model is connected, so nothing is answered in words. These tools match yours; you can run them \
                  by form."
        }
        (_, false) => {
            "No model is connected, so nothing is answered in words. These passages of your documents bear on what \
                  you wrote; tools that match can be run by form."
        }
    };
    Ok(Json(OfflineAnswer { tools, passages, note: note.to_owned() }))
}
