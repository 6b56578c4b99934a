//! jq filters that mean harm: nothing in jq itself ends them, so the worker's own limits must.

use crate::support::program::binary;
use futures_util::future::join_all;
use satchel::{
    host::{clock::Clock, workers::Workers},
    model::script::Origin,
    services::scripts::{Loaded, evaluate},
};
use serde_json::json;

/// Each computes, grows or nests without end.
const ENDLESS: &[&str] = &[
    "last(range(1; infinite))",
    "def f: f; f",
    "[repeat(1)]",
    "repeat(1)",
    "def f: 1 + f; f",
    "def f: [f]; f",
    "def f: f, f; f",
    "until(false; .)",
    "until(false; [.])",
    "reduce range(60) as $i (\"x\"; . + .)",
    "reduce range(60) as $i (\"x\"; \"\\(.)\\(.)\")",
    "reduce range(60) as $i (\"x\"; . += .)",
    "reduce range(60) as $i ([]; [., .]) | tojson",
    "reduce range(60) as $i ([]; [., .]) | error",
    "reduce range(60) as $i ([]; [., .])",
    "reduce range(60) as $i ([1]; . + .)",
    "reduce range(60) as $i (3; . * .)",
    "reduce range(1000000) as $i ([]; [.])",
    "\"x\" * 1000000000000",
    "1000000000 * \"x\"",
    "\"xx\" * 9223372036854775807",
    "[range(2000)] | [.[] as $a | .[] as $b | .[] as $c | 1] | length",
    "(1,1,1,1,1,1,1,1)|(1,1,1,1,1,1,1,1)|(1,1,1,1,1,1,1,1)|(1,1,1,1,1,1,1,1)|(1,1,1,1,1,1,1,1)|(1,1,1,1,1,1,1,1)|(1,1,1,1,1,1,1,1)|empty",
    "[range(100)] | combinations(20)",
    "try repeat(error) catch until(false; .)",
    "def f: try f catch f; f",
    "[limit(100000; repeat(1))] - [limit(100000; repeat(2))]",
    ".[100000000] = 1",
    "[][1000000000000] = 1",
    "(\"[\" * 100000) | fromjson",
    "[recurse(.)]",
    "path(repeat(.))",
    "label $x | repeat(1)",
    "foreach range(infinite) as $i (0; . + 1; empty)",
    "while(true; .) | empty",
    "[limit(5000; repeat([limit(5000; repeat(1))]))] | flatten | length",
];

/// Returns the answer to one filter.
async fn run(workers: &Workers, filter: &str) -> Result<serde_json::Value, String> {
    let text = format!("// @name filter\n// @description d\n// @when w\nfn run(args) {{ jq({filter:?}, ()) }}\n");
    let script = Loaded::ungranted(Origin::Folder, &text);
    let ran = evaluate(workers, &script, &json!({}), Clock::new().now()).await;
    ran.map(|output| output.data).map_err(|error| error.message().to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_filter_without_end_ends_its_worker_alone() {
    let workers = Workers::new(binary().into());
    let runs = ENDLESS.iter().map(async |filter| {
        let known = ["jq stopped: ", "computed too long", "MB of memory", "nests something without end", "Too large: "];
        let ended = run(&workers, filter).await;
        let is_known = ended.as_ref().is_err_and(|said| known.iter().any(|words| said.contains(words)));
        assert_eq!(run(&workers, "[range(3)] | add").await, Ok(json!([3])), "after {filter}");
        (!is_known).then(|| format!("{filter}: {ended:?}"))
    });
    let others: Vec<String> = join_all(runs).await.into_iter().flatten().collect();
    assert_eq!(others, [""; 0]);
}
