//! Prompts: the agents that the caller may use, each with a task to give it; and completion of what is typed.

use std::collections::HashMap;

use rmcp::model::{CompleteRequestParams, JsonObject, Reference};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{page, tools::PageParams};
use crate::http::protocol::{
    revision::Revision,
    rpc::{self, Failure},
};
use crate::http::state::State;
use satchel_model::{agent::Agent, caller::Caller, knowledge::Status, text::clip};
use satchel_store::{agents::Agents, documents::Filter};

/// The permission without which no agent is used.
const RUN: &str = "agents:run";
/// The one argument of each.
const TASK: &str = "task";
/// Longest text that is completed.
const TYPED: usize = 200;
/// Most values of one completion.
const COMPLETED: usize = 100;

async fn agents(state: &State, caller: &Caller) -> Result<Vec<Agent>, Failure> {
    match caller.permissions.grants(RUN) {
        true => Ok(Agents::new(&state.app.db).list(caller).await?),
        false => Ok(Vec::new()),
    }
}

/// All of them: no person has more agents than fit a page.
pub(super) async fn list(
    state: &State,
    caller: &Caller,
    revision: Revision,
    params: JsonObject,
) -> Result<Value, Failure> {
    if rpc::params::<PageParams>(params)?.cursor.is_some() {
        return Err(Failure::params("`cursor` is none of ours: begin without one."));
    }
    let mut all = state.mcp.besides("prompts");
    all.extend(agents(state, caller).await?.iter().map(listed));
    Ok(page::of(revision, "prompts", all, None))
}

fn listed(agent: &Agent) -> Value {
    json!({
        "name": agent.content.name,
        "title": agent.content.name,
        "description": agent.content.description,
        "arguments": [{"name": TASK, "title": "Task", "description": "What it is to do.", "required": false}],
    })
}

#[derive(Deserialize)]
struct GetParams {
    name: String,
    #[serde(default)]
    arguments: HashMap<String, String>,
}

/// The instructions of an agent, with the task it is given.
pub(super) async fn get(
    state: &State,
    caller: &Caller,
    revision: Revision,
    params: JsonObject,
) -> Result<Value, Failure> {
    let GetParams { name, mut arguments } = rpc::params(params)?;
    let all = agents(state, caller).await?;
    let agent = all.into_iter().find(|agent| agent.content.name == name);
    let agent = agent.ok_or_else(|| Failure::params(format!("Unknown prompt: {}", clip(&name, 100))))?;
    let task = arguments.remove(TASK);
    if let Some(unknown) = arguments.keys().next() {
        return Err(Failure::params(format!(
            "The prompt has no argument '{}': it takes `{TASK}`.",
            clip(unknown, 100)
        )));
    }
    let said = |text: &str| json!({"role": "user", "content": {"type": "text", "text": text}});
    let parts = [Some(agent.content.instructions.as_str()), task.as_deref()];
    let messages: Vec<Value> = parts.into_iter().flatten().filter(|text| !text.is_empty()).map(said).collect();
    let mut result = json!({"description": agent.content.description, "messages": messages});
    if let (Some(origin), Some(result)) = (&agent.origin, result.as_object_mut()) {
        result.insert("_meta".to_owned(), json!({"satchel/outside": origin.source}));
    }
    Ok(page::complete(revision, result))
}

/// Values that fit what was typed: ids of documents for their template; a task is anybody's own words.
pub(super) async fn complete(
    state: &State,
    caller: &Caller,
    revision: Revision,
    params: JsonObject,
) -> Result<Value, Failure> {
    let params: CompleteRequestParams = rpc::params(params)?;
    let values = match &params.r#ref {
        Reference::Resource(resource) if resource.uri == "satchel://documents/{id}" && params.argument.name == "id" => {
            documents(state, caller, &params.argument.value).await?
        }
        Reference::Resource(resource) if resource.uri == "satchel://files/{+path}" => Vec::new(),
        Reference::Prompt(prompt) if agents(state, caller).await?.iter().any(|one| one.content.name == prompt.name) => {
            Vec::new()
        }
        _ => return Err(Failure::params("There is no such prompt or template, or it has no such argument.")),
    };
    let total = values.len();
    Ok(page::complete(
        revision,
        json!({"completion": {"values": values, "total": total, "hasMore": total >= COMPLETED}}),
    ))
}

/// Ids of documents whose titles hold what was typed, or that begin with it.
async fn documents(state: &State, caller: &Caller, typed: &str) -> Result<Vec<String>, Failure> {
    if !caller.permissions.grants("knowledge:read") || typed.len() > TYPED {
        return Ok(Vec::new());
    }
    let q = (!typed.is_empty()).then(|| typed.to_owned());
    let limit = u32::try_from(COMPLETED).unwrap_or(u32::MAX);
    let filter = Filter { collection: None, q, status: Some(Status::Ready), before: None, limit, offset: 0 };
    let found = state.app.stores.knowledge.documents.list(caller.reader(), filter).await?;
    Ok(found.into_iter().map(|document| document.id.to_string()).collect())
}
