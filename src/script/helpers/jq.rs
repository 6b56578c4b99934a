//! jq filters by jaq. Scripts run in a worker, and its limits of time, memory and stack end a filter that does not end;
//! here is only what they cannot give: an error that says what is wrong with a filter or with what comes out of it.

use std::{fmt, sync::Arc};

use jaq_core::{
    Compiler, Ctx, Error, Native, RunPtr, Vars,
    data::JustLut,
    load::{self, Arena, File, Loader},
    native::{Fun, bome, v},
    unwrap_valr,
};
use jaq_json::{Num, Val};
use parking_lot::Mutex;
use rhai::{Array, Dynamic, Engine, Map};

use super::values::{Fallible, MAX_NESTING, check_array, check_text, fail, quoted, to_json};
use crate::limits::MAX_STRING;

/// Longest filter, in bytes.
const MAX_FILTER: usize = 2_000;
/// Deepest nesting of brackets in a filter, and of keywords that nest without them.
const MAX_BRACKETS: usize = 40;
/// Most outputs of one filter.
const MAX_OUTPUTS: usize = 10_000;
/// Longest error, in bytes: it may quote a whole value.
const MAX_ERROR: usize = 300;
/// Compiled filters that are kept.
const KEPT: usize = 16;
/// Natives that see the machine, print or end the process; with their numbers of arguments.
const FORBIDDEN: &[(&str, usize)] = &[
    ("env", 0),
    ("halt", 1),
    ("debug_empty", 0),
    ("stderr_empty", 0),
    ("now", 0),
    ("localtime", 0),
    ("strflocaltime", 1),
];

type Data = JustLut<Val>;
type Filter = jaq_core::Filter<Data>;
type Filters = Arc<Mutex<Vec<(String, Arc<Filter>)>>>;

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
    if source.len() > MAX_FILTER || deepest > MAX_BRACKETS || nesting.count() > MAX_BRACKETS || signs > 4 * MAX_BRACKETS
    {
        return fail(format!(
            "the jq filter is too long or too nested: at most {MAX_FILTER} bytes, {MAX_BRACKETS} brackets deep, {MAX_BRACKETS} keywords"
        ));
    }
    Ok(())
}

/// jq's own functions, the forbidden ones refused.
fn functions() -> impl Iterator<Item = Fun<Data>> {
    let refuse: RunPtr<Data> = |_| bome(Err(Error::str("scripts have no such function of jq")));
    let refused = FORBIDDEN.iter().map(move |(name, count)| (*name, v(*count), Native::<Data>::new(refuse)));
    let own = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    refused.chain(own.filter(|(name, arguments, _)| !FORBIDDEN.contains(&(*name, arguments.len()))))
}

fn compile(source: &str) -> Fallible<Filter> {
    check_source(source)?;
    let defs = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    let arena = Arena::default();
    let Ok(modules) = Loader::new(defs).load(&arena, File { code: source, path: () }) else {
        return fail(format!("{} is no jq filter: something is missing or misplaced in it", quoted(source)));
    };
    // An imported file would be a variable that has no value when the filter runs.
    if load::import(&modules, |_| Err(String::new())).is_err() {
        return fail(format!("{} is no jq filter for a script: it imports a file", quoted(source)));
    }
    Compiler::default().with_funs(functions()).compile(modules).or_else(|errors| {
        let first = errors.into_iter().flat_map(|(_, errors)| errors).next();
        let unknown = first.map_or_else(String::new, |(name, kind)| format!(": unknown {} {name}", kind.as_str()));
        fail(format!("{} is no jq filter{unknown}", quoted(source)))
    })
}

/// Returns the compiled form of a filter, made anew only if it is not among the latest.
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
    let context = Ctx::<Data>::new(&filter.lut, Vars::new([]));
    let (mut outputs, mut left) = (Array::new(), 4 * MAX_STRING);
    for output in filter.id.run((context, input)).map(unwrap_valr).take(most) {
        let value = output.or_else(|why| fail(format!("jq stopped: {}", message(&why))))?;
        if outputs.len() >= MAX_OUTPUTS {
            return fail(format!("jq stopped: more than {MAX_OUTPUTS} outputs; take fewer with limit(…; …)"));
        }
        if weigh(&value, MAX_NESTING, &mut left).is_none() {
            return fail("jq stopped: its outputs are too large or too deep");
        }
        outputs.push(value_of(&value)?);
    }
    Ok(outputs)
}

/// A text that takes so many bytes, and no more.
struct Short(String);

impl fmt::Write for Short {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        let end = more.floor_char_boundary(MAX_ERROR.saturating_sub(self.0.len()));
        self.0.push_str(more.get(..end).unwrap_or_default());
        if end < more.len() { Err(fmt::Error) } else { Ok(()) }
    }
}

fn message(why: &Error<Val>) -> String {
    let mut text = Short(String::new());
    let whole = fmt::write(&mut text, format_args!("{why}"));
    if whole.is_err() { text.0 + "…" } else { text.0 }
}

/// Takes a value's size as JSON, roughly, from what may be had; `None` if that or the depth is not enough.
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
