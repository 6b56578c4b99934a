//! Responses: of an agent, which are kept and gone on after, or of a model that is connected.

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    web::{Data, Path, Query},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    approve::{self, Decided, may_decide},
    ask::{Asked, ResponseRequest},
    keep, replay,
    tell::{Head, Responses},
};
use crate::http::{
    body::kept::Kept,
    caller::{Signed, Who},
    client::HangUp,
    error::HttpResult,
    json::Json,
    route::{Guard::SignedIn, Route, route},
    state::State,
    v1::{
        again::{self, Named, Sent},
        dialect::{Dialect, Speaks},
        follow::{self, Followed},
        gateway,
        images::{Images, wrong},
        target::{Target, target},
        writer,
    },
};
use satchel_agent::programs::ProgramRequest;
use satchel_model::{
    caller::Caller,
    error::{Error, Result},
    response::{ResponseId, StoredResponse},
};

use satchel_store::{repeatable::Known, responses};

/// Most items of a list.
const LISTED: usize = 100;

pub(in crate::http) fn routes() -> Vec<Route> {
    let speaking = |route: Route| route.speaking(Speaks::Only(Dialect::Openai));
    vec![
        speaking(route!(create, SignedIn).calls_others()),
        speaking(route!(read, SignedIn).personal()),
        speaking(route!(forget, SignedIn).personal()),
        speaking(route!(cancel, SignedIn).personal()),
        speaking(route!(input_items, SignedIn).personal()),
    ]
}

/// Responds as OpenAI's clients ask for it. `satchel/<agent>` runs the agent with its tools, whose calls come as `mcp_call`, and
/// those of the client, whose calls come as `function_call`. A call that must be approved comes as `mcp_approval_request` for
/// whoever may decide it, and goes on with an `mcp_approval_response` and `previous_response_id`; for others it is told in
/// text. `<provider>:<model>` asks that model, and keeps nothing.
#[utoipa::path(post, path = "/v1/responses", tag = "v1", operation_id = "v1_responses",
    request_body = serde_json::Value, responses(
    (status = 200, description = "The response; with `stream`, as server-sent events.", body = serde_json::Value),
))]
async fn create(
    state: Data<State>,
    Signed(identity): Signed,
    request: HttpRequest,
    HangUp(gone): HangUp,
    body: Kept<ResponseRequest>,
) -> HttpResult<HttpResponse> {
    let Kept { parsed: asked, bytes } = body;
    let caller = identity.caller.through(Dialect::Openai.door());
    let streams = (asked.stream == Some(true)).then_some(()).ok_or(&gone);
    let sent = match again::sent(&state, &request, (&caller, &bytes)).await? {
        Sent::First(named) => named,
        Sent::Again(Known::Answer(answer)) => return Ok(again::repeated(answer)),
        Sent::Again(Known::Run(conversation, run)) => {
            let followed = follow::again(&state, &request, (&caller, (conversation, run))).await?;
            let mut images = Images::new(&state, &caller);
            let head = match responses::of_run(&state.app.db, caller.user, run).await? {
                Some(StoredResponse { id, request: repeated, created_at: at, .. }) => Head { id, repeated, at },
                None => {
                    let repeated = asked.read(&mut images).await?.repeated;
                    Head { id: ResponseId::new(), repeated, at: state.app.clock.now() }
                }
            };
            let writer = Responses::new(head, may_decide(&identity));
            return writer::answer(&request, state, (followed, writer), streams).await;
        }
    };
    match target(&state, &caller, &asked.model).await? {
        Target::Agent(agent) => {
            caller.ensure_personal()?;
            let (is_kept, is_background) = (asked.store != Some(false), asked.background == Some(true));
            if is_background && !is_kept {
                return Err(wrong("background", "what is to be read later must be kept: leave `store` out").into());
            }
            let begun = begin(&state, &request, (&caller, agent, asked), (sent, may_decide(&identity))).await?;
            let Begun { mut followed, head, writer } = begun;
            if is_background {
                followed.is_over();
                if streams.is_err() {
                    let kept = keep::kept(&state, &caller, &format!("resp_{}", head.id.simple())).await?;
                    let told = (kept, follow::origin(&request), may_decide(&identity));
                    let now = replay::now(&state, &caller, told).await?;
                    return Ok(Json(now).respond_to(&request));
                }
            }
            writer::answer(&request, state, (followed, writer), streams).await
        }
        Target::Providers(providers) => {
            ensure_plain(&asked)?;
            let mut images = Images::new(&state, &caller);
            let Asked { messages, brief, mut repeated, .. } = asked.read(&mut images).await?;
            if let Some(fields) = repeated.as_object_mut() {
                fields.insert("store".to_owned(), false.into());
            }
            let head = Head { id: ResponseId::new(), repeated, at: state.app.clock.now() };
            let followed = gateway::translated(&state, &caller, (providers, messages, brief), sent).await?;
            writer::answer(&request, state, (followed, Responses::new(head, false)), streams).await
        }
    }
}

/// Checks that a request asks nothing of a model that only an agent can.
fn ensure_plain(asked: &ResponseRequest) -> Result<()> {
    if asked.background == Some(true) {
        return Err(wrong("background", "only agents, satchel/<agent>, answer in the background"));
    }
    match &asked.previous_response_id {
        Some(_) => Err(wrong("previous_response_id", "only answers of agents, satchel/<agent>, are kept")),
        None => Ok(()),
    }
}

/// A response that is under way.
struct Begun {
    followed: Followed,
    head: Head,
    writer: Responses,
}

/// Begins the run of a response, or goes on with one whose questions it decides.
async fn begin(
    state: &Data<State>,
    request: &HttpRequest,
    (caller, agent, asked): (&Caller, String, ResponseRequest),
    (sent, approves): (Option<Named>, bool),
) -> Result<Begun> {
    let is_kept = asked.store != Some(false);
    let previous = match &asked.previous_response_id {
        Some(id) if !id.is_empty() => Some(keep::kept(state, caller, id).await?),
        _ => None,
    };
    let mut images = Images::new(state, caller);
    let Asked { messages, brief, approvals, repeated, items } = asked.read(&mut images).await?;
    let head = Head { id: ResponseId::new(), repeated, at: state.app.clock.now() };
    let writer = Responses::new(head.clone(), approves);
    if !approvals.is_empty() {
        let previous = previous.ok_or_else(|| wrong("previous_response_id", "name the response that asked"))?;
        if !messages.is_empty() {
            return Err(wrong("input", "decide first: what is said comes with the next request"));
        }
        let Decided { after, calls } = approve::decide(state, caller, (&previous, approvals)).await?;
        let at = (previous.conversation, previous.run);
        // A question is decided once, whoever asks again.
        drop(sent);
        let decided = calls.iter().map(|(call, _)| call.call_id).collect();
        keep::keep(state, caller, &head, (at, decided, items)).await?;
        let followed = follow::going_on(state, request, (caller, at), &after).await?;
        return Ok(Begun { followed, head, writer: writer.after(calls) });
    }
    let conversation = match &previous {
        Some(StoredResponse { conversation, run, .. }) => {
            Some(state.agent.conversation_after(caller, (*conversation, *run)).await?)
        }
        None => None,
    };
    let origin = images.origin;
    let program = ProgramRequest { agent, messages, brief, conversation, origin, ..ProgramRequest::default() };
    let mut followed = follow::begin(state, request, (caller, program, sent), false).await?;
    match followed.at {
        Some(at) if is_kept => keep::keep(state, caller, &head, (at, Vec::new(), items)).await?,
        // Nothing of it is to be found later.
        Some(_) if previous.is_none() => followed.forgets(),
        _ => {}
    }
    Ok(Begun { followed, head, writer })
}

/// A response that was kept, as it is now.
#[utoipa::path(get, path = "/v1/responses/{id}", tag = "v1", operation_id = "v1_response",
    params(("id" = String, Path,)), responses((status = 200, body = serde_json::Value)))]
async fn read(
    state: Data<State>,
    Signed(identity): Signed,
    id: Path<String>,
    request: HttpRequest,
) -> HttpResult<Json<Value>> {
    let caller = identity.caller.clone();
    let kept = keep::kept(&state, &caller, &id).await?;
    let told = (kept, follow::origin(&request), may_decide(&identity));
    Ok(replay::now(&state, &caller, told).await.map(Json)?)
}

/// Forgets a response; with the last one of a conversation, that too.
#[utoipa::path(delete, path = "/v1/responses/{id}", tag = "v1", operation_id = "v1_forget_response",
    params(("id" = String, Path,)), responses((status = 200, body = serde_json::Value)))]
async fn forget(state: Data<State>, Who(caller): Who<Caller>, id: Path<String>) -> HttpResult<Json<Value>> {
    keep::forget(&state, &caller, &id).await?;
    Ok(Json(json!({"id": *id, "object": "response", "deleted": true})))
}

/// Stops the run of a response that was kept, and all that it began.
#[utoipa::path(post, path = "/v1/responses/{id}/cancel", tag = "v1", operation_id = "v1_cancel_response",
    params(("id" = String, Path,)), responses((status = 200, body = serde_json::Value)))]
async fn cancel(
    state: Data<State>,
    Signed(identity): Signed,
    id: Path<String>,
    request: HttpRequest,
) -> HttpResult<Json<Value>> {
    let caller = identity.caller.clone();
    let kept = keep::kept(&state, &caller, &id).await?;
    state.agent.stop_run(&caller, kept.run).await?;
    let told = (kept, follow::origin(&request), may_decide(&identity));
    Ok(replay::now(&state, &caller, told).await.map(Json)?)
}

#[derive(Deserialize, utoipa::IntoParams)]
struct ItemsQuery {
    /// The number of items; 20 if left out, 100 at most.
    limit: Option<usize>,
    /// `asc`, or `desc` if left out.
    order: Option<String>,
    /// Items after the one of this id.
    after: Option<String>,
}

/// The items that were sent with a response that was kept.
#[utoipa::path(get, path = "/v1/responses/{id}/input_items", tag = "v1", operation_id = "v1_response_items",
    params(("id" = String, Path,), ItemsQuery), responses((status = 200, body = serde_json::Value)))]
async fn input_items(
    state: Data<State>,
    Who(caller): Who<Caller>,
    id: Path<String>,
    query: Query<ItemsQuery>,
) -> HttpResult<Json<Value>> {
    let ItemsQuery { limit, order, after } = query.into_inner();
    let mut items = keep::kept(&state, &caller, &id).await?.input;
    match order.as_deref() {
        None | Some("desc") => items.reverse(),
        Some("asc") => {}
        Some(_) => return Err(wrong("order", "it is asc or desc").into()),
    }
    let id_of = |item: &Value| item.get("id").cloned().unwrap_or_default();
    if let Some(after) = after {
        let at = items.iter().position(|item| id_of(item) == after.as_str());
        let at = at.ok_or_else(|| Error::not_found("There is no such item in this response."))?;
        items.drain(..=at);
    }
    let most = limit.unwrap_or(20).clamp(1, LISTED);
    let has_more = items.len() > most;
    items.truncate(most);
    let (first, last) = (items.first().map(id_of), items.last().map(id_of));
    Ok(Json(json!({"object": "list", "data": items, "first_id": first, "last_id": last, "has_more": has_more})))
}
