//! `/api/scripts`: the library of scripts, and the road of each from a text to a tool.

use std::time::Instant;

use actix_web::{
    HttpResponse, delete, get, post, put,
    web::{Data, Json, Path, Query},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{
    body::{Body, OptionalBody, RawBody},
    script_view::{
        HelperView, LimitsView, ScriptCheck, ScriptReference, ScriptRun, ScriptSpec, ScriptSummary, ScriptView, TagView,
    },
    services::Services,
    state::State,
};
use crate::{
    engine::scripts::{self, Accepted, CallMade, Drafts, Library, Taken, Workbench},
    model::{
        call::{Call, Outcome},
        caller::Caller,
        error::{Error, Result},
        id::shorten,
        script::{TestRun, Version},
    },
    script::{header, helpers, limits, outside::OUTSIDE, testing::TESTING},
    store::people::Actor,
};

pub(super) fn services(config: &mut Services<'_>) {
    config.service(list).service(reference).service(check).service(from_calls).service(export).service(import);
    config.service(one).service(save).service(remove).service(discard).service(test).service(run);
    config.service(publish).service(roll_back).service(version).service(grant);
}

fn bench(state: &State) -> Workbench {
    Workbench::of(&state.scripts)
}

async fn view(library: &Library, name: &str) -> Result<Json<ScriptView>> {
    let missing = || Error::not_found(format!("There is no script '{}'.", shorten(name)));
    let shown = library.one(name).ok_or_else(missing)?;
    let versions = Workbench::of(library).versions(name).await?;
    ScriptView::of(library, &shown, versions).map(Json).ok_or_else(missing)
}

/// Every script.
#[utoipa::path(tag = "scripts", responses((status = 200, body = Vec<ScriptSummary>)))]
#[get("/api/scripts")]
async fn list(state: Data<State>) -> Result<Json<Vec<ScriptSummary>>> {
    let all = state.scripts.all();
    Ok(Json(all.iter().map(|shown| ScriptSummary::of(&state.scripts, shown)).collect()))
}

/// What a script can be made of: functions, tags of the header, templates, limits.
#[utoipa::path(tag = "scripts", responses((status = 200, body = ScriptReference)))]
#[get("/api/scripts/reference")]
async fn reference() -> Result<Json<ScriptReference>> {
    let mut functions = Vec::new();
    for (group, all) in [("outside", OUTSIDE), ("tests", TESTING)] {
        functions.extend(all.iter().map(|(name, signature, description)| HelperView {
            name,
            signature,
            group,
            description,
            example: "",
            result: "",
        }));
    }
    for group in helpers::all() {
        functions.extend(group.helpers.iter().map(|helper| HelperView {
            name: helper.name,
            signature: helper.signature,
            group: group.name,
            description: helper.what,
            example: helper.example,
            result: helper.result,
        }));
    }
    let tags = header::TAGS.iter().map(|tag| TagView { tag: tag.name, syntax: tag.syntax, description: tag.what });
    Ok(Json(ScriptReference {
        helpers: functions,
        tags: tags.collect(),
        templates: scripts::templates().to_vec(),
        limits: LimitsView {
            source_bytes: limits::MAX_SOURCE,
            operations: limits::MAX_OPERATIONS,
            memory_bytes: limits::MAX_MEMORY,
            depth: limits::MAX_CALLS,
        },
    }))
}

/// A text.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ScriptText {
    /// The script.
    source: String,
}

/// Says what is wrong with a text. Nothing is kept.
#[utoipa::path(request_body = ScriptText, tag = "scripts", responses((status = 200, body = ScriptCheck)))]
#[post("/api/scripts/check")]
async fn check(state: Data<State>, by: Actor, Body(text): Body<ScriptText>) -> Result<Json<ScriptCheck>> {
    let started = Instant::now();
    let checked = bench(&state).check(by.caller.user, &text.source).await?;
    let loaded = state.scripts.read(&text.source);
    let named = !loaded.head.name.is_empty();
    Ok(Json(ScriptCheck {
        problems: checked.problems,
        spec: named.then(|| ScriptSpec::of(&state.scripts, &loaded)),
        capabilities: state.scripts.capabilities(&loaded),
        ms: started.elapsed().as_secs_f64() * 1_000.0,
    }))
}

/// Calls that were made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct CallsMade {
    /// What to call the script.
    name: Option<String>,
    /// The calls, in order.
    calls: Vec<CallMade>,
}

/// A text to go on from.
#[derive(Serialize, ToSchema)]
struct ScriptDraft {
    /// The script's name.
    name: String,
    /// Its text.
    source: String,
}

/// Makes a script of calls that were made. Nothing is kept.
#[utoipa::path(request_body = CallsMade, tag = "scripts", responses((status = 200, body = ScriptDraft)))]
#[post("/api/scripts/from-calls")]
async fn from_calls(state: Data<State>, Body(made): Body<CallsMade>) -> Result<Json<ScriptDraft>> {
    if made.calls.is_empty() {
        return Err(Error::invalid("Name at least one call: [{tool, params}]."));
    }
    let name = made.name.unwrap_or_else(|| "my_tool".to_owned());
    let source = scripts::of_calls(&state.invoker.registry(), &name, &made.calls);
    Ok(Json(ScriptDraft { name, source }))
}

/// Every script of the console as a zip: the draft where there is one, else the live text.
#[utoipa::path(tag = "scripts", responses((status = 200, content_type = "application/zip", body = Vec<u8>)))]
#[get("/api/scripts/export")]
async fn export(state: Data<State>) -> Result<HttpResponse> {
    let archive = bench(&state).export()?;
    let name = "attachment; filename=\"scripts.zip\"";
    Ok(HttpResponse::Ok().content_type("application/zip").insert_header(("content-disposition", name)).body(archive))
}

/// What came of an import.
#[derive(Serialize, ToSchema)]
struct Imported {
    /// Names of those that are drafts now.
    saved: Vec<String>,
    /// Names of those whose text is the live one, or the draft, already.
    unchanged: Vec<String>,
    /// Those that are not, and why.
    refused: Vec<NotImported>,
}

/// A file that was not taken.
#[derive(Serialize, ToSchema)]
struct NotImported {
    /// The file, or the script's name.
    name: String,
    /// Why.
    problem: String,
    /// Whether a draft with another text is in its way: `replace` puts it in its place.
    draft: bool,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct ImportQuery {
    /// Whether drafts with another text are replaced. They have no versions: what they held is gone then.
    #[serde(default)]
    replace: bool,
}

/// Takes one `.rhai` file, or a zip of them, as drafts. A text that is there already is left out.
#[utoipa::path(tag = "scripts", params(ImportQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = Imported), (status = 409)))]
#[post("/api/scripts/import")]
async fn import(
    state: Data<State>,
    by: Actor,
    query: Query<ImportQuery>,
    RawBody(bytes): RawBody,
) -> Result<Json<Imported>> {
    let bench = bench(&state);
    let drafts = if query.replace { Drafts::GiveWay } else { Drafts::Stay };
    let mut imported = Imported { saved: Vec::new(), unchanged: Vec::new(), refused: Vec::new() };
    let files = scripts::unpack(&bytes)?;
    let alone = files.len() == 1;
    for (file, text) in files {
        let name = text.as_ref().ok().and_then(|text| header::name_of(text)).unwrap_or_default();
        let taken = match text {
            Ok(text) => bench.take_in(&by, text, drafts).await,
            Err(unreadable) => Err(unreadable),
        };
        match taken {
            Ok(Taken::Saved) => imported.saved.push(name),
            Ok(Taken::Unchanged) => imported.unchanged.push(name),
            // Where there is one file, what is wrong with it is wrong with the request.
            Err(error) if alone => return Err(error),
            Err(error) => {
                let name = if name.is_empty() { file } else { name };
                let draft = error.details().is_some_and(|details| details.get("draft") == Some(&Value::Bool(true)));
                imported.refused.push(NotImported { name, problem: error.message().to_owned(), draft });
            }
        }
    }
    Ok(Json(imported))
}

/// One script.
#[utoipa::path(tag = "scripts", params(("name" = String, Path,)), responses((status = 200, body = ScriptView)))]
#[get("/api/scripts/{name}")]
async fn one(state: Data<State>, name: Path<String>) -> Result<Json<ScriptView>> {
    view(&state.scripts, &name).await
}

/// A text that is to be the draft.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ScriptEdit {
    /// The script.
    source: String,
    /// The digest of the text it began from, empty where there was none: refused where another is there by now.
    base: Option<String>,
}

/// Keeps a text as the script's draft; makes the script where there is none.
#[utoipa::path(request_body = ScriptEdit, tag = "scripts", params(("name" = String, Path,)),
    responses((status = 200, body = ScriptView), (status = 409)))]
#[put("/api/scripts/{name}")]
async fn save(
    state: Data<State>,
    by: Actor,
    name: Path<String>,
    Body(text): Body<ScriptEdit>,
) -> Result<Json<ScriptView>> {
    bench(&state).save(&by, &name, text.source, text.base).await?;
    view(&state.scripts, &name).await
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct Meant {
    /// The digest of the script that is meant: refused where it has another by now.
    base: Option<String>,
}

/// Removes a script of the console with its versions, its configuration and what it keeps.
#[utoipa::path(tag = "scripts", params(("name" = String, Path,), Meant), responses((status = 204), (status = 409)))]
#[delete("/api/scripts/{name}")]
async fn remove(state: Data<State>, by: Actor, name: Path<String>, meant: Query<Meant>) -> Result<HttpResponse> {
    bench(&state).delete(&by, &name, meant.into_inner().base).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Throws a draft away.
#[utoipa::path(tag = "scripts", params(("name" = String, Path,), Meant), responses((status = 204), (status = 409)))]
#[delete("/api/scripts/{name}/draft")]
async fn discard(state: Data<State>, by: Actor, name: Path<String>, meant: Query<Meant>) -> Result<HttpResponse> {
    bench(&state).discard(&by, &name, meant.into_inner().base).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// A text that may be left out.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
struct MaybeText {
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
#[utoipa::path(request_body = Option<MaybeText>, tag = "scripts", params(("name" = String, Path,)),
    responses((status = 200, body = TestRun)))]
#[post("/api/scripts/{name}/test")]
async fn test(
    state: Data<State>,
    by: Actor,
    name: Path<String>,
    OptionalBody(given): OptionalBody<MaybeText>,
) -> Result<Json<TestRun>> {
    let source = text(&state, &name, given.source).await?;
    bench(&state).test(by.caller.user, &source).await.map(Json)
}

/// A trial.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ScriptTrial {
    /// The script; its draft or its live text if left out.
    source: Option<String>,
    /// The arguments.
    #[serde(default)]
    #[schema(value_type = Object)]
    params: Map<String, Value>,
}

/// Runs a text for real, as the caller. What asks a person is refused with that reason.
#[utoipa::path(request_body = ScriptTrial, tag = "scripts", params(("name" = String, Path,)),
    responses((status = 200, body = ScriptRun)))]
#[post("/api/scripts/{name}/run")]
async fn run(
    state: Data<State>,
    caller: Caller,
    name: Path<String>,
    Body(trial): Body<ScriptTrial>,
) -> Result<Json<ScriptRun>> {
    let source = text(&state, &name, trial.source).await?;
    let started = Instant::now();
    let outcome = bench(&state).run(&source, Call::new(caller, name.into_inner(), Value::Object(trial.params))).await;
    let ms = started.elapsed().as_secs_f64() * 1_000.0;
    let run = match outcome {
        Ok(Outcome::Done(done)) => {
            let output = &done.output;
            let facts = Value::Object(output.meta.clone());
            let run =
                ScriptRun { success: true, data: output.data.clone(), content: output.shown(), ..Default::default() };
            ScriptRun { title: output.title.clone(), html: output.html.clone(), ms, ..run }.facts(&facts)
        }
        Ok(Outcome::Confirm(_)) => return Err(Error::internal("a trial was left waiting for a person")),
        Err(error) => {
            let facts = error.details().cloned().unwrap_or_default();
            let run = ScriptRun { error: Some(error.message().to_owned()), ms, ..Default::default() };
            run.facts(&facts)
        }
    };
    Ok(Json(run))
}

/// A publication.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
struct Publication {
    /// What was changed.
    note: Option<String>,
    /// The new capabilities that are agreed to, as the refusal names them.
    #[serde(default)]
    accept: Vec<String>,
    /// The digest of the draft that is meant: refused where it is another by now.
    base: Option<String>,
}

/// Makes the draft live. Refused where it is wrong, a test is red, or it may do more than was agreed to.
#[utoipa::path(request_body = Option<Publication>, tag = "scripts", params(("name" = String, Path,)),
    responses((status = 200, body = ScriptView), (status = 409)))]
#[post("/api/scripts/{name}/publish")]
async fn publish(
    state: Data<State>,
    by: Actor,
    name: Path<String>,
    OptionalBody(said): OptionalBody<Publication>,
) -> Result<Json<ScriptView>> {
    let accepted = Accepted { note: said.note, wider: said.accept, base: said.base };
    bench(&state).publish(&by, &name, accepted).await?;
    view(&state.scripts, &name).await
}

/// Which version to go back to.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RollBack {
    /// Its number.
    version: u32,
    /// The capabilities that are agreed to, where it may do more than what is live.
    #[serde(default)]
    accept: Vec<String>,
    /// The digest of the text that is replaced, as it was seen: refused where it is another by now.
    base: Option<String>,
}

/// Makes an earlier text live again, as a new version.
#[utoipa::path(request_body = RollBack, tag = "scripts", params(("name" = String, Path,)),
    responses((status = 200, body = ScriptView), (status = 409)))]
#[post("/api/scripts/{name}/rollback")]
async fn roll_back(
    state: Data<State>,
    by: Actor,
    name: Path<String>,
    Body(back): Body<RollBack>,
) -> Result<Json<ScriptView>> {
    let accepted = Accepted { note: None, wider: back.accept, base: back.base };
    bench(&state).roll_back(&by, &name, back.version, accepted).await?;
    view(&state.scripts, &name).await
}

/// One version with its text.
#[derive(Serialize, ToSchema)]
struct VersionText {
    /// What is known of it.
    #[serde(flatten)]
    version: Version,
    /// Its text.
    source: String,
    /// What changed from the one before, as a unified diff.
    diff: String,
}

/// One version.
#[utoipa::path(tag = "scripts", params(("name" = String, Path,), ("version" = u32, Path,)),
    responses((status = 200, body = VersionText)))]
#[get("/api/scripts/{name}/versions/{version}")]
async fn version(state: Data<State>, at: Path<(String, u32)>) -> Result<Json<VersionText>> {
    let (name, number) = at.into_inner();
    let bench = bench(&state);
    let (source, diff) = bench.version(&name, number).await?;
    let versions = bench.versions(&name).await?;
    let version = versions.into_iter().find(|version| version.version == number);
    let version =
        version.ok_or_else(|| Error::not_found(format!("There is no version {number} of {}.", shorten(&name))))?;
    Ok(Json(VersionText { version, source, diff }))
}

/// Hosts.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Grants {
    /// Those of the header that the script may call; the others it may not.
    hosts: Vec<String>,
}

/// Grants a script hosts that its header names.
#[utoipa::path(request_body = Grants, tag = "scripts", params(("name" = String, Path,)),
    responses((status = 200, body = ScriptView)))]
#[put("/api/scripts/{name}/grants")]
async fn grant(
    state: Data<State>,
    by: Actor,
    name: Path<String>,
    Body(given): Body<Grants>,
) -> Result<Json<ScriptView>> {
    bench(&state).grant(&by, &name, given.hosts).await?;
    view(&state.scripts, &name).await
}
