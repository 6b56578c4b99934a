//! The functions of a script that reach outside: tools, requests, settings, kept values, the log.

use std::sync::Arc;

use parking_lot::Mutex;
use rhai::{Dynamic, Engine, EvalAltResult, Map, NativeCallContext, Position};
use serde_json::Value;

use super::{
    given::Given,
    helpers::{from_json, json_of},
    request::request_of,
    state::{State, as_json},
    wire::{Answer, Ask},
};
use satchel_model::script::LogLevel;

type Shared = Arc<Mutex<State>>;
type Gives<T> = Result<T, Box<EvalAltResult>>;

/// The functions that reach outside: name, signature, what it does. The guide and the editor show it.
pub const OUTSIDE: &[(&str, &str, &str)] = &[
    (
        "tool",
        "tool(name, params) -> value",
        "Calls a tool of @uses as whoever calls the script, and gives its data. Its failure can be caught with try.",
    ),
    (
        "http",
        "http(#{method, url, query, headers, body, timeout}) -> #{status, ok, headers, body, json}",
        "Sends a request to a host of @http. `query` is a map or a text, a map as `body` is sent as JSON, a blob as its bytes; \
         `timeout` is seconds or \"500ms\", 60 s at most. A JSON answer is in `json` too.",
    ),
    ("http_get", "http_get(url) -> #{status, ok, headers, body, json}", "A GET."),
    ("http_post", "http_post(url, body) -> #{status, ok, headers, body, json}", "A POST; a map is sent as JSON."),
    (
        "config",
        "config(key) -> text",
        "A setting of the script, or () where none is set. Secrets can be used; in what the script gives back they are blacked out.",
    ),
    ("kv_get", "kv_get(key) -> value", "A value the script has kept for this user, or ()."),
    ("kv_set", "kv_set(key, value)", "Keeps a value for this user; () forgets it. Needs @kv."),
    ("kv_delete", "kv_delete(key) -> bool", "Forgets a value; says whether there was one."),
    ("kv_keys", "kv_keys() -> array", "The keys of what is kept, in order."),
    ("log", "log(text)", "Writes a line that whoever tries the script sees."),
    ("warn", "warn(text)", "The same, as a warning."),
];

/// Gives them to an engine.
pub(super) fn register(engine: &mut Engine, state: &Shared) {
    tools(engine, state);
    requests(engine, state);
    settings(engine, state);
    kept(engine, state);
}

fn tools(engine: &mut Engine, state: &Shared) {
    let shared = Arc::clone(state);
    engine.register_fn("tool", move |name: &str, params: Map| -> Gives<Dynamic> {
        let params = json_of("tool cannot pass this on", &Dynamic::from_map(params))?;
        ask(&shared, &Ask::Tool { name: name.to_owned(), params })
    });
    let shared = Arc::clone(state);
    engine.register_fn("tool", move |name: &str| -> Gives<Dynamic> {
        ask(&shared, &Ask::Tool { name: name.to_owned(), params: Value::Object(serde_json::Map::new()) })
    });
}

fn requests(engine: &mut Engine, state: &Shared) {
    let shared = Arc::clone(state);
    engine.register_fn("http", move |request: Map| send(&shared, request));
    let shared = Arc::clone(state);
    engine.register_fn("http_get", move |url: &str| send(&shared, Map::from([("url".into(), url.into())])));
    let shared = Arc::clone(state);
    engine.register_fn("http_post", move |url: &str, body: Dynamic| {
        send(&shared, Map::from([("url".into(), url.into()), ("body".into(), body), ("method".into(), "POST".into())]))
    });
}

fn settings(engine: &mut Engine, state: &Shared) {
    let shared = Arc::clone(state);
    engine.register_fn("config", move |key: &str| -> Dynamic {
        shared.lock().config.get(key).map_or(Dynamic::UNIT, |value| value.clone().into())
    });
    let shared = Arc::clone(state);
    engine.register_fn("now", move || shared.lock().now().to_string());
    for (name, level) in [("log", LogLevel::Info), ("warn", LogLevel::Warn)] {
        let shared = Arc::clone(state);
        engine.register_fn(name, move |what: Dynamic| {
            let text = match as_json(&what) {
                Value::String(text) => text,
                other => other.to_string(),
            };
            shared.lock().log(level, &text);
        });
    }
}

fn kept(engine: &mut Engine, state: &Shared) {
    let shared = Arc::clone(state);
    engine.register_fn("kv_get", move |key: &str| ask(&shared, &Ask::KvGet { key: key.to_owned() }));
    let shared = Arc::clone(state);
    engine.register_fn("kv_set", move |key: &str, value: Dynamic| -> Gives<()> {
        let value = json_of("kv_set cannot keep this", &value)?;
        ask(&shared, &Ask::KvSet { key: key.to_owned(), value }).map(drop)
    });
    let shared = Arc::clone(state);
    engine.register_fn("kv_delete", move |key: &str| {
        ask(&shared, &Ask::KvSet { key: key.to_owned(), value: Value::Null })
    });
    let shared = Arc::clone(state);
    engine.register_fn("kv_keys", move |_: NativeCallContext| ask(&shared, &Ask::KvKeys));
}

/// Puts a question and gives the answer as a value of the script. What ends the script cannot be caught by it.
fn ask(shared: &Shared, ask: &Ask) -> Gives<Dynamic> {
    match shared.lock().ask(ask) {
        Answer::Value(value) => from_json(value),
        Answer::Failed(message) => Err(message.into()),
        Answer::Ended(message) => Err(ended(message)),
    }
}

fn ended(message: String) -> Box<EvalAltResult> {
    Box::new(EvalAltResult::ErrorTerminated(message.into(), Position::NONE))
}

fn send(shared: &Shared, request: Map) -> Gives<Dynamic> {
    let answer = ask(shared, &Ask::Http(request_of(request)?))?;
    let mut answer = answer.try_cast::<Map>().unwrap_or_default();
    let status = answer.get("status").and_then(|status| status.as_int().ok()).unwrap_or_default();
    answer.insert("ok".into(), (200..300).contains(&status).into());
    let body = answer.get("body").and_then(|body| body.read_lock::<rhai::ImmutableString>().map(|b| b.to_string()));
    let json = body.and_then(|body| serde_json::from_str(&body).ok()).map_or(Dynamic::UNIT, |Given(json)| json);
    answer.insert("json".into(), json);
    Ok(answer.into())
}
