//! The functions filters may call: jq's own, and replacements for those that cannot be bounded.

use jaq_core::{
    Ctx, Error, Exn, Native, ValXs,
    native::{Fun, bome, v},
};
use jaq_json::{Num, Val};

use super::{
    Limited,
    budget::{Budget, MAX_DEPTH, size, weigh},
    measured::{FITS, OPERATORS, STEP},
};
use crate::script::limits::MAX_STRING;

/// Bytes of a number, for those beyond 64 bits.
const MAX_BITS: u64 = 4_096;
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

type Outcome = Result<Val, Error<Val>>;

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

/// Every function a filter may call: ours in place of jq's that cannot be bounded, those filters are rewritten to, and
/// jq's own.
pub(super) fn functions() -> Vec<Fun<Limited>> {
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
