//! `/api/files/origins`: which of the caller's files hold what came from outside, and vouching for them.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    body::Body,
    files::own_files,
    json::Json,
    route::{
        Guard::{Permission, PersonWith},
        Route, route,
    },
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_host::files::{Rooted, before_now};
use satchel_model::{
    caller::Caller,
    error::{Error, Kind, Result},
    origin::{LastChange, Origin},
};
use satchel_services::own_files::{is_seen, path_of};
use satchel_store::{
    file_origins::{CHANGED, FileOrigins, FilePlace},
    people::Actor,
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Permission("knowledge:read")).personal(),
        route!(vouch, PersonWith("knowledge:read")).personal(),
        route!(vouch_tree, PersonWith("knowledge:read")).personal(),
    ]
}

/// The caller's files with content from outside.
#[derive(Serialize, utoipa::ToSchema)]
struct FilesFromOutside {
    /// Files, by path.
    files: Vec<FileFromOutside>,
    /// Directories to which commands wrote what cannot be told file by file.
    trees: Vec<TreeFromOutside>,
    /// `true` if there are more files than these.
    has_more: bool,
}

/// A file with content from outside.
#[derive(Serialize, utoipa::ToSchema)]
struct FileFromOutside {
    /// Its path in the workspace, or on the machine.
    path: String,
    /// `true` if it lies in the caller's own workspace.
    in_workspace: bool,
    /// The origin of its content.
    origin: Origin,
    /// Names the content it has now.
    version: String,
}

/// A directory in which whatever changed since a command began counts as from outside.
#[derive(Serialize, utoipa::ToSchema)]
struct TreeFromOutside {
    /// Names it.
    #[schema(value_type = String, format = "uuid")]
    id: Uuid,
    /// Its path in the workspace, empty for all of it; or on the machine.
    path: String,
    /// `true` if it lies in the caller's own workspace.
    in_workspace: bool,
    /// The origin of what the command's conversation had read.
    origin: Origin,
}

/// The caller's files that hold what came from outside, as far as nobody has vouched for them.
#[utoipa::path(get, path = "/api/files/origins", tag = "files", responses((status = 200, body = FilesFromOutside)))]
async fn list(state: Data<State>, Who(caller): Who<Caller>) -> HttpResult<Json<FilesFromOutside>> {
    let rooted = own_files(&state, &caller)?;
    let origins = FileOrigins::new(&state.app.db);
    let held = origins.held(caller.user).await?;
    let (now, mut files, mut gone) = (before_now(), Vec::new(), Vec::new());
    for (place, origin) in held.files {
        let in_workspace = place.owner.is_some();
        match rooted.changed(&path_of(&rooted, &place)).await {
            Ok(Some(changed)) => {
                let version = changed.file.to_string();
                files.push(FileFromOutside { path: place.path, in_workspace, origin, version });
            }
            Ok(None) => gone.push(place),
            // It is out of the caller's reach.
            Err(error) if error.kind() == Kind::Denied => {}
            Err(error) => return Err(error.into()),
        }
    }
    origins.forget_gone(gone, now).await?;
    let trees = held.trees.into_iter().filter(|tree| is_seen(&rooted, &tree.place)).map(|tree| TreeFromOutside {
        id: tree.id,
        in_workspace: tree.place.owner.is_some(),
        path: tree.place.path,
        origin: tree.origin,
    });
    Ok(Json(FilesFromOutside { files, trees: trees.collect(), has_more: held.has_more }))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct FileVouch {
    /// The file's path, as it is listed.
    #[schema(min_length = 1, max_length = 4096)]
    path: String,
    /// `true` if it lies in the caller's own workspace.
    in_workspace: bool,
    /// The origin that was shown.
    origin: Origin,
    /// The version that was read.
    version: String,
}

/// Says that the caller has read a file: what it holds now counts as theirs. Other directories than their workspace are
/// vouched for by who may change settings.
#[utoipa::path(post, path = "/api/files/vouch",
    request_body = FileVouch, tag = "files", responses((status = 204, description = "It counts as read.")))]
async fn vouch(state: Data<State>, Who(by): Who<Actor>, body: Body<FileVouch>) -> HttpResult<HttpResponse> {
    let FileVouch { path, in_workspace, origin, version } = body.0;
    let place = FilePlace { owner: in_workspace.then_some(by.caller.user), path };
    require_own(&by, &place)?;
    let rooted = own_files(&state, &by.caller)?;
    let changed = changed(&rooted, &place).await?.ok_or_else(|| Error::not_found("There is no such file any more."))?;
    if changed.file.to_string() != version {
        return Err(Error::conflict(CHANGED).into());
    }
    FileOrigins::new(&state.app.db).vouch(&by, place, origin, changed).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Says that the caller has looked at what commands wrote into a directory: it counts as theirs. Refused while a command
/// runs that may write there.
#[utoipa::path(post, path = "/api/files/trees/{id}/vouch",
    tag = "files", params(("id" = String, Path, format = "uuid")), responses((status = 204, description = "It counts as read.")))]
async fn vouch_tree(state: Data<State>, Who(by): Who<Actor>, id: Path<String>) -> HttpResult<HttpResponse> {
    let unknown = || Error::not_found("Nobody has to vouch for this any more.");
    let id = Uuid::parse_str(&id).map_err(|_| unknown())?;
    let origins = FileOrigins::new(&state.app.db);
    let tree = origins.tree(id).await?;
    // Another person's is as unknown as none.
    if tree.place.owner.is_some_and(|owner| owner != by.caller.user) {
        return Err(unknown().into());
    }
    require_own(&by, &tree.place)?;
    let (processes, owner) = (state.app.host.processes.clone(), tree.place.owner);
    let still_runs = move || processes.running().iter().any(|user| owner.is_none_or(|owner| owner == *user));
    origins.vouch_tree(&by, id, still_runs).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Checks that the place is this person's alone, or that they answer for the others.
///
/// # Errors
///
/// If it is others' too and they do not.
fn require_own(by: &Actor, place: &FilePlace) -> Result<()> {
    if place.owner.is_some() { Ok(()) } else { by.caller.require("settings:manage") }
}

/// Returns when a file last changed; `None` if it is gone or out of the caller's reach.
async fn changed(files: &Rooted, place: &FilePlace) -> Result<Option<LastChange>> {
    match files.changed(&path_of(files, place)).await {
        Err(error) if error.kind() == Kind::Denied => Ok(None),
        found => found,
    }
}
