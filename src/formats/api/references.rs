//! `$ref` from file to file: the files are put into one document, and what referred to them refers to their place there.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use url::Url;

use super::document::Named;

/// The member of the document that holds the further files.
const FILES: &str = "x-satchel-files";

/// The files a value refers to.
pub(super) fn named(value: &Value) -> Vec<Named> {
    let mut found = Vec::new();
    collect(value, &mut found);
    found
}

fn collect(value: &Value, found: &mut Vec<Named>) {
    match value {
        Value::Object(map) => {
            if let Some(reference) = map.get("$ref").and_then(Value::as_str).filter(|one| !one.starts_with('#')) {
                let place = reference.split('#').next().unwrap_or_default();
                if found.last().is_none_or(|last| last.place != place) {
                    found.push(Named { place: place.to_owned(), includer: None });
                }
            }
            map.values().for_each(|value| collect(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| collect(value, found)),
        _ => {}
    }
}

/// The document with its files in it. What refers to a file that is not there stays as it is.
pub(super) fn joined(mut root: Value, from: Option<&Url>, files: Vec<(Url, Value)>) -> Value {
    let Some(from) = from.filter(|_| !files.is_empty()) else { return root };
    let mut places = BTreeMap::from([(from.clone(), String::new())]);
    for (at, (url, _)) in files.iter().enumerate() {
        places.entry(url.clone()).or_insert_with(|| format!("/{FILES}/{at}"));
    }
    lead(&mut root, from, &places);
    let files = files.into_iter().map(|(url, mut value)| {
        lead(&mut value, &url, &places);
        value
    });
    let files = files.collect();
    if let Some(root) = root.as_object_mut() {
        root.insert(FILES.to_owned(), Value::Array(files));
    }
    root
}

/// Leads the references of a file at `base` to where things stand in the document.
fn lead(value: &mut Value, base: &Url, places: &BTreeMap<Url, String>) {
    match value {
        Value::Object(map) => {
            lead_own(map, base, places);
            map.values_mut().for_each(|value| lead(value, base, places));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| lead(value, base, places)),
        _ => {}
    }
}

fn lead_own(map: &mut Map<String, Value>, base: &Url, places: &BTreeMap<Url, String>) {
    let Some(Value::String(reference)) = map.get_mut("$ref") else { return };
    let pointer = reference.split_once('#').map_or("", |(_, pointer)| pointer).to_owned();
    let Ok(mut url) = base.join(reference) else { return };
    url.set_fragment(None);
    if let Some(place) = places.get(&url) {
        *reference = format!("#{place}{pointer}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_lead_to_where_the_files_stand() {
        let at = |path: &str| Url::parse(&format!("https://a.example/v1/{path}")).unwrap();
        let root = json!({
            "paths": {"/pets": {"$ref": "paths/pets.yaml"}, "/own": {"$ref": "#/x"}, "/away": {"$ref": "https://b.example/x#/y"}},
            "properties": {"$ref": {"type": "string"}},
        });
        let places: Vec<String> = named(&root).into_iter().map(|one| one.place).collect();
        assert_eq!(places, ["paths/pets.yaml", "https://b.example/x"]);
        let pets = json!({"get": [{"$ref": "../schemas.json#/Pet"}, {"$ref": "#/own"}, {"$ref": "../api.yaml#/x"}]});
        let files = vec![(at("paths/pets.yaml"), pets), (at("schemas.json"), json!({"Pet": {"$ref": "#/Base"}}))];
        let led = json!([{"$ref": "#/x-satchel-files/1/Pet"}, {"$ref": "#/x-satchel-files/0/own"}, {"$ref": "#/x"}]);
        let mut wanted = root.clone();
        wanted["paths"]["/pets"]["$ref"] = json!("#/x-satchel-files/0");
        wanted[FILES] = json!([{"get": led}, {"Pet": {"$ref": "#/x-satchel-files/1/Base"}}]);
        assert_eq!(joined(root.clone(), Some(&at("api.yaml")), files), wanted);
        assert_eq!(joined(root.clone(), None, Vec::new()), root);
    }
}
