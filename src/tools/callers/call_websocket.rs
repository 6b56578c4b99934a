//! `call_websocket`: a message over a WebSocket, and what comes back.

use std::{collections::BTreeMap, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::given;
use crate::{
    engine::{
        catalog::{resolve, risk, websocket_call::SocketAsk},
        context::Context,
        tool::Tool,
    },
    model::{
        error::{Error, Result},
        output::Output,
        spec::{Category, Risk},
    },
};

/// Seconds an answer is waited for unless the caller says otherwise (R37).
const DEFAULT: f64 = 30.0;
/// Most seconds.
const MOST: f64 = 300.0;

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The system: its id, name or slug, as list_catalog_systems shows it.
    system_id: String,
    /// WebSocket path under the system's base URL, beginning with a slash; `ws` or `wss` as the base URL is.
    path: String,
    /// Message to send: JSON or plain text.
    message: String,
    /// Seconds until the first answer must be there; 30 unless said otherwise, 300 at most.
    timeout: Option<f64>,
    /// Further headers of the connection; `Sec-WebSocket-Protocol` offers subprotocols.
    headers: Option<BTreeMap<String, Value>>,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "call_websocket",
        Category::Catalog,
        "Opens a WebSocket to a system of the catalog, sends one message and returns the messages that come back until the \
         system closes or falls silent, and the close code.",
        "A connected system answers over a WebSocket.",
        run,
    )
    .permission("catalog:read")
    .risk(Risk::LowWrite)
    .timeout(given::TIMEOUT)
    .usual_timeout(Duration::from_secs_f64(DEFAULT))
    .reaches_among(|args: &Args, registry| resolve::hosts(&registry.directory(), &args.system_id))
    .risk_of_call(|args: &Args, registry| risk::of_websocket(&registry.directory(), &args.system_id, &args.path))
    .example(
        "One question, one answer",
        json!({"system_id": "ticker", "path": "/feed", "message": "{\"subscribe\": \"EURUSD\"}", "timeout": 10}),
        json!({"messages": [{"subscribe": "EURUSD"}], "more": false}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let seconds = args.timeout.unwrap_or(DEFAULT);
    if !(seconds > 0.0 && seconds <= MOST) {
        return Err(Error::invalid(format!("The timeout is more than 0 and at most {MOST} seconds.")));
    }
    let ask = SocketAsk {
        path: args.path,
        message: args.message,
        timeout: Duration::from_secs_f64(seconds),
        headers: given::pairs("headers", args.headers)?,
    };
    cx.call_websocket(&args.system_id, &ask).await
}
