//! Schemas of OpenAPI as JSON Schema 2020-12: references put in place, `allOf` merged, other dialects' words translated.

use serde_json::{Map, Value, json};

use super::text;

/// Most values one operation's schemas may have once every reference is in place.
const MAX_NODES: usize = 1_200;
/// Deepest nesting that is kept.
const MAX_DEPTH: usize = 10;
/// Longest description within a schema.
const MAX_WORDS: usize = 240;
/// Most values of a list of choices.
const MAX_CHOICES: usize = 200;
/// Words that are taken over as they are.
const PLAIN: &[&str] = &[
    "format",
    "default",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "multipleOf",
    "const",
    "contentEncoding",
    "contentMediaType",
];
const TYPES: &[&str] = &["string", "number", "integer", "boolean", "object", "array", "null"];

/// Puts references in place, for one operation.
pub(super) struct Inliner<'a> {
    root: &'a Value,
    nodes: usize,
    open: Vec<&'a str>,
    /// What is read next is a part of a whole: the whole says which of the demanded fields there are.
    is_part: bool,
    /// Something was left out: too much, or without end.
    pub(super) was_cut: bool,
    /// A reference leads nowhere, or out of the document.
    pub(super) missing: Option<String>,
}

impl<'a> Inliner<'a> {
    /// References are looked up in `root`.
    pub(super) fn of(root: &'a Value) -> Self {
        Self { root, nodes: 0, open: Vec::new(), is_part: false, was_cut: false, missing: None }
    }

    /// What a value stands for: itself, or what it refers to.
    pub(super) fn resolve(&mut self, value: &'a Value) -> &'a Value {
        let mut value = value;
        for _ in 0..16 {
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else { return value };
            match self.look_up(reference) {
                Some(found) => value = found,
                None => return &Value::Null,
            }
        }
        &Value::Null
    }

    fn look_up(&mut self, reference: &str) -> Option<&'a Value> {
        let found = reference.strip_prefix('#').and_then(|pointer| {
            self.root.pointer(pointer).or_else(|| self.root.pointer(&pointer.replace("%7B", "{").replace("%7D", "}")))
        });
        if found.is_none() {
            self.missing.get_or_insert_with(|| text::cut(reference, 100));
        }
        found
    }

    /// A schema with everything in place.
    pub(super) fn schema(&mut self, value: &'a Value) -> Value {
        let is_part = std::mem::take(&mut self.is_part);
        self.nodes += 1;
        if self.nodes > MAX_NODES || self.open.len() > MAX_DEPTH {
            self.was_cut = true;
            return json!({});
        }
        let Value::Object(map) = value else { return json!({}) };
        if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
            if self.open.contains(&reference) {
                self.was_cut = true;
                return json!({"type": "object"});
            }
            let Some(found) = self.look_up(reference) else { return json!({}) };
            self.open.push(reference);
            self.is_part = is_part;
            let mut schema = self.schema(found);
            self.open.pop();
            // What stands beside a reference says more of this very place.
            if let (Some(words), Some(map)) = (map.get("description").and_then(Value::as_str), schema.as_object_mut()) {
                map.insert("description".to_owned(), json!(text::cut(words, MAX_WORDS)));
            }
            return schema;
        }
        let mut schema = self.own(map);
        for part in map.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            // A part of it is at the same depth; without end it would still run out of nodes.
            self.is_part = true;
            let part = self.schema(part);
            self.is_part = false;
            merge(&mut schema, part);
        }
        if !is_part {
            demand_known(&mut schema);
        }
        Value::Object(schema)
    }

    fn own(&mut self, map: &'a Map<String, Value>) -> Map<String, Value> {
        let mut schema = Map::new();
        if let Some(kind) = kind(map) {
            schema.insert("type".to_owned(), kind);
        }
        if let Some(words) = map.get("description").and_then(Value::as_str) {
            schema.insert("description".to_owned(), json!(text::cut(&text::tidy(words), MAX_WORDS)));
        }
        let plain = PLAIN.iter().filter_map(|word| Some(((*word).to_owned(), map.get(*word)?.clone())));
        schema.extend(plain);
        if let Some(choices) = map.get("enum").and_then(Value::as_array) {
            schema.insert("enum".to_owned(), choices.iter().take(MAX_CHOICES).cloned().collect());
        }
        bounds(map, &mut schema);
        if let Some(pattern) = map.get("pattern").and_then(Value::as_str).filter(|p| regex::Regex::new(p).is_ok()) {
            schema.insert("pattern".to_owned(), json!(pattern));
        }
        self.nested(map, &mut schema);
        schema
    }

    fn nested(&mut self, map: &'a Map<String, Value>, schema: &mut Map<String, Value>) {
        if let Some(items) = map.get("items").filter(|items| items.is_object()) {
            let items = self.schema(items);
            schema.insert("items".to_owned(), items);
        }
        if let Some(properties) = map.get("properties").and_then(Value::as_object) {
            let mut kept = Map::new();
            for (name, property) in properties {
                let is_read_only = self.resolve(property).get("readOnly").and_then(Value::as_bool).unwrap_or(false);
                if !is_read_only {
                    kept.insert(name.clone(), self.schema(property));
                }
            }
            schema.insert("properties".to_owned(), Value::Object(kept));
        }
        let required = map.get("required").and_then(Value::as_array).into_iter().flatten();
        let required: Vec<Value> = required.filter(|name| name.is_string()).cloned().collect();
        if !required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(required));
        }
        match map.get("additionalProperties") {
            Some(Value::Bool(allowed)) => drop(schema.insert("additionalProperties".to_owned(), json!(allowed))),
            Some(values @ Value::Object(_)) => {
                let values = self.schema(values);
                schema.insert("additionalProperties".to_owned(), values);
            }
            _ => {}
        }
        for word in ["oneOf", "anyOf"] {
            let Some(choices) = map.get(word).and_then(Value::as_array).filter(|choices| !choices.is_empty()) else {
                continue;
            };
            let choices: Vec<Value> = choices.iter().take(20).map(|choice| self.schema(choice)).collect();
            // Of choices that were cut, several may fit.
            schema.insert("anyOf".to_owned(), Value::Array(choices));
        }
    }
}

/// `type`, with `nullable` as OpenAPI 3.0 has it; words that are no type are left out.
fn kind(map: &Map<String, Value>) -> Option<Value> {
    let nullable = map.get("nullable").and_then(Value::as_bool).unwrap_or(false);
    match map.get("type") {
        Some(Value::String(kind)) if kind == "file" => Some(json!("string")),
        Some(Value::String(kind)) if TYPES.contains(&kind.as_str()) => {
            Some(if nullable { json!([kind, "null"]) } else { json!(kind) })
        }
        Some(Value::Array(kinds)) => {
            let known: Vec<&Value> =
                kinds.iter().filter(|kind| kind.as_str().is_some_and(|kind| TYPES.contains(&kind))).collect();
            (!known.is_empty()).then(|| json!(known))
        }
        None if map.contains_key("properties") => Some(json!("object")),
        _ => None,
    }
}

/// Bounds; `exclusiveMinimum: true` is how older dialects write it.
fn bounds(map: &Map<String, Value>, schema: &mut Map<String, Value>) {
    for (word, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
        let (bound, strict) = (map.get(word), map.get(exclusive));
        match (bound, strict) {
            (Some(bound), Some(Value::Bool(true))) => drop(schema.insert(exclusive.to_owned(), bound.clone())),
            (_, Some(bound @ Value::Number(_))) => drop(schema.insert(exclusive.to_owned(), bound.clone())),
            (Some(bound @ Value::Number(_)), _) => drop(schema.insert(word.to_owned(), bound.clone())),
            _ => {}
        }
    }
}

/// Fields are demanded that can be given: not those that are only read, nor those nothing is said of.
fn demand_known(schema: &mut Map<String, Value>) {
    let Some(Value::Array(required)) = schema.remove("required") else { return };
    let properties = schema.get("properties").and_then(Value::as_object);
    let known = |name: &Value| name.as_str().is_some_and(|name| properties.is_some_and(|all| all.contains_key(name)));
    let kept: Vec<Value> = required.into_iter().filter(known).collect();
    if !kept.is_empty() {
        schema.insert("required".to_owned(), Value::Array(kept));
    }
}

/// A part of `allOf` put into the whole: properties are joined, what the whole says itself stays.
fn merge(whole: &mut Map<String, Value>, part: Value) {
    let Value::Object(part) = part else { return };
    for (word, value) in part {
        match (whole.get_mut(&word), value) {
            (Some(Value::Object(known)), Value::Object(more)) if word == "properties" => {
                for (name, property) in more {
                    known.entry(name).or_insert(property);
                }
            }
            (Some(Value::Array(known)), Value::Array(more)) if word == "required" => {
                let new: Vec<Value> = more.into_iter().filter(|name| !known.contains(name)).collect();
                known.extend(new);
            }
            (Some(_), _) => {}
            (None, value) => drop(whole.insert(word, value)),
        }
    }
}
