//! `calculator`: a mathematical expression to one scalar.

use evalexpr::Value as Answer;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Number, Value, json};

use crate::{
    engine::{context::Context, tool::Tool},
    model::{
        error::{Error, Result},
        output::Output,
        spec::Category,
    },
};

/// Longest expression; parsing is recursive.
const MAX_EXPRESSION: usize = 4_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Math expression to evaluate, e.g. '2 + 2 * 3'.
    expression: String,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "calculator",
        Category::Data,
        "Evaluates a mathematical expression: arithmetic, comparison, logic, text and functions such as min, max, \
         floor, math::sqrt and str::to_uppercase.",
        "A number must be exact: sums, percentages, conversions, comparisons.",
        run,
    )
    .example("Precedence is the usual one", json!({"expression": "2 + 2 * 3"}), json!(8))
    .example("A decimal number makes a decimal result", json!({"expression": "7 / 2.0"}), json!(3.5))
    .example("Comparison gives a boolean", json!({"expression": "math::sqrt(16) == 4.0"}), json!(true))
    .example("Text can be computed too", json!({"expression": "str::to_uppercase(\"total\")"}), json!("TOTAL"))
}

async fn run(_: Context, args: Args) -> Result<Output> {
    if args.expression.len() > MAX_EXPRESSION {
        return Err(Error::invalid(format!("The expression is longer than {MAX_EXPRESSION} bytes.")));
    }
    let answer = evalexpr::eval(&args.expression)
        .map_err(|e| Error::invalid(format!("The expression cannot be evaluated: {e}.")))?;
    scalar(answer).map(Output::json)
}

fn scalar(answer: Answer) -> Result<Value> {
    match answer {
        Answer::Int(number) => Ok(json!(number)),
        Answer::Boolean(truth) => Ok(json!(truth)),
        Answer::String(text) => Ok(json!(text)),
        Answer::Float(number) => Number::from_f64(number)
            .map(Value::Number)
            .ok_or_else(|| Error::invalid(format!("The result, {number}, is not a number JSON can hold."))),
        Answer::Tuple(_) => Err(Error::invalid("The result is a tuple: give an expression with one result.")),
        Answer::Empty => Err(Error::invalid("The expression has no result: end it with a value.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(expression: &str) -> String {
        evalexpr::eval(expression).map_err(|e| Error::invalid(e.to_string())).and_then(scalar).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_scalar_is_an_error() {
        assert!(refusal("(1, 2)").contains("tuple"));
        assert!(refusal("").contains("no result"));
        assert!(refusal("1.0 / 0.0").contains("JSON"));
        assert!(!refusal("2 +").is_empty());
    }
}
