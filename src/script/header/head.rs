//! A header that was read.

use std::{borrow::Cow, time::Duration};

use serde_json::{Map, Value, json};

use super::{Host, Kind};
use satchel_model::spec::{Category, DEFAULT_TIMEOUT, Risk, Setting};

/// A place in a text: line and column, from 1, in characters.
pub type Place = (usize, usize);

/// All a header says.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// The tool's name.
    pub name: String,
    /// The place of the name.
    pub name_at: Place,
    /// A description of what it does.
    pub description: String,
    /// A description of when to choose it.
    pub when: String,
    /// Its group.
    pub category: Category,
    /// The parameters it takes.
    pub parameters: Vec<Parameter>,
    /// The risk it says it has.
    pub risk: Risk,
    /// The permission its caller needs.
    pub permission: Option<String>,
    /// The longest a call may take.
    pub timeout: Duration,
    /// The settings an administrator configures.
    pub settings: Vec<Setting>,
    /// The secrets among them that are sent to some of its hosts only.
    pub bound: Vec<BoundSecret>,
    /// The tools it calls.
    pub uses: Vec<String>,
    /// The place of each of them.
    pub uses_at: Vec<Place>,
    /// The hosts it calls.
    pub hosts: Vec<Host>,
    /// `true` if it keeps values of its own.
    pub kv: bool,
    /// Worked examples.
    pub examples: Vec<HeadExample>,
}

impl Default for Head {
    fn default() -> Self {
        Self {
            name: String::new(),
            name_at: (1, 1),
            description: String::new(),
            when: String::new(),
            category: Category::Data,
            parameters: Vec::new(),
            risk: Risk::Read,
            permission: None,
            timeout: DEFAULT_TIMEOUT,
            settings: Vec::new(),
            bound: Vec::new(),
            uses: Vec::new(),
            uses_at: Vec::new(),
            hosts: Vec::new(),
            kv: false,
            examples: Vec::new(),
        }
    }
}

/// One parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The values it may hold.
    pub kind: Kind,
    /// `true` if it may be left out.
    pub optional: bool,
    /// The value it has then.
    pub default: Option<Value>,
    /// The purpose.
    pub description: String,
}

/// A secret that is sent to some hosts only.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundSecret {
    /// The key of its setting.
    pub key: String,
    /// Those hosts, as its setting names them.
    pub hosts: Vec<Host>,
    /// The place of the first of them.
    pub at: Place,
}

/// One worked example.
#[derive(Debug, Clone, PartialEq)]
pub struct HeadExample {
    /// A title for what it shows.
    pub title: String,
    /// The arguments.
    pub arguments: Value,
    /// The place where they begin.
    pub arguments_at: Place,
    /// The place of each one's name.
    pub names_at: Vec<(String, Place)>,
    /// The value that comes back; members that are not named may hold anything.
    pub result: Value,
    /// The line it stands on.
    pub line: usize,
}

impl HeadExample {
    /// Returns the place of an argument; that where they begin, if it is not given.
    pub fn place_of(&self, name: &str) -> Place {
        self.names_at.iter().find(|(known, _)| known == name).map_or(self.arguments_at, |(_, place)| *place)
    }
}

impl Head {
    /// The hosts that a secret is sent to: those its setting names, or else any that the script calls.
    pub fn hosts_of(&self, secret: &str) -> &[Host] {
        self.bound.iter().find(|bound| bound.key == secret).map_or(&self.hosts, |bound| &bound.hosts)
    }

    /// The tools it calls, each with its place.
    pub fn uses_with_places(&self) -> impl Iterator<Item = (&str, Place)> {
        self.uses.iter().map(String::as_str).zip(self.uses_at.iter().copied())
    }

    /// The JSON Schema (2020-12) of its arguments.
    pub fn schema(&self) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for parameter in &self.parameters {
            let mut schema = parameter.kind.schema();
            if let Some(map) = schema.as_object_mut() {
                map.insert("description".to_owned(), json!(parameter.description));
                if let Some(default) = &parameter.default {
                    map.insert("default".to_owned(), default.clone());
                }
            }
            properties.insert(parameter.name.clone(), schema);
            if !parameter.optional {
                required.push(parameter.name.clone());
            }
        }
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }

    /// The arguments as `run` gets them: with the defaults of those left out, and each `number` as a float, however it
    /// was written.
    pub fn prepared<'a>(&self, mut arguments: Cow<'a, Value>) -> Cow<'a, Value> {
        for Parameter { name, kind, default, .. } in &self.parameters {
            let given = arguments.get(name);
            let Some(value) = given.or(default.as_ref()) else { continue };
            let changed = match kind.with_floats(value) {
                None if given.is_some() => continue,
                None => value.clone(),
                Some(floats) => floats,
            };
            if let Some(map) = arguments.to_mut().as_object_mut() {
                map.insert(name.clone(), changed);
            }
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header;

    #[test]
    fn numbers_are_floats_and_what_is_left_out_has_its_default() {
        let head = "// @param n number \"n\"\n// @param more number[] = [1, 2.5] \"m\"\n\
                    // @param limit number = 10 \"l\"\n\
                    // @param whole integer = 3 \"w\"\n// @param any any? \"a\"\n// @param maybe number? \"y\"\n";
        let (head, _) = header::parse(head);
        let prepared = |given: Value| head.prepared(Cow::Borrowed(&given)).to_string();
        assert_eq!(
            prepared(json!({"n": 10, "any": 1, "maybe": null})),
            r#"{"n":10.0,"any":1,"maybe":null,"more":[1.0,2.5],"limit":10.0,"whole":3}"#
        );
        let all = json!({"n": 0.5, "more": [], "limit": -1, "whole": 4, "maybe": 9_007_199_254_740_993_i64});
        assert_eq!(prepared(all), r#"{"n":0.5,"more":[],"limit":-1.0,"whole":4,"maybe":9007199254740992.0}"#);
        let right = json!({"n": 1.5, "more": [0.5], "limit": 2.5, "whole": 1});
        assert!(matches!(head.prepared(Cow::Borrowed(&right)), Cow::Borrowed(_)), "nothing is copied for nothing");
    }
}
