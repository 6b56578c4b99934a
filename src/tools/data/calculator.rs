//! `calculator`: a mathematical expression to one scalar.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

use evalexpr::{
    Context as Names, ContextWithMutableVariables, EvalexprError, EvalexprResult, HashMapContext, Value as Answer,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Number, Value, json};

use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{
    error::{Error, Result},
    output::Output,
    spec::Category,
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
    /// Math expression to evaluate, e.g. '2 + 2 * 3'. Whole numbers divide to whole numbers: 7 / 2 is 3, 7 / 2.0 is 3.5.
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

async fn run(cx: Context, args: Args) -> Result<Output> {
    let Args { expression } = args;
    if expression.len() > MAX_EXPRESSION {
        return Err(Error::invalid(format!("The expression is longer than {MAX_EXPRESSION} bytes.")));
    }
    if expression.len() <= SHALLOW {
        return evaluate(&expression).map(Output::json);
    }
    cx.work(move || evaluate_deep(expression)).await.map(Output::json)
}

/// Evaluates on a stack deep enough for any expression of the permitted length.
fn evaluate_deep(expression: String) -> Result<Value> {
    let deep = thread::Builder::new().name("calculator".to_owned()).stack_size(STACK);
    let thread = deep.spawn(move || evaluate(&expression)).map_err(Error::internal)?;
    thread.join().unwrap_or_else(|_| Err(Error::internal("the evaluator panicked")))
}

fn evaluate(expression: &str) -> Result<Value> {
    let answer = || evalexpr::eval_with_context_mut(expression, &mut Variables::default());
    // The evaluator does not check all it computes.
    let answer = catch_unwind(AssertUnwindSafe(answer)).map_err(|_| {
        Error::invalid("The expression cannot be evaluated: a number in it is beyond what can be computed with.")
    })?;
    scalar(answer.map_err(|e| refused(&e))?)
}

/// Returns what is wrong with an expression, and what to write instead where that is known.
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

/// Returns whether the evaluator has a function of this name; asked with nothing, one that exists complains of that.
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
        match name {
            "shl" | "shr" => shift(name, argument),
            "math::abs" => absolute(argument),
            "str::substring" => substring(argument),
            _ => self.0.call_function(name, argument),
        }
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

/// As the evaluator's own, which shifts by more bits than there are.
fn shift(name: &str, argument: &Answer) -> EvalexprResult<Answer> {
    let [number, bits] = argument.as_fixed_len_tuple(2)?.try_into().map_err(|_| beyond(name))?;
    let (number, bits) = (number.as_int()?, u32::try_from(bits.as_int()?).map_err(|_| beyond(name))?);
    let shifted = if name == "shl" { number.checked_shl(bits) } else { number.checked_shr(bits) };
    shifted.map(Answer::Int).ok_or_else(|| EvalexprError::CustomMessage(format!("{name} shifts by 0 to 63 bits")))
}

/// As the evaluator's own, which the least of all numbers has no room in.
fn absolute(argument: &Answer) -> EvalexprResult<Answer> {
    match argument {
        Answer::Int(number) => number.checked_abs().map(Answer::Int).ok_or_else(|| beyond("math::abs")),
        other => other.as_float().map(|number| Answer::Float(number.abs())),
    }
}

/// As the evaluator's own, which counts bytes: here they are characters.
fn substring(argument: &Answer) -> EvalexprResult<Answer> {
    let given = argument.as_ranged_len_tuple(2..=3)?;
    let text = given.first().map(Answer::as_string).transpose()?.unwrap_or_default();
    let place = |at: Option<&Answer>| -> EvalexprResult<Option<usize>> {
        let Some(at) = at.map(Answer::as_int).transpose()? else { return Ok(None) };
        usize::try_from(at).map(Some).map_err(|_| EvalexprError::OutOfBoundsAccess)
    };
    let length = text.chars().count();
    let (from, to) = (place(given.get(1))?.unwrap_or(0), place(given.get(2))?.unwrap_or(length));
    if from > to || to > length {
        return Err(EvalexprError::OutOfBoundsAccess);
    }
    Ok(Answer::String(text.chars().skip(from).take(to - from).collect()))
}

fn beyond(name: &str) -> EvalexprError {
    EvalexprError::CustomMessage(format!("what {name} is given is beyond what it computes"))
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
    fn what_the_evaluator_does_not_check_is_checked() {
        for expression in ["shl(1, 70)", "shl(1, -1)", "shr(1, 64)", "math::abs(-9223372036854775807 - 1)"] {
            assert!(refusal(expression).contains(expression.split('(').next().unwrap()), "{expression}");
        }
        assert!(refusal("str::substring(\"abc\", 2, 1)").contains("cannot be evaluated"));
        assert!(refusal("str::substring(\"abc\", 0, 4)").contains("cannot be evaluated"));
        for (expression, wanted) in [
            ("shl(3, 2)", json!(12)),
            ("shr(-8, 1)", json!(-4)),
            ("math::abs(-2.5)", json!(2.5)),
            ("math::abs(-7)", json!(7)),
            ("str::substring(\"üü\", 1)", json!("ü")),
            ("str::substring(\"Hamburg\", 3, 7)", json!("burg")),
        ] {
            assert_eq!(evaluate(expression).unwrap(), wanted, "{expression}");
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
