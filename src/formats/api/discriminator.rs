//! The choice among several schemas by one property of a value: `discriminator` of OpenAPI.

use serde_json::{Map, Value, json};

/// Most names of a mapping, and the longest one, in bytes.
const MAX_NAMES: usize = 1_000;
const LONGEST: usize = 200;

/// Lets the property that tells the variants apart have, in each of them, only the names that lead there: those of the
/// mapping, else the name of the schema. `variants` are what was read of `choices`.
pub(super) fn tell_apart(map: &Map<String, Value>, choices: &[Value], variants: &mut [Value]) {
    let Some(discriminator) = map.get("discriminator") else { return };
    let Some(property) = discriminator.get("propertyName").and_then(Value::as_str) else { return };
    let mapping = discriminator.get("mapping").and_then(Value::as_object).filter(|mapping| !mapping.is_empty());
    for (choice, variant) in choices.iter().zip(variants) {
        let reference = choice.get("$ref").and_then(Value::as_str);
        let names = reference.map_or_else(Vec::new, |reference| names(reference, mapping));
        let told = variant.get_mut("properties").and_then(|all| all.get_mut(property)).and_then(Value::as_object_mut);
        if let Some(told) = told.filter(|_| !names.is_empty()) {
            narrow(told, &names);
        }
    }
}

fn names<'a>(reference: &'a str, mapping: Option<&'a Map<String, Value>>) -> Vec<&'a str> {
    let last = |place: &'a str| place.rsplit('/').next().unwrap_or_default();
    let own = last(reference);
    let Some(mapping) = mapping else {
        let is_named = reference.starts_with("#/components/schemas/") && own.len() <= LONGEST;
        return if is_named { vec![own] } else { Vec::new() };
    };
    let leads = |place: &'a Value| place.as_str().is_some_and(|place| last(place) == own);
    let names = mapping.iter().take(MAX_NAMES).filter(|(name, place)| name.len() <= LONGEST && leads(place));
    names.map(|(name, _)| name.as_str()).collect()
}

/// Narrows a schema to these names. Where it names other values itself, it is left as it is: one of the two is wrong.
fn narrow(told: &mut Map<String, Value>, names: &[&str]) {
    let is_text = told.get("type").is_none_or(|kind| kind == "string");
    let known = match (told.get("const"), told.get("enum")) {
        (Some(only), _) => Some(vec![only.clone()]),
        (None, Some(Value::Array(choices))) => Some(choices.clone()),
        _ => None,
    };
    let fits = |name: &&&str| known.as_ref().is_none_or(|known| known.iter().any(|one| one.as_str() == Some(**name)));
    let fitting: Vec<&str> = names.iter().filter(fits).copied().collect();
    let (word, value) = match fitting.as_slice() {
        _ if !is_text => return,
        [] => return,
        [only] => ("const", json!(only)),
        several => ("enum", json!(several)),
    };
    told.remove("enum");
    told.remove("const");
    told.insert(word.to_owned(), value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variants(mapping: Value, own: &Value) -> Vec<Value> {
        let map = json!({"discriminator": {"propertyName": "t", "mapping": mapping}});
        let choices = json!([{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}]);
        let mut variants = vec![json!({"properties": {"t": own}}), json!({"properties": {"t": own}})];
        tell_apart(map.as_object().unwrap(), choices.as_array().unwrap(), &mut variants);
        variants.iter().map(|one| one["properties"]["t"].clone()).collect()
    }

    #[test]
    fn each_variant_takes_the_names_that_lead_to_it() {
        let text = json!({"type": "string"});
        let is = |name: &str| json!({"type": "string", "const": name});
        assert_eq!(variants(json!({"cat": "#/components/schemas/Cat", "dog": "Dog"}), &text), [is("cat"), is("dog")]);
        assert_eq!(variants(Value::Null, &text), [is("Cat"), is("Dog")]);
        let several = variants(json!({"cat": "Cat", "kitten": "Cat"}), &text);
        assert_eq!(several, [json!({"type": "string", "enum": ["cat", "kitten"]}), text.clone()]);
    }

    #[test]
    fn what_the_schema_says_itself_is_not_contradicted() {
        let choices = json!({"type": "string", "enum": ["cat", "dog"]});
        assert_eq!(variants(Value::Null, &choices), [choices.clone(), choices.clone()]);
        let narrowed = variants(json!({"cat": "Cat", "hound": "Dog"}), &choices);
        assert_eq!(narrowed, [json!({"type": "string", "const": "cat"}), choices.clone()]);
        let number = json!({"type": "integer"});
        assert_eq!(variants(json!({"1": "Cat", "2": "Dog"}), &number), [number.clone(), number]);
    }
}
