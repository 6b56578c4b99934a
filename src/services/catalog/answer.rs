//! The answer of a system: read by what it says it is, and without the credentials it was asked with.

use bytes::Bytes;
use reqwest::header::HeaderMap;
use serde_json::{Map, Value, json};

use super::{
    intake::{self, unread},
    rest::Target,
};
use crate::reading::Reader;
use satchel_engine::sanitise;
use satchel_formats::payload::{self, Form};
use satchel_model::{
    error::{Error, Kind, Result},
    json::{beginning, weighs_more},
    output::Output,
    secret::forms,
    text::one_line,
};
use satchel_net::http::Response;

/// Longest answer that is read.
pub const MAX_ANSWER: usize = 10 * 1024 * 1024;
/// A longer answer is read beside the async threads.
const LONG: usize = 16 * 1024;
/// Characters of a refusal that are told.
const TOLD: usize = 1_500;
/// The number of bytes of a page that is a refusal that are read for its words.
const PAGE: usize = 64 * 1024;
/// Headers of an answer that are shown; any other may hold a secret.
const SHOWN: &[&str] = &[
    "content-type",
    "content-range",
    "etag",
    "last-modified",
    "link",
    "location",
    "retry-after",
    "x-request-id",
    "x-total-count",
    "x-total",
    "x-total-pages",
    "x-page",
    "x-per-page",
    "x-next-page",
    "x-prev-page",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "ratelimit",
    "allow",
    "deprecation",
    "sunset",
];

/// An answer, read.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers that may be shown.
    pub headers: Map<String, Value>,
    /// The format the body was read as.
    pub form: Form,
    /// The body; null where it is binary.
    pub body: Value,
    /// The body as it came. It may repeat a credential: nobody is shown it.
    pub raw: Bytes,
    /// `true` if a binary body repeats a credential.
    pub repeats_secret: bool,
    /// The text of a page that is a refusal.
    pub page: Option<String>,
    /// The number of attempts.
    pub attempts: u32,
    /// `true` if it was asked to change something, by its method.
    pub after_write: bool,
}

impl Answer {
    /// Reads an answer to its end. None of `secrets` is left in what may be shown of it.
    pub async fn read<'a>(
        target: &Target<'_>,
        response: Response,
        secrets: impl Iterator<Item = &'a str>,
    ) -> Result<Self> {
        let (status, head) = (response.status.as_u16(), response.headers.clone());
        let room = intake::room(target);
        let received = response.receive_whole(&room, MAX_ANSWER).await;
        let raw = received.map_err(|error| unread(error, Some(status)))?;
        let media = head.get("content-type").and_then(|value| value.to_str().ok()).map(str::to_owned);
        let forms = forms::of(secrets);
        let headers = match sanitise::hide(Value::Object(shown(&head)), &forms) {
            Value::Object(headers) => headers,
            _ => Map::new(),
        };
        let is_page = media.as_deref().is_some_and(|media| media.starts_with("text/html"));
        let is_refusal = !(200..=299).contains(&status) && status != 304;
        let Body { form, value: body, repeats_secret, page } = match raw.len() <= LONG && !(is_page && is_refusal) {
            true => Body::read(&raw, media.as_deref(), &forms),
            false => {
                let reader = target.cx.map_or_else(|| Reader::new(&target.app.host.readers), Reader::for_run);
                let (bytes, long) = (raw.clone(), raw.len() as u64);
                let read = move || {
                    let body = Body::read_long(&bytes, media.as_deref(), &forms, &reader)?;
                    Ok(if is_page && is_refusal { body.with_page(&reader) } else { body })
                };
                let read = target.app.host.work.run_on(target.http.user(), long, read).await;
                read.map_err(|error| unread(error, Some(status)))?
            }
        };
        Ok(Self { status, headers, form, body, raw, repeats_secret, page, attempts: 1, after_write: false })
    }

    /// Returns whether the system did what it was asked. A redirect is not followed, so nothing was done; only 303 says
    /// after a write that it was, and where to look (RFC 9110, 15.4.4).
    pub fn is_success(&self) -> bool {
        match self.status {
            200..=299 | 304 => true,
            303 => self.after_write,
            _ => false,
        }
    }

    /// Returns whether it is a success that is no text: it becomes a file.
    pub fn is_file(&self) -> bool {
        self.form == Form::Binary && self.is_success()
    }

    /// Returns the answer as a tool gives it back.
    ///
    /// # Errors
    ///
    /// If the system refused, with its words.
    pub fn into_output(self, system: &str) -> Result<Output> {
        if let Some(refusal) = self.refusal(system) {
            return Err(refusal);
        }
        let bytes = (self.form == Form::Binary).then_some(self.raw.len());
        // The body is moved: it may be large.
        let data = [
            ("status", json!(self.status)),
            ("headers", Value::Object(self.headers)),
            ("format", json!(self.form.as_str())),
            ("body", self.body),
        ];
        let data = data.into_iter().chain(bytes.map(|bytes| ("bytes", json!(bytes))));
        Ok(Output::json(Value::Object(data.map(|(name, value)| (name.to_owned(), value)).collect())))
    }

    /// Returns the error for an answer that is a refusal.
    pub fn refusal(&self, system: &str) -> Option<Error> {
        if self.is_success() {
            return None;
        }
        let words = if (300..=399).contains(&self.status) { String::new() } else { self.words() };
        let told: String = words.chars().take(TOLD).collect();
        let cut = if told.len() < words.len() { "…" } else { "" };
        let says = if told.is_empty() { ".".to_owned() } else { format!(": {told}{cut}") };
        let kind = match self.status {
            300..=399 | 400 | 405 | 406 | 411 | 413..=416 | 422 => Kind::Invalid,
            401 | 403 => Kind::Unconfigured,
            404 | 410 => Kind::NotFound,
            409 | 412 => Kind::Conflict,
            429 => Kind::Exhausted,
            _ => Kind::Upstream,
        };
        let header = |name: &str| self.headers.get(name).and_then(Value::as_str);
        let what = match (self.status, header("retry-after")) {
            (300..=399, _) => self.moved(header("location")),
            (401, _) => " (its credential was refused: an administrator enters it anew in the console, under Catalog)"
                .to_owned(),
            (_, Some(seconds)) if seconds.parse::<u64>().is_ok() => format!(" (try again in {seconds} s)"),
            (_, Some(time)) => format!(" (try again after {time})"),
            _ => String::new(),
        };
        let body = match weighs_more(&self.body, PAGE) {
            true => json!({"bytes": self.raw.len(), "preview": beginning(&self.body, TOLD)}),
            false => self.body.clone(),
        };
        let details = json!({"status": self.status, "headers": self.headers, "body": body});
        Some(
            Error::new(kind, format!("{system} answered {}{what}{says}", self.status))
                .with_details(details)
                .as_answer(),
        )
    }

    fn moved(&self, to: Option<&str>) -> String {
        let to = to.map_or_else(String::new, |to| format!(", moved to '{to}'"));
        match self.after_write {
            true => format!("{to}: nothing was done. Correct the path"),
            false => format!("{to}, which is not followed: correct the path, or fetch that address"),
        }
    }

    /// Returns the words of the body; of a page, its text.
    fn words(&self) -> String {
        match (&self.page, &self.body) {
            (Some(page), _) => page.clone(),
            (None, Value::Null) => String::new(),
            (None, Value::String(text)) => text.clone(),
            (None, other) => beginning(other, PAGE),
        }
    }
}

/// The body of an answer, read.
struct Body {
    form: Form,
    value: Value,
    repeats_secret: bool,
    page: Option<String>,
}

impl Body {
    fn read(raw: &[u8], media: Option<&str>, secrets: &[String]) -> Self {
        Self::new(payload::parse(raw, media), raw, secrets)
    }

    /// The same, and what has a structure of its own is read in a process of its own. What cannot be read so is text.
    fn read_long(raw: &[u8], media: Option<&str>, secrets: &[String], reader: &Reader) -> Result<Self> {
        let read = match payload::is_xml_or_rows(raw, media) {
            true => match reader.payload(raw, media) {
                Ok(read) => read,
                // Read again later, it would be something else.
                Err(error) if error.kind() == Kind::Busy => return Err(error),
                Err(error) => {
                    tracing::debug!(%error, "an answer is taken for text");
                    payload::text(raw, media)
                }
            },
            false => payload::parse(raw, media),
        };
        Ok(Self::new(read, raw, secrets))
    }

    /// With the text of the page it is.
    fn with_page(mut self, reader: &Reader) -> Self {
        if let Value::String(text) = &self.value {
            let start: String = text.chars().take(PAGE).collect();
            let page = reader.text(start.as_bytes(), "page.html").ok();
            self.page = page.map(|page| one_line(&page.text));
        }
        self
    }

    fn new((form, value): (Form, Value), raw: &[u8], secrets: &[String]) -> Self {
        let repeats_secret = form == Form::Binary && forms::stand_in(&String::from_utf8_lossy(raw), secrets);
        Self { form, value: sanitise::hide(value, secrets), repeats_secret, page: None }
    }
}

fn shown(headers: &HeaderMap) -> Map<String, Value> {
    // A header that stands there several times is a list (RFC 9110, 5.3).
    let known = SHOWN.iter().filter_map(|name| {
        let values: Vec<&str> = headers.get_all(*name).iter().filter_map(|value| value.to_str().ok()).collect();
        (!values.is_empty()).then(|| ((*name).to_owned(), Value::from(values.join(", "))))
    });
    known.collect()
}
