//! Schemas of OpenAPI as JSON Schema 2020-12: references put in place, `allOf` merged, other dialects' words translated.

use serde_json::{Map, Value, json};

use super::text;

/// Most values one operation's schemas may have once every reference is in place.
const MAX_NODES: usize = 1_200;
/// Deepest nesting that is kept.
const MAX_DEPTH: usize = 10;
/// Longest description within a schema.
const MAX_WORDS: usize = 240;
/// Most values of a list of choices; of a longer one the first are examples.
const MAX_CHOICES: usize = 200;
const EXAMPLES: usize = 20;
/// Most schemas of which a value may fit any.
const MAX_VARIANTS: usize = 20;
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
            return self.referred(reference, map, is_part);
        }
        let mut schema = self.own(map);
        for part in map.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            // A part of it is at the same depth; without end it would still run out of nodes.
            self.is_part = true;
            let part = self.schema(part);
            self.is_part = false;
            merge(&mut schema, part);
        }
        if is_nullable(map) {
            allow_null(&mut schema);
        }
        if !is_part {
            demand_known(&mut schema);
        }
        Value::Object(schema)
    }

    /// What a reference stands for; `beside` is what stands with it and says more of this very place.
    fn referred(&mut self, reference: &'a str, beside: &Map<String, Value>, is_part: bool) -> Value {
        let Some(found) = self.look_up(reference) else { return json!({}) };
        let mut schema = if self.open.contains(&reference) {
            self.was_cut = true;
            self.outline(found)
        } else {
            self.open.push(reference);
            self.is_part = is_part;
            let schema = self.schema(found);
            self.open.pop();
            schema
        };
        if let Some(map) = schema.as_object_mut() {
            if let Some(words) = beside.get("description").and_then(Value::as_str) {
                map.insert("description".to_owned(), json!(text::cut(words, MAX_WORDS)));
            }
            if is_nullable(beside) {
                allow_null(map);
            }
        }
        schema
    }

    /// What is sure of a schema that is not read again because it holds itself: its type, or that of a part of it.
    fn outline(&mut self, value: &'a Value) -> Value {
        let Some(map) = self.resolve(value).as_object() else { return json!({}) };
        let parts = map.get("allOf").and_then(Value::as_array).into_iter().flatten();
        let known = kind(map).or_else(|| parts.into_iter().find_map(|part| kind(self.resolve(part).as_object()?)));
        let mut outline: Map<String, Value> = known.map(|kind| ("type".to_owned(), kind)).into_iter().collect();
        if is_nullable(map) {
            allow_null(&mut outline);
        }
        Value::Object(outline)
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
        self.choices(map, &mut schema);
        bounds(map, &mut schema);
        if let Some(pattern) = map.get("pattern").and_then(Value::as_str).filter(|p| regex::Regex::new(p).is_ok()) {
            schema.insert("pattern".to_owned(), json!(pattern));
        }
        self.nested(map, &mut schema);
        schema
    }

    /// The values to choose from; a text's are texts, though YAML reads `1` as a number. A cut list would refuse the rest.
    fn choices(&mut self, map: &Map<String, Value>, schema: &mut Map<String, Value>) {
        let is_text = schema.get("type").is_some_and(|kind| kind == "string" || *kind == json!(["string", "null"]));
        let fitting = |value: &Value| match value {
            Value::Number(_) | Value::Bool(_) if is_text => json!(value.to_string()),
            _ => value.clone(),
        };
        if let Some(only) = schema.get_mut("const") {
            *only = fitting(only);
        }
        let Some(choices) = map.get("enum").and_then(Value::as_array) else { return };
        let is_long = choices.len() > MAX_CHOICES;
        self.was_cut |= is_long;
        let (word, most) = if is_long { ("examples", EXAMPLES) } else { ("enum", MAX_CHOICES) };
        schema.insert(word.to_owned(), choices.iter().take(most).map(fitting).collect());
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
        let required: Vec<Value> = required.filter_map(text::word).map(Value::String).collect();
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
            let mut variants: Vec<Value> = choices.iter().take(MAX_VARIANTS).map(|one| self.schema(one)).collect();
            if choices.len() > MAX_VARIANTS {
                self.was_cut = true;
                variants.push(json!({}));
            }
            // Of choices that were cut, several may fit.
            schema.insert("anyOf".to_owned(), Value::Array(variants));
        }
    }
}

/// `type`; words that are no type are left out.
fn kind(map: &Map<String, Value>) -> Option<Value> {
    match map.get("type") {
        Some(Value::String(kind)) if kind == "file" => Some(json!("string")),
        Some(Value::String(kind)) if TYPES.contains(&kind.as_str()) => Some(json!(kind)),
        Some(Value::Array(kinds)) => {
            // YAML has `null` for what is meant as the type's name.
            let named = kinds.iter().filter_map(|kind| if kind.is_null() { Some("null") } else { kind.as_str() });
            let known: Vec<&str> = named.filter(|kind| TYPES.contains(kind)).collect();
            (!known.is_empty()).then(|| json!(known))
        }
        None if map.contains_key("properties") => Some(json!("object")),
        _ => None,
    }
}

/// Whether `null` may be given: `nullable` of OpenAPI 3.0, also as a part of its own, Swagger's `x-nullable`, or `null`
/// among the choices.
fn is_nullable(map: &Map<String, Value>) -> bool {
    let says = |map: &Map<String, Value>, word: &str| map.get(word) == Some(&Value::Bool(true));
    let all = |word: &str| map.get(word).and_then(Value::as_array).into_iter().flatten();
    let is_bare = |part: &Map<String, Value>| says(part, "nullable") && !part.contains_key("type");
    let in_part = all("allOf").filter_map(Value::as_object).any(is_bare);
    says(map, "nullable") || says(map, "x-nullable") || in_part || all("enum").any(Value::is_null)
}

/// Lets `null` be given beside what a schema takes.
pub(super) fn allow_null(schema: &mut Map<String, Value>) {
    if let Some(only) = schema.remove("const") {
        schema.insert("enum".to_owned(), json!([only]));
    }
    let add = |list: &mut Vec<Value>, none: Value| {
        if !list.contains(&none) {
            list.push(none);
        }
    };
    for (word, none) in [("type", json!("null")), ("enum", Value::Null), ("anyOf", json!({"type": "null"}))] {
        match schema.get_mut(word) {
            Some(Value::Array(list)) => add(list, none),
            Some(kind) if *kind != none => *kind = json!([kind.take(), none]),
            _ => {}
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The schema `of` stands for in a document with these schemas.
    fn inlined(schemas: &Value, of: &Value) -> Value {
        let root = json!({"components": {"schemas": schemas}});
        Inliner::of(&root).schema(of)
    }

    fn refer(name: &str) -> Value {
        json!({"$ref": format!("#/components/schemas/{name}")})
    }

    /// Whether a schema takes a value.
    fn takes(schema: &Value, value: &Value) -> bool {
        jsonschema::is_valid(schema, value)
    }

    #[test]
    fn a_schema_that_holds_itself_takes_what_it_may_hold() {
        let schemas = json!({
            "Expr": {"oneOf": [{"type": "string"}, {"type": "array", "items": refer("Expr")}]},
            "List": {"type": "array", "items": refer("List")},
            "Node": {"allOf": [{"type": "object"}, {"properties": {"next": refer("Node"), "last": {"$ref": "#/components/schemas/Node", "nullable": true}}}]},
        });
        assert!(takes(&inlined(&schemas, &refer("Expr")), &json!(["and", ["x", ["y"]]])));
        let list = inlined(&schemas, &refer("List"));
        assert_eq!(list, json!({"type": "array", "items": {"type": "array"}}));
        let node = inlined(&schemas, &refer("Node"));
        assert_eq!(node["properties"]["next"], json!({"type": "object"}));
        assert!(takes(&node, &json!({"last": null})) && !takes(&node, &json!({"next": null})), "{node}");
    }

    #[test]
    fn null_is_taken_where_the_document_allows_it() {
        let schemas = json!({"Color": {"type": "string", "enum": ["red"]}, "Any": {"anyOf": [refer("Color")]}});
        let with = |more: Value| inlined(&schemas, &more);
        for (schema, wanted) in [
            (json!({"allOf": [refer("Color")], "nullable": true}), true),
            (json!({"oneOf": [refer("Color"), {"type": "integer"}], "nullable": true}), true),
            (json!({"anyOf": [refer("Color")], "x-nullable": true}), true),
            (json!({"allOf": [refer("Any"), {"nullable": true}]}), true),
            (json!({"$ref": "#/components/schemas/Color", "nullable": true}), true),
            (json!({"type": "string", "enum": ["a"], "nullable": true}), true),
            (json!({"type": "string", "enum": ["a", null]}), true),
            (json!({"type": "string", "const": "a", "x-nullable": true}), true),
            (json!({"type": ["string", null]}), true),
            (json!({"anyOf": [refer("Color"), {"type": "null"}]}), true),
            (json!({"allOf": [refer("Color")], "nullable": false}), false),
            (refer("Any"), false),
        ] {
            let read = with(schema.clone());
            assert_eq!(takes(&read, &Value::Null), wanted, "{schema}: {read}");
            assert!(!takes(&read, &json!(true)), "{schema}: {read}");
        }
    }

    #[test]
    fn choices_that_are_cut_refuse_none() {
        let many: Vec<String> = (0..=MAX_CHOICES).map(|n| format!("c{n}")).collect();
        let cut = inlined(&json!({}), &json!({"type": "string", "enum": many}));
        assert!(takes(&cut, &json!("c200")) && cut["examples"].as_array().unwrap().len() == EXAMPLES, "{cut}");
        let variants: Vec<Value> =
            (0..=MAX_VARIANTS).map(|n| json!({"type": "string", "const": format!("v{n}")})).collect();
        assert!(takes(&inlined(&json!({}), &json!({"oneOf": variants})), &json!("v20")));
        let codes = inlined(&json!({}), &json!({"type": "string", "enum": [1, true, "x"]}));
        assert_eq!(codes["enum"], json!(["1", "true", "x"]));
    }
}
