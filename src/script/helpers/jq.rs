//! jq filters by jaq, within a budget of steps, depth and size; the worker's processor time is the last resort.

use std::{cell::Cell, sync::Arc};

use jaq_core::{
    Compiler, Ctx, DataT, Error, Exn, Native, ValXs, Vars,
    compile::Lut,
    data::HasLut,
    load::{Arena, File, Loader, parse, parse::Def},
    native::{Fun, bome, v},
    unwrap_valr,
};
use jaq_json::{Num, Val};
use parking_lot::Mutex;
use rhai::{Array, Dynamic, Engine, Map};

use super::{
    measured::{self, FITS, OPERATORS, STEP},
    values::{Fallible, check_array, check_text, fail, quoted, to_json},
};
use crate::script::limits::{MAX_ARRAY, MAX_STRING};

/// Longest filter, in bytes.
const MAX_FILTER: usize = 2_000;
/// Deepest nesting of brackets in a filter, and of keywords that nest without them.
const MAX_NESTING: usize = 40;
/// Steps of one filter.
const MAX_STEPS: u32 = 100_000;
/// How often a step looks at how deep its input is.
const DEPTH_EVERY: u32 = 128;
/// Deepest nesting of a value.
const MAX_DEPTH: usize = 256;
/// Stack a filter may use, in bytes.
const MAX_STACK: usize = 384 << 10;
/// Most outputs of one filter.
const MAX_OUTPUTS: usize = 10_000;
/// Bytes of a number, for those beyond 64 bits.
const MAX_BITS: u64 = 4_096;
/// Compiled filters that are kept.
const KEPT: usize = 16;

/// Functions of jq that see the machine, print or end it, or take time nobody counts; with their numbers of arguments.
const FORBIDDEN: &[(&str, usize)] = &[
    ("env", 0),
    ("halt", 1),
    ("debug_empty", 0),
    ("stderr_empty", 0),
    ("now", 0),
    ("localtime", 0),
    ("strflocaltime", 1),
    ("jn", 2),
    ("yn", 2),
];

/// What filters work with: JSON values, and a budget.
struct Limited;

impl DataT for Limited {
    type V<'a> = Val;
    type Data<'a> = Run<'a>;
}

/// One run of a filter.
#[derive(Clone)]
struct Run<'a> {
    lut: &'a Lut<Native<Limited>>,
    budget: &'a Budget,
}

impl<'a> HasLut<'a, Limited> for Run<'a> {
    fn lut(&self) -> &'a Lut<Native<Limited>> {
        self.lut
    }
}

type Filter = jaq_core::Filter<Limited>;
type Filters = Arc<Mutex<Vec<(String, Arc<Filter>)>>>;
type Outcome = Result<Val, Error<Val>>;

/// What is left of a run.
struct Budget {
    steps: Cell<u32>,
    stack: usize,
    spent: Cell<bool>,
}

/// Where the stack is now.
#[inline(never)]
fn stack_place() -> usize {
    let here = 0_u8;
    std::hint::black_box(std::ptr::from_ref(&here).addr())
}

impl Budget {
    fn new() -> Self {
        Self { steps: Cell::new(MAX_STEPS), stack: stack_place(), spent: Cell::new(false) }
    }

    fn refuse<T>(&self, why: String) -> Result<T, Error<Val>> {
        self.spent.set(true);
        Err(Error::str(why))
    }

    fn step(&self, input: Option<&Val>) -> Result<(), Error<Val>> {
        let left = self.steps.get();
        if left == 0 || self.spent.get() {
            return self.refuse(format!("it takes more than {MAX_STEPS} steps"));
        }
        self.steps.set(left - 1);
        if self.stack.abs_diff(stack_place()) > MAX_STACK {
            return self.refuse("it calls itself too deeply".into());
        }
        if left.is_multiple_of(DEPTH_EVERY)
            && let Some(input) = input
            && weigh(input, MAX_DEPTH, &mut (8 * MAX_STRING)).is_none()
        {
            return self.refuse("it makes a value that is too large or too deep".into());
        }
        Ok(())
    }

    fn sized(&self, elements: usize, bytes: usize) -> Result<(), Error<Val>> {
        if elements > MAX_ARRAY || bytes > MAX_STRING {
            return self.refuse("it makes a value that is too large".into());
        }
        Ok(())
    }
}

/// Takes a value's size as JSON, roughly, from what may be had; nothing if that or the depth is not enough.
fn weigh(value: &Val, depth: usize, left: &mut usize) -> Option<()> {
    let own = match value {
        Val::BStr(text) | Val::TStr(text) => text.len() + 2,
        Val::Num(Num::BigInt(number)) => usize::try_from(number.bits()).ok()? / 3,
        _ => 5,
    };
    *left = left.checked_sub(own)?;
    match value {
        Val::Arr(items) => items.iter().try_for_each(|item| weigh(item, depth.checked_sub(1)?, left)),
        Val::Obj(fields) => fields.iter().try_for_each(|(key, item)| {
            weigh(key, depth.checked_sub(1)?, left)?;
            weigh(item, depth.checked_sub(1)?, left)
        }),
        _ => Some(()),
    }
}

/// Elements and bytes at a value's top.
fn size(value: &Val) -> (usize, usize) {
    match value {
        Val::Arr(items) => (items.len(), 0),
        Val::Obj(fields) => (fields.len(), 0),
        Val::BStr(text) | Val::TStr(text) => (0, text.len()),
        _ => (0, 0),
    }
}

fn plus(budget: &Budget, left: Val, right: Val) -> Outcome {
    let (a, b) = (size(&left), size(&right));
    budget.sized(a.0 + b.0, a.1 + b.1)?;
    left + right
}

fn minus(budget: &Budget, left: Val, right: Val) -> Outcome {
    if size(&left).0.saturating_mul(size(&right).0) > 4_000_000 {
        return budget.refuse("it takes a long array from a long array".into());
    }
    left - right
}

fn times(budget: &Budget, left: Val, right: Val) -> Outcome {
    let bits = |value: &Val| if let Val::Num(Num::BigInt(number)) = value { number.bits() } else { 0 };
    let count = |value: &Val| match value {
        Val::Num(Num::Int(count)) => usize::try_from(*count).unwrap_or(0),
        Val::Num(Num::Float(count)) => *count as usize,
        Val::Num(_) => usize::MAX,
        _ => 1,
    };
    if bits(&left) + bits(&right) > MAX_BITS {
        return budget.refuse("it makes a number that is too large".into());
    }
    budget.sized(0, size(&left).1.saturating_mul(count(&right)).max(size(&right).1.saturating_mul(count(&left))))?;
    left * right
}

fn over(budget: &Budget, left: Val, right: Val) -> Outcome {
    let most = if size(&right).1 == 0 { size(&left).1 } else { size(&left).1 / size(&right).1 };
    budget.sized(most, 0)?;
    left / right
}

/// As jq's own, counting its numbers.
fn range<'a>(budget: &'a Budget, from: Val, to: Val, by: Val) -> ValXs<'a, Val> {
    let zero = Val::Num(Num::Int(0));
    let mut next = Some(from);
    Box::new(std::iter::from_fn(move || {
        let now = next.take()?;
        let within = if by == zero {
            now != to
        } else if by > zero {
            now < to
        } else {
            now > to
        };
        if !within {
            return None;
        }
        if let Err(why) = budget.step(None) {
            return Some(Err(Exn::from(why)));
        }
        match now.clone() + by.clone() {
            Ok(more) => next = Some(more),
            Err(why) => return Some(Err(why.into())),
        }
        Some(Ok(now))
    }))
}

/// Text that is JSON, no deeper than serde reads it.
fn read_json(value: &Val) -> Outcome {
    let text = match value {
        Val::TStr(bytes) => std::str::from_utf8(bytes).ok(),
        _ => return Ok(value.clone()),
    };
    let read = text.and_then(|text| serde_json::from_str(text).ok());
    read.ok_or_else(|| Error::str("the text is not JSON"))
}

fn fits(budget: &Budget, value: Val, limit: &Val) -> Outcome {
    let mut left =
        if let Val::Num(Num::Int(limit)) = limit { usize::try_from(*limit).unwrap_or(0) } else { MAX_STRING };
    match weigh(&value, MAX_DEPTH, &mut left) {
        Some(()) => Ok(value),
        None => budget.refuse("it makes a text that is too long".into()),
    }
}

/// What replaces jq's functions that cannot be bounded, and what filters are rewritten to.
fn functions() -> Vec<Fun<Limited>> {
    let step = Native::<Limited>::new(|cv| bome(cv.0.data().budget.step(Some(&cv.1)).map(|()| cv.1)))
        .with_paths(|cv| {
            let stepped = cv.0.data().budget.step(Some(&cv.1.0));
            Box::new(std::iter::once(stepped.map(|()| cv.1).map_err(Exn::from)))
        })
        .with_update(|cv, update| match cv.0.data().budget.step(Some(&cv.1)) {
            Ok(()) => update(cv.1),
            Err(why) => bome(Err(why)),
        });
    let [plus_, minus_, times_, over_, rest_] = OPERATORS;
    let operators: [(&str, jaq_core::RunPtr<Limited>); 5] = [
        (plus_, |cv| operate(cv, plus)),
        (minus_, |cv| operate(cv, minus)),
        (times_, |cv| operate(cv, times)),
        (over_, |cv| operate(cv, over)),
        (rest_, |cv| operate(cv, |_, left, right| left % right)),
    ];
    let mut functions: Vec<Fun<Limited>> = vec![
        (STEP, v(0), step),
        (
            FITS,
            v(1),
            Native::<Limited>::new(|mut cv| {
                let limit = cv.0.pop_var();
                bome(fits(cv.0.data().budget, cv.1, &limit))
            }),
        ),
        (
            "range",
            v(3),
            Native::<Limited>::new(|mut cv| {
                let (by, to, from) = (cv.0.pop_var(), cv.0.pop_var(), cv.0.pop_var());
                range(cv.0.data().budget, from, to, by)
            }),
        ),
        ("fromjson", v(0), Native::<Limited>::new(|cv| bome(read_json(&cv.1)))),
        (
            "tojson",
            v(0),
            Native::<Limited>::new(|cv| {
                let limit = Val::Num(Num::Int(MAX_STRING.cast_signed()));
                bome(fits(cv.0.data().budget, cv.1, &limit).map(|value| Val::utf8_str(value.to_string())))
            }),
        ),
    ];
    functions.extend(operators.map(|(name, run)| (name, v(2), Native::<Limited>::new(run))));
    functions.extend(FORBIDDEN.iter().map(|(name, count)| {
        let refuse: jaq_core::RunPtr<Limited> = |_| bome(Err(Error::str("scripts have no such function of jq")));
        (*name, v(*count), Native::<Limited>::new(refuse))
    }));
    let known: Vec<&str> = functions.iter().map(|(name, _, _)| *name).collect();
    let own = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    functions.extend(own.filter(|(name, _, _)| !known.contains(name)).collect::<Vec<_>>());
    functions
}

fn operate<'a>(mut cv: (Ctx<'a, Limited>, Val), with: fn(&Budget, Val, Val) -> Outcome) -> ValXs<'a, Val> {
    let (right, left) = (cv.0.pop_var(), cv.0.pop_var());
    bome(with(cv.0.data().budget, left, right))
}

/// Refuses what would overflow the parser's stack.
fn check_source(source: &str) -> Fallible<()> {
    let (mut depth, mut deepest) = (0_usize, 0);
    for letter in source.chars() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    let words = source.split(|letter: char| !letter.is_alphanumeric());
    let nesting =
        words.filter(|word| matches!(*word, "if" | "try" | "def" | "reduce" | "foreach" | "label" | "as" | "elif"));
    let signs = source.matches(['-', '|', ',']).count();
    if source.len() > MAX_FILTER || deepest > MAX_NESTING || nesting.count() > MAX_NESTING || signs > 4 * MAX_NESTING {
        return fail(format!(
            "the jq filter is too long or too nested: at most {MAX_FILTER} bytes, {MAX_NESTING} brackets deep, {MAX_NESTING} keywords"
        ));
    }
    Ok(())
}

fn prelude_of<'s>(def: Def<&'static str>) -> Def<&'s str> {
    measured::definition(def)
}

fn compile(source: &str) -> Fallible<Filter> {
    check_source(source)?;
    let Some(main) = parse(source, |parser| parser.term()) else {
        return fail(format!("{} is no jq filter: something is missing or misplaced in it", quoted(source)));
    };
    let main = Def { name: "main!", args: Vec::new(), body: measured::term(main) };
    let prelude = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs()).map(prelude_of);
    // natives of the same name come after definitions
    let prelude = prelude.filter(|def| !(def.name == "range" && def.args.len() == 3));
    let arena = Arena::default();
    let loader = Loader::new(prelude.chain([main, call_main()]));
    let Ok(modules) = loader.load(&arena, File { code: "run_main", path: () }) else {
        return fail("the jq filter cannot be read");
    };
    let compiled = Compiler::default().with_funs(functions()).compile(modules);
    compiled.or_else(|errors| {
        let first = errors.into_iter().flat_map(|(_, errors)| errors).next();
        let unknown = first.map_or_else(String::new, |(name, kind)| format!(": unknown {} {name}", kind.as_str()));
        fail(format!("{} is no jq filter{unknown}", quoted(source)))
    })
}

/// A name a source can have, for the one that it cannot.
fn call_main() -> Def<&'static str> {
    Def { name: "run_main", args: Vec::new(), body: parse::Term::Call("main!", Vec::new()) }
}

fn compiled(filters: &Filters, source: &str) -> Fallible<Arc<Filter>> {
    let mut kept = filters.lock();
    if let Some((_, filter)) = kept.iter().find(|(text, _)| text == source) {
        return Ok(Arc::clone(filter));
    }
    let filter = Arc::new(compile(source)?);
    if kept.len() >= KEPT {
        kept.remove(0);
    }
    kept.push((source.to_string(), Arc::clone(&filter)));
    Ok(filter)
}

fn run(filters: &Filters, source: &str, input: &Dynamic, most: usize) -> Fallible<Array> {
    let filter = compiled(filters, source)?;
    let Ok(input) = serde_json::from_value::<Val>(to_json(input)?) else {
        return fail("the value cannot be read by jq");
    };
    let budget = Budget::new();
    let context = Ctx::<Limited>::new(Run { lut: &filter.lut, budget: &budget }, Vars::new([]));
    let (mut outputs, mut left) = (Array::new(), 4 * MAX_STRING);
    for output in filter.id.run((context, input)).map(unwrap_valr).take(most) {
        let value = match output {
            Ok(value) if !budget.spent.get() => value,
            Ok(_) => {
                return fail(format!("jq stopped: it takes more than {MAX_STEPS} steps, or makes too large a value"));
            }
            Err(why) => return fail(format!("jq stopped: {}", quoted_error(&why))),
        };
        if outputs.len() >= MAX_OUTPUTS {
            return fail(format!("jq stopped: more than {MAX_OUTPUTS} outputs; take fewer with limit(…; …)"));
        }
        if weigh(&value, super::values::MAX_NESTING, &mut left).is_none() {
            return fail("jq stopped: its outputs are too large or too deep");
        }
        outputs.push(value_of(&value)?);
    }
    Ok(outputs)
}

/// An error's message, short: it may quote a whole value.
fn quoted_error(why: &Error<Val>) -> String {
    let mut text = String::new();
    let mut left = 10_000;
    if weigh(&why.clone().into_val(), MAX_DEPTH, &mut left).is_some() {
        text = why.to_string();
    }
    if text.is_empty() { "an error with a large value".into() } else { text.chars().take(300).collect() }
}

fn value_of(value: &Val) -> Fallible<Dynamic> {
    Ok(match value {
        Val::Null => Dynamic::UNIT,
        Val::Bool(truth) => (*truth).into(),
        Val::Num(Num::Int(whole)) => i64::try_from(*whole).unwrap_or(i64::MAX).into(),
        Val::Num(number) => number.to_string().parse::<f64>().unwrap_or(f64::NAN).into(),
        Val::BStr(text) | Val::TStr(text) => {
            check_text(text.len())?;
            String::from_utf8_lossy(text).into_owned().into()
        }
        Val::Arr(items) => {
            check_array(items.len())?;
            items.iter().map(value_of).collect::<Fallible<Array>>()?.into()
        }
        Val::Obj(fields) => {
            let mut map = Map::new();
            for (key, item) in fields.iter() {
                let key = match key {
                    Val::BStr(text) | Val::TStr(text) => String::from_utf8_lossy(text).into_owned(),
                    other => other.to_string(),
                };
                map.insert(key.into(), value_of(item)?);
            }
            map.into()
        }
    })
}

pub(super) fn register(engine: &mut Engine) {
    let filters = Filters::default();
    let first = Arc::clone(&filters);
    engine
        .register_fn("jq", move |filter: &str, value: Dynamic| run(&filters, filter, &value, usize::MAX))
        .register_fn("jq_first", move |filter: &str, value: Dynamic| -> Fallible<Dynamic> {
            Ok(run(&first, filter, &value, 1)?.pop().unwrap_or(Dynamic::UNIT))
        });
}
