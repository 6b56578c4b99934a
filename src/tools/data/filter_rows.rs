//! `filter_rows`: the rows of an array whose field meets a condition.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{number::Decimal, source};
use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{
    error::{Error, Result},
    output::Output,
    spec::Category,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// JSON array string of objects to filter, or the handle of a long result (`result:…`).
    #[schemars(extend("contentMediaType" = "application/json"))]
    data: String,
    /// Field name to filter on; dots reach into nested objects, e.g. `customer.city`.
    field: String,
    /// Comparison operator: eq and neq compare text, or numbers where both sides are; gt, lt, gte and lte compare numbers;
    /// contains looks for a substring.
    operator: Operator,
    /// Value to compare against.
    value: String,
}

#[derive(Deserialize, JsonSchema, Clone, Copy, Debug, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Operator {
    Eq,
    Neq,
    Gt,
    Lt,
    Gte,
    Lte,
    Contains,
}

pub(super) fn tool() -> Tool {
    let orders = r#"[{"id": 1, "amount": 900}, {"id": 2, "amount": 1500}, {"id": 3}]"#;
    Tool::new(
        "filter_rows",
        Category::Data,
        "Keeps the objects of a JSON array whose field equals, exceeds or contains a value. A row without the field never \
         matches. Returns the matches and their count.",
        "You need to narrow down a list of records by a field's value or range, for instance orders over 1000.",
        run,
    )
    .giving(&[("count", "integer"), ("matches", "array")])
    .example(
        "Orders over 1000",
        json!({"data": orders, "field": "amount", "operator": "gt", "value": "1000"}),
        json!({"matches": [{"id": 2, "amount": 1500}], "count": 1}),
    )
    .example(
        "Numbers are equal as numbers",
        json!({"data": orders, "field": "amount", "operator": "eq", "value": "900.0"}),
        json!({"matches": [{"id": 1, "amount": 900}], "count": 1}),
    )
    .example(
        "Text within a nested field",
        json!({"data": r#"[{"who": {"city": "Bern"}}, {"who": {"city": "Basel"}}]"#, "field": "who.city", "operator": "contains", "value": "ase"}),
        json!({"matches": [{"who": {"city": "Basel"}}], "count": 1}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let Args { data, field, operator, value } = args;
    source::ensure_name(&field)?;
    let others = value.len();
    let condition = Condition::new(operator, value)?;
    let keep = move |row: &Value| source::field(row, &field).is_some_and(|found| condition.holds(found));
    let matches: Vec<Value> =
        source::read_rows(&cx, data, others, move |rows| Ok(rows.into_iter().filter(keep).collect())).await?;
    Ok(Output::json(json!({"count": matches.len(), "matches": matches})))
}

struct Condition {
    operator: Operator,
    value: String,
    number: Option<Decimal>,
}

impl Condition {
    fn new(operator: Operator, value: String) -> Result<Self> {
        let number = Decimal::parse(&value);
        let ordered = matches!(operator, Operator::Gt | Operator::Lt | Operator::Gte | Operator::Lte);
        if ordered && number.is_none() {
            let shown: String = value.chars().take(40).collect();
            return Err(Error::invalid(format!(
                "'value' must be a number to compare by size, not '{shown}'. Compare text with eq, neq or contains."
            )));
        }
        Ok(Self { operator, value, number })
    }

    fn holds(&self, found: &Value) -> bool {
        match self.operator {
            Operator::Eq => self.equals(found),
            Operator::Neq => !self.equals(found),
            Operator::Gt => self.order(found) == Some(Ordering::Greater),
            Operator::Lt => self.order(found) == Some(Ordering::Less),
            Operator::Gte => self.order(found).is_some_and(Ordering::is_ge),
            Operator::Lte => self.order(found).is_some_and(Ordering::is_le),
            Operator::Contains => source::plain(found).contains(&self.value),
        }
    }

    fn equals(&self, found: &Value) -> bool {
        match (Decimal::from_value(found), &self.number) {
            (Some(found), Some(number)) => found.cmp(number).is_eq(),
            _ => source::plain(found) == self.value,
        }
    }

    /// Compares the field with the value; a text that is a number counts as one, as in data that came from CSV.
    fn order(&self, found: &Value) -> Option<Ordering> {
        let found = Decimal::from_value(found).or_else(|| Decimal::parse(found.as_str()?))?;
        self.number.as_ref().map(|number| found.cmp(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn holds(operator: Operator, found: Value, value: &str) -> bool {
        Condition::new(operator, value.to_owned()).unwrap().holds(&found)
    }

    #[test]
    fn equality_is_of_numbers_where_both_sides_are_and_else_of_text() {
        assert!(holds(Operator::Eq, json!(1000), "1e3"));
        assert!(holds(Operator::Eq, json!(0.1), "0.10"));
        assert!(!holds(Operator::Eq, json!("007"), "7"));
        assert!(holds(Operator::Neq, json!("007"), "7"));
        assert!(holds(Operator::Eq, json!(true), "true"));
        assert!(holds(Operator::Eq, json!(null), "null"));
        assert!(!holds(Operator::Eq, json!(9_007_199_254_740_993_i64), "9007199254740992"));
    }

    #[test]
    fn size_is_of_numbers_only() {
        assert!(holds(Operator::Gt, json!("1200.50"), "1000"));
        assert!(!holds(Operator::Gt, json!("many"), "1000"));
        assert!(!holds(Operator::Lte, json!(null), "1000"));
        let error = Condition::new(Operator::Lt, "2026-01-01".to_owned()).err().unwrap();
        assert!(error.message().contains("must be a number"), "{error}");
        assert!(Condition::new(Operator::Gt, "NaN".to_owned()).is_err());
        assert!(Condition::new(Operator::Gt, "inf".to_owned()).is_err());
    }

    #[test]
    fn contains_looks_into_the_text_of_a_value() {
        assert!(holds(Operator::Contains, json!(["red", "blue"]), "blue"));
        assert!(holds(Operator::Contains, json!(1234), "23"));
        assert!(!holds(Operator::Contains, json!("Red"), "red"));
    }

    proptest! {
        #[test]
        fn comparisons_are_those_of_the_numbers(a in -1_000_i64..1_000, b in -1_000_i64..1_000) {
            let (found, value) = (json!(a), b.to_string());
            prop_assert_eq!(holds(Operator::Eq, found.clone(), &value), a == b);
            prop_assert_eq!(holds(Operator::Neq, found.clone(), &value), a != b);
            prop_assert_eq!(holds(Operator::Gt, found.clone(), &value), a > b);
            prop_assert_eq!(holds(Operator::Lt, found.clone(), &value), a < b);
            prop_assert_eq!(holds(Operator::Gte, found.clone(), &value), a >= b);
            prop_assert_eq!(holds(Operator::Lte, found, &value), a <= b);
        }
    }
}
