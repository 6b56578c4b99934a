//! The budget of one run of a filter: steps, depth and size.

use std::cell::Cell;

use jaq_core::Error;
use jaq_json::{Num, Val};

use crate::script::limits::{MAX_ARRAY, MAX_STRING};

/// Steps of one filter.
pub(super) const MAX_STEPS: u32 = 100_000;
/// Steps from one look at the depth of the input to the next.
const DEPTH_EVERY: u32 = 128;
/// Deepest nesting of a value.
pub(super) const MAX_DEPTH: usize = 256;
/// Stack a filter may use, in bytes.
const MAX_STACK: usize = 384 << 10;

/// The steps and the stack that are left of a run.
pub(super) struct Budget {
    steps: Cell<u32>,
    stack: usize,
    pub(super) spent: Cell<bool>,
}

/// Where the stack is now.
#[inline(never)]
fn stack_place() -> usize {
    let here = 0_u8;
    std::hint::black_box(std::ptr::from_ref(&here).addr())
}

impl Budget {
    pub(super) fn new() -> Self {
        Self { steps: Cell::new(MAX_STEPS), stack: stack_place(), spent: Cell::new(false) }
    }

    pub(super) fn refuse<T>(&self, why: String) -> Result<T, Error<Val>> {
        self.spent.set(true);
        Err(Error::str(why))
    }

    pub(super) fn step(&self, input: Option<&Val>) -> Result<(), Error<Val>> {
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

    pub(super) fn sized(&self, elements: usize, bytes: usize) -> Result<(), Error<Val>> {
        if elements > MAX_ARRAY || bytes > MAX_STRING {
            return self.refuse("it makes a value that is too large".into());
        }
        Ok(())
    }
}

/// Takes a value's size as JSON, roughly, from what may be had; nothing if that or the depth is not enough.
pub(super) fn weigh(value: &Val, depth: usize, left: &mut usize) -> Option<()> {
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
pub(super) fn size(value: &Val) -> (usize, usize) {
    match value {
        Val::Arr(items) => (items.len(), 0),
        Val::Obj(fields) => (fields.len(), 0),
        Val::BStr(text) | Val::TStr(text) => (0, text.len()),
        _ => (0, 0),
    }
}
