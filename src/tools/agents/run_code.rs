//! `run_code`: a program of the model that calls several tools; what passes between them stays out of the conversation.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{
    error::Result,
    output::Output,
    spec::{Category, Risk},
};
use satchel_services::programs;

/// Each call has its own tool's limit; this one is for all.
const TIMEOUT: Duration = Duration::from_secs(600);

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The program, in Rhai: statements, the last expression of which is what it gives back.
    #[schemars(length(min = 1))]
    source: String,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "run_code",
        Category::Agents,
        "Runs a program in Rhai that calls up to 32 tools with tool(\"name\", #{argument: value}), which gives the tool's data. \
         Only its last expression comes back: #{sum: 1} is a map, [1] a list; `let`, `for x in list { }`, `if`, \
         `try { } catch (e) { }`, sort_by, filter, map and sum work. A call that must be asked about waits for its person, \
         and the program goes on from there.",
        "Several calls depend on each other's results, or return much of which little matters: loops, filters, sums over \
         what tools give back.",
        |cx: Context, args: Args| run(cx, args),
    )
    .permission("agents:run")
    .risk(Risk::LowWrite)
    .timeout(TIMEOUT)
    .replays()
    // Each call has a row of its own, with its tool's private arguments masked.
    .private(&["source"])
    .example(
        "A sum over several calls",
        json!({"source": "let sum = 0;\nfor n in 1..4 { sum += tool(\"calculator\", #{expression: `${n} * 10`}); }\n#{sum: sum}"}),
        json!({"result": {"sum": 60}, "calls": 3}),
    )
    .example(
        "A call that fails is caught",
        json!({"source": "let sum = ();\ntry { sum = tool(\"calculator\", #{expression: \"1 +\"}); } catch (e) { sum = \"no sum\"; }\nsum"}),
        json!({"result": "no sum", "calls": 1}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    programs::run(cx, args.source).await
}
