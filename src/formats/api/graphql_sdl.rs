//! A GraphQL schema in its own language (SDL), as the introspection of a system with that schema.
//!
//! Source: <https://spec.graphql.org/September2025/#sec-Type-System>.

use std::{collections::BTreeMap, sync::LazyLock};

use async_graphql_parser::{
    Positioned, parse_schema,
    types::{
        BaseType, ConstDirective, FieldDefinition, InputValueDefinition, SchemaDefinition, Type, TypeDefinition,
        TypeKind, TypeSystemDefinition,
    },
};
use regex::Regex;
use serde_json::{Map, Value, json};

use crate::graphql::{ensure_shallow, unreadable};
use satchel_model::error::Result;

/// Scalars every schema has.
const BUILT_IN: &[&str] = &["Int", "Float", "String", "Boolean", "ID"];

static BEGINS: LazyLock<Regex> = LazyLock::new(|| {
    let blank = r#"(?:[\s,]|#[^\n]*(?:\n|$)|"""(?s:.*?)"""|"[^"\n]*")*"#;
    let word = r"(?:extend\s+)?(?:schema|type|interface|union|enum|input|scalar|directive)\s*[\s@{][\s\w@{]";
    pattern(&format!("^{blank}{word}"))
});
/// Texts and comments.
static TEXTS: LazyLock<Regex> = LazyLock::new(|| pattern(r#""""(?s:(?:\\"""|.)*?)"""|"(?:\\.|[^"\\\n])*"|#[^\n]*"#));

#[expect(clippy::expect_used, reason = "the patterns are the same at every start; a test reads with them")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

/// Returns whether a text begins as a schema does.
pub(super) fn is_schema(text: &str) -> bool {
    BEGINS.is_match(text)
}

/// Returns the introspection of a schema.
///
/// # Errors
///
/// If the text is none.
pub(super) fn introspection(text: &str) -> Result<Value> {
    ensure_shallow(text)?;
    let document = parse_schema(bare(text)).map_err(|error| unreadable("schema", &error))?;
    let mut schema = Schema::default();
    for definition in &document.definitions {
        match definition {
            TypeSystemDefinition::Schema(one) => schema.roots(&one.node),
            TypeSystemDefinition::Type(one) => schema.add(&one.node),
            TypeSystemDefinition::Directive(_) => {}
        }
    }
    Ok(schema.to_json())
}

/// The text without the descriptions of the schema as a whole, which the parser does not know; places stay.
fn bare(text: &str) -> String {
    let mut bare = text.to_owned();
    for said in TEXTS.find_iter(text).filter(|said| said.as_str().starts_with('"')) {
        let rest = text.get(said.end()..).unwrap_or_default().trim_start();
        let of_schema =
            rest.strip_prefix("schema").is_some_and(|rest| rest.starts_with([' ', '{', '@', '\n', '\r', '\t']));
        if of_schema {
            let blank: String = said.as_str().bytes().map(|c| if c == b'\n' { '\n' } else { ' ' }).collect();
            bare.replace_range(said.range(), &blank);
        }
    }
    bare
}

/// The value a literal stands for, as the defaults of an introspection are written; `None` if it is not one whole
/// literal.
pub(super) fn literal(text: &str) -> Option<Value> {
    ensure_shallow(text).ok()?;
    let document = parse_schema(format!("input I {{ a: A = {text} }}")).ok()?;
    let [TypeSystemDefinition::Type(input)] = document.definitions.as_slice() else { return None };
    let TypeKind::InputObject(input) = &input.node.kind else { return None };
    let [field] = input.fields.as_slice() else { return None };
    let default = field.node.default_value.clone()?;
    field.node.directives.is_empty().then_some(default.node)?.into_json().ok()
}

#[derive(Default)]
struct Schema {
    types: BTreeMap<String, Named>,
    query: Option<String>,
    mutation: Option<String>,
    subscription: Option<String>,
}

/// A type, with all that its extensions add.
struct Named {
    kind: &'static str,
    description: Option<String>,
    is_one_of: bool,
    fields: Vec<FieldDefinition>,
    inputs: Vec<InputValueDefinition>,
    values: Vec<String>,
    /// Of a union, its members; of what implements interfaces, those.
    others: Vec<String>,
}

impl Schema {
    fn roots(&mut self, schema: &SchemaDefinition) {
        let roots = [
            (&mut self.query, &schema.query),
            (&mut self.mutation, &schema.mutation),
            (&mut self.subscription, &schema.subscription),
        ];
        for (root, said) in roots {
            if let Some(said) = said {
                *root = Some(said.node.to_string());
            }
        }
    }

    fn add(&mut self, definition: &TypeDefinition) {
        let kind = match &definition.kind {
            TypeKind::Scalar => "SCALAR",
            TypeKind::Object(_) => "OBJECT",
            TypeKind::Interface(_) => "INTERFACE",
            TypeKind::Union(_) => "UNION",
            TypeKind::Enum(_) => "ENUM",
            TypeKind::InputObject(_) => "INPUT_OBJECT",
        };
        let named = self.types.entry(definition.name.node.to_string()).or_insert_with(|| Named {
            kind,
            description: None,
            is_one_of: false,
            fields: Vec::new(),
            inputs: Vec::new(),
            values: Vec::new(),
            others: Vec::new(),
        });
        named.description = definition.description.as_ref().map(|text| text.node.clone()).or(named.description.take());
        named.is_one_of |= has(&definition.directives, "oneOf");
        match &definition.kind {
            TypeKind::Scalar => {}
            TypeKind::Object(object) => {
                named.fields.extend(object.fields.iter().map(|field| field.node.clone()));
                named.others.extend(object.implements.iter().map(|name| name.node.to_string()));
            }
            TypeKind::Interface(interface) => {
                named.fields.extend(interface.fields.iter().map(|field| field.node.clone()));
            }
            TypeKind::Union(union) => named.others.extend(union.members.iter().map(|name| name.node.to_string())),
            TypeKind::Enum(choices) => {
                let current = choices.values.iter().filter(|value| !has(&value.node.directives, "deprecated"));
                named.values.extend(current.map(|value| value.node.value.node.to_string()));
            }
            TypeKind::InputObject(input) => named.inputs.extend(input.fields.iter().map(|field| field.node.clone())),
        }
    }

    fn to_json(&self) -> Value {
        let root = |said: &Option<String>, usual: &str| {
            let name = said.as_deref().unwrap_or(usual);
            self.types.contains_key(name).then(|| json!({"name": name}))
        };
        let scalars = BUILT_IN.iter().filter(|name| !self.types.contains_key(**name));
        let scalars = scalars.map(|name| json!({"kind": "SCALAR", "name": name}));
        let types: Vec<Value> = self.types.iter().map(|(name, one)| self.named(name, one)).chain(scalars).collect();
        json!({"__schema": {
            "queryType": root(&self.query, "Query"),
            "mutationType": root(&self.mutation, "Mutation"),
            "subscriptionType": root(&self.subscription, "Subscription"),
            "types": types,
        }})
    }

    fn named(&self, name: &str, one: &Named) -> Value {
        let mut told = Map::new();
        told.insert("kind".to_owned(), json!(one.kind));
        told.insert("name".to_owned(), json!(name));
        told.insert("description".to_owned(), json!(one.description));
        told.insert("isOneOf".to_owned(), json!(one.is_one_of));
        let list: (&str, Vec<Value>) = match one.kind {
            "OBJECT" | "INTERFACE" => {
                let current = one.fields.iter().filter(|field| !has(&field.directives, "deprecated"));
                ("fields", current.map(|field| self.field(field)).collect())
            }
            "INPUT_OBJECT" => ("inputFields", one.inputs.iter().map(|input| self.input(input)).collect()),
            "ENUM" => ("enumValues", one.values.iter().map(|value| json!({"name": value})).collect()),
            _ => ("", Vec::new()),
        };
        let possible: Vec<&String> = match one.kind {
            "UNION" => one.others.iter().collect(),
            "INTERFACE" => {
                let implements = |other: &Named| other.kind == "OBJECT" && other.others.iter().any(|one| one == name);
                self.types.iter().filter(|(_, other)| implements(other)).map(|(name, _)| name).collect()
            }
            _ => Vec::new(),
        };
        let possible = possible.into_iter().map(|name| json!({"name": name})).collect();
        for (key, values) in [list, ("possibleTypes", possible)] {
            if !values.is_empty() {
                told.insert(key.to_owned(), Value::Array(values));
            }
        }
        Value::Object(told)
    }

    fn field(&self, field: &FieldDefinition) -> Value {
        let args: Vec<Value> = field.arguments.iter().map(|one| self.input(&one.node)).collect();
        let description = field.description.as_ref().map(|text| &text.node);
        json!({"name": field.name.node, "description": description, "args": args, "type": self.kind(&field.ty.node)})
    }

    fn input(&self, input: &InputValueDefinition) -> Value {
        let description = input.description.as_ref().map(|text| &text.node);
        let default = input.default_value.as_ref().map(|value| value.node.to_string());
        json!({"name": input.name.node, "description": description, "type": self.kind(&input.ty.node), "defaultValue": default})
    }

    fn kind(&self, of: &Type) -> Value {
        let inner = match &of.base {
            BaseType::List(of) => json!({"kind": "LIST", "ofType": self.kind(of)}),
            BaseType::Named(name) => {
                let kind = self.types.get(name.as_str()).map_or("SCALAR", |one| one.kind);
                json!({"kind": kind, "name": name})
            }
        };
        if of.nullable { inner } else { json!({"kind": "NON_NULL", "ofType": inner}) }
    }
}

fn has(directives: &[Positioned<ConstDirective>], name: &str) -> bool {
    directives.iter().any(|one| one.node.name.node == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::graphql;

    const SHOP: &str = r#"
# The shop.
"""
Everything about orders.
"""
schema { query: Reads, mutation: Writes }
extend schema { subscription: Feed }
directive @auth(role: Role = ADMIN) on FIELD_DEFINITION
scalar Day @specifiedBy(url: "https://scalars.example/day")
enum Role { ADMIN, "Only looks." GUEST, OLD @deprecated }
interface Node { id: ID! }
type Order implements Node { id: ID!, day: Day, lines(first: Int! = 5): [Line!]!, old: Int @deprecated(reason: "x") }
type Line { sku: String! }
union Found = Order | Line
input By @oneOf { id: ID, sku: String }
type Reads { "Finds orders." find(by: By!, role: Role = GUEST, page: [Int!] = [1, 2]): [Found!] node(id: ID!): Node }
extend type Reads { day: Day @auth }
type Writes { drop(id: ID!): Boolean }
type Feed { orders: Order }
"#;

    #[test]
    fn a_schema_says_what_its_introspection_would() {
        assert!(is_schema(SHOP) && is_schema("type Q { a: Int }") && is_schema("extend type Query{a:Int}"));
        for other in ["type: object", "schema: 1", "typed Query { a }", "# type Q { }\nopenapi: 3.0.0", "{\"a\": 1}"] {
            assert!(!is_schema(other), "{other}");
        }
        let told = introspection(SHOP).unwrap();
        let types = told["__schema"]["types"].as_array().unwrap();
        let named = |name: &str| types.iter().find(|one| one["name"] == name).unwrap();
        assert_eq!(named("Role")["enumValues"], json!([{"name": "ADMIN"}, {"name": "GUEST"}]));
        assert_eq!(named("Node")["possibleTypes"], json!([{"name": "Order"}]));
        assert_eq!(named("By")["isOneOf"], json!(true));
        let find = &named("Reads")["fields"][0];
        assert_eq!(
            (&find["description"], &find["args"][1]["defaultValue"]),
            (&json!("Finds orders."), &json!("GUEST"))
        );
        assert_eq!(find["args"][2]["defaultValue"], json!("[1, 2]"));
        assert_eq!(named("Reads")["fields"][2]["name"], "day");
        let must = json!({"kind": "NON_NULL", "ofType": {"kind": "OBJECT", "name": "Line"}});
        assert_eq!(named("Order")["fields"][2]["type"]["ofType"], json!({"kind": "LIST", "ofType": must}));
        assert_eq!(named("Order")["fields"].as_array().unwrap().len(), 3);
        let read = graphql::read(&told, None).unwrap();
        let names: Vec<&str> = read.operations.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["find", "node", "day", "drop"]);
        assert!(read.warnings[0].contains("orders"), "{:?}", read.warnings);
    }

    #[test]
    fn every_kind_of_literal_is_read() {
        for (text, wanted) in [
            ("5", json!(5)),
            ("-2.5e3", json!(-2500.0)),
            (r#""a \"b\" \u00e9\n""#, json!("a \"b\" é\n")),
            ("true", json!(true)),
            ("null", Value::Null),
            ("DESC", json!("DESC")),
            ("[1, 2 3]", json!([1, 2, 3])),
            ("{field: NAME, by: {way: [ASC]}, n: 1}", json!({"field": "NAME", "by": {"way": ["ASC"]}, "n": 1})),
        ] {
            assert_eq!(literal(text), Some(wanted), "{text}");
        }
        let deep = "[".repeat(100_000);
        for text in
            ["", "[1", "{a}", "{a: }", "1 2", "\"a", "$a", "1x", "1 @a", "1 b: B", "1 } scalar S", deep.as_str()]
        {
            assert_eq!(literal(text), None, "{}", text.get(..5).unwrap_or(text));
        }
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_place() {
        let told = introspection("type Query {\n  a: \n}").unwrap_err();
        assert!(
            told.message().starts_with("The GraphQL schema cannot be read at line 3, column 1: expected"),
            "{told}"
        );
        let deep = format!("type Query {{ a: {}Int{} }}", "[".repeat(5_000), "]".repeat(5_000));
        assert!(introspection(&deep).unwrap_err().message().contains("deeper than 64"));
    }
}
