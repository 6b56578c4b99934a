//! Tools made for tests: they count, wait, fail, panic and leak on purpose.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use satchel::{
    engine::{
        context::Context,
        invoker::Invoker,
        preparation::Preparation,
        registry::Registry,
        tool::{Alias, Tool},
    },
    model::{
        error::{Error, Kind, Result},
        output::Output,
        spec::{Category, Risk, Setting},
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::app::TestApp;

const WHAT: &str = "Does what a test needs.";
const WHEN: &str = "Never.";

/// An invoker over these tools alone.
pub fn invoker(app: &TestApp, tools: Vec<Tool>) -> Invoker {
    Invoker::new(Arc::clone(&app.satchel.app), Registry::new(tools).unwrap())
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// A text.
    pub text: String,
}

/// The number of times a tool has run.
#[derive(Clone, Default)]
pub struct Runs(Arc<AtomicUsize>);

impl Runs {
    pub fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

fn tool<Args, Run, Running>(name: &str, run: Run) -> Tool
where
    Args: serde::de::DeserializeOwned + JsonSchema + Send + Sync + 'static,
    Run: Fn(Context, Args) -> Running + Send + Sync + 'static,
    Running: Future<Output = Result<Output>> + Send + 'static,
{
    Tool::new(name, Category::Data, WHAT, WHEN, run)
}

/// Gives its text back and counts; `<name>-short` gives only the text's length.
pub fn counting(name: &str, risk: Risk, runs: &Runs) -> Tool {
    counted(name, risk, counting_calls(runs))
}

/// The calls of such a tool.
pub fn counting_calls(runs: &Runs) -> Preparation<Text> {
    let runs = runs.clone();
    Preparation::new(move |_, args: Text| {
        runs.0.fetch_add(1, Ordering::SeqCst);
        async move { Ok(Output::json(json!({"text": args.text}))) }
    })
}

/// As [`counting`], with more said of its calls.
pub fn counted(name: &str, risk: Risk, calls: Preparation<Text>) -> Tool {
    let short = |data: Value| json!({"length": data["text"].as_str().map(str::len)});
    let alias = Alias::new(&format!("{name}-short"), "The text's length.", |given: Text| Ok(given), short);
    Tool::prepared(name, Category::Data, WHAT, WHEN, calls).risk(risk).alias(alias)
}

/// The gate at which a test holds a running tool.
#[derive(Clone, Default)]
pub struct Gate {
    pub started: Arc<Notify>,
    pub release: Arc<Notify>,
}

/// Says that it has started and waits to be let on.
pub fn held(risk: Risk, gate: &Gate) -> Tool {
    let gate = gate.clone();
    let run = move |_: Context, _: Nothing| {
        let gate = gate.clone();
        async move {
            gate.started.notify_one();
            gate.release.notified().await;
            Ok(Output::text("let on"))
        }
    };
    tool("held", run).risk(risk)
}

/// Panics.
pub fn panicking() -> Tool {
    tool("panics", panics)
}

async fn panics(_: Context, _: Nothing) -> Result<Output> {
    panic!("the text of a panic")
}

/// Never ends; has a second.
pub fn stuck() -> Tool {
    tool("stuck", |_: Context, _: Nothing| std::future::pending()).timeout(Duration::from_secs(1))
}

/// Calls `held` and waits for it; has five seconds, so that the call has begun on any machine.
pub fn waiting() -> Tool {
    let run = |cx: Context, _: Nothing| async move { cx.invoke("held", json!({})).await.map(|_| Output::default()) };
    tool("waits", run).timeout(Duration::from_secs(5))
}

/// Calls itself.
pub fn deeper() -> Tool {
    let run = |cx: Context, _: Nothing| async move { cx.invoke("deeper", json!({})).await.map(|done| done.output) };
    tool("deeper", run)
}

/// Makes a tool that fails with this kind, and says where and how far it came.
pub fn failing(name: &str, kind: Kind) -> Tool {
    let fail = move || Error::new(kind, "It did not work.").with_details(json!({"field": "text", "done": 3}));
    tool(name, move |_: Context, _: Nothing| async move { Err(fail()) })
}

/// Gives back the secret of its settings in every form it knows, as a result or as an error.
pub fn leaking() -> Tool {
    let setting = Setting {
        key: "key".to_owned(),
        description: "A key.".to_owned(),
        secret: true,
        required: true,
        default: None,
    };
    let run = |cx: Context, args: Text| async move {
        let forms = forms(cx.settings().require("key")?.expose());
        match args.text.as_str() {
            "fail" => Err(Error::upstream(forms.join(" "))),
            _ => Ok(Output {
                title: forms.first().cloned(),
                ..Output::json(json!({"forms": forms, "in": {"a": [forms]}}))
            }),
        }
    };
    tool("leaks", run).setting(setting)
}

/// A secret as it is, in base64, in hex, percent-encoded, as a JSON string, and as a password of HTTP's Basic scheme.
pub fn forms(secret: &str) -> Vec<String> {
    let percent: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    vec![
        format!("<{secret}>"),
        STANDARD.encode(secret),
        hex::encode(secret),
        percent.replace('+', "%20"),
        percent,
        json!(secret).to_string(),
        STANDARD.encode(format!("mara:{secret}")),
        STANDARD.encode(format!("noor:{secret}")),
        STANDARD.encode(secret).replace('+', "-").replace('/', "_"),
    ]
}
