//! Examples and `test "…" { }` blocks: run with recorded answers; nothing leaves.

use std::{borrow::Cow, sync::Arc, time::Instant};

use parking_lot::Mutex;
use rhai::{AST, Dynamic, Engine, EvalAltResult, FnPtr, NativeCallContext, Position, Scope};
use serde_json::Value;

use super::{
    faults,
    header::{self, Head, HeadExample},
    helpers::{from_json, json_of},
    limits,
    machine::{Machine, cpu_time},
    recorded::{Allowed, Recorded},
    state::{State, as_json},
    wire::Fault,
};
use satchel_model::{
    script::{TestKind, TestResult, TestRun},
    time::Time,
};

type Shared = Arc<Mutex<State>>;
type Gives<T> = Result<T, Box<EvalAltResult>>;

/// The blocks that may stand outside functions.
pub(super) const BLOCKS: [&str; 2] = ["recorded", "test"];

/// Marks the error of a comparison: expected and got travel in it.
const DIFFERS: &str = "\u{0}differs";

/// The functions that stand only in tests: name, signature, what it does.
pub const TESTING: &[(&str, &str, &str)] = &[
    ("assert", "assert(condition, why)", "Fails the test where the condition does not hold."),
    ("assert_eq", "assert_eq(got, expected)", "Fails the test where two values differ."),
    (
        "assert_throws",
        "assert_throws(|| run(#{}), \"part of the message\")",
        "Fails the test where nothing is thrown, or something else.",
    ),
    ("http_answer", "http_answer(\"GET\", url, #{status, headers, body})", "Records what a request is answered."),
    (
        "tool_answer",
        "tool_answer(name, params, data)",
        "Records what a tool gives for these parameters; () stands for any.",
    ),
    ("tool_error", "tool_error(name, params, message)", "Records that a tool fails."),
    ("config_value", "config_value(key, text)", "Gives a setting."),
    ("time_is", "time_is(\"2026-05-01T12:00:00Z\")", "Sets the time now() tells."),
];

/// Gives an engine the words of tests.
pub(super) fn register(engine: &mut Engine, state: &Shared) {
    blocks(engine, state);
    recording(engine, state);
    assertions(engine);
}

#[expect(clippy::expect_used, reason = "the syntax is the same at every start; a test makes an engine")]
fn blocks(engine: &mut Engine, state: &Shared) {
    let [recorded, test] = BLOCKS;
    engine
        .register_custom_syntax([recorded, "$block$"], false, |context, inputs| match inputs.first() {
            Some(block) => context.eval_expression_tree(block),
            None => Ok(Dynamic::UNIT),
        })
        .expect("the syntax of recorded answers");
    let shared = Arc::clone(state);
    engine
        .register_custom_syntax([test, "$string$", "$block$"], false, move |context, inputs| {
            let [name, block] = inputs else { return Ok(Dynamic::UNIT) };
            let name = name.get_string_value().unwrap_or_default().to_owned();
            if !shared.lock().is_turn() {
                return Ok(Dynamic::UNIT);
            }
            let started = Instant::now();
            let outcome = context.eval_expression_tree(block);
            let line = name_line(block.position());
            let result = judge(name, TestKind::Test, line, outcome.map(drop), started);
            shared.lock().results.push(result);
            Ok(Dynamic::UNIT)
        })
        .expect("the syntax of tests");
}

fn name_line(position: Position) -> Option<usize> {
    position.line()
}

fn recording(engine: &mut Engine, state: &Shared) {
    let with = |state: &Shared, change: &dyn Fn(&mut State, &mut Recorded)| {
        let mut state = state.lock();
        if let Some(mut recorded) = state.recorded.take() {
            change(&mut state, &mut recorded);
            state.recorded = Some(recorded);
        }
    };
    let shared = Arc::clone(state);
    engine.register_fn("http_answer", move |method: &str, url: &str, answer: Dynamic| -> Gives<()> {
        let answer = json_of("http_answer cannot record this", &answer)?;
        with(&shared, &|_, recorded| recorded.request(method, url, answer.clone()));
        Ok(())
    });
    for (name, fails) in [("tool_answer", false), ("tool_error", true)] {
        let shared = Arc::clone(state);
        engine.register_fn(name, move |tool: &str, params: Dynamic, result: Dynamic| -> Gives<()> {
            let json = |value: &Dynamic| json_of(&format!("{name} cannot record this"), value);
            let params = if params.is_unit() { None } else { Some(json(&params)?) };
            let result = if fails { Err(result.to_string()) } else { Ok(json(&result)?) };
            with(&shared, &|_, recorded| recorded.tool(tool, params.clone(), result.clone()));
            Ok(())
        });
    }
    let shared = Arc::clone(state);
    engine.register_fn("config_value", move |key: &str, value: &str| {
        with(&shared, &|state, _| drop(state.config.insert(key.to_owned(), value.to_owned())));
    });
    let shared = Arc::clone(state);
    engine.register_fn("time_is", move |text: &str| -> Gives<()> {
        let time: Result<Time, _> = serde_json::from_value(Value::String(text.to_owned()));
        let time = time.map_err(|_| format!("'{text}' is no time: write 2026-05-01T12:00:00Z."))?;
        with(&shared, &|state, _| state.now = Some(time));
        Ok(())
    });
}

fn assertions(engine: &mut Engine) {
    engine.register_fn("assert", |condition: bool| -> Gives<()> {
        if condition { Ok(()) } else { Err("The condition does not hold.".into()) }
    });
    engine.register_fn("assert", |condition: bool, why: &str| -> Gives<()> {
        if condition { Ok(()) } else { Err(why.into()) }
    });
    engine.register_fn("assert_eq", |got: Dynamic, expected: Dynamic| -> Gives<()> {
        let (got, expected) = (as_json(&got), as_json(&expected));
        if same(&got, &expected) { Ok(()) } else { Err(differs(&expected, &got)) }
    });
    engine.register_fn("assert_throws", |context: NativeCallContext, call: FnPtr| -> Gives<()> {
        throws(&context, &call, "")
    });
    engine.register_fn("assert_throws", |context: NativeCallContext, call: FnPtr, part: &str| -> Gives<()> {
        throws(&context, &call, part)
    });
}

fn throws(context: &NativeCallContext<'_>, call: &FnPtr, part: &str) -> Gives<()> {
    match call.call_within_context::<Dynamic>(context, ()) {
        Ok(value) => Err(format!("Nothing was thrown; it gave {}.", as_json(&value)).into()),
        Err(error) if matches!(*error, EvalAltResult::ErrorTerminated(..)) => Err(error),
        Err(error) if error.to_string().contains(part) => Ok(()),
        Err(error) => Err(format!("Something else was thrown: {error}").into()),
    }
}

/// Numbers are the same where their values are: 2 and 2.0.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => one == other,
    }
}

/// Returns whether everything the example names came.
fn fits(got: &Value, example: &Value) -> bool {
    match (got, example) {
        (Value::Object(got), Value::Object(example)) => {
            example.iter().all(|(key, wanted)| got.get(key).is_some_and(|got| fits(got, wanted)))
        }
        (Value::Array(got), Value::Array(example)) => {
            got.len() == example.len() && got.iter().zip(example).all(|(got, wanted)| fits(got, wanted))
        }
        _ => same(got, example),
    }
}

fn differs(expected: &Value, got: &Value) -> Box<EvalAltResult> {
    let mut map = rhai::Map::new();
    map.insert(DIFFERS.into(), Dynamic::TRUE);
    for (key, value) in [("expected", expected), ("got", got)] {
        map.insert(key.into(), from_json(value.clone()).unwrap_or_default());
    }
    Box::new(EvalAltResult::ErrorRuntime(map.into(), Position::NONE))
}

fn judge(name: String, kind: TestKind, line: Option<usize>, outcome: Gives<()>, started: Instant) -> TestResult {
    let ms = started.elapsed().as_secs_f64() * 1_000.0;
    let mut result =
        TestResult { name, kind, passed: outcome.is_ok(), message: None, expected: None, got: None, line, ms };
    let Err(error) = outcome else { return result };
    let Fault { message, line: at, .. } = faults::of_test(&error);
    result.line = at.or(line);
    match faults::thrown_map(&error).filter(|map| map.contains_key(DIFFERS)) {
        Some(map) => {
            result.expected = map.get("expected").map(as_json);
            result.got = map.get("got").map(as_json);
            result.message = Some("The values differ.".to_owned());
        }
        None => result.message = Some(message),
    }
    result
}

/// Runs everything a script has to show for itself, examples first.
pub(super) fn run(machine: &Machine, source: &str) -> TestRun {
    let (head, _) = header::parse(source);
    let ast = match machine.compile(source) {
        Ok(ast) => ast,
        Err(error) => {
            let problem = faults::of_text(source, &error);
            return TestRun::new(vec![whole("the script compiles", problem.message, Some(problem.line))]);
        }
    };
    // Without a test's turn only what is recorded runs, and the tests are counted.
    let mut problems = pass(machine, &ast, &head, None);
    let tests = machine.state().lock().seen;
    let begun = cpu_time();
    let mut results = examples(machine, &ast, &head);
    for test in 0..tests {
        if cpu_time().saturating_sub(begun) > limits::MAX_TESTING {
            let seconds = limits::MAX_TESTING.as_secs();
            let message =
                format!("The examples and tests used their {seconds} s of processor time: test less at once.");
            results.push(whole(&format!("{} more tests run", tests - test), message, None));
            break;
        }
        // Each in an evaluation of its own, with all that a run may use.
        let fault = pass(machine, &ast, &head, Some(test));
        let mut state = machine.state().lock();
        // A test that ends at a limit has used up what comes after it, too.
        if state.results.is_empty() {
            problems = problems.or(fault);
        }
        results.append(&mut state.results);
    }
    machine.state().lock().recorded = None;
    if let Some(Fault { message, line, .. }) = problems {
        results.push(whole("what stands outside functions runs", message, line));
    }
    TestRun::new(results)
}

/// Runs what stands outside functions, and of the tests the one whose turn it is.
fn pass(machine: &Machine, ast: &AST, head: &Head, turn: Option<usize>) -> Option<Fault> {
    machine.state().lock().for_tests(head, turn);
    let outcome = machine.engine().run_ast_with_scope(&mut Scope::new(), ast);
    outcome.err().map(|error| faults::of_test(&error))
}

fn whole(name: &str, message: String, line: Option<usize>) -> TestResult {
    let outcome = Err(message.into());
    TestResult { line, ..judge(name.to_owned(), TestKind::Test, line, outcome, Instant::now()) }
}

fn examples(machine: &Machine, ast: &AST, head: &Head) -> Vec<TestResult> {
    head.examples.iter().map(|example| one_example(machine, ast, head, example)).collect()
}

fn one_example(machine: &Machine, ast: &AST, head: &Head, example: &HeadExample) -> TestResult {
    let (recorded, config, now) = {
        let mut state = machine.state().lock();
        state.start();
        (state.recorded.clone(), state.config.clone(), state.now)
    };
    let started = Instant::now();
    let arguments = from_json(head.prepared(Cow::Borrowed(&example.arguments)).into_owned());
    let got = arguments.and_then(|arguments| machine.call(ast, arguments));
    let outcome = got.and_then(|got| {
        let got = as_json(&got);
        if fits(&got, &example.result) { Ok(()) } else { Err(differs(&example.result, &got)) }
    });
    let mut state = machine.state().lock();
    (state.recorded, state.config, state.now) = (recorded, config, now);
    judge(example.title.clone(), TestKind::Example, Some(example.line), outcome, started)
}

/// The names of the tests in a text that compiles.
pub(super) fn names(source: &str) -> Vec<String> {
    let lines = source.lines().map(str::trim_start);
    let named = lines.filter_map(|line| line.strip_prefix("test")?.trim_start().strip_prefix('"'));
    named.filter_map(|rest| Some(rest.split('"').next()?.to_owned())).collect()
}

impl State {
    /// Returns whether the test that comes now is the one to run.
    fn is_turn(&mut self) -> bool {
        self.seen += 1;
        self.turn == Some(self.seen - 1)
    }

    /// Sets up for the tests of a script with this header.
    fn for_tests(&mut self, head: &Head, turn: Option<usize>) {
        let allowed = Allowed { tools: head.uses.iter().cloned().collect(), hosts: head.hosts.clone(), kv: head.kv };
        self.recorded = Some(Recorded::new(allowed));
        let defaults = head.settings.iter().filter_map(|s| Some((s.key.clone(), s.default.clone()?)));
        self.config = defaults.collect();
        self.now = None;
        (self.turn, self.seen) = (turn, 0);
        self.results.clear();
        self.start();
    }
}
