//! Pictures that are made and changed, and kept among the caller's files.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use url::Url;

use super::{
    endpoint::{Endpoint, Field},
    vision::Picture,
};
use crate::own_files::{NewFile, OwnFiles};
use satchel_engine::context::Context;
use satchel_formats::picture;
use satchel_host::files::stored_name;
use satchel_model::{
    error::{Error, Result},
    output::{Content, Output},
    settings::MediaPart,
};
use satchel_net::http::Request;

/// Largest answer, which holds a picture in Base64.
const MAX_ANSWER: usize = 64 << 20;
/// Largest picture.
const MAX_PICTURE: usize = 32 << 20;
/// The folder of pictures that are made.
const FOLDER: &str = "images";
/// Most bytes of a picture that is shown in its answer, too: a larger one is fetched from the files.
const SHOWN: usize = 1 << 20;
/// Most characters of a name that is made of a prompt.
const NAME: usize = 48;

/// Makes a picture from words.
///
/// # Errors
///
/// If there is no endpoint, or it gives none.
pub async fn generate(cx: &Context, prompt: &str) -> Result<Output> {
    let endpoint = Endpoint::for_run(cx, MediaPart::Image).await?;
    let body = json!({"model": endpoint.model, "prompt": prompt, "n": 1});
    let answer = endpoint.post("images/generations", &body).await?.json(MAX_ANSWER).await?;
    let bytes = made(&endpoint, &answer).await?;
    keep(cx, &endpoint, ("generate", prompt), bytes).await
}

/// Changes a picture by words. The one there was stays.
///
/// # Errors
///
/// As [`generate`], and if the picture cannot be sent.
pub async fn edit(cx: &Context, path: &str, prompt: &str) -> Result<Output> {
    let endpoint = Endpoint::for_run(cx, MediaPart::Image).await?;
    let Picture { mime, bytes, .. } = Picture::read(cx, path).await?;
    let name = format!("image.{}", mime.trim_start_matches("image/"));
    let fields = [
        Field::Text("model", &endpoint.model),
        Field::Text("prompt", prompt),
        Field::File("image", &name, mime, &bytes),
    ];
    let answer = endpoint.post_form("images/edits", &fields).await?.json(MAX_ANSWER).await?;
    let bytes = made(&endpoint, &answer).await?;
    keep(cx, &endpoint, ("edit", prompt), bytes).await
}

/// The bytes of the picture in an answer, or behind the address that it names.
async fn made(endpoint: &Endpoint, answer: &Value) -> Result<Vec<u8>> {
    let first = answer.pointer("/data/0").unwrap_or(&Value::Null);
    if let Some(coded) = first.get("b64_json").and_then(Value::as_str) {
        return STANDARD.decode(coded).map_err(|error| none(endpoint).caused_by(error));
    }
    let url = first.get("url").and_then(Value::as_str).and_then(|url| Url::parse(url).ok());
    let response = endpoint.http().send(Request::get(url.ok_or_else(|| none(endpoint))?)).await?;
    match response.status.is_success() {
        true => Ok(response.bytes(MAX_PICTURE).await?.to_vec()),
        false => Err(none(endpoint)),
    }
}

fn none(endpoint: &Endpoint) -> Error {
    Error::upstream(format!("The endpoint for pictures at {} gave no picture back. Try again.", endpoint.host()))
}

async fn keep(cx: &Context, endpoint: &Endpoint, (action, prompt): (&str, &str), bytes: Vec<u8>) -> Result<Output> {
    let found = picture::look(&bytes).filter(|_| bytes.len() <= MAX_PICTURE).ok_or_else(|| none(endpoint))?;
    let name: String = stored_name(prompt).chars().take(NAME).collect();
    let ending = found.mime.trim_start_matches("image/").replace("jpeg", "jpg");
    let content =
        (bytes.len() <= SHOWN).then(|| Content::Image { mime: found.mime.to_owned(), data: STANDARD.encode(&bytes) });
    let new = NewFile { folder: FOLDER, name: &name, ending: &ending };
    let path = OwnFiles::new(cx)?.write_new(new, bytes).await?;
    let data = json!({
        "ok": true, "action": action, "path": path, "mime": found.mime, "width": found.width, "height": found.height,
        "model": endpoint.model,
    });
    let told = Content::Text { text: format!("The picture is at {path}: {} x {} pixels.", found.width, found.height) };
    let content = [told].into_iter().chain(content).collect();
    Ok(Output { content, ..Output::json(data) }.with_files(vec![path]))
}
