//! Prices of models, and what requests cost by them.

use serde::{Deserialize, Serialize};

use serde_json::json;

use super::{
    error::{Error, Kind, Result},
    llm::{Provider, ProviderId, Usage},
};

/// Millionths in one.
const MILLION: f64 = 1e6;
/// Billionths in one.
const BILLION: f64 = 1e9;
/// Highest price of a million tokens.
const HIGHEST: f64 = 1e6;

/// The code of an error about a budget that is used up: waiting a little does not help.
pub const OVER_BUDGET: &str = "insufficient_quota";

/// The error about a budget that is used up.
pub fn over_budget(message: impl Into<String>) -> Error {
    Error::new(Kind::Exhausted, message).with_details(json!({"code": OVER_BUDGET}))
}

/// The price of a model, as whoever runs it charges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ModelPrice)]
pub struct Price {
    /// A million tokens that are sent.
    #[schema(minimum = 0, maximum = 1_000_000)]
    pub input: f64,
    /// A million tokens of answers.
    #[schema(minimum = 0, maximum = 1_000_000)]
    pub output: f64,
    /// The currency, as three letters.
    #[schema(pattern = "^[A-Z]{3}$")]
    pub currency: String,
}

impl Price {
    /// Checks that it can be one.
    ///
    /// # Errors
    ///
    /// If it cannot.
    pub fn ensure(&self) -> Result<()> {
        let fits = |price: f64| (0.0..=HIGHEST).contains(&price);
        if !fits(self.input) || !fits(self.output) {
            return Err(Error::invalid("A price for a million tokens lies between 0 and 1,000,000."));
        }
        if self.currency.len() != 3 || !self.currency.chars().all(|c| c.is_ascii_uppercase()) {
            return Err(Error::invalid("Write the currency as its three letters, for instance EUR or USD."));
        }
        Ok(())
    }

    /// A price in millionths of the currency's unit, as rows have it.
    pub fn from_millionths((input, output): (i64, i64), currency: String) -> Self {
        Self { input: input as f64 / MILLION, output: output as f64 / MILLION, currency }
    }

    /// Both prices in millionths of the currency's unit.
    pub fn millionths(&self) -> (i64, i64) {
        ((self.input * MILLION).round() as i64, (self.output * MILLION).round() as i64)
    }

    /// Returns what these tokens cost, in billionths of the currency's unit.
    pub fn of(&self, usage: Usage) -> i64 {
        let (input, output) = self.millionths();
        let cost = u128::from(usage.input_tokens) * u128::from(input.unsigned_abs())
            + u128::from(usage.output_tokens) * u128::from(output.unsigned_abs());
        i64::try_from(cost / 1_000).unwrap_or(i64::MAX)
    }
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = Money)]
pub struct Cost {
    /// The amount, in units of the currency.
    pub amount: f64,
    /// The currency, as three letters.
    pub currency: String,
}

impl Cost {
    /// A cost in billionths of the currency's unit, as rows have it.
    pub fn from_billionths(billionths: i64, currency: String) -> Self {
        Self { amount: billionths as f64 / BILLION, currency }
    }
}

/// Tokens that a request to a model took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spent {
    /// The provider that answered.
    pub provider: ProviderId,
    /// The name it had.
    pub name: String,
    /// Its model.
    pub model: String,
    /// The tokens.
    pub usage: Usage,
}

impl Spent {
    /// Tokens that a request to this provider took.
    pub fn new(provider: &Provider, usage: Usage) -> Self {
        Self { provider: provider.id, name: provider.name.clone(), model: provider.model.clone(), usage }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_cost_what_a_million_of_them_does_in_parts() {
        let price = Price { input: 0.15, output: 0.6, currency: "USD".to_owned() };
        let usage = Usage::new(2_000_000, 500_000);
        assert_eq!(Cost::from_billionths(price.of(usage), price.currency.clone()).amount, 0.6);
        assert_eq!(price.of(Usage::new(1, 0)), 150);
        assert_eq!(Price::from_millionths(price.millionths(), "USD".to_owned()), price);
    }

    #[test]
    fn a_price_is_neither_negative_nor_endless_and_has_a_currency() {
        let price = |input, currency: &str| Price { input, output: 1.0, currency: currency.to_owned() };
        assert!(price(0.0, "EUR").ensure().is_ok());
        for wrong in [price(-0.1, "EUR"), price(f64::NAN, "EUR"), price(2e6, "EUR"), price(1.0, "eur"), price(1.0, "€")]
        {
            assert!(wrong.ensure().is_err(), "{wrong:?}");
        }
    }
}
