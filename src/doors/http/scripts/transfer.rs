//! `/api/scripts/export` and `/api/scripts/import`: scripts as files.

use actix_web::{
    HttpResponse,
    web::{Data, Query},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::bench::bench;
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use crate::http::{body::RawBody, json::Json, state::State};
use satchel_script::header;
use satchel_services::scripts::{self, Drafts, Taken};
use satchel_store::people::Actor;

/// Every script of the console as a zip: the draft where there is one, else the live text.
#[utoipa::path(get, path = "/api/scripts/export",
    tag = "scripts", responses((status = 200, content_type = "application/zip", body = Vec<u8>)))]
pub(super) async fn export(state: Data<State>) -> HttpResult<HttpResponse> {
    let archive = bench(&state).export()?;
    let name = "attachment; filename=\"scripts.zip\"";
    Ok(HttpResponse::Ok().content_type("application/zip").insert_header(("content-disposition", name)).body(archive))
}

/// The outcome of an import.
#[derive(Serialize, ToSchema)]
pub(super) struct Imported {
    /// Names of those that are drafts now.
    saved: Vec<String>,
    /// Names of those whose text is the live one, or the draft, already.
    unchanged: Vec<String>,
    /// Those that are not, and why.
    refused: Vec<NotImported>,
}

/// A file that was not taken.
#[derive(Serialize, ToSchema)]
pub(super) struct NotImported {
    /// The file, or the script's name.
    name: String,
    /// The reason.
    problem: String,
    /// `true` if a draft with another text is in its way: `replace` puts it in its place.
    draft: bool,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct ImportQuery {
    /// `true` if drafts with another text are replaced. They have no versions: what they held is gone then.
    #[serde(default)]
    replace: bool,
}

/// Takes one `.rhai` file, or a zip of them, as drafts. A text that is there already is left out.
#[utoipa::path(post, path = "/api/scripts/import", tag = "scripts", params(ImportQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = Imported), (status = 409)))]
pub(super) async fn import(
    state: Data<State>,
    Who(by): Who<Actor>,
    query: Query<ImportQuery>,
    RawBody(bytes): RawBody,
) -> HttpResult<Json<Imported>> {
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
            Err(error) if alone => return Err(error.into()),
            Err(error) => {
                let name = if name.is_empty() { file } else { name };
                let draft = error.details().is_some_and(|details| details.get("draft") == Some(&Value::Bool(true)));
                imported.refused.push(NotImported { name, problem: error.message().to_owned(), draft });
            }
        }
    }
    Ok(Json(imported))
}
