//! The beginnings of a new script: a template, or calls somebody has made.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use satchel_engine::registry::Registry;
use satchel_model::spec::Category;
use satchel_script::names;

/// A script to start from.
#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
#[schema(as = ScriptTemplate)]
pub struct Template {
    /// For programs.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// A title for what it shows.
    pub description: &'static str,
    /// Its text.
    pub source: &'static str,
}

/// The templates; each is checked and tested like any script.
pub fn templates() -> &'static [Template] {
    &[
        Template {
            name: "transform",
            title: "Turn data into something",
            description: "Arguments in, a result out: no tools, no network.",
            source: include_str!("templates/transform.rhai"),
        },
        Template {
            name: "tools",
            title: "Put tools together",
            description: "Calls other tools as whoever calls the script.",
            source: include_str!("templates/tools.rhai"),
        },
        Template {
            name: "service",
            title: "Ask a service",
            description: "Sends a request to one host, with a key an administrator gives.",
            source: include_str!("templates/service.rhai"),
        },
    ]
}

/// A call that was made, of a chat turn or a playground.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CallMade {
    /// The tool, by any name.
    pub tool: String,
    /// Its arguments.
    #[schema(value_type = Object)]
    pub params: Map<String, Value>,
}

/// A script that makes these calls: what they were given as text or number becomes a parameter with that as default.
pub fn of_calls(registry: &Registry, name: &str, calls: &[CallMade]) -> String {
    let mut text = String::new();
    let tools: Vec<String> = calls.iter().map(|call| canonical(registry, &call.tool)).collect();
    let used: BTreeSet<&String> = tools.iter().collect();
    let used = used.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    text.push_str(&format!("// @name {name}\n// @description Calls {used} in one go.\n"));
    text.push_str("// @when Say here when somebody needs this, in their words.\n");
    text.push_str(&format!("// @category {}\n", category(registry, &tools)));
    let parameters = Parameters::new(registry, calls);
    for (parameter, value, kind, of) in &parameters.all {
        text.push_str(&format!("// @param {parameter} {kind} = {value} {}\n", Value::from(of.as_str())));
    }
    text.push_str(&format!("// @uses {used}\n\nfn run(args) {{\n"));
    for (n, (call, tool)) in calls.iter().zip(&tools).enumerate() {
        let map = parameters.rhai(n, &call.params);
        let tool = names::text(tool);
        if n + 1 == calls.len() {
            text.push_str(&format!("    tool({tool}, {map})\n"));
        } else {
            text.push_str(&format!("    let step_{} = tool({tool}, {map});\n", n + 1));
        }
    }
    text.push_str("}\n");
    text
}

fn canonical(registry: &Registry, asked: &str) -> String {
    registry.find(asked).map_or_else(|_| asked.to_owned(), |found| found.tool.spec().name.clone())
}

fn category(registry: &Registry, tools: &[String]) -> String {
    let last = tools.last().and_then(|tool| Some(registry.find(tool).ok()?.tool.spec().category));
    let word = serde_json::to_value(last.unwrap_or(Category::Data)).ok();
    word.as_ref().and_then(Value::as_str).unwrap_or("data").to_owned()
}

/// The values that become parameters: name, value, type, where it came from.
struct Parameters {
    all: Vec<(String, Value, String, String)>,
    /// The name for (call, member).
    names: Vec<(usize, String, String)>,
}

impl Parameters {
    fn new(registry: &Registry, calls: &[CallMade]) -> Self {
        let mut found = Self { all: Vec::new(), names: Vec::new() };
        for (n, call) in calls.iter().enumerate() {
            let tool = registry.find(&call.tool).ok().map(|found| found.tool);
            let schema = tool.as_ref().map(|tool| tool.spec().parameters.document());
            let schemas = schema.as_ref().and_then(|schema| schema.get("properties"));
            for (member, value) in &call.params {
                let Some(kind) = kind(value, schemas.and_then(|all| all.get(member))) else { continue };
                let plain = member.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                if !plain || !member.starts_with(|c: char| c.is_ascii_alphabetic()) {
                    continue;
                }
                let taken = |name: &str| found.all.iter().any(|(known, ..)| known == name);
                let name = if taken(member) { format!("{member}_{}", n + 1) } else { member.clone() };
                found.all.push((name.clone(), value.clone(), kind, format!("{member} of {}", call.tool)));
                found.names.push((n, member.clone(), name));
            }
        }
        found
    }

    fn rhai(&self, call: usize, params: &Map<String, Value>) -> String {
        let members = params.iter().map(|(member, value)| {
            let name = self.names.iter().find(|(n, known, _)| *n == call && known == member);
            let value = name.map_or_else(|| literal(value), |(_, _, name)| names::member("args", name));
            format!("{}: {value}", names::text(member))
        });
        format!("#{{ {} }}", members.collect::<Vec<_>>().join(", "))
    }
}

/// The type of a parameter for a value, as a header writes it: the tool's own choices, where it has such.
fn kind(value: &Value, schema: Option<&Value>) -> Option<String> {
    let choices = schema.and_then(|schema| schema.get("enum")?.as_array()).filter(|all| all.contains(value));
    let word = match value {
        Value::String(_) => match choices.map(|all| all.iter().filter(|one| one.is_string())) {
            Some(texts) => return Some(texts.map(Value::to_string).collect::<Vec<_>>().join(" | ")),
            None => "string",
        },
        Value::Number(number) if number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::Bool(_) => "boolean",
        _ => return None,
    };
    Some(word.to_owned())
}

/// A JSON value as Rhai writes it.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "()".to_owned(),
        Value::String(text) => names::text(text),
        Value::Array(items) => format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let members = map.iter().map(|(key, item)| format!("{}: {}", names::text(key), literal(item)));
            format!("#{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_script::{machine::Machine, state::Nobody};
    use serde_json::json;

    #[test]
    fn whatever_members_and_texts_a_call_has_its_script_compiles() {
        let words = ["in", "default", "new", "match", "if", "test", "path"];
        let mut params: Map<String, Value> = words.iter().map(|word| ((*word).to_owned(), json!("x"))).collect();
        params.insert("nested".to_owned(), json!({"in": ["\u{8}\u{c}\n", null, -1, 1.5, u64::MAX], "\u{8}": {}}));
        let registry = Registry::new(Vec::new()).unwrap();
        let text = of_calls(&registry, "mine", &[CallMade { tool: "a \"tool\"".to_owned(), params }]);
        assert!(text.contains(r#""path": args.path"#) && text.contains(r#""in": args["in"]"#), "{text}");
        assert!(text.contains(r#"["\u0008\u000c\n", (), -1"#), "{text}");
        let compiled = Machine::new(Box::new(Nobody)).compile(&text);
        assert!(compiled.is_ok(), "{compiled:?}: {text}");
    }

    #[test]
    fn a_parameter_keeps_the_choices_of_its_tool() {
        let choices = json!({"enum": ["asc", "desc", null]});
        for (value, schema, wanted) in [
            (json!("desc"), Some(&choices), Some("\"asc\" | \"desc\"")),
            (json!("up"), Some(&choices), Some("string")),
            (json!("asc"), None, Some("string")),
            (json!(1), Some(&choices), Some("integer")),
            (json!(1.5), None, Some("number")),
            (json!(true), None, Some("boolean")),
            (json!([1]), None, None),
        ] {
            assert_eq!(kind(&value, schema).as_deref(), wanted, "{value}");
        }
    }
}
