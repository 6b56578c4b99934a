//! Trials of a text before it is a tool: checked, tested, run once.

use std::time::Instant;

use actix_web::web::{Data, Path};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{
    bench::bench,
    view::{ScriptCheck, ScriptRun, ScriptSpec},
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use crate::http::{
    body::{Body, OptionalBody},
    client::HangUp,
    json::Json,
    state::State,
};
use satchel_model::{
    call::{Call, Outcome},
    caller::Caller,
    error::{Error, Result},
    script::TestRun,
};
use satchel_store::people::Actor;

/// A text.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptText {
    /// The script.
    source: String,
}

/// Says what is wrong with a text. Nothing is kept.
#[utoipa::path(post, path = "/api/scripts/check",
    request_body = ScriptText, tag = "scripts", responses((status = 200, body = ScriptCheck)))]
pub(super) async fn check(
    state: Data<State>,
    Who(by): Who<Actor>,
    Body(text): Body<ScriptText>,
) -> HttpResult<Json<ScriptCheck>> {
    let started = Instant::now();
    let checked = bench(&state).check(by.caller.user, &text.source).await?;
    let loaded = state.scripts.read(&text.source);
    let named = !loaded.head.name.is_empty();
    Ok(Json(ScriptCheck {
        problems: checked.problems,
        spec: named.then(|| ScriptSpec::new(&state.scripts, &loaded)),
        capabilities: state.scripts.capabilities(&loaded),
        ms: started.elapsed().as_secs_f64() * 1_000.0,
    }))
}

/// A text that may be left out.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct MaybeText {
    /// The script; its draft or its live text if left out.
    source: Option<String>,
}

async fn text(state: &State, name: &str, given: Option<String>) -> Result<String> {
    match given {
        Some(source) => Ok(source),
        None => bench(state).text(name).await,
    }
}

/// Runs the examples and tests of a script, with recorded answers: nothing leaves.
#[utoipa::path(post, path = "/api/scripts/{name}/test",
    request_body = Option<MaybeText>, tag = "scripts", params(("name" = String, Path,)),
    responses((status = 200, body = TestRun)))]
pub(super) async fn test(
    state: Data<State>,
    Who(by): Who<Actor>,
    name: Path<String>,
    OptionalBody(given): OptionalBody<MaybeText>,
) -> HttpResult<Json<TestRun>> {
    let source = text(&state, &name, given.source).await?;
    Ok(bench(&state).test(by.caller.user, &source).await.map(Json)?)
}

/// A trial.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptTrial {
    /// The script; its draft or its live text if left out.
    source: Option<String>,
    /// The arguments.
    #[serde(default)]
    #[schema(value_type = Object)]
    params: Map<String, Value>,
}

/// Runs a text for real, as the caller. What asks a person is refused with that reason.
#[utoipa::path(post, path = "/api/scripts/{name}/run",
    request_body = ScriptTrial, tag = "scripts", params(("name" = String, Path,)),
    responses((status = 200, body = ScriptRun)))]
pub(super) async fn run(
    state: Data<State>,
    Who(caller): Who<Caller>,
    name: Path<String>,
    HangUp(unheard): HangUp,
    Body(trial): Body<ScriptTrial>,
) -> HttpResult<Json<ScriptRun>> {
    let source = text(&state, &name, trial.source).await?;
    let started = Instant::now();
    let call = Call::new(caller, name.into_inner(), Value::Object(trial.params));
    let outcome = bench(&state).run(&source, call, unheard).await;
    let ms = started.elapsed().as_secs_f64() * 1_000.0;
    let run = match outcome {
        Ok(Outcome::Done(done)) => {
            let output = &done.output;
            let facts = Value::Object(output.meta.clone());
            let run =
                ScriptRun { success: true, data: output.data.clone(), content: output.shown(), ..Default::default() };
            ScriptRun { title: output.title.clone(), html: output.html.clone(), ms, ..run }.facts(&facts)
        }
        Ok(Outcome::Confirm(_)) => return Err(Error::internal("a trial was left waiting for a person").into()),
        Err(error) => {
            let facts = error.details().cloned().unwrap_or_default();
            let run = ScriptRun { error: Some(error.message().to_owned()), ms, ..Default::default() };
            run.facts(&facts)
        }
    };
    Ok(Json(run))
}
