//! An endpoint in OpenAI's form: where it is, what opens it, and how it is asked.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::{BufMut, Bytes, BytesMut};
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use rand::random;
use reqwest::Method;
use serde_json::Value;
use url::Url;

use satchel_app::App;
use satchel_engine::context::Context;
use satchel_model::{
    egress::{Origin, Part},
    error::{Error, Kind, Result},
    secret::{MASK, Secret},
    settings::{Media, MediaPart, endpoint_address},
    text::clip,
    user::UserId,
};
use satchel_net::{
    guard::HostPort,
    http::{Http, Request, Response},
};
use satchel_store::{media_keys, people::Actor};

/// Longest wait for an answer: pictures take a while.
const PATIENCE: Duration = Duration::from_secs(180);
/// Bytes of an error that are read.
const MAX_REFUSAL: usize = 64 << 10;
/// Most characters of it that are told.
const TOLD: usize = 300;
/// The name of a key in the vault.
const KEY: &str = "api_key";

/// An endpoint that can be asked.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The use it is for.
    pub part: MediaPart,
    url: Url,
    /// The model's name.
    pub model: String,
    key: Option<Secret>,
    http: Http,
}

/// A field of a form.
pub enum Field<'a> {
    /// A text.
    Text(&'a str, &'a str),
    /// A file: the field, its name, its media type, its bytes.
    File(&'a str, &'a str, &'a str, &'a [u8]),
}

fn owner(part: MediaPart) -> String {
    format!("media:{part}")
}

/// Keeps the key of an endpoint, or forgets it. It goes with the address that is set now, and to no other one.
///
/// # Errors
///
/// If no address is set that it could go to.
pub async fn keep_key(app: &App, by: &Actor, part: MediaPart, key: Option<Secret>) -> Result<()> {
    let bound = match key.filter(|key| !key.expose().trim().is_empty()) {
        Some(key) => {
            let url = address(&app.settings.get().media, part)?;
            Some(Secret::new(format!("{} {}", url.origin().ascii_serialization(), key.expose().trim())))
        }
        None => None,
    };
    media_keys::keep(&app.db, &app.stores.vault, by, (&owner(part), KEY), bound).await
}

/// Returns whether there is a key that goes to the address that is set.
///
/// # Errors
///
/// If the vault cannot be read.
pub async fn has_key(app: &App, part: MediaPart) -> Result<bool> {
    match address(&app.settings.get().media, part) {
        Ok(url) => Ok(key_for(app, part, &url).await?.is_some()),
        Err(_) => Ok(false),
    }
}

async fn key_for(app: &App, part: MediaPart, url: &Url) -> Result<Option<Secret>> {
    let Some(bound) = app.stores.vault.get(&owner(part), KEY).await? else { return Ok(None) };
    let key = bound.expose().split_once(' ').filter(|(origin, _)| *origin == url.origin().ascii_serialization());
    Ok(key.map(|(_, key)| Secret::new(key)))
}

fn address(settings: &Media, part: MediaPart) -> Result<Url> {
    if !settings.has(part) {
        let words = part.words();
        return Err(Error::new(
            Kind::Unconfigured,
            format!(
                "There is no endpoint for {words}: an administrator sets its address and model under Settings, Media."
            ),
        ));
    }
    endpoint_address(settings.of(part).0)
}

impl Endpoint {
    /// The endpoint that a run asks.
    ///
    /// # Errors
    ///
    /// If none is set.
    pub async fn for_run(cx: &Context, part: MediaPart) -> Result<Self> {
        Self::open(cx.app(), part, cx.http()?).await
    }

    /// The endpoint that is asked for a person outside a run.
    ///
    /// # Errors
    ///
    /// If none is set.
    pub async fn for_person(app: &App, part: MediaPart, user: UserId) -> Result<Self> {
        Self::open(app, part, app.outbound(Origin::part(Part::Media, Some(user)))?).await
    }

    async fn open(app: &App, part: MediaPart, http: Http) -> Result<Self> {
        let settings = app.settings.get();
        let url = address(&settings.media, part)?;
        let key = key_for(app, part, &url).await?;
        // An administrator allows its place by setting it.
        let http = http.allowing(HostPort::from_url(&url).as_slice());
        Ok(Self { part, model: settings.media.of(part).1.trim().to_owned(), url, key, http })
    }

    /// Sends JSON to a path of it. Returns an answer that is no refusal.
    ///
    /// # Errors
    ///
    /// If it cannot be reached, or refuses.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Response> {
        self.send(Request::post_json(self.at(path)?, body)).await
    }

    /// Sends a form to a path of it.
    ///
    /// # Errors
    ///
    /// As [`Self::post`].
    pub async fn post_form(&self, path: &str, fields: &[Field<'_>]) -> Result<Response> {
        let boundary = URL_SAFE_NO_PAD.encode(random::<[u8; 18]>());
        let mut request = Request::new(Method::POST, self.at(path)?);
        let kind = format!("multipart/form-data; boundary={boundary}");
        request.headers.insert(CONTENT_TYPE, HeaderValue::from_str(&kind).map_err(Error::internal)?);
        request.body = form(&boundary, fields);
        self.send(request).await
    }

    /// Asks which models it has.
    ///
    /// # Errors
    ///
    /// As [`Self::post`].
    pub async fn models(&self) -> Result<Vec<String>> {
        let answer = self.send(Request::get(self.at("models")?)).await?.json(1 << 20).await?;
        let models = answer.get("data").and_then(Value::as_array).into_iter().flatten();
        Ok(models.filter_map(|one| one.get("id").and_then(Value::as_str)).map(str::to_owned).collect())
    }

    /// The way to it, and to places that its answers name.
    pub fn http(&self) -> &Http {
        &self.http
    }

    /// The host it is at, as a person is told it.
    pub fn host(&self) -> String {
        self.url.host_str().unwrap_or_default().to_owned()
    }

    fn at(&self, path: &str) -> Result<Url> {
        let base = self.url.as_str().trim_end_matches('/');
        Url::parse(&format!("{base}/{path}")).map_err(Error::internal)
    }

    async fn send(&self, mut request: Request) -> Result<Response> {
        request.patience = PATIENCE;
        request.limit = Some(PATIENCE);
        if let Some(key) = &self.key {
            request = request.secret_header(AUTHORIZATION, &format!("Bearer {}", key.expose()))?;
        }
        let response = self.http.send(request).await?;
        if response.status.is_success() {
            return Ok(response);
        }
        let status = response.status.as_u16();
        let (body, _) = response.first_bytes(MAX_REFUSAL).await?;
        Err(self.refusal(status, &body))
    }

    /// A refusal in words, without the key that it may repeat.
    fn refusal(&self, status: u16, body: &[u8]) -> Error {
        let told = serde_json::from_slice::<Value>(body).ok();
        let message = told.as_ref().and_then(|told| told.pointer("/error/message").or_else(|| told.get("detail")));
        let said = message.and_then(Value::as_str).map(|text| clip(text.trim(), TOLD).into_owned()).unwrap_or_default();
        let said = match &self.key {
            Some(key) => said.replace(key.expose(), MASK),
            None => said,
        };
        let (words, model, host) = (self.part.words(), &self.model, self.host());
        let what = match status {
            401 | 403 => "does not take the key: set it under Settings, Media".to_owned(),
            404 => format!("has no such address, or no model '{model}': see Settings, Media"),
            429 => "has had too many requests: try again later".to_owned(),
            _ => format!("answered with status {status}"),
        };
        let said = if said.is_empty() { String::new() } else { format!(" It says: {said}") };
        Error::upstream(format!("The endpoint for {words} at {host} {what}.{said}"))
    }
}

fn form(boundary: &str, fields: &[Field<'_>]) -> Bytes {
    let mut body = BytesMut::new();
    for field in fields {
        body.put_slice(format!("--{boundary}\r\nContent-Disposition: form-data; name=").as_bytes());
        match field {
            Field::Text(name, text) => body.put_slice(format!("\"{name}\"\r\n\r\n{text}").as_bytes()),
            Field::File(name, file, mime, bytes) => {
                let head = format!("\"{name}\"; filename=\"{file}\"\r\nContent-Type: {mime}\r\n\r\n");
                body.put_slice(head.as_bytes());
                body.put_slice(bytes);
            }
        }
        body.put_slice(b"\r\n");
    }
    body.put_slice(format!("--{boundary}--\r\n").as_bytes());
    body.freeze()
}
