//! Step 3: arguments against the tool's JSON Schema, with an error that says what is wrong and where.

mod derived;
mod problem;

use std::sync::{Arc, OnceLock};

use jsonschema::Validator;
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use satchel_model::{
    catalog::endpoint::is_nullable,
    error::{Error, Result},
    json::depth,
    json_schema::JsonSchema as Document,
};

/// Deepest nesting of arguments.
pub const MAX_DEPTH: usize = 64;
/// The keyword, and its value, that marks a text parameter as JSON: such a parameter also takes the value itself.
const JSON_TEXT: (&str, &str) = ("contentMediaType", "application/json");
/// Most problems one error names.
const MAX_PROBLEMS: usize = 5;

/// A JSON Schema and its compiled form, which is made when it is first needed: of the thousands of operations a
/// connected system may have, few are called. Cheap to clone.
#[derive(Clone)]
pub struct Schema {
    given: Document,
    compiled: Arc<OnceLock<Compiled>>,
}

struct Compiled {
    document: Arc<Value>,
    /// `None` where the document is no JSON Schema.
    validator: Option<Validator>,
}

impl Schema {
    /// The schema of a tool's arguments: one flat object, no `$ref`, optional fields simply absent from `required`.
    pub fn new<T: JsonSchema>() -> Self {
        Self::from_document(derived::document::<T>())
    }

    /// A schema from its document. One that does not compile accepts nothing.
    pub fn from_document(document: impl Into<Document>) -> Self {
        Self { given: document.into(), compiled: Arc::default() }
    }

    fn compiled(&self) -> &Compiled {
        self.compiled.get_or_init(|| {
            let document = self.given.document();
            let validator = jsonschema::draft202012::options().build(&document).ok();
            Compiled { document, validator }
        })
    }

    fn validator(&self) -> Option<&Validator> {
        self.compiled().validator.as_ref()
    }

    /// Fails where the document is no JSON Schema.
    pub fn require_sound(&self) -> Result<()> {
        match self.validator() {
            Some(_) => Ok(()),
            None => Err(Error::invalid("The parameters are not a JSON Schema (draft 2020-12).")),
        }
    }

    /// The JSON Schema (2020-12).
    pub fn document(&self) -> Arc<Value> {
        self.compiled.get().map_or_else(|| self.given.document(), |compiled| Arc::clone(&compiled.document))
    }

    /// The schema as it was given.
    pub fn given(&self) -> &Document {
        &self.given
    }

    /// Fails with every problem's place and remedy; else gives the arguments back, without optional nulls that say nothing.
    pub fn check(&self, arguments: Value) -> Result<Value> {
        let arguments = self.normalise(arguments)?;
        let validator = self.validator().ok_or_else(|| Error::internal("a schema does not compile"))?;
        let of_schema = validator.iter_errors(&arguments).take(MAX_PROBLEMS).map(|e| self.problem(&e));
        let problems: Vec<Value> = of_schema.chain(self.beyond_64_bits(&arguments)).collect();
        if problems.is_empty() {
            return Ok(arguments);
        }
        let told: Vec<&str> = problems.iter().filter_map(|p| p.get("problem").and_then(Value::as_str)).collect();
        let message = format!("The arguments are wrong: {}.", told.join("; "));
        Err(Error::invalid(message).with_details(json!({"problems": problems})))
    }

    /// Models write `null` for what they leave out; here leaving out means absent, but where a schema takes `null`.
    fn normalise(&self, arguments: Value) -> Result<Value> {
        let mut map = match arguments {
            Value::Null => Map::new(),
            Value::Object(map) => map,
            other => return Err(Error::invalid(format!("The arguments must be an object, not {}.", word(&other)))),
        };
        let required = self.compiled().document.get("required").and_then(Value::as_array);
        let is_required = |key: &str| required.is_some_and(|r| r.iter().any(|v| v.as_str() == Some(key)));
        map.retain(|key, value| !value.is_null() || is_required(key) || self.takes_null(key));
        if map.values().any(|value| depth(value) >= MAX_DEPTH) {
            return Err(Error::invalid(format!("The arguments are nested deeper than {MAX_DEPTH} levels.")));
        }
        for (key, value) in &mut map {
            if (value.is_array() || value.is_object()) && self.holds_json(key) {
                *value = Value::String(value.to_string());
            }
            // Some models write every number with a point.
            if let Some(whole) = self.is_integer(key).then(|| whole(value)).flatten() {
                *value = Value::from(whole);
            }
        }
        Ok(Value::Object(map))
    }

    /// Whole numbers no program here can count with; to a schema they are as good as others.
    fn beyond_64_bits(&self, arguments: &Value) -> Vec<Value> {
        let fields = arguments.as_object().into_iter().flatten();
        let beyond = fields.filter(|(key, value)| {
            self.is_integer(key) && value.as_f64().is_some_and(|n| n.fract() == 0.0) && value.is_f64()
        });
        beyond.map(|(key, _)| json!({"path": format!("/{key}"), "problem": format!("'{key}': too large")})).collect()
    }

    fn is_integer(&self, key: &str) -> bool {
        let property = self.compiled().document.get("properties").and_then(|p| p.get(key));
        let or_null = |kinds: &Vec<Value>| *kinds == ["integer", "null"];
        let integer =
            |p: &Value| p.get("type").is_some_and(|kind| kind == "integer" || kind.as_array().is_some_and(or_null));
        let options = |p: &Value| p.get("anyOf").and_then(Value::as_array).is_some_and(|all| all.iter().any(integer));
        property.is_some_and(|p| integer(p) || options(p))
    }

    fn takes_null(&self, key: &str) -> bool {
        self.compiled().document.get("properties").and_then(|p| p.get(key)).is_some_and(is_nullable)
    }

    /// Whether the parameter is JSON written as text: models often give the value itself instead.
    fn holds_json(&self, key: &str) -> bool {
        let property = self.compiled().document.get("properties").and_then(|p| p.get(key));
        property
            .is_some_and(|p| p.get("type") == Some(&json!("string")) && p.get(JSON_TEXT.0) == Some(&json!(JSON_TEXT.1)))
    }
}

/// The integer a number with a point stands for, where it stands for one exactly.
fn whole(value: &Value) -> Option<i64> {
    /// Up to here a double holds each whole number.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = value.as_f64().filter(|number| value.is_f64() && number.fract() == 0.0 && number.abs() <= EXACT)?;
    format!("{number:.0}").parse().ok()
}

/// JSON's own name of a value's type.
pub fn word(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Args {
        /// Where.
        path: String,
        /// How much.
        limit: Option<u32>,
        /// In which way.
        order: Option<Order>,
        /// Which one.
        place: Option<Place>,
        /// How fast.
        pace: Option<Pace>,
        /// What.
        #[schemars(extend("contentMediaType" = "application/json"))]
        data: Option<String>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Place {
        Nth(std::num::NonZeroU32),
        Edge(Order),
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Pace {
        /// A step at a time.
        Slow,
        Even,
        /// All at once.
        Fast,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Order {
        Asc,
        Desc,
    }

    #[test]
    fn one_of_several_schemas_is_told_by_what_it_takes() {
        let kind = |name: &str| json!({"type": "object", "required": ["t", "n"], "properties": {"t": {"const": name}}});
        let nested = json!({"anyOf": [kind("cat"), {"type": ["integer", "boolean"]}]});
        let pet = json!({"anyOf": [nested, {"type": "null"}]});
        let schema = Schema::from_document(json!({"type": "object", "properties": {"pet": pet}}));
        let error = schema.check(json!({"pet": "x"})).unwrap_err();
        let wanted =
            r#"must be an object with "t": "cat" and "n" or of type integer or boolean or of type null, not "x""#;
        assert!(error.message().contains(wanted), "{error}");
    }

    #[test]
    fn of_many_unknown_parameters_few_are_named() {
        let many: Map<String, Value> = (0..100_000).map(|n| (format!("k{n}"), json!(n))).collect();
        let error = Schema::new::<Args>().check(Value::Object(many)).unwrap_err();
        assert!(error.message().contains("'k3', 'k4' and 99995 more (known: 'path', "), "{error}");
        let long = Schema::new::<Args>().check(json!({"path": "a", "x".repeat(1 << 20): {"a": 1}})).unwrap_err();
        assert!(format!("{error:?}{long:?}").len() < 4_000);
    }

    fn refusal(arguments: Value) -> String {
        Schema::new::<Args>().check(arguments).unwrap_err().message().to_owned()
    }

    #[test]
    fn a_schema_is_flat_and_without_nulls() {
        let wanted = json!({
            "type": "object",
            "properties": {
                "path": {"description": "Where.", "type": "string"},
                "limit": {"description": "How much.", "type": "integer", "minimum": 0},
                "order": {"description": "In which way.", "type": "string", "enum": ["asc", "desc"]},
                "data": {"description": "What.", "type": "string", "contentMediaType": "application/json"},
            },
            "required": ["path"],
            "additionalProperties": false,
        });
        let document = Schema::new::<Args>().document().clone();
        assert_eq!(document.get("properties").unwrap().get("path"), wanted["properties"].get("path"));
        assert_eq!(document["required"], wanted["required"]);
        assert_eq!(document["additionalProperties"], json!(false));
        assert_eq!(document["properties"]["order"]["enum"], json!(["asc", "desc"]));
        assert_eq!(document["properties"]["order"]["type"], json!("string"));
        assert_eq!(document["properties"]["limit"]["type"], json!("integer"));
        assert!(!document.to_string().contains("null"), "{document}");
    }

    #[test]
    fn each_problem_says_what_and_where() {
        assert_eq!(refusal(json!({})), "The arguments are wrong: 'path' is missing.");
        let unknown = "The arguments are wrong: unknown parameter 'colour' (known: 'path', 'limit', 'order', 'place', 'pace', 'data').";
        assert_eq!(refusal(json!({"path": "a", "colour": 1})), unknown);
        assert_eq!(refusal(json!({"path": 3})), "The arguments are wrong: 'path': must be of type string, not number.");
        assert_eq!(refusal(json!([1])), "The arguments must be an object, not array.");
        let order = "The arguments are wrong: 'order': must be one of \"asc\", \"desc\", not \"up\".";
        assert_eq!(refusal(json!({"path": "a", "order": "up"})), order);
    }

    #[test]
    fn a_whole_number_may_have_a_point_and_must_be_one_that_can_be_counted_with() {
        let checked = Schema::new::<Args>().check(json!({"path": "a", "limit": 5.0})).unwrap();
        assert_eq!(checked["limit"].as_u64(), Some(5));
        assert_eq!(refusal(json!({"path": "a", "limit": 1e200})), "The arguments are wrong: 'limit': too large.");
        assert!(refusal(json!({"path": "a", "limit": 5.5})).contains("'limit'"));
    }

    #[test]
    fn what_may_be_several_things_is_told_by_all_of_them() {
        let message = |place: Value| refusal(json!({"path": "a", "place": place}));
        let wanted =
            "The arguments are wrong: 'place': must be of type integer from 1 or \"asc\" or \"desc\", not \"first\".";
        assert_eq!(message(json!("first")), wanted);
        assert!(message(json!(0)).ends_with("not 0."));
        let checked = Schema::new::<Args>().check(json!({"path": "a", "place": 2.0})).unwrap();
        assert_eq!(checked["place"].as_u64(), Some(2));
    }

    #[test]
    fn words_that_are_explained_one_by_one_are_listed() {
        let message = refusal(json!({"path": "a", "pace": "zzz"}));
        for word in ["\"slow\"", "\"even\"", "\"fast\"", "'pace'", "not \"zzz\""] {
            assert!(message.contains(word), "{word} in {message}");
        }
        assert!(Schema::new::<Args>().check(json!({"path": "a", "pace": "fast"})).is_ok());
    }

    #[test]
    fn optional_nulls_are_absent() {
        let checked = Schema::new::<Args>().check(json!({"path": "a", "limit": null})).unwrap();
        assert_eq!(checked, json!({"path": "a"}));
    }

    #[test]
    fn a_null_that_a_schema_names_is_kept() {
        let number = json!({"type": ["integer", "null"]});
        let properties = json!({"n": number, "color": {"enum": ["RED", null]}, "text": {"type": "string"}});
        let schema = Schema::from_document(json!({"type": "object", "properties": properties}));
        let checked = schema.check(json!({"n": null, "color": null, "text": null})).unwrap();
        assert_eq!(checked, json!({"n": null, "color": null}));
        assert_eq!(schema.check(json!({"n": 5.0})).unwrap()["n"].as_u64(), Some(5));
    }

    #[test]
    fn json_text_may_be_given_as_the_value_itself() {
        let check = |data: Value| Schema::new::<Args>().check(json!({"path": "a", "data": data}));
        assert_eq!(check(json!([{"b": 1}])).unwrap()["data"], json!(r#"[{"b":1}]"#));
        assert_eq!(check(json!("[1, 2]")).unwrap()["data"], json!("[1, 2]"));
        assert!(check(json!(3)).is_err());
        assert!(refusal(json!({"path": ["a"]})).contains("must be of type string, not array"));
    }

    #[test]
    fn a_message_never_repeats_a_megabyte() {
        assert!(refusal(json!({"path": "a", "order": "x".repeat(1 << 20)})).len() < 400);
    }

    #[test]
    fn deep_nesting_is_refused() {
        let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
        assert!(refusal(json!({"path": deep})).contains("nested deeper"));
    }
}
