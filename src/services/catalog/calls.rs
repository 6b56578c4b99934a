//! The calls of the tools that call systems: each protocol, to systems that may be called, in the caller's name.

use std::sync::Arc;

use super::{
    answer::Answer,
    graphql::{self, call::Query},
    grpc_call::{self, GrpcAsk},
    resolve,
    rest::{self, RestRequest, Target},
    soap_call::{self, SoapAsk},
    websocket_call::{self, SocketAsk},
};
use crate::own_files::{NewFile, OwnFiles};
use satchel_engine::context::Context;
use satchel_formats::media;
use satchel_model::{
    catalog::{directory::Registered, endpoint::Endpoint},
    error::{Error, Result},
    origin::Origin,
    output::Output,
};
use satchel_net::http::Http;

/// The folder binary answers are put into.
const FOLDER: &str = "downloads";

/// A system that may be called, and the way to it.
struct Way {
    to: Arc<Registered>,
    http: Http,
}

impl Way {
    fn target<'a>(&'a self, cx: &'a Context, endpoint: Option<&'a Endpoint>) -> Target<'a> {
        Target { app: cx.app(), cx: Some(cx), http: &self.http, system: &self.to.system, endpoint }
    }
}

/// Sends a request to a system. An answer that is no text becomes a file of the caller's.
pub async fn rest(cx: &Context, system: &str, request: &RestRequest) -> Result<Output> {
    let way = way(cx, system)?;
    let endpoint = way.to.matching(request.method.as_str(), &request.path);
    let answer = rest::send(&way.target(cx, endpoint), request).await?;
    if answer.is_file() {
        return keep_answer(cx, answer, &request.path).await;
    }
    answer.into_output(&way.to.system.name)
}

/// Runs a GraphQL operation.
pub async fn graphql(cx: &Context, system: &str, query: &Query) -> Result<Output> {
    let way = way(cx, system)?;
    graphql::call::call(&way.target(cx, None), &way.to, query).await
}

/// Calls a SOAP operation.
pub async fn soap(cx: &Context, system: &str, ask: &SoapAsk) -> Result<Output> {
    let way = way(cx, system)?;
    soap_call::call(&way.target(cx, None), &way.to, ask).await
}

/// Calls a gRPC method.
pub async fn grpc(cx: &Context, system: &str, ask: &GrpcAsk) -> Result<Output> {
    let way = way(cx, system)?;
    grpc_call::call(&way.target(cx, None), ask).await
}

/// Sends a message over a WebSocket.
pub async fn websocket(cx: &Context, system: &str, ask: &SocketAsk) -> Result<Output> {
    let way = way(cx, system)?;
    websocket_call::call(&way.target(cx, None), ask).await
}

fn way(cx: &Context, system: &str) -> Result<Way> {
    Ok(Way { to: resolve::callable_for(cx, system)?, http: cx.http()? })
}

/// Makes an answer that is no text a file of the caller's, named by the last part of the path.
pub(super) async fn keep_answer(cx: &Context, answer: Answer, path: &str) -> Result<Output> {
    if answer.repeats_secret {
        return Err(Error::upstream("The answer is no text and repeats the system's credential: it is not kept."));
    }
    let media_type = answer.headers.get("content-type").and_then(|value| value.as_str()).unwrap_or_default();
    let (stem, ending) = name(path, media_type);
    let origin = Origin::new(format!("{}: {path}", cx.tool()), cx.now());
    let new = NewFile { folder: FOLDER, name: &stem, ending: &ending };
    let file = OwnFiles::new(cx)?.write_new_from(Some(origin), new, answer.raw.to_vec()).await?;
    let mut output = answer.into_output("")?;
    if let Some(data) = output.data.as_object_mut() {
        data.insert("body".to_owned(), serde_json::json!({"file": file}));
    }
    Ok(output)
}

/// A file's name and ending, by the last part of the path and the media type.
fn name(path: &str, media_type: &str) -> (String, String) {
    let last = path.split(['?', '#']).next().unwrap_or_default().rsplit('/').find(|part| !part.is_empty());
    let last: String =
        last.unwrap_or_default().chars().filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c)).take(80).collect();
    let (stem, own) = last.rsplit_once('.').map_or((last.as_str(), ""), |(stem, own)| (stem, own));
    let media_type = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let known = media::ending(&media_type).map(str::to_owned);
    let plain = |text: &str| (1..=8).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphanumeric());
    let second = media_type.rsplit('/').next().filter(|second| plain(second)).map(str::to_owned);
    let ending = Some(own.to_ascii_lowercase()).filter(|own| plain(own)).or(known).or(second);
    let stem = stem.trim_matches(['.', '-']);
    let stem = if stem.is_empty() { "answer" } else { stem };
    (stem.to_owned(), ending.unwrap_or_else(|| "bin".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_path_and_media_type() {
        let named = |path: &str, media: &str| {
            let (stem, ending) = name(path, media);
            format!("{stem}.{ending}")
        };
        assert_eq!(named("/reports/7/q4.pdf?x=1", "application/pdf"), "q4.pdf");
        assert_eq!(named("/users/7/photo", "image/jpeg; q=1"), "photo.jpg");
        assert_eq!(named("/", "application/zip"), "answer.zip");
        assert_eq!(named("/x/..%2f..%2fetc", "application/octet-stream"), "2f.2fetc");
        assert_eq!(named("/.hidden", ""), "answer.hidden");
    }
}
