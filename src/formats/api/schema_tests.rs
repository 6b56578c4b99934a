//! The results of reading schemas of documents.

use serde_json::{Map, Value, json};

use super::schema::{EXAMPLES, Inliner, MAX_CHOICES, MAX_VARIANTS};

/// The schema `of` stands for in a document with these schemas.
fn inlined(schemas: &Value, of: &Value) -> Value {
    let root = json!({"components": {"schemas": schemas}});
    Inliner::new(&root).schema(of)
}

fn refer(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// Returns whether a schema takes a value.
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
fn what_stands_beside_a_reference_counts_as_its_dialect_says() {
    let schemas = json!({"Word": {"type": "string", "maxLength": 9}});
    let beside = json!({"$ref": "#/components/schemas/Word", "default": "a", "description": "Here.", "maxLength": 3});
    let of = |version: &str| {
        let root = json!({"openapi": version, "components": {"schemas": schemas}});
        Inliner::new(&root).schema(&beside)
    };
    let read = |longest: u8| json!({"type": "string", "default": "a", "description": "Here.", "maxLength": longest});
    assert_eq!((of("3.0.3"), of("3.1.0")), (read(9), read(3)));
}

#[test]
fn the_first_items_of_a_list_have_their_own_schemas() {
    let pair = json!([{"type": "string"}, {"$ref": "#/components/schemas/Size"}]);
    let schemas = json!({"Size": {"type": "integer"}});
    let new = inlined(&schemas, &json!({"type": "array", "prefixItems": pair, "items": false}));
    assert!(takes(&new, &json!(["a", 1])) && !takes(&new, &json!(["a", "b"])) && !takes(&new, &json!(["a", 1, 2])));
    let old = inlined(&schemas, &json!({"type": "array", "items": pair}));
    assert_eq!(old, json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}));
}

#[test]
fn a_variant_is_told_by_its_discriminator() {
    let of = json!({"type": "object", "required": ["t"], "properties": {"t": {"type": "string"}}});
    let mut cat = of.clone();
    cat["properties"]["lives"] = json!({"type": "integer"});
    cat["required"] = json!(["t", "lives"]);
    let mapping = json!({"cat": "#/components/schemas/Cat", "dog": "#/components/schemas/Dog"});
    let pet =
        json!({"oneOf": [refer("Cat"), refer("Dog")], "discriminator": {"propertyName": "t", "mapping": mapping}});
    let pet = inlined(&json!({"Cat": cat, "Dog": of}), &pet);
    assert!(takes(&pet, &json!({"t": "dog"})) && takes(&pet, &json!({"t": "cat", "lives": 9})), "{pet}");
    assert!(!takes(&pet, &json!({"t": "cat"})) && !takes(&pet, &json!({"t": "cow"})), "{pet}");
}

#[test]
fn long_texts_are_left_out_and_what_is_cut_refuses_nothing() {
    let long = "x".repeat(2_000);
    let read = inlined(&json!({}), &json!({"type": "string", "enum": ["a", long], "default": long}));
    assert_eq!(read, json!({"type": "string", "examples": ["a"]}));
    let many: Vec<String> = (0..100).map(|n| format!("{n:0500}")).collect();
    assert!(takes(&inlined(&json!({}), &json!({"type": "string", "enum": many})), &json!("other")));
    let properties: Map<String, Value> =
        (0..9_000).map(|n| (format!("p{n}"), json!({"type": "string", "description": "word ".repeat(40)}))).collect();
    let root =
        json!({"type": "object", "properties": properties, "required": ["p0", "p8999"], "additionalProperties": false});
    let mut inliner = Inliner::new(&root);
    let read = inliner.schema(&root);
    assert!(inliner.was_cut && read.to_string().len() < 64 * 1024, "{}", read.to_string().len());
    assert!(takes(&read, &json!({"p0": "a", "p8999": "b"})) && !takes(&read, &json!({})));
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
