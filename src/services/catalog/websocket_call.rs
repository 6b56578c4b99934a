//! Messages over a WebSocket of a system, and what comes back.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::HeaderMap;
use serde_json::{Map, Value, json};

use super::{
    credential::{self, Ready},
    intake::{self, unread},
    override_names,
    rest::{self, Target},
};
use satchel_model::{
    catalog::{place, system::System},
    error::{Error, Kind, Result},
    json,
    output::Output,
};
use satchel_net::{
    http::Request,
    tls::Tls,
    ws::{self, Ended, Exchange, Heard, Piece},
};

/// Most values of the JSON of all messages together: each takes many times its text.
const MAX_VALUES: usize = 250_000;
/// Once something has come, how long silence ends the listening where nothing else is said.
pub const QUIET: Duration = Duration::from_secs(1);
/// The time a further message waits for something to come after the one before it.
const ANSWER: Duration = Duration::from_secs(5);
/// Most messages taken, and most bytes of all together.
const MOST: (usize, usize) = (100, 4 << 20);

/// Messages of more bytes than this together are read beside the async threads.
const LONG: usize = 16 << 10;

/// The messages to send.
#[derive(Debug, Clone)]
pub struct SocketAsk {
    /// The path under the base URL; it may have a query.
    pub path: String,
    /// The message.
    pub message: String,
    /// Messages after it, each once something has come after the one before.
    pub further: Vec<String>,
    /// The longest all may take. Something must have come by then.
    pub timeout: Duration,
    /// Once something has come, how long silence ends the listening.
    pub quiet: Duration,
    /// Headers of the upgrade, none of them a credential.
    pub headers: Vec<(String, String)>,
}

/// Opens the socket, sends and listens.
pub(super) async fn call(target: &Target<'_>, ask: &SocketAsk) -> Result<Output> {
    let plain = upgrade(target.system, ask)?;
    rest::take_turn(target).await?;
    let status = |error: &Error| error.details().and_then(|details| details.get("status")?.as_u64());
    let is_refused = |heard: &Result<Heard>| heard.as_ref().is_err_and(|error| status(error) == Some(401));
    let conversation = |ready| converse(target, ask, plain.clone(), ready);
    let (ready, heard) = credential::attempt(target, conversation, is_refused).await?;
    let ready = ready.knowing(credential::given(&plain.headers));
    match heard {
        Ok(heard) if heard.messages.iter().map(Piece::len).sum::<usize>() > LONG => {
            let name = target.system.name.clone();
            // Whether there is a turn or not: all was sent.
            let read = target.app.host.work.run(target.http.user(), move || ready.cleaned(shown(&name, heard))).await;
            read.map_err(|error| unread(error, None))
        }
        heard => ready.cleaned(heard.and_then(|heard| shown(&target.system.name, heard))),
    }
}

async fn converse(target: &Target<'_>, ask: &SocketAsk, plain: Request, ready: Ready) -> Result<Heard> {
    let request = ready.put_on(plain)?;
    let tls = Tls { alpn: vec![b"http/1.1".to_vec()], ..ready.tls() };
    let connection = target.http.dial(&request.url, &tls).await?;
    let exchange = Exchange {
        url: request.url,
        headers: request.headers,
        messages: std::iter::once(&ask.message).chain(&ask.further).cloned().collect(),
        answer: ANSWER.max(ask.quiet),
        patience: ask.timeout,
        quiet: ask.quiet,
        most: MOST,
        room: intake::room(target),
    };
    ws::exchange(connection, exchange).await.map_err(|error| unread(error, None))
}

/// The upgrade as it goes out, but for the credential.
pub(super) fn upgrade(system: &System, ask: &SocketAsk) -> Result<Request> {
    let url = place::join(system.base_url()?, &ask.path)?;
    rest::require_no_credential(system, &url, &[])?;
    override_names::require_none_in_query(url.query().unwrap_or_default())?;
    let mut headers = HeaderMap::new();
    for (name, value) in &ask.headers {
        let (name, value) = rest::header(system, name, value)?;
        if name.as_str().starts_with("sec-websocket-") && name != "sec-websocket-protocol" {
            return Err(Error::invalid(format!("The header '{name}' is set by Satchel: leave it out.")));
        }
        headers.insert(name, value);
    }
    let mut request = Request::get(url);
    request.headers = headers;
    Ok(request)
}

fn shown(system: &str, heard: Heard) -> Result<Value> {
    if let Some((code, reason)) = heard.closed.as_ref().filter(|_| heard.messages.is_empty()) {
        require_good(system, *code, reason)?;
    }
    let (ended, more) = match heard.ended {
        Ended::Closed => ("closed", json!(false)),
        // Nobody knows what a server that is quiet would still have said.
        Ended::Quiet => ("quiet", Value::Null),
        Ended::Timeout => ("timeout", json!(true)),
        Ended::Limit => ("limit", json!(true)),
    };
    let (mut data, mut left) = (Map::new(), MAX_VALUES);
    data.insert("messages".to_owned(), heard.messages.into_iter().map(|piece| value(piece, &mut left)).collect());
    data.insert("ended".to_owned(), json!(ended));
    data.insert("more".to_owned(), more);
    data.extend(heard.protocol.map(|protocol| ("subprotocol".to_owned(), json!(protocol))));
    let closed = heard.closed.map(|(code, reason)| json!({"code": code, "reason": reason}));
    data.extend(closed.map(|closed| ("closed".to_owned(), closed)));
    Ok(Value::Object(data))
}

/// Checks the code a server that has said nothing closed with (RFC 6455, 7.4). Those from 4000 on are its own; by
/// custom, 44xx is HTTP's status 4xx.
///
/// # Errors
///
/// If it is that of an error.
fn require_good(system: &str, code: u16, reason: &str) -> Result<()> {
    let (kind, advice) = match code {
        1000 | 1005 => return Ok(()),
        1003 | 1007 | 1009 | 4400 => (Kind::Invalid, ""),
        3000 | 4401 => (
            Kind::Unconfigured,
            " (its credential was refused: an administrator enters it anew in the console, under Catalog)",
        ),
        3003 | 4403 => (Kind::Unconfigured, ""),
        4404 => (Kind::NotFound, ""),
        4429 => (Kind::Exhausted, ""),
        _ => (Kind::Upstream, ""),
    };
    let says = match (reason, code) {
        ("", 1006) => ": the connection ended without a word.".to_owned(),
        ("", _) => ".".to_owned(),
        (reason, _) => format!(": {reason}"),
    };
    let told = format!("{system} closed the WebSocket with code {code} before any message{advice}{says}");
    Err(Error::new(kind, told).with_details(json!({"closed": {"code": code, "reason": reason}})).as_answer())
}

/// A message: JSON as it is, other text as text, and so is JSON of more values than are `left`; bytes as base64.
fn value(piece: Piece, left: &mut usize) -> Value {
    match piece {
        Piece::Binary(bytes) => json!({"base64": STANDARD.encode(bytes)}),
        Piece::Text(text) => {
            let is_json = text.trim_start().starts_with(['{', '[']);
            let values = is_json.then(|| json::values(&text, *left)).flatten();
            let json = values.and_then(|values| {
                *left -= values;
                serde_json::from_str(&text).ok()
            });
            json.unwrap_or(Value::String(text))
        }
    }
}
