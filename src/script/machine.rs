//! The engine scripts run in: Rhai with every limit set, our helpers, and the functions that reach outside.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use parking_lot::Mutex;
use rhai::{AST, CallFnOptions, Dynamic, Engine, EvalAltResult, OptimizationLevel, ParseError, Scope};

use serde_json::value::RawValue;

use super::{
    faults, helpers, limits, outside,
    state::{Limit, State, World},
    testing,
    wire::{Fault, Ran},
};
use satchel_model::script::TestRun;

/// An engine and what its functions share.
pub struct Machine {
    engine: Engine,
    state: Arc<Mutex<State>>,
}

impl Machine {
    /// A machine whose scripts reach outside through `world`.
    pub fn new(world: Box<dyn World>) -> Self {
        let state = Arc::new(Mutex::new(State::new(world)));
        let mut engine = Engine::new();
        limit(&mut engine);
        helpers::register(&mut engine);
        outside::register(&mut engine, &state);
        testing::register(&mut engine, &state);
        watch(&mut engine, &state);
        Self { engine, state }
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(super) fn state(&self) -> &Mutex<State> {
        &self.state
    }

    /// The script, compiled.
    pub fn compile(&self, source: &str) -> Result<AST, ParseError> {
        self.engine.compile(source)
    }

    /// Runs a compiled script once. The state was set up for it.
    pub(super) fn run(&self, ast: &AST, args: Dynamic) -> Ran<Box<RawValue>> {
        self.state.lock().start();
        self.ran(ast, self.call(ast, args))
    }

    /// Runs the statements of a compiled program once; its last expression is what it gives back. The state was set up for it.
    pub(super) fn run_program(&self, ast: &AST) -> Ran<Box<RawValue>> {
        self.state.lock().start();
        self.ran(ast, self.engine.eval_ast_with_scope(&mut Scope::new(), ast))
    }

    fn ran(&self, ast: &AST, value: Result<Dynamic, Box<EvalAltResult>>) -> Ran<Box<RawValue>> {
        let outcome = value.and_then(|value| helpers::to_raw_json(&value));
        let outcome = outcome.map_err(|error| self.fault(ast, &error));
        let mut state = self.state.lock();
        Ran { outcome, operations: state.operations(), log: state.take_log() }
    }

    pub(super) fn call(&self, ast: &AST, args: Dynamic) -> Result<Dynamic, Box<EvalAltResult>> {
        // Statements outside functions are tests and what they need.
        let options = CallFnOptions::new().eval_ast(false).rewind_scope(true);
        self.engine.call_fn_with_options(options, &mut Scope::new(), ast, "run", (args,))
    }

    pub(super) fn fault(&self, ast: &AST, error: &EvalAltResult) -> Fault {
        faults::of_run(self, ast, error)
    }

    /// Runs a script's examples and tests.
    pub fn test(&self, source: &str) -> TestRun {
        testing::run(self, source)
    }
}

fn limit(engine: &mut Engine) {
    engine
        .set_optimization_level(OptimizationLevel::Simple)
        .set_max_operations(limits::MAX_OPERATIONS)
        .set_max_string_size(limits::MAX_STRING)
        .set_max_array_size(limits::MAX_ARRAY)
        .set_max_map_size(limits::MAX_MAP)
        .set_max_call_levels(limits::MAX_CALLS)
        .set_max_expr_depths(limits::MAX_DEPTH, limits::MAX_DEPTH)
        .set_max_functions(limits::MAX_FUNCTIONS)
        .set_max_variables(limits::MAX_VARIABLES)
        .set_max_modules(0)
        .set_strict_variables(true)
        .set_module_resolver(rhai::module_resolvers::DummyModuleResolver::new());
    for symbol in ["eval", "import", "export"] {
        engine.disable_symbol(symbol);
    }
}

/// The number of operations that pass between two looks at the clock.
const LOOK: u64 = 512;

/// Ends a script that has used its processor time, at its place; what a native function uses, the server sees.
fn watch(engine: &mut Engine, state: &Arc<Mutex<State>>) {
    let shared = Arc::clone(state);
    let count = shared.lock().counter();
    engine.on_progress(move |operations| {
        count.store(operations, Ordering::Relaxed);
        if operations % LOOK != 0 {
            return None;
        }
        shared.lock().is_over().map(Dynamic::from)
    });
    let (print, debug) = (Arc::clone(state), Arc::clone(state));
    engine.on_print(move |text| print.lock().log_info(text));
    engine.on_debug(move |text, _, _| debug.lock().log_info(text));
}

/// The processor time this thread has used.
pub(super) fn cpu_time() -> Duration {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(used.tv_sec.unsigned_abs(), u32::try_from(used.tv_nsec).unwrap_or_default())
}

impl Limit {
    /// Returns the message to whoever runs the script.
    pub(super) fn message(self) -> String {
        match self {
            Self::Cpu => format!(
                "The script used its {} ms of processor time. Do less at once, or use a helper such as sort_by or group_by \
                 instead of a loop.",
                limits::MAX_CPU.as_millis()
            ),
        }
    }
}
