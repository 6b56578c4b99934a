//! Compilation of filters; the latest are kept.

use std::sync::Arc;

use jaq_core::{
    Compiler,
    load::{Arena, File, Loader, parse, parse::Def},
};
use parking_lot::Mutex;

use super::{Limited, functions::functions, measured};
use crate::script::helpers::values::{Fallible, fail, quoted};

/// Longest filter, in bytes.
const MAX_FILTER: usize = 2_000;
/// Deepest nesting of brackets in a filter, and of keywords that nest without them.
const MAX_NESTING: usize = 40;
/// Compiled filters that are kept.
const KEPT: usize = 16;

pub(super) type Filter = jaq_core::Filter<Limited>;
pub(super) type Filters = Arc<Mutex<Vec<(String, Arc<Filter>)>>>;

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

/// The compiled form of a filter, made anew only where it is not among the latest.
pub(super) fn compiled(filters: &Filters, source: &str) -> Fallible<Arc<Filter>> {
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
