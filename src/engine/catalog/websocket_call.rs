//! A message over a WebSocket of a system, and what comes back.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::HeaderMap;
use serde_json::{Map, Value, json};

use super::{
    credential::{self, Ready},
    rest::{self, Target},
};
use crate::{
    model::{
        catalog::place,
        error::{Error, Result},
        output::Output,
    },
    net::{
        http::Request,
        tls::Tls,
        ws::{self, Exchange, Heard, Piece},
    },
};

/// Once something has come, how long silence means that it was all.
const QUIET: Duration = Duration::from_secs(1);
/// Most messages taken, and most bytes of all together.
const MOST: (usize, usize) = (100, 4 << 20);

/// What is said.
#[derive(Debug, Clone)]
pub struct SocketAsk {
    /// The path under the base URL; it may have a query.
    pub path: String,
    /// The message.
    pub message: String,
    /// How long until the first answer.
    pub timeout: Duration,
    /// Headers of the upgrade, none of them a credential.
    pub headers: Vec<(String, String)>,
}

/// Opens the socket, sends and listens.
pub(super) async fn call(target: &Target<'_>, ask: &SocketAsk) -> Result<Output> {
    let plain = upgrade(target, ask)?;
    rest::take_turn(target).await?;
    let status = |error: &Error| error.details().and_then(|details| details.get("status")?.as_u64());
    let is_refused = |heard: &Result<Heard>| heard.as_ref().is_err_and(|error| status(error) == Some(401));
    let conversation = |ready| converse(target, ask, plain.clone(), ready);
    let (ready, heard) = credential::attempt(target, conversation, is_refused).await?;
    ready.cleaned(heard.map(shown))
}

async fn converse(target: &Target<'_>, ask: &SocketAsk, plain: Request, ready: Ready) -> Result<Heard> {
    let request = ready.put_on(plain)?;
    let tls = Tls { alpn: vec![b"http/1.1".to_vec()], ..ready.tls() };
    let dialled = target.http.dial(&request.url, &tls).await;
    let connection = dialled.map_err(|error| rest::explained(error, target.system))?;
    let exchange = Exchange {
        url: request.url,
        headers: request.headers,
        message: ask.message.clone(),
        patience: ask.timeout,
        quiet: QUIET.min(ask.timeout),
        most: MOST,
    };
    ws::exchange(connection, exchange).await
}

/// The upgrade as it goes out, but for the credential.
fn upgrade(target: &Target<'_>, ask: &SocketAsk) -> Result<Request> {
    let url = place::join(target.system.base_url()?, &ask.path)?;
    rest::demand_no_credential(target.system, &url, &[])?;
    let mut headers = HeaderMap::new();
    for (name, value) in &ask.headers {
        let (name, value) = rest::header(target.system, name, value)?;
        if name.as_str().starts_with("sec-websocket-") && name != "sec-websocket-protocol" {
            return Err(Error::invalid(format!("The header '{name}' is set by Satchel: leave it out.")));
        }
        headers.insert(name, value);
    }
    let mut request = Request::get(url);
    request.headers = headers;
    Ok(request)
}

fn shown(heard: Heard) -> Value {
    let mut data = Map::new();
    data.insert("messages".to_owned(), heard.messages.into_iter().map(value).collect());
    data.insert("more".to_owned(), json!(heard.more));
    data.extend(heard.protocol.map(|protocol| ("subprotocol".to_owned(), json!(protocol))));
    let closed = heard.closed.map(|(code, reason)| json!({"code": code, "reason": reason}));
    data.extend(closed.map(|closed| ("closed".to_owned(), closed)));
    Value::Object(data)
}

/// A message: JSON as it is, other text as text, bytes as base64.
fn value(piece: Piece) -> Value {
    match piece {
        Piece::Binary(bytes) => json!({"base64": STANDARD.encode(bytes)}),
        Piece::Text(text) => {
            let json = text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str(&text).ok()).flatten();
            json.unwrap_or(Value::String(text))
        }
    }
}
