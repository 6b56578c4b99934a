//! Taking documents in: files, texts and addresses, new ones and new contents of those there are.

use actix_web::{
    FromRequest, HttpRequest, HttpResponse,
    web::{Data, Path, Payload},
};
use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    body::{Body, id},
    route::{Guard::Permission, Route, route},
    state::State,
    upload::{self, Upload},
};
use crate::http::caller::Who;
use crate::http::error::HttpError;
use satchel_model::{
    egress::{Origin, Part},
    error::{Error, Result},
    knowledge::{CollectionId, Document, DocumentId, SourceKind, Status, checked_name, fitted_title},
    user::UserId,
};
use satchel_store::{
    documents::{Content, NewDocument, Replacement},
    files::Stored,
    people::Actor,
};

type Answer = std::result::Result<HttpResponse, actix_web::Error>;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(add, Permission("knowledge:write")), route!(update, Permission("knowledge:write"))]
}

/// A document that is being taken in.
#[derive(Serialize, utoipa::ToSchema)]
struct Accepted {
    /// Its id.
    #[schema(value_type = String, format = "uuid")]
    id: DocumentId,
    /// Its state.
    status: Status,
}

impl From<Document> for Accepted {
    fn from(document: Document) -> Self {
        Self { id: document.id, status: document.status }
    }
}

/// One file gives one object, several give an array.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "the shapes of an answer, for the document")]
enum Intake {
    One(Accepted),
    Several(Vec<Accepted>),
}

/// A text with a title, or an address.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct NewText {
    /// The text's title; with an address, what to call it instead of its own.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    title: Option<String>,
    /// The text, Markdown.
    #[schema(min_length = 1, pattern = r"\S")]
    text: Option<String>,
    /// Or an address to fetch.
    #[schema(pattern = r"^https?://\S+$")]
    url: Option<String>,
    /// The collection it goes to; the default collection if left out.
    #[schema(value_type = Option<String>, format = "uuid")]
    collection: Option<CollectionId>,
}

/// Files.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the form for the document")]
struct FilesForm {
    /// One or several.
    #[schema(value_type = Vec<String>, format = Binary, min_items = 1)]
    file: Vec<Vec<u8>>,
    /// The collection they go to; the default collection if left out.
    #[schema(value_type = String, format = "uuid", required = false)]
    collection: Option<String>,
}

/// A file.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the form for the document")]
struct FileForm {
    /// One.
    #[schema(value_type = String, format = Binary, min_length = 1)]
    file: Vec<u8>,
}

/// Takes in files (`multipart/form-data`, field `file`), or a text or an address (JSON). Reading goes on after the
/// answer: ask for the document until it is ready or failed.
#[utoipa::path(post, path = "/api/knowledge/documents", tag = "knowledge", responses((status = 202, body = Intake)),
    request_body(content((NewText = "application/json"), (FilesForm = "multipart/form-data"))))]
async fn add(state: Data<State>, Who(by): Who<Actor>, request: HttpRequest, payload: Payload) -> Answer {
    if !upload::is_multipart(request.headers()) {
        let new = Body::<NewText>::from_request(&request, &mut payload.into_inner()).await?.0;
        let added = add_one(&state, &by, new).await.map_err(HttpError)?;
        return Ok(HttpResponse::Accepted().json(Accepted::from(added)));
    }
    // Before anything is taken: there may be no room for it.
    state.app.ensure_document_room(by.caller.user, 1).await.map_err(HttpError)?;
    let sent = upload::read(&request, payload, &state.app, limit(&state), &["collection"]).await?;
    let added = match add_files(&state, &by, sent).await {
        Ok(added) => added,
        Err(error) => return Err(HttpError(error).into()),
    };
    let mut added: Vec<Accepted> = added.into_iter().map(Accepted::from).collect();
    Ok(match (added.len(), added.pop()) {
        (1, Some(one)) => HttpResponse::Accepted().json(one),
        (_, last) => {
            added.extend(last);
            HttpResponse::Accepted().json(added)
        }
    })
}

/// A new content: a file (`multipart/form-data`), a text (JSON), or an empty object, to fetch an address or a folder's file again.
#[derive(Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct NewContent {
    /// A new title.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    title: Option<String>,
    /// The new text, Markdown.
    #[schema(min_length = 1, pattern = r"\S")]
    text: Option<String>,
}

/// Replaces what a document says. It is found by what it said before until the new content is read.
#[utoipa::path(post, path = "/api/knowledge/documents/{id}/update",
    tag = "knowledge", params(("id" = String, Path,)), responses((status = 202, body = Accepted)),
    request_body(content((NewContent = "application/json"), (FileForm = "multipart/form-data"))))]
async fn update(
    state: Data<State>,
    Who(by): Who<Actor>,
    at: Path<String>,
    request: HttpRequest,
    payload: Payload,
) -> Answer {
    let id: DocumentId = id(&at).map_err(HttpError)?;
    let knowledge = &state.app.stores.knowledge;
    let (title, source, content) = if upload::is_multipart(request.headers()) {
        // Before anything is taken in: there may be no such document.
        let before = knowledge.documents.get(by.caller.reader(), id).await.map_err(HttpError)?;
        let mut sent = upload::read(&request, payload, &state.app, limit(&state), &[]).await?;
        let bytes: u64 = sent.files.iter().map(|(content, _)| content.bytes).sum();
        let more = bytes.saturating_sub(before.bytes);
        if let Err(error) = state.app.ensure_document_room(by.caller.user, more).await {
            upload::discard(knowledge, sent).await;
            return Err(HttpError(error).into());
        }
        match (sent.files.pop(), sent.files.is_empty()) {
            (Some(file), true) => (None, SourceKind::Upload, Some(file)),
            (one, _) => {
                sent.files.extend(one);
                upload::discard(knowledge, sent).await;
                return Err(HttpError(Error::invalid("Send exactly one file, in the field 'file'.")).into());
            }
        }
    } else {
        let body = Body::<NewContent>::from_request(&request, &mut payload.into_inner()).await?;
        let NewContent { title, text } = body.0;
        let title = title.map(|title| checked_name(&title, "title")).transpose().map_err(HttpError)?;
        let before = knowledge.documents.get(by.caller.reader(), id).await.map_err(HttpError)?;
        let text = match text {
            Some(text) => {
                let more = (text.len() as u64).saturating_sub(before.bytes);
                state.app.ensure_document_room(by.caller.user, more).await.map_err(HttpError)?;
                Some(kept_text(&state, title.as_deref().unwrap_or(&before.title), &text).await.map_err(HttpError)?)
            }
            None => None,
        };
        (title, SourceKind::Text, text)
    };
    let content = content.map(|(content, stored)| {
        let uri = (source == SourceKind::Upload).then(|| content.name.clone());
        (Replacement { source, uri, content }, stored)
    });
    let updated = knowledge.update(&by, id, title, content).await.map_err(HttpError)?;
    Ok(HttpResponse::Accepted().json(Accepted::from(updated)))
}

fn limit(state: &State) -> u64 {
    u64::from(state.app.settings.get().knowledge.max_file_mb) << 20
}

async fn add_one(state: &State, by: &Actor, new: NewText) -> Result<Document> {
    let NewText { title, text, url, collection } = new;
    let title = title.map(|title| checked_name(&title, "title")).transpose()?;
    let knowledge = &state.app.stores.knowledge;
    match (text, url) {
        (Some(text), None) => {
            state.app.ensure_document_room(by.caller.user, text.len() as u64).await?;
            let title = title.ok_or_else(|| Error::invalid("'title' is missing: say what the text is called."))?;
            let (content, stored) = kept_text(state, &title, &text).await?;
            let source = SourceKind::Text;
            let new = NewDocument { collection, title, titled: true, source, uri: None, content: Some(content) };
            knowledge.add(by, new, Some(stored)).await
        }
        (None, Some(url)) => {
            let url = address(state, by.caller.user, &url)?;
            let (titled, title) = (title.is_some(), title.unwrap_or_else(|| fitted_title(url.as_str())));
            let uri = Some(url.to_string());
            let new = NewDocument { collection, title, titled, source: SourceKind::Url, uri, content: None };
            knowledge.add(by, new, None).await
        }
        _ => Err(Error::invalid("Send either 'title' and 'text', or 'url'.")),
    }
}

/// A text in the storage.
async fn kept_text(state: &State, title: &str, text: &str) -> Result<(Content, Stored)> {
    if text.trim().is_empty() {
        return Err(Error::invalid("'text' is empty."));
    }
    state.app.ensure_room(text.len() as u64)?;
    let stored = state.app.stores.knowledge.files.put(text.as_bytes()).await?;
    let name: String = title.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).take(80).collect();
    let content = Content {
        name: format!("{name}.md"),
        mime: "text/markdown".to_owned(),
        bytes: stored.bytes,
        hash: stored.hash.clone(),
    };
    Ok((content, stored))
}

/// An address that may be fetched, as far as its text tells.
fn address(state: &State, user: UserId, text: &str) -> Result<Url> {
    let wrong = || Error::invalid("'url' is not an address: write it whole, as https://example.org/page.");
    let url = Url::parse(text.trim()).map_err(|_| wrong())?;
    state.app.outbound(Origin::part(Part::Ingest, Some(user)))?.check(&url)?;
    Ok(url)
}

/// All files, or none of them.
async fn add_files(state: &State, by: &Actor, mut sent: Upload) -> Result<Vec<Document>> {
    let knowledge = &state.app.stores.knowledge;
    let bytes = sent.files.iter().map(|(content, _)| content.bytes).sum();
    let room = state.app.ensure_document_room(by.caller.user, bytes).await;
    let collection = match room.and_then(|()| checked(&mut sent)) {
        Ok(collection) => collection,
        Err(error) => {
            upload::discard(knowledge, sent).await;
            return Err(error);
        }
    };
    // A collection that is not there refuses the first file, and with it all.
    let mut added = Vec::with_capacity(sent.files.len());
    let mut files = std::mem::take(&mut sent.files).into_iter();
    for (content, stored) in files.by_ref() {
        let stem = content.name.rsplit_once('.').map_or(content.name.as_str(), |(stem, _)| stem);
        let new = NewDocument {
            collection,
            title: fitted_title(stem),
            titled: false,
            source: SourceKind::Upload,
            uri: Some(content.name.clone()),
            content: Some(content),
        };
        match knowledge.add(by, new, Some(stored)).await {
            Ok(document) => added.push(document),
            Err(error) => {
                sent.files.extend(files);
                upload::discard(knowledge, sent).await;
                return Err(error);
            }
        }
    }
    Ok(added)
}

fn checked(sent: &mut Upload) -> Result<Option<CollectionId>> {
    if sent.files.is_empty() {
        return Err(Error::invalid("No file came. Send one or several in the field 'file'."));
    }
    let collection = sent.fields.remove("collection");
    collection.map(|id| id.trim().parse()).transpose()
}
