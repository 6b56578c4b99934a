//! `call_websocket`: messages over a WebSocket, and what comes back.

use std::{collections::BTreeMap, iter, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::given;
use satchel_engine::{context::Context, preparation::Preparation, tool::Tool};
use satchel_model::{
    error::{Error, Result},
    output::Output,
    question::Question,
    spec::Category,
};
use satchel_services::{
    catalog::{
        ahead, calls, risk,
        websocket_call::{self, SocketAsk},
    },
    handles::Handles,
};

/// Seconds an answer is waited for unless the caller says otherwise.
const DEFAULT: Duration = Duration::from_secs(30);
/// Most seconds.
const MOST: f64 = 300.0;
/// Most further messages.
const FURTHER: usize = 50;

#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The system: its id, name or slug, as list_catalog_systems shows it.
    system_id: String,
    /// WebSocket path under the system's base URL, beginning with a slash; `ws` or `wss` as the base URL is.
    path: String,
    /// Message to send: JSON or plain text.
    message: String,
    /// Messages to send after it, in this order. Each is sent once something has come after the one before, or after 5
    /// seconds. So a GraphQL subscription is opened: header `Sec-WebSocket-Protocol: graphql-transport-ws`, message
    /// `{"type":"connection_init"}`, then `{"id":"1","type":"subscribe","payload":{"query":"subscription {…}"}}`.
    further_messages: Option<Vec<String>>,
    /// Seconds all may take, and until the first answer must be there; 30 unless said otherwise, 300 at most.
    timeout: Option<f64>,
    /// Seconds of silence after an answer that end the listening; 1 unless said otherwise. More of them where answers
    /// come slowly.
    quiet: Option<f64>,
    /// Further headers of the connection; `Sec-WebSocket-Protocol` offers subprotocols.
    headers: Option<BTreeMap<String, Value>>,
}

pub(super) fn tool(handles: &Handles) -> Tool {
    let calls = Preparation::new(run).ahead(ahead);
    let calls = given::to_system(
        calls,
        handles,
        |args: &Args| &args.system_id,
        |directory, args| {
            let messages = iter::once(&args.message).chain(args.further_messages.iter().flatten()).map(String::as_str);
            risk::of_websocket(directory, &args.system_id, &args.path, messages)
        },
    );
    let tool = Tool::prepared(
        "call_websocket",
        Category::Catalog,
        "Opens a WebSocket to a system of the catalog, sends a message or several and returns the messages that come back \
         until the system closes or falls silent. `ended` says why it stopped listening: closed (with the close code), \
         quiet, timeout or limit; `more` is null after quiet, as more may have been coming: ask again with a longer quiet.",
        "A connected system answers over a WebSocket.",
        calls,
    );
    given::caller(tool.usual_timeout(DEFAULT)).example(
        "One question, one answer",
        json!({"system_id": "ticker", "path": "/feed", "message": "{\"subscribe\": \"EURUSD\"}", "timeout": 10}),
        json!({"messages": [{"subscribe": "EURUSD"}], "ended": "quiet", "more": null}),
    )
}

async fn ahead(cx: Context, args: Args) -> Result<Question> {
    let system = args.system_id.clone();
    ahead::websocket(&cx, &system, &asked(args)?)
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let system = args.system_id.clone();
    calls::websocket(&cx, &system, &asked(args)?).await
}

fn asked(args: Args) -> Result<SocketAsk> {
    let further = args.further_messages.unwrap_or_default();
    if further.len() > FURTHER {
        return Err(Error::invalid(format!("At most {FURTHER} further messages are sent.")));
    }
    Ok(SocketAsk {
        path: args.path,
        message: args.message,
        further,
        timeout: seconds("timeout", args.timeout)?.unwrap_or(DEFAULT),
        quiet: seconds("quiet", args.quiet)?.unwrap_or(websocket_call::QUIET),
        headers: given::pairs("headers", args.headers)?,
    })
}

fn seconds(name: &str, given: Option<f64>) -> Result<Option<Duration>> {
    match given {
        Some(seconds) if !(seconds > 0.0 && seconds <= MOST) => {
            Err(Error::invalid(format!("The {name} is more than 0 and at most {MOST} seconds.")))
        }
        given => Ok(given.map(Duration::from_secs_f64)),
    }
}
