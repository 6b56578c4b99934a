//! `transform_data`: an array of objects sorted, grouped, counted, or with fewer fields.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{number::Decimal, source};
use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{
    error::{Error, Result},
    output::Output,
    spec::Category,
};

/// Most fields that are picked.
const MAX_FIELDS: usize = 200;
/// The group of rows that do not have the field.
const MISSING: &str = "__missing__";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// JSON array string of objects to transform, or the handle of a long result (`result:…`).
    #[schemars(extend("contentMediaType" = "application/json"))]
    data: String,
    /// Action: `sort`, `group`, `count` or `pick`.
    action: Action,
    /// Field name for `sort` and `group`; dots reach into nested objects.
    field: Option<String>,
    /// Sort order: `asc` (default) or `desc`. Only for `sort`.
    #[serde(default)]
    order: Order,
    /// Comma-separated field names for `pick`, e.g. `id,name`.
    fields: Option<String>,
}

#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Action {
    Sort,
    Group,
    Count,
    Pick,
}

#[derive(Deserialize, JsonSchema, Clone, Copy, Default, PartialEq, Debug)]
#[serde(rename_all = "snake_case")]
enum Order {
    #[default]
    Asc,
    Desc,
}

pub(super) fn tool() -> Tool {
    let rows = r#"[{"id": 1, "city": "Bern", "date": "2026-03-01"}, {"id": 2, "date": "2026-05-09"}, {"id": 3, "city": "Bern"}]"#;
    Tool::new(
        "transform_data",
        Category::Data,
        "Sorts an array of objects by a field, groups it by a field's values, counts it, or keeps only some fields of each \
         object. Sorting goes by size where the field holds nothing but numbers, written as texts or not, else by text. Rows \
         without the field come last when sorting and under `__missing__` when grouping.",
        "You need to reorder, aggregate or slim down a dataset before presenting it, for instance the newest first.",
        run,
    )
    .example(
        "The newest first; what has no date comes last",
        json!({"data": rows, "action": "sort", "field": "date", "order": "desc"}),
        json!({"result": [{"id": 2}, {"id": 1}, {"id": 3}], "count": 3}),
    )
    .example(
        "Numbers that are texts, by their size",
        json!({"data": r#"[{"no": "10"}, {"no": "9"}]"#, "action": "sort", "field": "no"}),
        json!({"result": [{"no": "9"}, {"no": "10"}], "count": 2}),
    )
    .example(
        "By city",
        json!({"data": rows, "action": "group", "field": "city"}),
        json!({"result": {"Bern": [{"id": 1}, {"id": 3}], "__missing__": [{"id": 2}]}, "count": 2}),
    )
    .example("How many", json!({"data": rows, "action": "count"}), json!({"result": 3, "count": 3}))
    .example(
        "Only some fields",
        json!({"data": rows, "action": "pick", "fields": "id, city"}),
        json!({"result": [{"id": 1, "city": "Bern"}, {"id": 2}, {"id": 3, "city": "Bern"}], "count": 3}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let Args { data, action, field, order, fields } = args;
    source::ensure_name(field.as_deref().unwrap_or_default())?;
    let others = fields.as_ref().map_or(0, String::len);
    let transformed = source::read_rows(&cx, data, others, move |rows| match action {
        Action::Sort => Ok(answer(sort(rows, &require(field, "field", "sort")?, order))),
        Action::Group => Ok(group(rows, &require(field, "field", "group")?)),
        Action::Count => Ok(json!({"result": rows.len(), "count": rows.len()})),
        Action::Pick => Ok(answer(pick(&rows, &names(&require(fields, "fields", "pick")?)?))),
    });
    transformed.await.map(Output::json)
}

fn answer(rows: Vec<Value>) -> Value {
    json!({"count": rows.len(), "result": rows})
}

fn require(given: Option<String>, name: &str, action: &str) -> Result<String> {
    let given = given.filter(|text| text.split(',').any(|part| !part.trim().is_empty()));
    given.ok_or_else(|| Error::invalid(format!("'{name}' is missing: {action} needs it.")))
}

/// Sorts, rows of equal value staying in their order; in both orders what has no value comes last.
fn sort(rows: Vec<Value>, field: &str, order: Order) -> Vec<Value> {
    let has_value = |row: &Value| source::field(row, field).is_some_and(|value| !value.is_null());
    let (mut with, without): (Vec<Value>, Vec<Value>) = rows.into_iter().partition(has_value);
    let numeric = with.iter().all(|row| source::field(row, field).and_then(number).is_some());
    let compare = if numeric { by_size } else { compare };
    with.sort_by(|a, b| {
        let ordering = match (source::field(a, field), source::field(b, field)) {
            (Some(a), Some(b)) => compare(a, b),
            _ => Ordering::Equal,
        };
        if order == Order::Desc { ordering.reverse() } else { ordering }
    });
    with.extend(without);
    with
}

/// The number a value is, or is as a text.
fn number(value: &Value) -> Option<Decimal> {
    value.as_str().map_or_else(|| Decimal::from_value(value), Decimal::parse)
}

fn by_size(a: &Value, b: &Value) -> Ordering {
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => Ordering::Equal,
    }
}

/// Booleans before numbers before texts before the rest; within each its own order.
fn compare(a: &Value, b: &Value) -> Ordering {
    let rank = |value: &Value| match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) | Value::Object(_) => 4,
    };
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        _ => match (Decimal::from_value(a), Decimal::from_value(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ if rank(a) == rank(b) => a.to_string().cmp(&b.to_string()),
            _ => rank(a).cmp(&rank(b)),
        },
    }
}

/// Rows under the text of their value, groups in the order in which they first come.
fn group(rows: Vec<Value>, field: &str) -> Value {
    let mut groups: Map<String, Value> = Map::new();
    for row in rows {
        let name = source::field(&row, field).map_or_else(|| MISSING.to_owned(), source::plain);
        if let Value::Array(members) = groups.entry(name).or_insert_with(|| json!([])) {
            members.push(row);
        }
    }
    json!({"count": groups.len(), "result": groups})
}

/// Returns the fields to pick, each once.
///
/// # Errors
///
/// If they are more than are looked for in every row.
fn names(fields: &str) -> Result<Vec<&str>> {
    let mut names = Vec::new();
    for name in fields.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        source::ensure_name(name)?;
        if names.contains(&name) {
            continue;
        }
        if names.len() == MAX_FIELDS {
            return Err(Error::invalid(format!("pick takes {MAX_FIELDS} fields at most.")));
        }
        names.push(name);
    }
    Ok(names)
}

fn pick(rows: &[Value], names: &[&str]) -> Vec<Value> {
    let picked = |row: &Value| {
        let kept = names.iter().filter_map(|name| Some(((*name).to_owned(), source::field(row, name)?.clone())));
        Value::Object(kept.collect())
    };
    rows.iter().map(picked).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(values: &[Value]) -> Vec<Value> {
        values
            .iter()
            .enumerate()
            .map(|(n, v)| if v == "absent" { json!({"n": n}) } else { json!({"n": n, "v": v}) })
            .collect()
    }

    fn order_of(sorted: &[Value]) -> Vec<u64> {
        sorted.iter().map(|row| row["n"].as_u64().unwrap()).collect()
    }

    #[test]
    fn numbers_sort_as_numbers_and_texts_as_texts() {
        assert_eq!(order_of(&sort(rows(&[json!(10), json!(9.5), json!(-1)]), "v", Order::Asc)), [2, 1, 0]);
        assert_eq!(order_of(&sort(rows(&[json!("10"), json!("9"), json!(9.5)]), "v", Order::Asc)), [1, 2, 0]);
        assert_eq!(order_of(&sort(rows(&[json!("10"), json!("9"), json!("x")]), "v", Order::Asc)), [0, 1, 2]);
        assert_eq!(order_of(&sort(rows(&[json!("a"), json!(1), json!(true)]), "v", Order::Asc)), [2, 1, 0]);
    }

    #[test]
    fn what_has_no_value_comes_last_in_both_orders_and_stays_in_order() {
        let mixed = [json!("absent"), json!(2), json!(null), json!(1), json!(2), json!("absent")];
        assert_eq!(order_of(&sort(rows(&mixed), "v", Order::Asc)), [3, 1, 4, 0, 2, 5]);
        assert_eq!(order_of(&sort(rows(&mixed), "v", Order::Desc)), [1, 4, 3, 0, 2, 5]);
    }

    #[test]
    fn each_field_is_picked_once_and_not_too_many_are() {
        assert_eq!(names(&"a, b,,".repeat(100_000)).unwrap(), ["a", "b"]);
        let many: Vec<String> = (0..=MAX_FIELDS).map(|n| n.to_string()).collect();
        assert_eq!(names(&many.join(",")).unwrap_err().message(), "pick takes 200 fields at most.");
        assert!(names(&"a".repeat(1_001)).unwrap_err().message().contains("1000 bytes"));
    }

    #[test]
    fn groups_are_named_by_the_text_of_the_value() {
        let grouped = group(rows(&[json!(1), json!("1"), json!(true), json!(null), json!("absent")]), "v");
        let names: Vec<&String> = grouped["result"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["1", "true", "null", "__missing__"]);
        assert_eq!(grouped["result"]["1"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn rows_that_are_no_objects_have_no_fields() {
        let odd = vec![json!(1), json!({"v": 2}), json!([3])];
        assert_eq!(sort(odd.clone(), "v", Order::Asc), [json!({"v": 2}), json!(1), json!([3])]);
        assert_eq!(pick(&odd, &["v"]), [json!({}), json!({"v": 2}), json!({})]);
    }

    proptest! {
        #[test]
        fn sorting_is_a_stable_permutation(values in prop::collection::vec(prop::option::of(0_u8..5), 0..30), desc: bool) {
            let given: Vec<Value> = rows(&values.iter().map(|v| v.map_or(json!("absent"), |v| json!(v))).collect::<Vec<_>>());
            let mut wanted: Vec<(usize, Option<u8>)> = values.into_iter().enumerate().collect();
            // The oracle: a key where absent is greatest, and the order of what is there turned round by negation.
            wanted.sort_by_key(|(_, v)| v.map_or(i32::MAX, |v| if desc { -i32::from(v) } else { i32::from(v) }));
            let wanted: Vec<u64> = wanted.iter().map(|(n, _)| *n as u64).collect();
            let order = if desc { Order::Desc } else { Order::Asc };
            prop_assert_eq!(order_of(&sort(given, "v", order)), wanted);
        }

        #[test]
        fn grouping_loses_no_row(values in prop::collection::vec(prop::option::of(0_u8..5), 0..30)) {
            let given = rows(&values.iter().map(|v| v.map_or(json!("absent"), |v| json!(v))).collect::<Vec<_>>());
            let grouped = group(given.clone(), "v");
            let mut members: Vec<Value> = grouped["result"].as_object().unwrap().values().flat_map(|g| g.as_array().unwrap().clone()).collect();
            members.sort_by_key(|row| row["n"].as_u64());
            prop_assert_eq!(members, given);
        }
    }
}
