//! Where a document comes from: a text, or an address that is fetched.

use futures_util::{StreamExt, stream};
use reqwest::header::{ACCEPT, HeaderValue};
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use crate::{
    app::App,
    engine::catalog::{credential, grpc_import},
    formats::api::{
        document::{Document, MAX_DOCUMENT},
        graphql,
    },
    model::{
        catalog::{
            draft::{self, SystemDraft},
            proposal::Proposals,
            system::System,
        },
        error::{Error, Result},
    },
    net::http::{Http, Request},
};

/// Most files of a document that are fetched at once.
const AT_ONCE: usize = 4;
/// What a document may be.
const KINDS: &str = "application/json, application/yaml, text/yaml, text/xml, */*;q=0.5";

/// A document to be read: `text` or `url`.
#[derive(Debug, Clone, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportSource {
    /// The document itself: OpenAPI, Swagger, a GraphQL introspection, a WSDL, or a curl command.
    pub text: Option<String>,
    /// Where it is; of a GraphQL system, where it is asked.
    pub url: Option<String>,
    /// Whether `url` is a GraphQL system, to be asked for its schema.
    #[serde(default)]
    pub graphql: bool,
    /// Whether `url` is a gRPC system, to be asked by server reflection.
    #[serde(default)]
    pub grpc: bool,
}

/// Reads a document. Of a system that is known, its own credential is sent along where the document is on its host.
pub async fn read(app: &App, http: &Http, source: ImportSource, system: Option<&System>) -> Result<Proposals> {
    match (source.text, source.url) {
        (Some(text), None) => app.work.run(move || Document::open(&text, None)?.read()).await,
        (None, Some(url)) if source.grpc => {
            let url = address(&url)?;
            let known = system.filter(|system| system.base_url.as_ref() == Some(&url)).cloned();
            let asked = known.map_or_else(|| unknown(app, &url), Ok)?;
            grpc_import::read(app, http, &asked).await
        }
        (None, Some(url)) => {
            let url = address(&url)?;
            let (text, found) = fetch(app, http, (&url, source.graphql), system).await?;
            let opened = app.work.run(move || Document::open(&text, Some((url, found)))).await?;
            gathered(app, http, opened, system).await
        }
        _ => Err(Error::invalid("Give the document as `text`, or its address as `url`: one of the two.")),
    }
}

/// What a document says, once the files it is written in are all there.
async fn gathered(app: &App, http: &Http, mut document: Document, system: Option<&System>) -> Result<Proposals> {
    loop {
        let wanted = document.wanted();
        if wanted.is_empty() {
            return app.work.run(move || document.read()).await;
        }
        let fetched = stream::iter(wanted).map(async |url| {
            let found = fetch(app, http, (&url, false), system).await;
            (url, found.map(|(text, _)| text))
        });
        let found: Vec<(Url, Result<String>)> = fetched.buffered(AT_ONCE).collect().await;
        let add = move || {
            found.into_iter().for_each(|(url, found)| document.add(url, found));
            Ok(document)
        };
        document = app.work.run(add).await?;
    }
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
    let mut request = match is_graphql {
        true => Request::post_json(url.clone(), &json!({"query": graphql::INTROSPECTION})),
        false => Request::get(url.clone()),
    };
    request.headers.insert(ACCEPT, HeaderValue::from_static(KINDS));
    request.max_redirects = if is_graphql { 0 } else { 5 };
    let mut way = http.clone();
    let is_own = |system: &&System| system.base_url.as_ref().is_some_and(|base| base.origin() == url.origin());
    if let Some(system) = system.filter(is_own)
        && let Ok(ready) = credential::prepare(app, http, system).await
    {
        way = ready.way(http);
        request = ready.put_on(request)?;
    }
    let response = way.send(request).await?;
    let (status, found) = (response.status, response.url.clone());
    if !status.is_success() {
        let host = url.host_str().unwrap_or_default();
        return Err(Error::upstream(format!("'{host}' answered {}: the document was not read.", status.as_u16())));
    }
    let bytes = response.bytes(MAX_DOCUMENT).await?;
    let text = String::from_utf8(bytes.to_vec()).map_err(|_| Error::invalid("The document is not text in UTF-8."))?;
    if is_graphql {
        tells_its_schema(&text)?
    }
    Ok((text, found))
}

/// Fails with the system's words where it keeps its schema to itself.
fn tells_its_schema(text: &str) -> Result<()> {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return Ok(()) };
    let refused = value.pointer("/errors/0/message").and_then(Value::as_str);
    match refused.filter(|_| value.pointer("/data/__schema").is_none()) {
        None => Ok(()),
        Some(message) => {
            let message: String = message.chars().take(300).collect();
            Err(Error::upstream(format!("The system does not tell its schema: {message}")))
        }
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
