//! Schemas of OpenAPI as JSON Schema 2020-12: references put in place, `allOf` merged, other dialects' words translated.

use regex::RegexBuilder;
use serde_json::{Map, Value, json};

use super::{
    budget::{self, Allowance, MAX_NODES},
    discriminator, text,
};

/// Deepest nesting that is kept.
const MAX_DEPTH: usize = 10;
/// Longest description within a schema.
const MAX_WORDS: usize = 240;
/// Most values of a list of choices, and most bytes of all; of a larger one the first are examples.
pub(super) const MAX_CHOICES: usize = 200;
const MAX_CHOICE_BYTES: usize = 16 * 1024;
pub(super) const EXAMPLES: usize = 20;
/// Longest name of a property, in bytes.
pub(super) const MAX_NAME: usize = 400;
/// The most a pattern may take once it is read: it is read for every operation that refers to it.
const MAX_PATTERN: usize = 256 << 10;
/// Most items of a list that are described one by one.
const MAX_ITEMS: usize = 50;
/// Most schemas of which a value may fit any.
pub(super) const MAX_VARIANTS: usize = 20;
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
    /// The memory it may take.
    pub(super) allowance: Allowance,
    /// `true` if words beside a reference count: in OpenAPI 3.1 they do, before they are to be ignored.
    beside_counts: bool,
    open: Vec<&'a str>,
    /// Set while what is read next is a part of a whole: the whole says which of the demanded fields there are.
    is_part: bool,
    /// Something was left out: too much, or without end.
    pub(super) was_cut: bool,
    /// A reference leads nowhere, or out of the document.
    pub(super) missing: Option<String>,
}

impl<'a> Inliner<'a> {
    /// References are looked up in `root`.
    pub(super) fn new(root: &'a Value) -> Self {
        Self::within(root, Allowance::whole())
    }

    /// The same, for an operation that may take this much.
    pub(super) fn within(root: &'a Value, allowance: Allowance) -> Self {
        let version = root.get("openapi").and_then(text::word).unwrap_or_default();
        let beside_counts = version.starts_with("3.") && !version.starts_with("3.0");
        Self { root, allowance, beside_counts, open: Vec::new(), is_part: false, was_cut: false, missing: None }
    }

    /// Returns the value that one stands for: itself, or what it refers to.
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
        self.allowance.take();
        if self.allowance.is_spent() || self.open.len() > MAX_DEPTH {
            self.was_cut = true;
            return json!({});
        }
        let Value::Object(map) = value else { return json!({}) };
        if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
            return self.referred(reference, map, is_part);
        }
        let mut schema = self.own(map);
        for part in map.get("allOf").and_then(Value::as_array).into_iter().flatten().take(MAX_NODES) {
            // A part of it is at the same depth; without end it would still run out of what it may take.
            self.is_part = true;
            let part = self.schema(part);
            self.is_part = false;
            merge(&mut schema, part);
        }
        if is_nullable(map) {
            allow_null(&mut schema);
        }
        if !is_part {
            require_known(&mut schema);
        }
        Value::Object(schema)
    }

    /// Returns the schema a reference stands for; `beside` is what stands with it and says more of this very place.
    fn referred(&mut self, reference: &'a str, beside: &'a Map<String, Value>, is_part: bool) -> Value {
        let Some(found) = self.look_up(reference) else { return json!({}) };
        let schema = if self.open.contains(&reference) {
            self.was_cut = true;
            self.outline(found)
        } else {
            self.open.push(reference);
            self.is_part = is_part;
            let schema = self.schema(found);
            self.open.pop();
            schema
        };
        let mut more = if self.beside_counts && beside.len() > 1 { self.own(beside) } else { said_here(beside) };
        merge(&mut more, schema);
        if is_nullable(beside) {
            allow_null(&mut more);
        }
        if !is_part {
            require_known(&mut more);
        }
        Value::Object(more)
    }

    /// Returns what is sure of a schema that is not read again because it holds itself: its type, or that of a part of
    /// it.
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
        for word in PLAIN {
            let Some(value) = map.get(*word) else { continue };
            match budget::is_small(value) {
                true => drop(schema.insert((*word).to_owned(), value.clone())),
                false => self.was_cut = true,
            }
        }
        self.choices(map, &mut schema);
        bounds(map, &mut schema);
        if let Some(pattern) = map.get("pattern").filter(|pattern| budget::is_small(pattern)).and_then(Value::as_str)
            && RegexBuilder::new(pattern).size_limit(MAX_PATTERN).build().is_ok()
        {
            // Reading it takes about as long as taking over a few values.
            self.allowance.take();
            schema.insert("pattern".to_owned(), json!(pattern));
        }
        self.allowance.add(length(&schema));
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
        let mut bytes = 0;
        let short = choices.iter().take(MAX_CHOICES).take_while(|choice| {
            bytes += choice.as_str().map_or(8, str::len);
            bytes <= MAX_CHOICE_BYTES && budget::is_small(choice)
        });
        let short: Vec<Value> = short.map(fitting).collect();
        let is_whole = short.len() == choices.len();
        self.was_cut |= !is_whole;
        if is_whole {
            schema.insert("enum".to_owned(), Value::Array(short));
        } else if !short.is_empty() {
            schema.insert("examples".to_owned(), short.into_iter().take(EXAMPLES).collect());
        }
    }

    fn nested(&mut self, map: &'a Map<String, Value>, schema: &mut Map<String, Value>) {
        self.items(map, schema);
        let is_whole = self.properties(map, schema);
        let required = map.get("required").and_then(Value::as_array).into_iter().flatten();
        let required = required.filter_map(text::word).filter(|name| name.len() <= MAX_NAME).take(MAX_NODES);
        let required: Vec<Value> = required.map(Value::String).collect();
        if !required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(required));
        }
        match map.get("additionalProperties") {
            // Of properties that were cut, the others are to be given, too.
            Some(Value::Bool(allowed)) if is_whole || *allowed => {
                schema.insert("additionalProperties".to_owned(), json!(allowed));
            }
            Some(values @ Value::Object(_)) if is_whole => {
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
            discriminator::tell_apart(map, choices, &mut variants);
            if choices.len() > MAX_VARIANTS {
                self.was_cut = true;
                variants.push(json!({}));
            }
            // Of choices that were cut, several may fit.
            schema.insert("anyOf".to_owned(), Value::Array(variants));
        }
    }

    /// The items of a list; `items` that are a list themselves are how older dialects say `prefixItems`.
    fn items(&mut self, map: &'a Map<String, Value>, schema: &mut Map<String, Value>) {
        let items = map.get("items");
        let first = map.get("prefixItems").or(items).and_then(Value::as_array).filter(|first| !first.is_empty());
        if let Some(first) = first {
            let kept = first.iter().take(MAX_ITEMS).map(|item| self.schema(item)).collect();
            schema.insert("prefixItems".to_owned(), Value::Array(kept));
            self.was_cut |= first.len() > MAX_ITEMS;
        }
        match items {
            Some(of @ Value::Object(_)) if first.is_none_or(|first| first.len() <= MAX_ITEMS) => {
                let of = self.schema(of);
                schema.insert("items".to_owned(), of);
            }
            Some(Value::Bool(false)) if first.is_some_and(|first| first.len() <= MAX_ITEMS) => {
                schema.insert("items".to_owned(), json!(false));
            }
            _ => {}
        }
    }

    /// The properties that can be given, and whether all of them were taken over.
    fn properties(&mut self, map: &'a Map<String, Value>, schema: &mut Map<String, Value>) -> bool {
        let Some(properties) = map.get("properties").and_then(Value::as_object) else { return true };
        let (mut kept, mut is_whole) = (Map::new(), true);
        for (name, property) in properties {
            if self.allowance.is_exhausted() || name.len() > MAX_NAME {
                (self.was_cut, is_whole) = (true, false);
                continue;
            }
            let is_read_only = self.resolve(property).get("readOnly").and_then(Value::as_bool).unwrap_or(false);
            if !is_read_only {
                self.allowance.add(name.len() + 8);
                kept.insert(name.clone(), self.schema(property));
            }
        }
        schema.insert("properties".to_owned(), Value::Object(kept));
        is_whole
    }
}

/// Returns the members that count beside a reference in every dialect: words about this very place.
fn said_here(beside: &Map<String, Value>) -> Map<String, Value> {
    let mut said = Map::new();
    if let Some(words) = beside.get("description").and_then(Value::as_str) {
        said.insert("description".to_owned(), json!(text::cut(&text::tidy(words), MAX_WORDS)));
    }
    if let Some(default) = beside.get("default").filter(|default| budget::is_small(default)) {
        said.insert("default".to_owned(), default.clone());
    }
    said
}

/// About how many bytes the words of a schema take as JSON.
fn length(schema: &Map<String, Value>) -> usize {
    schema.iter().map(|(word, value)| word.len() + 4 + value.to_string().len()).sum()
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

/// Returns whether `null` may be given: `nullable` of OpenAPI 3.0, also as a part of its own, Swagger's `x-nullable`,
/// or `null` among the choices.
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
fn require_known(schema: &mut Map<String, Value>) {
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
