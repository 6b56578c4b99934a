//! Versions of a script: published, gone back to, looked at.

use actix_web::web::{Data, Path};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    bench::{bench, shown},
    view::ScriptView,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use crate::http::{
    body::{Body, OptionalBody},
    json::Json,
    state::State,
};
use satchel_model::{error::Error, id::shorten, script::Version};
use satchel_services::scripts::Accepted;
use satchel_store::people::Actor;

/// A publication.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Publication {
    /// A note on the change.
    note: Option<String>,
    /// The new capabilities that are agreed to, as the refusal names them.
    #[serde(default)]
    accept: Vec<String>,
    /// The digest of the draft that is meant: refused where it is another by now.
    base: Option<String>,
}

/// Makes the draft live. Refused where it is wrong, a test is red, or it may do more than was agreed to.
#[utoipa::path(post, path = "/api/scripts/{name}/publish",
    request_body = Option<Publication>, tag = "scripts", params(("name" = String, Path,)),
    responses((status = 200, body = ScriptView), (status = 409)))]
pub(super) async fn publish(
    state: Data<State>,
    Who(by): Who<Actor>,
    name: Path<String>,
    OptionalBody(said): OptionalBody<Publication>,
) -> HttpResult<Json<ScriptView>> {
    let accepted = Accepted { note: said.note, wider: said.accept, base: said.base };
    bench(&state).publish(&by, &name, accepted).await?;
    Ok(shown(&state.scripts, &name).await?)
}

/// The version to go back to.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RollBack {
    /// Its number.
    version: u32,
    /// The capabilities that are agreed to, where it may do more than what is live.
    #[serde(default)]
    accept: Vec<String>,
    /// The digest of the text that is replaced, as it was seen: refused where it is another by now.
    base: Option<String>,
}

/// Makes an earlier text live again, as a new version.
#[utoipa::path(post, path = "/api/scripts/{name}/rollback",
    request_body = RollBack, tag = "scripts", params(("name" = String, Path,)),
    responses((status = 200, body = ScriptView), (status = 409)))]
pub(super) async fn roll_back(
    state: Data<State>,
    Who(by): Who<Actor>,
    name: Path<String>,
    Body(back): Body<RollBack>,
) -> HttpResult<Json<ScriptView>> {
    let accepted = Accepted { note: None, wider: back.accept, base: back.base };
    bench(&state).roll_back(&by, &name, back.version, accepted).await?;
    Ok(shown(&state.scripts, &name).await?)
}

/// One version with its text.
#[derive(Serialize, ToSchema)]
pub(super) struct VersionText {
    /// The version.
    #[serde(flatten)]
    version: Version,
    /// Its text.
    source: String,
    /// The difference from the one before, as a unified diff.
    diff: String,
}

/// One version.
#[utoipa::path(get, path = "/api/scripts/{name}/versions/{version}",
    tag = "scripts", params(("name" = String, Path,), ("version" = u32, Path,)),
    responses((status = 200, body = VersionText)))]
pub(super) async fn version(state: Data<State>, at: Path<(String, u32)>) -> HttpResult<Json<VersionText>> {
    let (name, number) = at.into_inner();
    let bench = bench(&state);
    let (source, diff) = bench.version(&name, number).await?;
    let versions = bench.versions(&name).await?;
    let version = versions.into_iter().find(|version| version.version == number);
    let version =
        version.ok_or_else(|| Error::not_found(format!("There is no version {number} of {}.", shorten(&name))))?;
    Ok(Json(VersionText { version, source, diff }))
}
