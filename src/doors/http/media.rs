//! `/api/media`: the endpoints for pictures and speech, their keys, a test of each; and what is said, written down.

use actix_multipart::Multipart;
use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Path, Payload},
};
use serde::{Deserialize, Serialize};

use super::{
    body::{Body, id},
    json::Json,
    route::{
        Guard::{Permission, SignedIn},
        Route, route,
    },
    state::State,
    upload,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_formats::media as types;
use satchel_model::{
    caller::Caller,
    error::{Error, Result},
    secret::{MASK, Secret},
    settings::MediaPart,
};
use satchel_services::media::{
    endpoint,
    speech::{self, MAX_RECORDING},
    trial::{self, MediaStep},
};
use satchel_store::people::Actor;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, SignedIn),
        route!(put_key, Permission("settings:manage")),
        route!(test, Permission("settings:manage")).calls_others(),
        route!(transcribe, SignedIn).personal().calls_others(),
    ]
}

/// An endpoint as it stands.
#[derive(Serialize, utoipa::ToSchema)]
struct MediaEndpoint {
    /// The use it is for.
    part: MediaPart,
    /// `true` if address and model are set.
    configured: bool,
    /// `true` if there is a key that goes to its address.
    has_key: bool,
}

/// The endpoints, and whether each can be used.
#[utoipa::path(get, path = "/api/media", tag = "media", responses((status = 200, body = Vec<MediaEndpoint>)))]
async fn list(state: Data<State>) -> HttpResult<Json<Vec<MediaEndpoint>>> {
    let settings = state.app.settings.get();
    let mut all = Vec::new();
    for part in MediaPart::ALL {
        let has_key = endpoint::has_key(&state.app, part).await?;
        all.push(MediaEndpoint { part, configured: settings.media.has(part), has_key });
    }
    Ok(Json(all))
}

/// The key of an endpoint.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct MediaKey {
    /// The key; null or empty forgets it, `***` keeps the one there is.
    #[schema(value_type = Option<String>, format = Password)]
    key: Option<Secret>,
}

/// Keeps the key of an endpoint in the vault. It goes to the address that is set now, and to no other one.
#[utoipa::path(put, path = "/api/media/{part}/key",
    request_body = MediaKey, tag = "media", params(("part" = String, Path,)), responses((status = 204, description = "Kept.")))]
async fn put_key(
    state: Data<State>,
    Who(by): Who<Actor>,
    part: Path<String>,
    Body(given): Body<MediaKey>,
) -> HttpResult<HttpResponse> {
    let part: MediaPart = id(&part)?;
    if given.key.as_ref().is_none_or(|key| key.expose() != MASK) {
        endpoint::keep_key(&state.app, &by, part, given.key).await?;
    }
    Ok(HttpResponse::NoContent().finish())
}

/// The result of a test.
#[derive(Serialize, utoipa::ToSchema)]
struct MediaTest {
    /// `true` if every step worked.
    ok: bool,
    /// The steps, up to the one that failed.
    steps: Vec<MediaStep>,
}

/// Tries an endpoint out as it is saved, step by step.
#[utoipa::path(post, path = "/api/media/{part}/test",
    tag = "media", params(("part" = String, Path,)), responses((status = 200, body = MediaTest)))]
async fn test(state: Data<State>, Who(by): Who<Actor>, part: Path<String>) -> HttpResult<Json<MediaTest>> {
    let steps = trial::try_out(&state.app, id(&part)?, by.caller.user).await;
    Ok(Json(MediaTest { ok: steps.iter().all(|step| step.ok), steps }))
}

/// A recording.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the form for the document")]
struct Recording {
    /// The recording, 25 MB at most.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

/// The words that were said.
#[derive(Serialize, utoipa::ToSchema)]
struct Transcript {
    /// The words.
    text: String,
}

/// Writes down what is said in a recording. The recording is not kept.
#[utoipa::path(post, path = "/api/media/transcriptions", tag = "media",
    request_body(content((Recording = "multipart/form-data"))), responses((status = 200, body = Transcript)))]
async fn transcribe(
    state: Data<State>,
    Who(caller): Who<Caller>,
    request: HttpRequest,
    payload: Payload,
) -> HttpResult<Json<Transcript>> {
    if !upload::is_multipart(request.headers()) {
        return Err(Error::invalid("Send the recording as multipart/form-data, in the field 'file'.").into());
    }
    let _room = state.app.host.work.answer_room(Some(caller.user), MAX_RECORDING).await?;
    let (name, mime, audio) = recording(Multipart::new(request.headers(), payload)).await?;
    let text = speech::transcribe(&state.app, caller.user, (&name, &mime), &audio).await?;
    Ok(Json(Transcript { text }))
}

/// The recording of a form: its name, its media type, its bytes.
async fn recording(mut parts: Multipart) -> Result<(String, String, Vec<u8>)> {
    let nothing = || Error::invalid("No recording came. Send one in the field 'file'.");
    let mut part = upload::next(&mut parts).await?.ok_or_else(nothing)?;
    let name = part.content_disposition().and_then(|head| head.get_filename()).unwrap_or("speech.webm").to_owned();
    let mime = part
        .content_type()
        .map(|mime| mime.essence_str().to_owned())
        .unwrap_or_else(|| types::of_name(&name).to_owned());
    let mut audio = Vec::new();
    while let Some(piece) = upload::piece(&mut part).await? {
        if (audio.len() + piece.len()) as u64 > MAX_RECORDING {
            return Err(Error::invalid("A recording may have 25 MB: speak in parts."));
        }
        audio.extend_from_slice(&piece);
    }
    if audio.is_empty() { Err(nothing()) } else { Ok((name, mime, audio)) }
}
