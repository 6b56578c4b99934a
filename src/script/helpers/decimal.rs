//! Exact decimals behind `round`, `sum` and `format_number`: a float counts as the shortest decimal that means it.

use rhai::{Array, Dynamic};

use super::values::{Fallible, fail, kind};

/// Most digits after the point that are added exactly.
const MAX_SCALE: usize = 18;

/// `units / 10^scale`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    units: i128,
    scale: usize,
}

impl Decimal {
    /// A number of a script; nothing where it is not finite or needs more digits than fit.
    pub(super) fn from_dynamic(value: &Dynamic) -> Option<Self> {
        if let Ok(integer) = value.as_int() {
            return Some(Self { units: integer.into(), scale: 0 });
        }
        let float = value.as_float().ok().filter(|float| float.is_finite() && float.abs() < 1e18)?;
        Self::parse(&float.to_string())
    }

    /// A plain decimal such as `-12.50`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let scale = fraction.len();
        if scale > MAX_SCALE || whole.len() > 20 {
            return None;
        }
        Some(Self { units: format!("{whole}{fraction}").parse().ok()?, scale })
    }

    /// Rounded half away from zero to so many digits after the point; below zero, to tens, hundreds, …
    pub(super) fn round(self, digits: i64) -> Self {
        let drop = i64::try_from(self.scale).unwrap_or(0).saturating_sub(digits);
        if drop <= 0 {
            return self;
        }
        let Some(unit) = u32::try_from(drop).ok().and_then(|drop| 10_i128.checked_pow(drop)) else {
            return Self { units: 0, scale: 0 };
        };
        let (whole, rest) = (self.units / unit, (self.units % unit).abs());
        let units = if rest >= unit - rest { whole + self.units.signum() } else { whole };
        match usize::try_from(digits) {
            Ok(scale) => Self { units, scale },
            Err(_) => {
                let tens = u32::try_from(digits.unsigned_abs()).ok().and_then(|tens| 10_i128.checked_pow(tens));
                Self { units: units.saturating_mul(tens.unwrap_or(0)), scale: 0 }
            }
        }
    }

    fn at(self, scale: usize) -> Option<i128> {
        let more = u32::try_from(scale.checked_sub(self.scale)?).ok()?;
        self.units.checked_mul(10_i128.checked_pow(more)?)
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        Some(Self { units: self.at(scale)?.checked_add(other.at(scale)?)?, scale })
    }

    pub(super) fn times(self, other: Self) -> Option<Self> {
        Some(Self { units: self.units.checked_mul(other.units)?, scale: self.scale + other.scale })
    }

    /// The sign, the digits before the point and at least so many after it.
    pub(super) fn digits(self, fraction: usize) -> (bool, String, String) {
        let text = format!("{:0>width$}", self.units.unsigned_abs(), width = self.scale + 1);
        let (whole, part) = text.split_at_checked(text.len().saturating_sub(self.scale)).unwrap_or((&text, ""));
        (self.units < 0, whole.to_string(), format!("{part:0<fraction$}"))
    }

    /// The float next to it.
    pub(super) fn float(self) -> f64 {
        let (negative, whole, part) = self.digits(1);
        let size: f64 = format!("{whole}.{part}").parse().unwrap_or(f64::NAN);
        if negative { -size } else { size }
    }

    /// An integer where `whole`, else a float; an error beyond 64 bits.
    pub(super) fn value(self, whole: bool) -> Fallible<Dynamic> {
        if !whole {
            return Ok(self.float().into());
        }
        i64::try_from(self.units).map_or_else(|_| fail("the result is beyond what an integer can be"), |i| Ok(i.into()))
    }
}

/// Adds numbers; integers stay integers.
pub(super) fn sum(numbers: &Array) -> Fallible<Dynamic> {
    fold(numbers, Decimal { units: 0, scale: 0 }, Decimal::plus, |a, b| a + b)
}

/// Multiplies numbers; integers stay integers.
pub(super) fn product(numbers: &Array) -> Fallible<Dynamic> {
    fold(numbers, Decimal { units: 1, scale: 0 }, Decimal::times, |a, b| a * b)
}

fn fold(
    numbers: &Array,
    start: Decimal,
    exact: fn(Decimal, Decimal) -> Option<Decimal>,
    inexact: fn(f64, f64) -> f64,
) -> Fallible<Dynamic> {
    let mut whole = true;
    let (mut total, mut float) = (Some(start), start.float());
    for number in numbers {
        if !number.is_int() && !number.is_float() {
            return fail(format!("an array of numbers is expected; one of its elements is {}", kind(number)));
        }
        whole &= number.is_int();
        float = inexact(float, super::values::number(number)?);
        total = total.zip(Decimal::from_dynamic(number)).and_then(|(total, number)| exact(total, number));
    }
    match total {
        Some(total) => total.value(whole),
        None if whole => fail("the result is beyond what an integer can be"),
        None => Ok(float.into()),
    }
}
