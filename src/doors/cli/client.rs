//! The server's API, as the owner of the data directory.

use std::time::Duration;

use http::{HeaderMap, Method, header};
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use satchel_model::{
    egress::{Origin, Part},
    error::{Error, Kind, Result},
    secret::Secret,
};
use satchel_net::{
    gate::{Gate, Ways},
    guard::HostPort,
    http::{Http, Request, Response},
    meter::Ledger,
};

/// Longest silence of an answer. Tools have their own time limits; the server keeps them.
const PATIENCE: Duration = Duration::from_secs(3_600);
/// Longest answer read.
const MAX_ANSWER: usize = 64 << 20;

/// A server, and the token that says: this is its machine's owner.
pub struct Client {
    http: Http,
    base: Url,
    token: Secret,
}

/// An answer of any status.
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The JSON body; null where there is none.
    pub body: Value,
}

impl Client {
    /// A client of the server at `base`.
    pub fn new(base: Url, token: Secret) -> Self {
        // The server keeps the ledger; a command line has none.
        let gate = Gate::new(Ways::default(), Ledger::none());
        let http = gate.on_behalf(Origin::part(Part::CommandLine, None)).allowing(HostPort::from_url(&base).as_slice());
        Self { http, base, token }
    }

    /// Sends a request and gives the answer, whatever its status.
    pub async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Answer> {
        let url = self.base.join(path).map_err(Error::internal)?;
        let mut request = match body {
            Some(body) => Request::post_json(url, body),
            None => Request::get(url),
        };
        request.method = method;
        self.exchange(request).await
    }

    /// Sends a file as a form does, with the collection it goes to.
    pub async fn send_file(&self, path: &str, name: &str, bytes: Vec<u8>, collection: Option<&str>) -> Result<Answer> {
        let boundary = format!("satchel-{}", uuid::Uuid::now_v7().simple());
        let plain: String =
            name.chars().map(|c| if matches!(c, '"' | '\\') || c.is_control() { '_' } else { c }).collect();
        let mut body = Vec::with_capacity(bytes.len() + 1_024);
        if let Some(collection) = collection {
            let head = "Content-Disposition: form-data; name=\"collection\"";
            body.extend_from_slice(format!("--{boundary}\r\n{head}\r\n\r\n{collection}\r\n").as_bytes());
        }
        let head = format!("Content-Disposition: form-data; name=\"file\"; filename=\"{plain}\"");
        let kind = "Content-Type: application/octet-stream";
        body.extend_from_slice(format!("--{boundary}\r\n{head}\r\n{kind}\r\n\r\n").as_bytes());
        body.extend_from_slice(&bytes);
        drop(bytes);
        body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
        let mut request = Request::new(Method::POST, self.base.join(path).map_err(Error::internal)?);
        let form = format!("multipart/form-data; boundary={boundary}");
        request.headers.insert(header::CONTENT_TYPE, form.parse().map_err(Error::internal)?);
        request.body = body.into();
        self.exchange(request).await
    }

    async fn exchange(&self, mut request: Request) -> Result<Answer> {
        request.patience = PATIENCE;
        let bearer = format!("Bearer {}", self.token.expose());
        let response = self.http.send(request.secret_header(header::AUTHORIZATION, &bearer)?).await?;
        let status = response.status.as_u16();
        let bytes = response.bytes(MAX_ANSWER).await?;
        let body =
            if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes).map_err(Error::internal)? };
        Ok(Answer { status, body })
    }

    /// Sends a request as it is, and gives the head of its answer, whatever its status.
    pub(super) async fn open(&self, method: Method, path: &str, headers: HeaderMap, body: Vec<u8>) -> Result<Response> {
        let mut request = Request::new(method, self.base.join(path).map_err(Error::internal)?);
        (request.headers, request.body, request.patience) = (headers, body.into(), PATIENCE);
        let bearer = format!("Bearer {}", self.token.expose());
        self.http.send(request.secret_header(header::AUTHORIZATION, &bearer)?).await
    }

    /// Sends, and reads the answer as `T`; a problem answer is the error.
    pub async fn ask<T: DeserializeOwned>(&self, method: Method, path: &str, body: Option<&Value>) -> Result<T> {
        let answer = self.send(method, path, body).await?;
        if answer.status >= 400 {
            return Err(answer.problem());
        }
        serde_json::from_value(answer.body).map_err(Error::internal)
    }

    /// `GET`.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        self.ask(Method::GET, path, None).await
    }

    /// `POST`.
    pub async fn post<T: DeserializeOwned>(&self, path: &str, body: &Value) -> Result<T> {
        self.ask(Method::POST, path, Some(body)).await
    }
}

impl Answer {
    /// The error a problem answer tells of.
    pub fn problem(&self) -> Error {
        let detail = self.body.get("detail").and_then(Value::as_str).unwrap_or("The server answered with no reason.");
        let kind = match self.status {
            400 => Kind::Invalid,
            401 => Kind::Unauthenticated,
            403 => Kind::Denied,
            404 => Kind::NotFound,
            409 => Kind::Conflict,
            429 => Kind::Exhausted,
            503 => Kind::Disabled,
            507 => Kind::DiskFull,
            _ => Kind::Internal,
        };
        Error::new(kind, detail)
    }
}
