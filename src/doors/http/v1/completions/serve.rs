//! Chat completions: of an agent, which calls its tools, or of a model that is connected.

use actix_web::{HttpRequest, HttpResponse, web::Data};

use super::{ask::Completion, tell::Completions};
use crate::http::{
    body::kept::Kept,
    caller::Who,
    client::HangUp,
    error::HttpResult,
    route::{Guard::SignedIn, Route, route},
    state::State,
    v1::{
        again::{self, Sent},
        dialect::{Dialect, Speaks},
        follow,
        gateway::{self, Passed},
        images::Images,
        target::{Target, target},
        thread::Thread,
        writer::{self, Passing},
    },
};
use satchel_agent::programs::ProgramRequest;
use satchel_model::{
    caller::Caller,
    llm::{ProviderKind, options::RawRequest},
};
use satchel_store::repeatable::Known;

pub(in crate::http) fn routes() -> Vec<Route> {
    vec![route!(complete, SignedIn).speaking(Speaks::Only(Dialect::Openai)).calls_others()]
}

/// Completes a chat as OpenAI's clients ask for it. `satchel/<agent>` runs the agent with its tools and those of the client:
/// only the client's own come back as `tool_calls`. A call that must be approved is told in text with the address where that
/// is done. `<provider>:<model>` passes the request on to that model.
#[utoipa::path(post, path = "/v1/chat/completions", tag = "v1", operation_id = "v1_chat_completions",
    request_body = serde_json::Value, responses(
    (status = 200, description = "The completion; with `stream`, as server-sent events.", body = serde_json::Value),
))]
async fn complete(
    state: Data<State>,
    Who(caller): Who<Caller>,
    request: HttpRequest,
    HangUp(gone): HangUp,
    body: Kept<Completion>,
) -> HttpResult<HttpResponse> {
    let Kept { parsed: asked, bytes } = body;
    let caller = caller.through(Dialect::Openai.door());
    let (model, user, streams) = (asked.model.clone(), asked.user.clone(), asked.stream == Some(true));
    let options = asked.stream_options.as_ref();
    let wants = |wanted: Option<bool>| wanted == Some(true);
    let includes_usage = options.is_some_and(|options| wants(options.include_usage));
    let tells_tools = options.is_some_and(|options| wants(options.include_tool_events));
    let sent = match again::sent(&state, &request, (&caller, &bytes)).await? {
        Sent::First(named) => named,
        Sent::Again(Known::Answer(answer)) => return Ok(again::repeated(answer)),
        Sent::Again(Known::Run(conversation, run)) => {
            let run = follow::again(&state, &request, (&caller, (conversation, run))).await?;
            let writer = Completions::new(&run.id, model, state.app.clock.now(), includes_usage);
            return writer::answer(&request, state, (run, writer), streams.then_some(()).ok_or(&gone)).await;
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
            let mut run = follow::begin(&state, &request, (&caller, program, sent), tells_tools).await?;
            run.thread = thread;
            let writer = Completions::new(&run.id, model, state.app.clock.now(), includes_usage);
            writer::answer(&request, state, (run, writer), streams.then_some(()).ok_or(&gone)).await
        }
        Target::Providers(providers) => {
            let kind = ProviderKind::Openai;
            let mut images = match gateway::is_passed_to(&providers, kind) {
                true => Images::passed(&state, &caller),
                false => Images::new(&state, &caller),
            };
            let body = gateway::raw_body(bytes).await?;
            let (providers, read) = gateway::readable(providers, kind, asked.read(&mut images)).await?;
            let raw = RawRequest { kind, body, headers: Vec::new(), streamed: streams };
            let passed = Passed { raw, read, hides_usage: !includes_usage };
            let (asked, is_passed) = gateway::ask(&state, &caller, (providers, passed, sent)).await?;
            let streams = streams.then_some(()).ok_or(&gone);
            if is_passed {
                return writer::answer(&request, state, (asked, Passing(Dialect::Openai)), streams).await;
            }
            let writer = Completions::new(&asked.id, model, state.app.clock.now(), includes_usage);
            writer::answer(&request, state, (asked, writer), streams).await
        }
    }
}
