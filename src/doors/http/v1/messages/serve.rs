//! Messages: of an agent, which calls its tools, or of a model that is connected.

use actix_web::{HttpRequest, HttpResponse, web::Data};
use serde_json::{Value, json};

use super::{ask::MessageRequest, tell::Messages};
use crate::http::{
    body::kept::Kept,
    caller::Who,
    client::HangUp,
    error::HttpResult,
    json::Json,
    route::{Guard::SignedIn, Route, route},
    state::State,
    v1::{
        again::{self, Sent},
        dialect::{ANTHROPIC_VERSION, Dialect, Speaks},
        follow,
        gateway::{self, Passed},
        images::{Images, wrong},
        target::{Target, target},
        thread::Thread,
        writer::{self, Passing},
    },
};
use satchel_agent::programs::ProgramRequest;
use satchel_model::{
    caller::Caller,
    llm::{ChatMessage, IMAGE_TOKENS, ProviderKind, estimate_tokens, options::RawRequest},
};

use satchel_store::repeatable::Known;

/// Headers that go with a request that is passed on.
const HEADERS: [&str; 2] = [ANTHROPIC_VERSION, "anthropic-beta"];

pub(in crate::http) fn routes() -> Vec<Route> {
    vec![
        route!(create, SignedIn).speaking(Speaks::Only(Dialect::Anthropic)).calls_others(),
        route!(count, SignedIn).speaking(Speaks::Only(Dialect::Anthropic)).calls_others(),
    ]
}

/// Answers a message as Anthropic's clients ask for it. `satchel/<agent>` runs the agent with its tools, whose calls come as
/// `mcp_tool_use`, and those of the client, whose calls come as `tool_use`. A call that must be approved is told in text with
/// the address where that is done. `<provider>:<model>` passes the request on to that model.
#[utoipa::path(post, path = "/v1/messages", tag = "v1", operation_id = "v1_messages",
    request_body = serde_json::Value, responses(
    (status = 200, description = "The message; with `stream`, as server-sent events.", body = serde_json::Value),
))]
async fn create(
    state: Data<State>,
    Who(caller): Who<Caller>,
    request: HttpRequest,
    HangUp(gone): HangUp,
    body: Kept<MessageRequest>,
) -> HttpResult<HttpResponse> {
    let Kept { parsed: asked, bytes } = body;
    let caller = caller.through(Dialect::Anthropic.door());
    let (model, user, is_streamed) = (asked.model.clone(), asked.user(), asked.stream == Some(true));
    let streams = is_streamed.then_some(()).ok_or(&gone);
    if asked.max_tokens.is_none() {
        return Err(wrong("max_tokens", "it is missing").into());
    }
    let sent = match again::sent(&state, &request, (&caller, &bytes)).await? {
        Sent::First(named) => named,
        Sent::Again(Known::Answer(answer)) => return Ok(again::repeated(answer)),
        Sent::Again(Known::Run(conversation, run)) => {
            let run = follow::again(&state, &request, (&caller, (conversation, run))).await?;
            let writer = Messages::new(&run.id, model);
            return writer::answer(&request, state, (run, writer), streams).await;
        }
    };
    match target(&state, &caller, &model).await? {
        Target::Agent(agent) => {
            let mut images = Images::new(&state, &caller);
            let (messages, brief) = asked.read(&mut images).await?;
            let origin = images.origin;
            let thread = Thread::new(&caller, (&agent, user.as_deref()), &messages);
            let before = thread.as_ref().and_then(|thread| thread.before.clone());
            let program =
                ProgramRequest { agent, messages, brief, origin, thread: before, ..ProgramRequest::default() };
            let mut run = follow::begin(&state, &request, (&caller, program, sent), false).await?;
            run.thread = thread;
            let writer = Messages::new(&run.id, model);
            writer::answer(&request, state, (run, writer), streams).await
        }
        Target::Providers(providers) => {
            let kind = ProviderKind::Anthropic;
            let mut images = match gateway::is_passed_to(&providers, kind) {
                true => Images::passed(&state, &caller),
                false => Images::new(&state, &caller),
            };
            let body = gateway::raw_body(bytes).await?;
            let (providers, read) = gateway::readable(providers, kind, asked.read(&mut images)).await?;
            let raw = RawRequest { kind, body, headers: headers(&request), streamed: is_streamed };
            let passed = Passed { raw, read, hides_usage: false };
            let (asked, is_passed) = gateway::ask(&state, &caller, (providers, passed, sent)).await?;
            if is_passed {
                return writer::answer(&request, state, (asked, Passing(Dialect::Anthropic)), streams).await;
            }
            let writer = Messages::new(&asked.id, model);
            writer::answer(&request, state, (asked, writer), streams).await
        }
    }
}

/// The headers of the dialect that a request has.
fn headers(request: &HttpRequest) -> Vec<(&'static str, String)> {
    let given = |name: &'static str| {
        let values = request.headers().get_all(name).filter_map(|value| value.to_str().ok());
        let joined = values.collect::<Vec<_>>().join(",");
        (!joined.is_empty()).then_some((name, joined))
    };
    HEADERS.into_iter().filter_map(given).collect()
}

/// The tokens of a request for a message, as its model counts them; about so many of an agent, or of a model that does not
/// count. Those of an agent are without its own instructions and tools.
#[utoipa::path(post, path = "/v1/messages/count_tokens", tag = "v1", operation_id = "v1_count_tokens",
    request_body = serde_json::Value, responses((status = 200, body = serde_json::Value)))]
async fn count(
    state: Data<State>,
    Who(caller): Who<Caller>,
    request: HttpRequest,
    body: Kept<MessageRequest>,
) -> HttpResult<Json<Value>> {
    let Kept { parsed: asked, bytes } = body;
    if let Target::Providers(providers) = target(&state, &caller, &asked.model).await? {
        caller.ensure_may_ask_models()?;
        let (kind, body) = (ProviderKind::Anthropic, gateway::raw_body(bytes).await?);
        let raw = RawRequest { kind, body, headers: headers(&request), streamed: false };
        let counted = match providers.first() {
            Some(first) => state.agent.models(Some(caller.user)).count_tokens(first, &raw).await?,
            None => None,
        };
        if let Some(counted) = counted {
            return Ok(Json(json!({"input_tokens": counted})));
        }
    }
    let mut images = Images::counted(&state, &caller);
    let (messages, brief) = asked.read(&mut images).await?;
    let tools: u64 = brief
        .tools
        .iter()
        .map(|tool| estimate_tokens(&tool.description) + estimate_tokens(&tool.parameters.to_string()) + 8)
        .sum();
    let said: u64 = messages.iter().map(tokens).sum();
    Ok(Json(json!({"input_tokens": (estimate_tokens(&brief.instructions) + tools + said).max(1)})))
}

fn tokens(message: &ChatMessage) -> u64 {
    4 + match message {
        ChatMessage::User { text, images } => estimate_tokens(text) + images.len() as u64 * IMAGE_TOKENS,
        ChatMessage::Assistant { text, calls } => {
            estimate_tokens(text)
                + calls.iter().map(|call| estimate_tokens(&call.arguments.to_string()) + 8).sum::<u64>()
        }
        ChatMessage::Tool { results } => results.iter().map(|result| estimate_tokens(&result.text)).sum(),
    }
}
