//! `calculator`: a mathematical expression to one scalar.

use std::thread;

use evalexpr::{
    Context as Names, ContextWithMutableVariables, EvalexprError, EvalexprResult, HashMapContext, Value as Answer,
};
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
/// Expressions up to this many bytes cannot nest deep enough for an ordinary stack.
const SHALLOW: usize = 128;
/// Stack of the thread that evaluates longer ones: the evaluator recurses once an operator.
const STACK: usize = 64 << 20;
/// Largest value a variable takes: bytes of text, or elements. Without it `a = a + a;` doubles until memory ends.
const MAX_VALUE: usize = 1_000;

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
    .example("Values can be named", json!({"expression": "net = 80.0; net * 1.25"}), json!(100.0))
    .example("Text can be computed too", json!({"expression": "str::to_uppercase(\"total\")"}), json!("TOTAL"))
}

async fn run(_: Context, args: Args) -> Result<Output> {
    let Args { expression } = args;
    if expression.len() > MAX_EXPRESSION {
        return Err(Error::invalid(format!("The expression is longer than {MAX_EXPRESSION} bytes.")));
    }
    if expression.len() <= SHALLOW {
        return evaluate(&expression).map(Output::json);
    }
    tokio::task::spawn_blocking(move || evaluate_deep(expression)).await.map_err(Error::internal)?.map(Output::json)
}

/// Evaluates on a stack deep enough for any expression of the permitted length.
fn evaluate_deep(expression: String) -> Result<Value> {
    let deep = thread::Builder::new().name("calculator".to_owned()).stack_size(STACK);
    let thread = deep.spawn(move || evaluate(&expression)).map_err(Error::internal)?;
    thread.join().unwrap_or_else(|_| Err(Error::internal("the evaluator panicked")))
}

fn evaluate(expression: &str) -> Result<Value> {
    let answer = evalexpr::eval_with_context_mut(expression, &mut Variables::default()).map_err(|e| refused(&e))?;
    scalar(answer)
}

/// What is wrong with an expression, and what to write instead where that is known.
fn refused(error: &EvalexprError) -> Error {
    let why = match error {
        EvalexprError::FunctionIdentifierNotFound(name) => {
            let qualified = ["math", "str"].map(|module| format!("{module}::{name}"));
            let known = qualified.iter().find(|name| is_function(name));
            let hint = known.map_or_else(
                || "there are min, max, floor, round, ceil, if, len and those of math:: and str::".to_owned(),
                |known| format!("write {known}"),
            );
            format!("there is no function \"{name}\": {hint}")
        }
        EvalexprError::VariableIdentifierNotFound(name) => {
            format!("\"{name}\" has no value: give it one first, as in x = 2; 3 * x")
        }
        EvalexprError::AppendedToLeafNode => {
            "two values stand side by side with no operator between them: write 2 * x, not 2x".to_owned()
        }
        other => other.to_string().trim_end_matches('.').to_owned(),
    };
    Error::invalid(format!("The expression cannot be evaluated: {why}."))
}

/// Whether the evaluator has a function of this name; asked with nothing, one that exists complains of that.
fn is_function(name: &str) -> bool {
    let asked = evalexpr::eval(&format!("{name}()"));
    !matches!(asked, Err(EvalexprError::FunctionIdentifierNotFound(_)))
}

/// The variables of one expression, each of bounded size.
#[derive(Default)]
struct Variables(HashMapContext);

impl Names for Variables {
    fn get_value(&self, name: &str) -> Option<&Answer> {
        self.0.get_value(name)
    }

    fn call_function(&self, name: &str, argument: &Answer) -> EvalexprResult<Answer> {
        self.0.call_function(name, argument)
    }

    fn are_builtin_functions_disabled(&self) -> bool {
        self.0.are_builtin_functions_disabled()
    }

    fn set_builtin_functions_disabled(&mut self, disabled: bool) -> EvalexprResult<()> {
        self.0.set_builtin_functions_disabled(disabled)
    }
}

impl ContextWithMutableVariables for Variables {
    fn set_value(&mut self, name: String, value: Answer) -> EvalexprResult<()> {
        if size(&value) > MAX_VALUE {
            return Err(EvalexprError::CustomMessage(format!("'{name}' would be larger than {MAX_VALUE}")));
        }
        self.0.set_value(name, value)
    }
}

fn size(value: &Answer) -> usize {
    match value {
        Answer::String(text) => text.len(),
        Answer::Tuple(elements) => elements.iter().map(size).sum::<usize>() + 1,
        _ => 1,
    }
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
        evaluate_deep(expression.to_owned()).unwrap_err().message().to_owned()
    }

    #[test]
    fn what_is_no_scalar_is_an_error() {
        assert!(refusal("(1, 2)").contains("tuple"));
        assert!(refusal("").contains("no result"));
        assert!(refusal("1;").contains("no result"));
        assert!(refusal("1.0 / 0.0").contains("JSON"));
        assert!(refusal("0.0 / 0.0").contains("JSON"));
    }

    #[test]
    fn what_cannot_be_evaluated_says_why() {
        for (expression, wanted) in [
            ("2 +", "arguments"),
            ("1 / 0", "1 / 0"),
            ("9223372036854775807 + 1", "+"),
            ("x", "\"x\""),
            ("2 * (3", "unmatched"),
            ("sqrt(16)", "write math::sqrt"),
            ("nope(1)", "there are min, max"),
            ("5!", "side by side"),
        ] {
            let told = refusal(expression);
            assert!(
                told.starts_with("The expression cannot be evaluated") && told.contains(wanted),
                "{expression}: {told}"
            );
        }
    }

    #[test]
    fn whole_numbers_stay_whole_and_variables_hold() {
        assert_eq!(evaluate("7 / 2").unwrap(), json!(3));
        assert_eq!(evaluate("2 ^ 10").unwrap(), json!(1024.0));
        assert_eq!(evaluate("rate = 0.5; 10 * rate").unwrap(), json!(5.0));
        assert_eq!(evaluate("if(3 > 2, \"yes\", \"no\")").unwrap(), json!("yes"));
    }

    #[test]
    fn no_expression_takes_all_memory_or_the_stack() {
        let doubling = format!("a = \"xxxxxxxx\";{}a", "a = a + a;".repeat(300));
        assert!(refusal(&doubling).contains("larger than"));
        let tuples = format!("a = (1, 2);{}1", "a = (a, a);".repeat(300));
        assert!(refusal(&tuples).contains("larger than"));
        for operator in ["(", "-", "!", "1+", "1^", "1,", "a=", "1;", "floor ", "1&&", "-("] {
            let _either = evaluate_deep(operator.repeat(MAX_EXPRESSION / operator.len()));
            let _either = evaluate_deep(format!("{}1", operator.repeat((MAX_EXPRESSION - 1) / operator.len())));
        }
        assert_eq!(evaluate_deep(format!("{}1", "1+".repeat(1_999))).unwrap(), json!(2_000));
    }
}
