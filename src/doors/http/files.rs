//! `/api/files`: the caller's own files, as tools name them by their storage path: put there, and fetched.

use std::io::Read as _;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload, Query},
};
use serde::{Deserialize, Serialize};
use tokio::fs::File;

use super::{
    download::Download,
    json::Json,
    route::{Guard::Permission, Route, route},
    state::State,
    upload::{self, Upload},
};
use crate::http::caller::Who;
use crate::http::error::HttpError;
use crate::http::error::HttpResult;
use satchel_formats::limits::Limits;
use satchel_host::files::{Rooted, stored_name};
use satchel_model::{
    caller::Caller,
    error::{Error, Result},
    id::shorten,
    origin::Origin,
    user::UserId,
};
use satchel_services::{
    own_files::{NewFile, write_new},
    reading::Reader,
};
use satchel_store::documents::Content;

/// The folder of what is sent, where tools put what they make.
const FOLDER: &str = "documents";

pub(super) fn routes() -> Vec<Route> {
    vec![route!(add, Permission("knowledge:write")).personal(), route!(fetch, Permission("knowledge:read")).personal()]
}

/// A file that was stored.
#[derive(Serialize, utoipa::ToSchema)]
struct StoredFile {
    /// The name it had.
    name: String,
    /// Its storage path: what tools take as `file_path`.
    path: String,
    /// Its size.
    bytes: u64,
    /// Its pages or slides, where it was read and has such.
    pages: Option<u32>,
    /// Characters of its text, where it was read.
    characters: Option<usize>,
}

/// Files.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the form for the document")]
struct StorageForm {
    /// One or several.
    #[schema(value_type = Vec<String>, format = Binary, min_items = 1)]
    file: Vec<Vec<u8>>,
    /// `true` reads them as well, and stores nothing where one of them is no document that can be read.
    #[schema(value_type = bool, required = false)]
    read: Option<bool>,
    /// `true` says that the files hold words of others: whoever reads them has read from outside.
    #[schema(value_type = bool, required = false)]
    outside: Option<bool>,
}

/// Stores files among the caller's own, for document_read and the like. A name that is taken gets a number.
#[utoipa::path(post, path = "/api/files", tag = "files", responses((status = 200, body = Vec<StoredFile>)),
    request_body(content((StorageForm = "multipart/form-data"))))]
async fn add(
    state: Data<State>,
    Who(caller): Who<Caller>,
    request: HttpRequest,
    payload: Payload,
) -> std::result::Result<Json<Vec<StoredFile>>, actix_web::Error> {
    if !upload::is_multipart(request.headers()) {
        return Err(HttpError(Error::invalid("Send the files as multipart/form-data, in the field 'file'.")).into());
    }
    let (files, knowledge) = (own_files(&state, &caller).map_err(HttpError)?, &state.app.stores.knowledge);
    let sent = upload::read(&request, payload, &state.app, Limits::default().file as u64, &["read", "outside"]).await?;
    let stored = match origin(&state, &caller, &sent) {
        Ok(origin) => store(&state, &files, &sent, &origin).await,
        Err(error) => Err(error),
    };
    upload::discard(knowledge, sent).await;
    let stored = stored.map_err(HttpError)?;
    if stored.is_empty() {
        return Err(HttpError(Error::invalid("There is no file: send one in the field 'file'.")).into());
    }
    Ok(Json(stored))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct ContentQuery {
    /// The storage path, as a tool gave it.
    #[param(min_length = 1, max_length = 4096, pattern = r"^[^\x00/]{0,255}(/[^\x00/]{0,255})*$")]
    path: String,
}

/// A file as it is.
#[utoipa::path(get, path = "/api/files/content", tag = "files", params(ContentQuery), responses(
    (status = 200, description = "The file", content_type = "application/octet-stream", body = Vec<u8>),
))]
async fn fetch(state: Data<State>, Who(caller): Who<Caller>, query: Query<ContentQuery>) -> HttpResult<HttpResponse> {
    let (file, bytes) = own_files(&state, &caller)?.open(&query.path).await?;
    let name = query.path.rsplit('/').next().unwrap_or(&query.path);
    Ok(Download { file: File::from_std(file), name, bytes }.send(&state.delivery, caller.user).await)
}

/// The files the caller's tools may reach.
pub(super) fn own_files(state: &State, caller: &Caller) -> Result<Rooted> {
    state.app.files_of(caller.user)
}

/// The origin of what was sent: a program's, or outside where its person says so. Otherwise it is a person's own words.
fn origin(state: &State, caller: &Caller, sent: &Upload) -> Result<Option<Origin>> {
    let now = state.app.clock.now();
    let said = || Origin::new("upload: words of others", now);
    let origin = Origin::of_program(caller, "upload", now);
    Ok(if is_said(sent, "outside")? { Some(said()) } else { origin })
}

/// Whether a field of the form says `true`.
fn is_said(sent: &Upload, field: &str) -> Result<bool> {
    match sent.fields.get(field).map(String::as_str) {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(Error::invalid(format!("The field '{field}' is true or false."))),
    }
}

/// Stores what was sent: all of it, or nothing where one is to be read and cannot be.
async fn store(state: &State, files: &Rooted, sent: &Upload, origin: &Option<Origin>) -> Result<Vec<StoredFile>> {
    let reads = is_said(sent, "read")?;
    let mut taken = Vec::new();
    for (content, _held) in &sent.files {
        let facts = if reads { read(state, files.user(), content).await? } else { Facts::default() };
        taken.push((content, facts));
    }
    let mut stored = Vec::new();
    for (content, facts) in taken {
        stored.push(keep(state, files, content, facts, origin.clone()).await?);
    }
    Ok(stored)
}

/// Facts that reading a file found.
#[derive(Default)]
struct Facts {
    pages: Option<u32>,
    characters: Option<usize>,
}

async fn read(state: &State, user: UserId, content: &Content) -> Result<Facts> {
    let (kept, hash, name) = (state.app.stores.knowledge.files.clone(), content.hash.clone(), content.name.clone());
    let bytes = content.bytes;
    let reader = Reader::new(&state.app.host.readers);
    let read = move || {
        let read = reader.text((kept.open(&hash)?, bytes), &name).map_err(|error| {
            let told = format!("'{}' cannot be read: {}", shorten(&name), error.message());
            Error::new(error.kind(), told).caused_by(error)
        })?;
        Ok(Facts { pages: read.pages, characters: Some(read.text.chars().count()) })
    };
    state.app.host.work.run_on(Some(user), bytes, read).await
}

async fn keep(
    state: &State,
    files: &Rooted,
    content: &Content,
    facts: Facts,
    origin: Option<Origin>,
) -> Result<StoredFile> {
    let (stem, ending) = content.name.rsplit_once('.').unwrap_or((&content.name, "txt"));
    let ending: String = ending.chars().filter(char::is_ascii_alphanumeric).take(10).collect();
    let ending = if ending.is_empty() { "txt" } else { &ending };
    // A few at a time: each file is in memory while it is stored.
    let _turn = state.delivery.turn(Some(files.user())).await;
    let (kept, hash) = (state.app.stores.knowledge.files.clone(), content.hash.clone());
    let read = move || {
        let mut bytes = Vec::new();
        kept.open(&hash)?.read_to_end(&mut bytes).map_err(Error::internal)?;
        Ok(bytes)
    };
    let bytes = state.app.host.work.run_on(Some(files.user()), content.bytes, read).await?;
    let (name, ending) = (stored_name(stem), ending.to_ascii_lowercase());
    let new = NewFile { folder: FOLDER, name: &name, ending: &ending };
    // What lay under its name before is not what was put there now.
    let path = write_new(&state.app, files, origin, new, bytes).await?;
    let Facts { pages, characters } = facts;
    Ok(StoredFile { name: content.name.clone(), path, bytes: content.bytes, pages, characters })
}
