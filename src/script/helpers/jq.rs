//! jq filters by jaq, within a budget of steps, depth and size; the worker's processor time is the last resort.

mod budget;
mod compile;
mod functions;
mod measured;

use std::sync::Arc;

use jaq_core::{Ctx, DataT, Error, Native, Vars, compile::Lut, data::HasLut, unwrap_valr};
use jaq_json::{Num, Val};
use rhai::{Array, Dynamic, Engine, Map};

use self::{
    budget::{Budget, MAX_DEPTH, MAX_STEPS, weigh},
    compile::{Filters, compiled},
};
use super::values::{Fallible, MAX_NESTING, check_array, check_text, fail, to_json};
use crate::script::limits::MAX_STRING;

/// Most outputs of one filter.
const MAX_OUTPUTS: usize = 10_000;

/// The data filters work with: JSON values, and a budget.
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
        if weigh(&value, MAX_NESTING, &mut left).is_none() {
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
