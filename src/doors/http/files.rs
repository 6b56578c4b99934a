//! `/api/files`: the caller's own files, as tools name them by their storage path: put there, and fetched.

use actix_web::{
    HttpRequest, HttpResponse, get,
    http::header::{CONTENT_DISPOSITION, CONTENT_ENCODING},
    post,
    web::{Data, Json, Payload, Query},
};
use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt;

use super::{documents::disposition, services::Services, state::State, upload};
use crate::{
    formats::limits::Limits,
    host::files::{Rooted, stored_name},
    model::{
        caller::Caller,
        error::{Error, Result},
    },
    store::{documents::Content, files::Files},
};

/// The folder of what is sent, where tools put what they make.
const FOLDER: &str = "documents";

pub(super) fn services(config: &mut Services<'_>) {
    config.service(add).service(fetch);
}

/// A file that was stored.
#[derive(Serialize, utoipa::ToSchema)]
struct StoredFile {
    /// What it was called.
    name: String,
    /// Its storage path: what tools take as `file_path`.
    path: String,
    /// Its size.
    bytes: u64,
}

/// Files.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the form for the document")]
struct StorageForm {
    /// One or several.
    #[schema(value_type = Vec<String>, format = Binary)]
    file: Vec<Vec<u8>>,
}

/// Stores files among the caller's own, for document_read and the like. A name that is taken gets a number.
#[utoipa::path(tag = "files", responses((status = 200, body = Vec<StoredFile>)),
    request_body(content((StorageForm = "multipart/form-data"))))]
#[post("/api/files")]
async fn add(
    state: Data<State>,
    caller: Caller,
    request: HttpRequest,
    payload: Payload,
) -> std::result::Result<Json<Vec<StoredFile>>, actix_web::Error> {
    if !upload::is_multipart(request.headers()) {
        return Err(Error::invalid("Send the files as multipart/form-data, in the field 'file'.").into());
    }
    let (files, knowledge) = (own_files(&state, &caller)?, &state.app.knowledge);
    let sent = upload::read(&request, payload, knowledge, Limits::default().file as u64).await?;
    let mut stored = Vec::new();
    for (content, _held) in &sent.files {
        stored.push(keep(&files, &knowledge.files, content).await);
    }
    upload::discard(knowledge, sent).await;
    let stored = stored.into_iter().collect::<Result<Vec<_>>>()?;
    if stored.is_empty() {
        return Err(Error::invalid("There is no file: send one in the field 'file'.").into());
    }
    Ok(Json(stored))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct ContentQuery {
    /// The storage path, as a tool gave it.
    path: String,
}

/// A file as it is.
#[utoipa::path(tag = "files", params(ContentQuery), responses(
    (status = 200, description = "The file", content_type = "application/octet-stream", body = Vec<u8>),
))]
#[get("/api/files/content")]
async fn fetch(state: Data<State>, caller: Caller, query: Query<ContentQuery>) -> Result<HttpResponse> {
    let bytes = own_files(&state, &caller)?.read_up_to(&query.path, Limits::default().file as u64).await?;
    let name = query.path.rsplit('/').next().unwrap_or(&query.path);
    // Never shown as a page of ours: what is in it came from anywhere.
    Ok(HttpResponse::Ok()
        .content_type("application/octet-stream")
        .insert_header((CONTENT_DISPOSITION, disposition(name)))
        .insert_header((CONTENT_ENCODING, "identity"))
        .body(bytes))
}

/// The files the caller's tools may reach.
fn own_files(state: &State, caller: &Caller) -> Result<Rooted> {
    state.app.workspaces.of(caller.user, &state.app.settings.get().files.roots)
}

async fn keep(files: &Rooted, sent: &Files, content: &Content) -> Result<StoredFile> {
    let mut bytes = Vec::new();
    sent.stream(&content.hash).await?.read_to_end(&mut bytes).await.map_err(Error::internal)?;
    let (stem, ending) = content.name.rsplit_once('.').unwrap_or((&content.name, "txt"));
    let ending: String = ending.chars().filter(char::is_ascii_alphanumeric).take(10).collect();
    let ending = if ending.is_empty() { "txt" } else { &ending };
    let path = files.write_new(FOLDER, &stored_name(stem), &ending.to_ascii_lowercase(), bytes).await?;
    Ok(StoredFile { name: content.name.clone(), path, bytes: content.bytes })
}
