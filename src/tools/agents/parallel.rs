//! `parallel`: several independent calls at once, their results in the order of the calls.

use std::time::Duration;

use futures_util::{StreamExt, stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use satchel_engine::{
    context::Context,
    preparation::Preparation,
    registry::Registry,
    tool::{Alias, InnerCall, InnerQuestion, Tool},
};
use satchel_model::{
    error::Result,
    output::Output,
    question::Question,
    spec::{Category, Risk},
};

/// The number of calls that run at once.
const AT_ONCE: usize = 8;
/// Each call has its own tool's limit; this one is for all.
const TIMEOUT: Duration = Duration::from_secs(600);
const NAME: &str = "parallel";
/// Most calls of one risk that a question names.
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
    let inner = |args: &Args| args.tool_uses.iter().map(inner_call).collect();
    Tool::prepared(
        NAME,
        Category::Agents,
        "Runs up to 32 tool calls, eight at once, and returns their results in the order of the calls. One that fails makes \
         `ok` false and is named in `failed`; the others run all the same.",
        "Several calls do not depend on each other's results: searches, fetches, reads, look-ups.",
        Preparation::new(run).carries(inner, together),
    )
    .timeout(TIMEOUT)
    .up_to(Risk::Destructive)
    // Each call has a row of its own, with its tool's private arguments masked.
    .private(&["parameters"])
    .giving(&[("ok", "boolean"), ("results", "array")])
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

fn inner_call(wanted: &ToolUse) -> InnerCall {
    InnerCall { tool: wanted.recipient_name.clone(), params: Value::Object(wanted.parameters.clone()) }
}

/// The words for one of its calls, after the name of its tool: `document: delete “A”`. The question alone where it says the
/// tool's name.
fn message(inner: &InnerQuestion) -> String {
    let text = inner.question.text.trim_end_matches('?');
    let mut letters = text.chars();
    let text: String = letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default();
    let says_it = text.split(' ').any(|word| word == inner.tool);
    if says_it { text } else { format!("{}: {text}", inner.tool) }
}

/// One question for several, which names each that does more than read, by its risk: `Run parallel? 1 of 21 calls writes:
/// write “notes.txt”.` The riskiest come first, and the thing to type is that of the first of them.
fn together(asked: Vec<InnerQuestion>) -> Question {
    let calls = asked.len();
    let of = |risk: Risk| asked.iter().filter(move |inner| inner.risk == risk).collect::<Vec<_>>();
    let kinds = [
        (Risk::Destructive, ["destroys", "destroy"]),
        (Risk::HighWrite, ["writes", "write"]),
        (Risk::LowWrite, ["changes a little", "change a little"]),
    ];
    let told: Vec<String> = kinds
        .into_iter()
        .map(|(risk, words)| (of(risk), words))
        .filter(|(inner, _)| !inner.is_empty())
        .map(|(inner, [one, many])| {
            let named: Vec<String> = inner.iter().take(NAMED).map(|inner| message(inner)).collect();
            let more = match inner.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            let verb = if inner.len() == 1 { one } else { many };
            format!("{} of {} {verb}: {}{more}.", inner.len(), counted(calls), named.join(", "))
        })
        .collect();
    let told = if told.is_empty() {
        vec![format!("{} that only {}.", counted(calls), if calls == 1 { "reads" } else { "read" })]
    } else {
        told
    };
    let text = format!("Run {NAME}? {}", told.join(" "));
    let most = asked.iter().map(|inner| inner.risk).max();
    let subject = asked.into_iter().find(|inner| Some(inner.risk) == most).and_then(|inner| inner.question.subject);
    Question { text, subject }
}

fn counted(calls: usize) -> String {
    if calls == 1 { "1 call".to_owned() } else { format!("{calls} calls") }
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    refuse_nesting(&Registry::around(&cx), &args.tool_uses)?;
    let calls = args.tool_uses.into_iter().map(|wanted| call(&cx, wanted));
    let results: Vec<Value> = stream::iter(calls).buffered(AT_ONCE).collect().await;
    let failed: Vec<&Value> =
        results.iter().filter(|r| r.get("ok") == Some(&json!(false))).filter_map(|r| r.get("recipient_name")).collect();
    Ok(Output::json(json!({"ok": failed.is_empty(), "failed": failed, "results": results})))
}

fn refuse_nesting(registry: &Registry, uses: &[ToolUse]) -> Result<()> {
    for (n, wanted) in (1..).zip(uses) {
        if registry.find(&wanted.recipient_name).is_ok_and(|found| found.tool.spec().name == NAME) {
            return Err(InnerCall::nested(n, NAME));
        }
    }
    Ok(())
}

async fn call(cx: &Context, wanted: ToolUse) -> Value {
    let name = wanted.recipient_name;
    match cx.invoke(&name, Value::Object(wanted.parameters)).await {
        Ok(done) => {
            cx.room().keep(done.room);
            json!({"recipient_name": name, "ok": true, "result": done.output.data})
        }
        Err(error) => json!({"recipient_name": name, "ok": false, "error": error.message()}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inner(tool: &str, risk: Risk, question: Question) -> InnerQuestion {
        InnerQuestion { tool: tool.to_owned(), risk, question }
    }

    #[test]
    fn one_question_for_several_calls_tells_each_that_does_more_than_read_by_name_and_risk() {
        let sum = || inner("calculator", Risk::Read, Question::run("calculator"));
        let write = inner("write", Risk::HighWrite, Question::about("Write", "notes.txt"));
        let delete = |name: &str| inner("document", Risk::Destructive, Question::about("Delete", name));
        let asked = together((0..20).map(|_| sum()).chain([write]).collect());
        assert_eq!(asked.text, "Run parallel? 1 of 21 calls writes: write “notes.txt”.");
        assert_eq!(asked.subject.as_deref(), Some("notes.txt"));
        let send = inner("send_note", Risk::LowWrite, Question::run("send_note"));
        let asked = together(vec![send, sum(), delete("A"), delete("B")]);
        assert_eq!(
            asked.text,
            "Run parallel? 2 of 4 calls destroy: document: delete “A”, document: delete “B”. 1 of 4 calls changes a little: \
             run send_note."
        );
        assert_eq!(asked.subject.as_deref(), Some("A"));
        let many = together((0..9).map(|n| delete(&n.to_string())).collect());
        assert!(many.text.ends_with("document: delete “5”, and 3 more."), "{}", many.text);
        assert_eq!(together(vec![sum()]).text, "Run parallel? 1 call that only reads.");
    }
}
