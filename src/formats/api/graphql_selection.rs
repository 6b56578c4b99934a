//! The selection asked back of a GraphQL type: its plain fields, those of its neighbours, and of each kind it may be.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    graphql::Types,
    graphql_input::{innermost, is_required, name_of, written},
    schema::MAX_NAME,
};

/// Most fields that are asked back.
const MAX_FIELDS: usize = 60;
/// The greatest depth.
const MAX_DEPTH: usize = 3;
/// Most kinds of an answer.
const MAX_MEMBERS: usize = 12;

/// The selection asked back of one operation.
pub(super) struct Selecting<'a> {
    types: &'a Types<'a>,
    /// The number of fields that may still be asked for.
    left: usize,
    /// The types whose fields are being asked for: none is asked for within itself.
    open: Vec<&'a str>,
    /// A kind of answer is not asked for in full.
    pub(super) left_out: bool,
}

impl<'a> Selecting<'a> {
    pub(super) fn new(types: &'a Types<'a>) -> Self {
        Self { types, left: MAX_FIELDS, open: Vec::new(), left_out: false }
    }

    /// Returns the selection asked back of a type, with a blank before it; nothing of one without fields.
    pub(super) fn selection(&mut self, kind: &'a Value) -> String {
        let named = innermost(kind);
        let shape = named.get("kind").and_then(Value::as_str);
        if !matches!(shape, Some("OBJECT" | "INTERFACE" | "UNION")) {
            return String::new();
        }
        let of = name_of(named).and_then(|name| self.types.get(name));
        let outside = self.open.len();
        self.open.extend(name_of(named));
        let mut asked = Vec::new();
        for (name, kind) in of.into_iter().flat_map(fields) {
            if self.left == 0 || self.types.is_spent() {
                break;
            }
            let is_leaf = is_leaf(kind);
            if !is_leaf && !self.may_enter(kind) {
                continue;
            }
            self.left -= 1;
            self.types.take(name.len());
            let below = if is_leaf { String::new() } else { self.selection(kind) };
            asked.push(format!("{name}{below}"));
        }
        self.open.truncate(outside);
        if shape != Some("OBJECT") {
            let fragments = of.map(|of| self.fragments(of)).unwrap_or_default();
            if asked.is_empty() || !fragments.is_empty() {
                asked.insert(0, "__typename".to_owned());
            }
            asked.extend(fragments);
        }
        if asked.is_empty() { " { __typename }".to_owned() } else { format!(" {{ {} }}", asked.join(" ")) }
    }

    /// Returns whether the fields of a type are asked for here: not too deep, and in none of its own.
    fn may_enter(&self, kind: &Value) -> bool {
        self.open.len() < MAX_DEPTH && name_of(innermost(kind)).is_some_and(|name| !self.open.contains(&name))
    }

    /// The plain fields each kind of a union or an interface has of its own.
    fn fragments(&mut self, of: &'a Value) -> Vec<String> {
        let shared: Vec<&str> = fields(of).map(|(name, _)| name).collect();
        let members = of.get("possibleTypes").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        self.left_out |= members.len() > MAX_MEMBERS;
        // Fields of one name and of two types are refused, even of two kinds.
        let mut types_of: HashMap<&str, String> = HashMap::new();
        let mut fragments = Vec::new();
        for member in members.iter().take(MAX_MEMBERS).filter_map(name_of) {
            let known = self.types.get(member);
            self.left_out |= known.is_none();
            let mut asked = Vec::new();
            for (name, kind) in known.into_iter().flat_map(fields).filter(|(name, _)| !shared.contains(name)) {
                if self.left == 0 || !is_leaf(kind) || self.types.is_spent() {
                    self.left_out = true;
                    continue;
                }
                self.left -= 1;
                self.types.take(2 * name.len() + member.len());
                let own = written(kind);
                let first = types_of.entry(name).or_insert_with(|| own.clone());
                asked.push(if *first == own { name.to_owned() } else { format!("{member}_{name}: {name}") });
            }
            if !asked.is_empty() {
                fragments.push(format!("... on {member} {{ {} }}", asked.join(" ")));
            }
        }
        fragments
    }
}

/// The fields of a type that can be asked for without saying more.
fn fields(of: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let fields = of.get("fields").and_then(Value::as_array);
    fields.into_iter().flatten().filter_map(|field| {
        let needs = field.get("args").and_then(Value::as_array).is_some_and(|args| args.iter().any(is_required));
        let named = (name_of(field).filter(|name| name.len() <= MAX_NAME)?, field.get("type")?);
        (!needs).then_some(named)
    })
}

fn is_leaf(kind: &Value) -> bool {
    matches!(innermost(kind).get("kind").and_then(Value::as_str), Some("SCALAR" | "ENUM") | None)
}

#[cfg(test)]
mod tests {
    use super::super::graphql::read;
    use serde_json::{Value, json};

    fn named(kind: &str, name: &str) -> Value {
        json!({"kind": kind, "name": name})
    }

    fn field(name: &str, of: Value) -> Value {
        json!({"name": name, "args": [], "type": of})
    }

    fn strict(of: Value) -> Value {
        json!({"kind": "NON_NULL", "name": null, "ofType": of})
    }

    fn schema(more: Value) -> Value {
        let (text, id) = (|| named("SCALAR", "String"), || named("SCALAR", "ID"));
        let mut types = vec![
            json!({"kind": "OBJECT", "name": "Query", "fields": [
                field("search", json!({"kind": "LIST", "name": null, "ofType": named("UNION", "Hit")})),
                field("node", named("INTERFACE", "Node")),
                field("me", named("OBJECT", "User")),
            ]}),
            json!({"kind": "UNION", "name": "Hit", "possibleTypes": [named("OBJECT", "User"), named("OBJECT", "Doc")]}),
            json!({"kind": "INTERFACE", "name": "Node", "fields": [field("id", strict(id()))],
                "possibleTypes": [named("OBJECT", "User"), named("OBJECT", "Doc")]}),
            json!({"kind": "OBJECT", "name": "User", "fields": [field("id", strict(id())), field("name", text())]}),
            json!({"kind": "OBJECT", "name": "Doc", "fields": [
                field("id", strict(id())), field("name", strict(text())), field("title", text()),
            ]}),
        ];
        types.extend(more.as_array().unwrap().clone());
        json!({"__schema": {"queryType": {"name": "Query"}, "types": types}})
    }

    fn query(schema: &Value, name: &str) -> (String, Vec<String>) {
        let read = read(schema, None).unwrap();
        let found = read.operations.into_iter().find(|one| one.name == name).unwrap();
        (serde_json::to_value(&found.operation).unwrap()["query"].as_str().unwrap().to_owned(), found.warnings)
    }

    #[test]
    fn each_kind_an_answer_may_have_is_asked_for_its_own_fields() {
        let schema = schema(json!([]));
        let (search, warnings) = query(&schema, "search");
        let doc = "... on Doc { id Doc_name: name title }";
        assert_eq!(search, format!("query search {{ search {{ __typename ... on User {{ id name }} {doc} }} }}"));
        assert!(warnings.iter().all(|told| !told.contains("document")), "{warnings:?}");
        let doc = "... on Doc { Doc_name: name title }";
        let node = format!("query node {{ node {{ __typename id ... on User {{ name }} {doc} }} }}");
        assert_eq!(query(&schema, "node").0, node);
        assert_eq!(query(&schema, "me").0, "query me { me { id name } }");
    }

    #[test]
    fn a_type_is_not_asked_for_within_itself() {
        let pets = json!([{"kind": "OBJECT", "name": "Pet", "fields": [
            field("name", named("SCALAR", "String")), field("owner", named("OBJECT", "User")),
        ]}]);
        let mut schema = schema(pets);
        let user = schema["__schema"]["types"][3]["fields"].as_array_mut().unwrap();
        user.push(field("friends", json!({"kind": "LIST", "name": null, "ofType": named("OBJECT", "User")})));
        user.push(field("pet", named("OBJECT", "Pet")));
        assert_eq!(query(&schema, "me").0, "query me { me { id name pet { name } } }");
    }

    #[test]
    fn files_are_left_out_and_told() {
        let upload = || named("SCALAR", "Upload");
        let own = |name: &str, of: Value| json!({"name": name, "type": of});
        let more = json!([{"kind": "OBJECT", "name": "Mutation", "fields": [
            {"name": "send", "args": [own("file", strict(upload()))], "type": upload()},
            {"name": "note", "args": [own("text", named("SCALAR", "String")), own("file", upload())], "type": upload()},
        ]}]);
        let mut schema = schema(more);
        schema["__schema"]["mutationType"] = json!({"name": "Mutation"});
        let read_now = read(&schema, None).unwrap();
        assert!(read_now.operations.iter().all(|one| one.name != "send"));
        assert!(
            read_now.warnings[0].contains("need a file (Upload) are left out")
                && read_now.warnings[0].ends_with("send.")
        );
        let (note, warnings) = query(&schema, "note");
        assert_eq!(note, "mutation note($text: String) { note(text: $text) }");
        assert!(warnings.iter().any(|told| told.contains("'file' is left out")), "{warnings:?}");
    }

    #[test]
    fn what_is_left_out_of_a_kind_is_told() {
        let mut deep = schema(json!([]));
        let friend = field("friend", named("OBJECT", "User"));
        deep["__schema"]["types"][3]["fields"].as_array_mut().unwrap().push(friend);
        let many: Vec<Value> = (0..20).map(|n| named("OBJECT", &format!("Kind{n}"))).collect();
        let mut wide = schema(json!([]));
        wide["__schema"]["types"][1]["possibleTypes"] = json!(many);
        for schema in [deep, wide] {
            let (_, warnings) = query(&schema, "search");
            assert!(warnings.iter().any(|told| told.contains("not asked for in full")), "{warnings:?}");
        }
    }

    #[test]
    fn subscriptions_are_told_to_be_left_out() {
        let text = || named("SCALAR", "String");
        let more =
            json!([{"kind": "OBJECT", "name": "Live", "fields": [field("ticks", text()), field("news", text())]}]);
        let mut schema = schema(more);
        assert_eq!(read(&schema, None).unwrap().warnings, [""; 0]);
        schema["__schema"]["subscriptionType"] = json!({"name": "Live"});
        let warnings = read(&schema, None).unwrap().warnings;
        assert_eq!(warnings, ["Subscriptions are left out, only queries and mutations are called: ticks, news."]);
    }
}
