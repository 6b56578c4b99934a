//! Numbers as JSON has them, compared without losing digits: whole ones exactly, the rest as 64-bit floats.

use std::cmp::Ordering;

use serde_json::Value;

/// A number of JSON, or of a text that reads as one.
#[derive(Debug, Clone, Copy)]
pub(super) enum Decimal {
    /// A whole number.
    Whole(i128),
    /// Any other, finite.
    Float(f64),
}

impl Decimal {
    /// The number of a JSON value, where it is one.
    pub(super) fn from_value(value: &Value) -> Option<Self> {
        let number = value.as_number()?;
        number.as_i128().map(Self::Whole).or_else(|| number.as_f64().map(Self::Float))
    }

    /// The number a text is, where it is one: digits, a sign, a point, an exponent.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() || !text.chars().all(|c| c.is_ascii_digit() || "+-.eE".contains(c)) {
            return None;
        }
        let whole = text.parse().ok().map(Self::Whole);
        whole.or_else(|| text.parse().ok().filter(|n: &f64| n.is_finite()).map(Self::Float))
    }

    /// Compares it with another; total, as no number here is NaN.
    pub(super) fn cmp(&self, other: &Self) -> Ordering {
        match (*self, *other) {
            (Self::Whole(a), Self::Whole(b)) => a.cmp(&b),
            (Self::Float(a), Self::Float(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
            (Self::Whole(a), Self::Float(b)) => exact(a, b),
            (Self::Float(a), Self::Whole(b)) => exact(b, a).reverse(),
        }
    }
}

/// Compares without rounding the whole number: rounding would make 2⁵³ and 2⁵³ + 1 both equal to 2⁵³ as a float.
fn exact(whole: i128, float: f64) -> Ordering {
    const BEYOND: f64 = 1.7e38;
    if float >= BEYOND {
        return Ordering::Less;
    }
    if float <= -BEYOND {
        return Ordering::Greater;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it has no fraction and is within the range, by the lines above"
    )]
    let trunk = float.trunc() as i128;
    whole.cmp(&trunk).then(0.0_f64.partial_cmp(&float.fract()).unwrap_or(Ordering::Equal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_and_floats_compare_without_rounding() {
        let big = 9_007_199_254_740_992_i128;
        let float = Decimal::parse("9007199254740992.0").unwrap();
        assert_eq!(Decimal::Whole(big).cmp(&float), Ordering::Equal);
        assert_eq!(Decimal::Whole(big + 1).cmp(&float), Ordering::Greater);
        assert_eq!(Decimal::Whole(-3).cmp(&Decimal::Float(-3.5)), Ordering::Greater);
        assert_eq!(Decimal::Float(1e300).cmp(&Decimal::Whole(i128::MAX)), Ordering::Greater);
    }

    #[test]
    fn words_for_numbers_are_no_numbers() {
        for text in ["", "NaN", "inf", "-infinity", "1e999", "0x10", "1_000", "e", "--1"] {
            assert!(Decimal::parse(text).is_none(), "{text}");
        }
        assert!(matches!(Decimal::parse(" 7 "), Some(Decimal::Whole(7))));
    }
}
