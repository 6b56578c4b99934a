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
        error::{Error, Result},
        output::Output,
        question::Question,
        settings::Settings,
        spec::{Category, Risk},
    },
};

/// How many run at once.
const AT_ONCE: usize = 8;
/// Each call has its own tool's limit; this one is for all.
const TIMEOUT: Duration = Duration::from_secs(600);
const NAME: &str = "parallel";
/// Most calls a question names.
const NAMED: usize = 6;

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
    .up_to(Risk::Destructive)
    .ahead(ahead)
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

/// A person is asked once for all calls: not about one that could never be run, and by the names of the riskiest.
async fn ahead(cx: Context, args: Args) -> Result<Question> {
    let registry = cx.registry();
    refuse_nesting(&registry, &args.tool_uses)?;
    let mut asked: Vec<(Risk, Question)> = Vec::new();
    for (n, wanted) in (1..).zip(&args.tool_uses) {
        let (name, parameters) = (&wanted.recipient_name, Value::Object(wanted.parameters.clone()));
        let question = cx.question_of(name, parameters.clone()).await.map_err(|error| {
            let why = error.message();
            Error::new(error.kind(), format!("Call {n}, {name}: {why} Leave it out, or put it right."))
        })?;
        asked.push((registry.find(name)?.risk_of(parameters, &registry), question));
    }
    Ok(together(asked))
}

/// One question for several: those about the riskiest calls stand in it.
fn together(asked: Vec<(Risk, Question)>) -> Question {
    let (calls, most) = (asked.len(), asked.iter().map(|(risk, _)| *risk).max());
    let mut riskiest = asked.into_iter().filter(|(risk, _)| Some(*risk) == most).map(|(_, question)| question);
    let Some(first) = riskiest.next() else { return Question::run(NAME) };
    if calls == 1 {
        return first;
    }
    let others: Vec<String> = riskiest.map(|question| question.text).collect();
    let shown: Vec<&str> =
        [first.text.as_str()].into_iter().chain(others.iter().map(String::as_str)).take(NAMED).collect();
    let more = (others.len() + 1).saturating_sub(NAMED);
    let more = if more > 0 { format!(" And {more} more like these.") } else { String::new() };
    Question { text: format!("Run {calls} calls? {}{more}", shown.join(" ")), ..first }
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
        Ok(done) => json!({"recipient_name": name, "ok": true, "result": done.output.data}),
        Err(error) => json!({"recipient_name": name, "ok": false, "error": error.message()}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_question_for_several_calls_names_all_of_the_riskiest() {
        let read = (Risk::Read, Question::run("read"));
        let delete = |name: &str| (Risk::Destructive, Question::about("Delete", name));
        assert_eq!(together(vec![delete("A")]), Question::about("Delete", "A"));
        let asked = together(vec![read.clone(), delete("A"), delete("B")]);
        assert_eq!(asked.text, "Run 3 calls? Delete “A”? Delete “B”?");
        assert_eq!(asked.subject.as_deref(), Some("A"));
        let many = together((0..9).map(|n| delete(&n.to_string())).collect());
        assert!(many.text.ends_with("Delete “5”? And 3 more like these."), "{}", many.text);
        assert_eq!(together(Vec::new()), Question::run("parallel"));
    }
}
