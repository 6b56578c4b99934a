//! A trial of whether scripts run on this machine: one is run, in a worker as confined as any.

use serde_json::{Value, json};

use super::{loaded::Loaded, worker};
use satchel_host::workers::Workers;
use satchel_model::{
    error::{Error, Result},
    script::Origin,
    time::Time,
};

/// Uses what the engine needs of the machine: memory, chance for its tables, numbers, text.
const SCRIPT: &str = r#"
// @name trial
// @description Adds up what it is given.
// @when The doctor asks
// @param numbers integer[] "Numbers"
fn run(args) {
    let sums = #{ total: 0 };
    for number in args.numbers { sums.total += number; }
    `${args.numbers.len()} numbers make ${sums.total}`
}
"#;

/// Runs a script.
///
/// # Errors
///
/// If none can run, with the true cause.
pub async fn try_out(workers: &Workers, now: Time) -> Result<()> {
    let script = Loaded::ungranted(Origin::Shipped, SCRIPT);
    let output = worker::evaluate(workers, &script, &json!({"numbers": [1, 2, 39]}), now).await?;
    match &output.data {
        Value::String(text) if text == "3 numbers make 42" => Ok(()),
        other => Err(Error::upstream(format!("A script that adds up 1, 2 and 39 gave back {other}."))),
    }
}
