//! Resources: the documents that the caller may read, and the files of their own that a path names.

use base64::{Engine, engine::general_purpose::STANDARD};
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{page, tools::PageParams};
use crate::http::protocol::{
    revision::Revision,
    rpc::{self, Failure},
};
use crate::http::state::State;
use satchel_model::{
    caller::Caller,
    error::{Error, Kind, Result},
    knowledge::{Document, DocumentId, SourceKind, Status},
    origin::Origin,
};
use satchel_services::own_files;
use satchel_store::documents::Filter;

/// Before the id of a document.
const DOCUMENT: &str = "satchel://documents/";
/// Before the path of a file.
const FILE: &str = "satchel://files/";
/// The permission to read either.
const READ: &str = "knowledge:read";
/// Documents of one page.
const PAGE: u32 = 200;
/// Largest file or text that one answer holds.
const LARGEST: u64 = 6 << 20;
/// Most resources that one client watches.
pub(super) const WATCHED: usize = 32;

/// A resource, as its address names it.
enum Named {
    Document(DocumentId),
    File(String),
}

#[derive(Deserialize)]
struct UriParams {
    uri: String,
}

/// The address of a resource in parameters.
pub(super) fn uri(params: JsonObject) -> std::result::Result<String, Failure> {
    rpc::params::<UriParams>(params).map(|params| params.uri)
}

/// The page of documents that a request asks for, the newest first.
pub(super) async fn list(
    state: &State,
    caller: &Caller,
    revision: Revision,
    params: JsonObject,
) -> std::result::Result<Value, Failure> {
    let PageParams { cursor } = rpc::params(params)?;
    let before = cursor.map(|cursor| cursor.parse::<DocumentId>()).transpose();
    let before = before.map_err(|_| Failure::params("`cursor` is none of ours: begin without one."))?;
    let mut all = state.mcp.besides("resources");
    if !caller.permissions.grants(READ) {
        return Ok(page::of(revision, "resources", all, None));
    }
    let filter = Filter { collection: None, q: None, status: Some(Status::Ready), before, limit: PAGE, offset: 0 };
    let found = state.app.stores.knowledge.documents.list(caller.reader(), filter).await?;
    let next = (found.len() == PAGE as usize).then(|| found.last().map(|last| last.id.to_string())).flatten();
    all.extend(found.iter().map(listed));
    Ok(page::of(revision, "resources", all, next))
}

fn listed(document: &Document) -> Value {
    json!({
        "uri": format!("{DOCUMENT}{}", document.id),
        "name": document.title,
        "title": document.title,
        "description": format!("A document of the collection {}.", document.collection_name),
        "mimeType": "text/plain",
        "annotations": {"lastModified": document.updated_at},
    })
}

/// The kinds of addresses there are.
pub(super) fn templates(state: &State, caller: &Caller, revision: Revision) -> Value {
    let mut all = state.mcp.besides("resourceTemplates");
    if caller.permissions.grants(READ) {
        all.push(json!({
            "uriTemplate": format!("{DOCUMENT}{{id}}"),
            "name": "document",
            "title": "A document",
            "description": "The text of a document of the knowledge, by its id.",
            "mimeType": "text/plain",
        }));
        if caller.personal {
            all.push(json!({
                "uriTemplate": format!("{FILE}{{+path}}"),
                "name": "file",
                "title": "A file of yours",
                "description": "A file of the key's owner, by its storage path: what tools make, and what was attached.",
            }));
        }
    }
    page::of(revision, "resourceTemplates", all, None)
}

/// The contents of a resource, and its origin where that is outside.
pub(super) async fn read(
    state: &State,
    caller: &Caller,
    revision: Revision,
    uri: &str,
) -> std::result::Result<(Value, Option<Origin>), Failure> {
    match contents(state, caller, uri).await {
        Ok((mut contents, origin)) => {
            if let (Some(origin), Some(contents)) = (&origin, contents.as_object_mut()) {
                contents.insert("_meta".to_owned(), json!({"satchel/outside": origin.source}));
            }
            Ok((page::cached(revision, json!({"contents": [contents]})), origin))
        }
        Err(error) if matches!(error.kind(), Kind::NotFound | Kind::Denied) => Err(Failure::resource(revision, uri)),
        Err(error) => Err(error.into()),
    }
}

async fn contents(state: &State, caller: &Caller, uri: &str) -> Result<(Value, Option<Origin>)> {
    match named(caller, uri)? {
        Named::Document(id) => document(state, caller, uri, id).await,
        Named::File(path) => file(state, caller, uri, &path).await,
    }
}

/// The resource that an address names.
///
/// # Errors
///
/// If it names none that this caller could read.
fn named(caller: &Caller, uri: &str) -> Result<Named> {
    caller.require(READ)?;
    if let Some(id) = uri.strip_prefix(DOCUMENT) {
        return id.parse().map(Named::Document);
    }
    let path = uri.strip_prefix(FILE).ok_or_else(|| Error::not_found("There is no such resource."))?;
    caller.ensure_personal()?;
    Ok(Named::File(decoded(path)))
}

/// A path without its escapes.
fn decoded(path: &str) -> String {
    let query = format!("p={}", path.replace('+', "%2B").replace('&', "%26"));
    url::form_urlencoded::parse(query.as_bytes()).next().map(|(_, path)| path.into_owned()).unwrap_or_default()
}

async fn document(state: &State, caller: &Caller, uri: &str, id: DocumentId) -> Result<(Value, Option<Origin>)> {
    let documents = &state.app.stores.knowledge.documents;
    let bytes = documents.text_bytes(caller.reader(), id).await?;
    if bytes > LARGEST {
        return Err(too_large());
    }
    let _room = state.delivery.room(caller.user, usize::try_from(bytes).unwrap_or(usize::MAX)).await;
    let (document, text, _) = documents.content(caller.reader(), id).await?;
    let is_own = document.source.kind != SourceKind::Url && document.added_by.as_ref() == Some(&caller.username);
    let place = || document.source.uri.clone().unwrap_or_else(|| format!("the document “{}”", document.title));
    let origin = (!is_own).then(|| Origin::new(place(), document.updated_at));
    Ok((json!({"uri": uri, "mimeType": "text/plain", "text": text}), origin))
}

async fn file(state: &State, caller: &Caller, uri: &str, path: &str) -> Result<(Value, Option<Origin>)> {
    let files = state.app.files_of(caller.user)?;
    let (opened, bytes) = files.open(path).await?;
    drop(opened);
    if bytes > LARGEST {
        return Err(too_large());
    }
    let _room = state.delivery.room(caller.user, usize::try_from(bytes).unwrap_or(usize::MAX)).await;
    let origin = own_files::origin_of(&state.app, &files, path).await?;
    let bytes = files.read_up_to(path, LARGEST).await?;
    let contents = match String::from_utf8(bytes) {
        Ok(text) => json!({"uri": uri, "mimeType": "text/plain", "text": text}),
        Err(error) => {
            let blob = STANDARD.encode(error.as_bytes());
            json!({"uri": uri, "mimeType": "application/octet-stream", "blob": blob})
        }
    };
    Ok((contents, origin))
}

fn too_large() -> Error {
    Error::invalid(
        "This is too large for one answer: read a part of it with a tool, as document_read or search_knowledge.",
    )
}

/// The version of a document; `None` if there is none for this caller.
pub(super) async fn version(state: &State, caller: &Caller, uri: &str) -> Option<u32> {
    match named(caller, uri).ok()? {
        Named::Document(id) => {
            let found = state.app.stores.knowledge.documents.get(caller.reader(), id).await;
            found.ok().map(|document| document.version)
        }
        Named::File(_) => None,
    }
}

/// The version of a resource that somebody wants to watch.
///
/// # Errors
///
/// If there is none for this caller.
pub(super) async fn watchable(
    state: &State,
    caller: &Caller,
    revision: Revision,
    uri: &str,
) -> std::result::Result<Option<u32>, Failure> {
    let there = named(caller, uri).map_err(|_| Failure::resource(revision, uri))?;
    match (there, version(state, caller, uri).await) {
        (Named::Document(_), None) => Err(Failure::resource(revision, uri)),
        (_, version) => Ok(version),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_without_its_escapes() {
        for (written, path) in [("a%20b.txt", "a b.txt"), ("a+b&c.txt", "a+b&c.txt"), ("x/%C3%A9", "x/é"), ("", "")] {
            assert_eq!(decoded(written), path, "{written}");
        }
    }
}
