//! The source of a document: a text, or an address that is fetched.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use reqwest::{
    StatusCode,
    header::{ACCEPT, HeaderValue},
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::timeout;
use url::Url;

use crate::{
    catalog::{credential, grpc_import},
    reading::Reader,
};
use satchel_app::App;
use satchel_formats::api::{
    document::{ApiFiles, ApiRead, MAX_DOCUMENT, MAX_FILES},
    graphql,
};
use satchel_model::{
    catalog::{
        draft::{self, SystemDraft},
        proposal::Proposals,
        system::System,
    },
    error::{Error, Kind, Result},
    id::shorten,
};
use satchel_net::http::{Http, Request};

/// Most files of a document that are fetched at once: each may be as large as the whole.
const AT_ONCE: usize = 2;
/// Most rounds in which files name further ones.
const MAX_ROUNDS: usize = 20;
/// Longest time for a document with all its files, whether its client still waits or not.
const PATIENCE: Duration = Duration::from_secs(180);
/// Most words of a refusal that are read, in bytes.
const MAX_REFUSAL: usize = 64 << 10;
/// The media types a document may have.
const KINDS: &str = "application/json, application/yaml, text/yaml, text/xml, */*;q=0.5";

/// A document to be read: `text` or `url`.
#[derive(Debug, Clone, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportSource {
    /// The document itself: OpenAPI, Swagger, a GraphQL schema or its introspection, a WSDL, or a curl command.
    #[schema(min_length = 1)]
    pub text: Option<String>,
    /// The address of the document; of a GraphQL system, the one it is asked at.
    #[schema(pattern = r"^https?://\S+$")]
    pub url: Option<String>,
    /// `true` if `url` is a GraphQL system, to be asked for its schema.
    #[serde(default)]
    pub graphql: bool,
    /// `true` if `url` is a gRPC system, to be asked by server reflection.
    #[serde(default)]
    pub grpc: bool,
}

/// Reads a document. Of a system that is known, its own credential is sent along where the document is on its host.
///
/// # Errors
///
/// If it cannot be had or read, or that takes more than three minutes.
pub async fn read(app: &App, http: &Http, source: ImportSource, system: Option<&System>) -> Result<Proposals> {
    let late = |_| {
        Error::new(
            Kind::Timeout,
            "The document and the files it names were not read within three minutes. Try again, or give it as one text.",
        )
    };
    timeout(PATIENCE, read_all(app, http, source, system)).await.map_err(late)?
}

async fn read_all(app: &App, http: &Http, source: ImportSource, system: Option<&System>) -> Result<Proposals> {
    match (source.text, source.url) {
        (Some(text), None) => gathered(app, http, (text, None), system).await,
        (None, Some(url)) if source.grpc => {
            let url = address(&url)?;
            let known = system.filter(|system| system.base_url.as_ref() == Some(&url)).cloned();
            let asked = known.map_or_else(|| unknown(app, &url), Ok)?;
            grpc_import::read(app, http, &asked).await
        }
        (None, Some(url)) => {
            let url = address(&url)?;
            let (text, found) = fetch(app, http, (&url, source.graphql), system).await?;
            gathered(app, http, (text, Some((url, found))), system).await
        }
        _ => Err(Error::invalid("Give the document as `text`, or its address as `url`: one of the two.")),
    }
}

/// Reads a document, and the files it is written in as it names them. `from` is where it was asked for and where it was
/// found; what has no place has no further files.
async fn gathered(
    app: &App,
    http: &Http,
    (text, from): (String, Option<(Url, Url)>),
    system: Option<&System>,
) -> Result<Proposals> {
    let own = from.as_ref().map(|(_, found)| found.origin());
    let (mut files, mut texts) = (ApiFiles { from, further: Vec::new() }, vec![Bytes::from(text)]);
    for _ in 0..MAX_ROUNDS {
        let (reader, known, contents) = (Reader::new(&app.host.readers), files.clone(), texts.clone());
        let read = move || {
            let contents: Vec<&[u8]> = contents.iter().map(Bytes::as_ref).collect();
            reader.api(known, &contents)
        };
        let bytes = texts.iter().map(|text| text.len() as u64).sum();
        let wanted = match app.host.work.run_on(http.user(), bytes, read).await? {
            ApiRead::Whole(proposals) => return Ok(*proposals),
            ApiRead::Wanted(wanted) => wanted,
        };
        // A reader is not trusted with where the server goes.
        if wanted.iter().any(|url| Some(url.origin()) != own) || files.further.len() + wanted.len() > MAX_FILES {
            return Err(Error::invalid(format!(
                "The document is written in more than {MAX_FILES} files, or in some on other hosts."
            )));
        }
        let fetched = stream::iter(wanted).map(async |url| {
            let found = fetch(app, http, (&url, false), system).await;
            (url, found.map(|(text, _)| text))
        });
        let found: Vec<(Url, Result<String>)> = fetched.buffered(AT_ONCE).collect().await;
        for (url, found) in found {
            let missing = found.map(|text| texts.push(text.into())).err().map(|error| error.message().to_owned());
            files.further.push((url, missing));
        }
        if texts.iter().map(Bytes::len).sum::<usize>() > MAX_DOCUMENT {
            return Err(Error::invalid(format!("All files of the document have more than {} MB.", MAX_DOCUMENT >> 20)));
        }
    }
    Err(Error::invalid(format!(
        "The files of the document name others more than {MAX_ROUNDS} times in a row, which is too much."
    )))
}

/// A system that is not known yet, to be asked at its address.
fn unknown(app: &App, url: &Url) -> Result<System> {
    let name = url.host_str().unwrap_or("gRPC").chars().take(100).collect();
    let draft = SystemDraft { name: Some(name), base_url: Some(Some(url.to_string())), ..SystemDraft::default() };
    draft.into_new(&Default::default(), app.clock.now())
}

fn address(text: &str) -> Result<Url> {
    let text = text.trim();
    // `host:443` reads as a URL whose scheme is `host`.
    if !text.contains("://") {
        let text = shorten(text);
        return Err(Error::invalid(format!(
            "The address has no scheme: write 'https://{text}', or 'http://{text}' where the system speaks without TLS."
        )));
    }
    let url = Url::parse(text).map_err(|_| Error::invalid("The address of the document is not a URL."))?;
    let mut bare = url.clone();
    bare.set_query(None);
    bare.set_fragment(None);
    draft::base_url(bare.as_str())?;
    Ok(url)
}

/// The text at an address, and where it was found.
async fn fetch(
    app: &App,
    http: &Http,
    (url, is_graphql): (&Url, bool),
    system: Option<&System>,
) -> Result<(String, Url)> {
    if !is_graphql {
        let mut request = Request::get(url.clone());
        request.max_redirects = 5;
        let found = ask(app, http, request, system).await?;
        return found.text(url);
    }
    let asking = async |document: &str| {
        let mut request = Request::post_json(url.clone(), &json!({"query": document}));
        request.max_redirects = 0;
        ask(app, http, request, system).await
    };
    let mut found = asking(graphql::INTROSPECTION).await?;
    // Systems that are older than the field refuse the whole.
    if found.refusal().is_some_and(|told| told.contains("isOneOf")) {
        found = asking(&graphql::older_introspection()).await?;
    }
    match found.refusal() {
        Some(told) => Err(Error::upstream(format!(
            "The system does not tell its schema: {told} Where its introspection is switched off, have it switched on \
             for the import, or give the answer to an introspection as `text`."
        ))),
        None => found.text(url),
    }
}

/// The document found at an address.
struct Found {
    status: StatusCode,
    url: Url,
    bytes: Bytes,
}

/// Asks for a document, with the system's own credential where the document is on its host.
async fn ask(app: &App, http: &Http, mut request: Request, system: Option<&System>) -> Result<Found> {
    request.headers.insert(ACCEPT, HeaderValue::from_static(KINDS));
    let mut way = http.clone();
    let is_own = |system: &&System| system.base_url.as_ref().is_some_and(|base| base.origin() == request.url.origin());
    if let Some(system) = system.filter(is_own)
        && let Ok(ready) = credential::prepare(app, http, system).await
    {
        way = ready.way(http);
        request = ready.put_on(request)?;
    }
    let response = way.send(request).await?;
    let (status, url) = (response.status, response.url.clone());
    Ok(Found { status, url, bytes: response.bytes(MAX_DOCUMENT).await? })
}

impl Found {
    fn text(self, asked: &Url) -> Result<(String, Url)> {
        if !self.status.is_success() {
            let host = asked.host_str().unwrap_or_default();
            return Err(Error::upstream(format!(
                "'{host}' answered {}: the document was not read.",
                self.status.as_u16()
            )));
        }
        let text = String::from_utf8(self.bytes.to_vec());
        text.map(|text| (text, self.url)).map_err(|_| Error::invalid("The document is not text in UTF-8."))
    }

    /// The words of a GraphQL system that keeps its schema to itself, as a sentence.
    fn refusal(&self) -> Option<String> {
        // A schema is no refusal, and is read where it can do no harm.
        if self.bytes.len() > MAX_REFUSAL {
            return None;
        }
        let value: Value = serde_json::from_slice(&self.bytes).ok()?;
        let refused = value.pointer("/errors/0/message").and_then(Value::as_str);
        let message = refused.filter(|_| value.pointer("/data/__schema").is_none())?;
        let message: String = message.chars().take(300).collect();
        Some(format!("{}.", message.trim_end_matches(['.', ' '])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_scheme_is_told_which_to_write() {
        for text in ["localhost:50051", "127.0.0.1:50051", "grpc.example.com"] {
            let error = address(text).unwrap_err();
            assert!(error.message().contains(&format!("'http://{text}'")), "{error}");
        }
        assert_eq!(address(" http://localhost:50051 ").unwrap().as_str(), "http://localhost:50051/");
    }
}
