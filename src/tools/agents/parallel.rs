//! `parallel`: several independent calls at once, their results in the order of the calls.

use std::time::Duration;

use futures_util::{StreamExt, stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{
    engine::{
        context::Context,
        registry::Registry,
        tool::{Alias, Tool},
    },
    model::{
        call::Outcome,
        caller::Caller,
        error::{Error, Result},
        output::Output,
        settings::Settings,
        spec::{Category, Risk},
    },
};

/// How many run at once.
const AT_ONCE: usize = 8;
/// Each call has its own tool's limit; this one is for all.
const TIMEOUT: Duration = Duration::from_secs(600);
const NAME: &str = "parallel";

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The calls, 1 to 32. None may depend on another's result.
    #[schemars(length(min = 1, max = 32))]
    tool_uses: Vec<ToolUse>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToolUse {
    /// The tool's name, e.g. `functions.web_search` or `web_search`.
    recipient_name: String,
    /// The tool's arguments.
    #[serde(default)]
    parameters: Map<String, Value>,
}

pub(super) fn tool() -> Tool {
    let uses = json!({"tool_uses": [
        {"recipient_name": "functions.calculator", "parameters": {"expression": "6 * 7"}},
        {"recipient_name": "parse_json", "parameters": {"data": "[1]", "action": "validate"}},
    ]});
    let results = json!({"ok": true, "failed": [], "results": [
        {"recipient_name": "functions.calculator", "ok": true, "result": 42},
        {"recipient_name": "parse_json", "ok": true, "result": {"valid": true, "type": "array"}},
    ]});
    let dotted = Alias::same("multi_tool_use.parallel").example("Two at once", uses.clone(), results.clone());
    let plain = Alias::same("multi_tool_use_parallel").example("Two at once", uses.clone(), results.clone());
    Tool::new(
        NAME,
        Category::Agents,
        "Runs up to 32 tool calls, eight at once, and returns their results in the order of the calls. One that fails makes \
         `ok` false and is named in `failed`; the others run all the same.",
        "Several calls do not depend on each other's results: searches, fetches, reads, look-ups.",
        run,
    )
    .timeout(TIMEOUT)
    .risk_among(|args: &Args, registry| risk(args, registry))
    .asks_among(|args: &Args, settings, registry| asks(args, settings, registry))
    .demands(|args: &Args, caller, registry| demand(args, caller, registry))
    // Each call has a row of its own, with its tool's private arguments masked.
    .private(&["parameters"])
    .example("Two at once", uses, results)
    .example(
        "One fails, the other does not",
        json!({"tool_uses": [
            {"recipient_name": "calculator", "parameters": {"expression": "1 +"}},
            {"recipient_name": "calculator", "parameters": {"expression": "1 + 1"}},
        ]}),
        json!({"ok": false, "failed": ["calculator"], "results": [
            {"recipient_name": "calculator", "ok": false},
            {"recipient_name": "calculator", "ok": true, "result": 2},
        ]}),
    )
    .alias(plain)
    .alias(dotted)
}

/// The highest of its calls' risks, so that one question covers them all. What is unknown or wrong fails later.
fn risk(args: &Args, registry: &Registry) -> Risk {
    let of = |wanted: &ToolUse| {
        let found = registry.find(&wanted.recipient_name).ok().filter(|found| found.tool.spec().name != NAME)?;
        Some(found.risk_of(wanted.parameters.clone().into(), registry))
    };
    args.tool_uses.iter().filter_map(of).max().unwrap_or(Risk::Read)
}

/// Why a person must be asked for one of its calls whatever the risk, if so.
fn asks(args: &Args, settings: &Settings, registry: &Registry) -> Option<String> {
    args.tool_uses.iter().find_map(|wanted| {
        let found = registry.find(&wanted.recipient_name).ok().filter(|found| found.tool.spec().name != NAME)?;
        found.asks_because(wanted.parameters.clone().into(), settings, registry)
    })
}

/// A person is asked once for all calls: not about one that could never be run.
fn demand(args: &Args, caller: &Caller, registry: &Registry) -> Result<()> {
    refuse_nesting(registry, &args.tool_uses)?;
    for (n, wanted) in (1..).zip(&args.tool_uses) {
        let found = registry.find(&wanted.recipient_name);
        found.and_then(|found| found.demand(wanted.parameters.clone().into(), caller, registry)).map_err(|error| {
            let why = error.message();
            Error::new(
                error.kind(),
                format!("Call {n}, {}: {why} Leave it out, or put it right.", wanted.recipient_name),
            )
        })?;
    }
    Ok(())
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    refuse_nesting(&cx.registry(), &args.tool_uses)?;
    let calls = args.tool_uses.into_iter().map(|wanted| call(&cx, wanted));
    let results: Vec<Value> = stream::iter(calls).buffered(AT_ONCE).collect().await;
    let failed: Vec<&Value> =
        results.iter().filter(|r| r.get("ok") == Some(&json!(false))).filter_map(|r| r.get("recipient_name")).collect();
    Ok(Output::json(json!({"ok": failed.is_empty(), "failed": failed, "results": results})))
}

fn refuse_nesting(registry: &Registry, uses: &[ToolUse]) -> Result<()> {
    for (n, wanted) in (1..).zip(uses) {
        if registry.find(&wanted.recipient_name).is_ok_and(|found| found.tool.spec().name == NAME) {
            return Err(Error::invalid(format!("Call {n} is {NAME} itself: put its calls into this list instead.")));
        }
    }
    Ok(())
}

async fn call(cx: &Context, wanted: ToolUse) -> Value {
    let name = wanted.recipient_name;
    match cx.invoke(&name, Value::Object(wanted.parameters)).await {
        Ok(Outcome::Done(done)) => json!({"recipient_name": name, "ok": true, "result": done.output.data}),
        Ok(Outcome::Confirm(ticket)) => json!({
            "recipient_name": name, "ok": false, "ticket": ticket.id,
            "error": "A person must confirm this call first. Call the tool by itself.",
        }),
        Err(error) => json!({"recipient_name": name, "ok": false, "error": error.message()}),
    }
}
