//! Reading files that are sent: from the connection to the disk, in pieces, up to a limit.

use std::{collections::HashMap, time::Duration};

use actix_multipart::{Field, Multipart};
use actix_web::{
    HttpRequest,
    http::{
        StatusCode,
        header::{CONTENT_TYPE, HeaderMap},
    },
    web::Payload,
};
use futures_util::StreamExt;

use super::{error::Refusal, standing::Standing};
use crate::http::error::HttpError;
use satchel_app::App;
use satchel_formats::media;
use satchel_model::{
    error::{Error, Kind, Result},
    text::printable,
};
use satchel_store::{documents::Content, files::Stored, knowledge::Knowledge};

/// Most files of one request.
const MOST: usize = 200;
/// Longest field that is no file, in bytes.
const FIELD: usize = 4_096;
/// The longest the next piece may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bytes that are still taken of a file that is too large, so that its sender gets to read the answer.
const DRAINED: usize = 512 << 20;

/// The contents of the request.
#[derive(Default)]
pub(super) struct Upload {
    /// The files, in order.
    pub(super) files: Vec<(Content, Stored)>,
    /// Everything else, by name.
    pub(super) fields: HashMap<String, String>,
}

/// Returns whether a request sends files, or something else.
pub(super) fn is_multipart(headers: &HeaderMap) -> bool {
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    given.trim_start().to_ascii_lowercase().starts_with("multipart/form-data")
}

/// Reads a request of files, each of at most `limit` bytes, and of no other fields than `fields`.
pub(super) async fn read(
    request: &HttpRequest,
    payload: Payload,
    app: &App,
    limit: u64,
    fields: &[&str],
) -> std::result::Result<Upload, actix_web::Error> {
    let mut parts = Multipart::new(request.headers(), payload);
    let mut upload = Upload::default();
    loop {
        let Some(mut part) = next(&mut parts).await.map_err(HttpError)? else {
            return match Standing::new(request).ensure().await {
                Ok(()) => Ok(upload),
                Err(error) => {
                    discard(&app.stores.knowledge, upload).await;
                    Err(HttpError(error).into())
                }
            };
        };
        let taken = take(&mut part, &mut upload, app, limit, fields).await;
        if let Err(error) = taken {
            let large = error.details().is_some_and(|details| details.get("limit_bytes").is_some());
            if large {
                drain(&mut part).await;
            }
            discard(&app.stores.knowledge, upload).await;
            return Err(if large {
                Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, error).into()
            } else {
                HttpError(error).into()
            });
        }
    }
}

/// Lets go of files nobody will name.
pub(super) async fn discard(knowledge: &Knowledge, upload: Upload) {
    // Their names first: a file that is held is not removed.
    let hashes: Vec<String> = upload.files.into_iter().map(|(content, _)| content.hash).collect();
    if let Err(error) = knowledge.forget_files(hashes).await {
        tracing::warn!(?error, "files of a refused upload stay until the next start");
    }
}

async fn take(part: &mut Field, upload: &mut Upload, app: &App, limit: u64, fields: &[&str]) -> Result<()> {
    let field = part.name().unwrap_or_default().to_owned();
    let file_name = part.content_disposition().and_then(|head| head.get_filename()).map(str::to_owned);
    let Some(name) = file_name.filter(|_| field == "file") else {
        if file_name_given(part) {
            return Err(Error::invalid(format!("Send files in the field 'file', not '{}'.", printable(&field, 60))));
        }
        if !fields.contains(&field.as_str()) {
            let known: Vec<String> = ["file"].iter().chain(fields).map(|name| format!("'{name}'")).collect();
            let message = format!("There is no field '{}': send {}.", printable(&field, 60), known.join(" and "));
            return Err(Error::invalid(message));
        }
        return take_field(part, upload, field).await;
    };
    if upload.files.len() >= MOST {
        return Err(Error::invalid(format!("At most {MOST} files come in one request. Send the rest in another.")));
    }
    let mime = part.content_type().map(|mime| mime.essence_str().to_owned());
    let mut incoming = app.stores.knowledge.files.receive(limit).await?;
    while let Some(piece) = piece(part).await? {
        app.ensure_room(piece.len() as u64)?;
        incoming.write(&piece).await?;
    }
    if incoming.is_empty() {
        return Err(Error::invalid(format!("'{}' is empty.", printable(&name, 60))));
    }
    let stored = incoming.finish().await?;
    let name = base(&name);
    let content = Content {
        mime: mime.filter(|mime| mime != media::ANYTHING).unwrap_or_else(|| media::of_name(&name).to_owned()),
        name,
        bytes: stored.bytes,
        hash: stored.hash.clone(),
    };
    upload.files.push((content, stored));
    Ok(())
}

fn file_name_given(part: &Field) -> bool {
    part.content_disposition().is_some_and(|head| head.get_filename().is_some())
}

async fn take_field(part: &mut Field, upload: &mut Upload, name: String) -> Result<()> {
    let text = text(part, &name).await?;
    upload.fields.insert(name, text);
    Ok(())
}

/// A field that is no file.
pub(super) async fn text(part: &mut Field, name: &str) -> Result<String> {
    let mut bytes = Vec::new();
    while let Some(piece) = piece(part).await? {
        if bytes.len() + piece.len() > FIELD {
            return Err(Error::invalid(format!("The field '{}' is too long.", printable(name, 60))));
        }
        bytes.extend_from_slice(&piece);
    }
    String::from_utf8(bytes).map_err(|_| Error::invalid(format!("The field '{}' is not UTF-8.", printable(name, 60))))
}

/// The next part.
pub(super) async fn next(parts: &mut Multipart) -> Result<Option<Field>> {
    let next = tokio::time::timeout(PATIENCE, parts.next()).await.map_err(|_| too_slow())?;
    next.transpose().map_err(|error| broken(&error))
}

/// The next bytes of a part.
pub(super) async fn piece(part: &mut Field) -> Result<Option<bytes::Bytes>> {
    let next = tokio::time::timeout(PATIENCE, part.next()).await.map_err(|_| too_slow())?;
    next.transpose().map_err(|error| broken(&error))
}

/// Takes the rest of a part and forgets it.
async fn drain(part: &mut Field) {
    let mut taken = 0;
    while taken < DRAINED
        && let Ok(Some(piece)) = piece(part).await
    {
        taken += piece.len();
    }
}

/// The last part of a path: some programs send whole ones.
fn base(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let plain = printable(last, 255);
    if plain.trim().is_empty() { "unnamed".to_owned() } else { plain }
}

fn too_slow() -> Error {
    Error::new(Kind::Invalid, "The upload stopped in the middle. Send it again.")
}

/// The error for a form that is none.
fn broken(error: &dyn std::fmt::Display) -> Error {
    Error::invalid(format!("The upload cannot be read: {error}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_path_the_name_stays() {
        assert_eq!(base("../../etc/pass\nwd"), "passwd");
        assert_eq!(base("C:\\Docs\\a.pdf"), "a.pdf");
        assert_eq!(base("///"), "unnamed");
    }
}
