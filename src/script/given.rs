//! JSON that is read into a value of a script as it comes, without anything between.

use std::fmt;

use rhai::{Array, Dynamic, Identifier, Map};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::helpers::{array_fits, text_fits};

/// A value of a script, out of JSON: whole numbers beyond 64 bits are floats; arrays and texts beyond what scripts may have
/// are errors. Rhai's own reading knows no limits and takes nearly twice as long: it makes a text of each key first.
pub(super) struct Given(pub(super) Dynamic);

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_any(Whole).map(Self)
    }
}

struct Whole;

impl<'de> DeserializeSeed<'de> for Whole {
    type Value = Dynamic;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Dynamic, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Whole {
    type Value = Dynamic;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Dynamic, E> {
        Ok(Dynamic::UNIT)
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<Dynamic, E> {
        Ok(truth.into())
    }

    fn visit_i64<E: Error>(self, integer: i64) -> Result<Dynamic, E> {
        Ok(integer.into())
    }

    fn visit_u64<E: Error>(self, integer: u64) -> Result<Dynamic, E> {
        Ok(i64::try_from(integer).map_or_else(|_| (integer as f64).into(), Dynamic::from))
    }

    fn visit_f64<E: Error>(self, float: f64) -> Result<Dynamic, E> {
        Ok(float.into())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Dynamic, E> {
        text_fits(text.len()).map_err(Error::custom)?;
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Dynamic, A::Error> {
        let mut array = Array::new();
        while let Some(item) = items.next_element_seed(Self)? {
            array_fits(array.len() + 1).map_err(Error::custom)?;
            array.push(item);
        }
        Ok(array.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Dynamic, A::Error> {
        let mut map = Map::new();
        while let Some(key) = fields.next_key_seed(Key)? {
            map.insert(key, fields.next_value_seed(Self)?);
        }
        Ok(map.into())
    }
}

struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Identifier;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Identifier, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Key {
    type Value = Identifier;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Identifier, E> {
        Ok(key.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        helpers::to_json,
        limits::{MAX_ARRAY, MAX_STRING},
    };

    #[test]
    fn it_is_what_rhai_makes_of_the_same_json() {
        let all = json!({
            "none": null, "truths": [true, false], "empty": [[], {}, ""], "odd \"key\" \u{e9}": "\u{1f600}\n",
            "numbers": [0, -1, i64::MIN, i64::MAX, u64::MAX, 2.5, -0.0, 1e308],
            "deep": [[[{"a": [{"b": 1}]}]]],
        });
        let Given(read) = serde_json::from_str(&all.to_string()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{:?}", rhai::serde::to_dynamic(&all).unwrap()));
        let float = |value: &Value| value["numbers"][4].is_f64();
        assert!(float(&to_json(&read).unwrap()) && !float(&all));
        let Given(last) = serde_json::from_str(r#"{"a": 1, "a": "two"}"#).unwrap();
        assert_eq!(to_json(&last).unwrap(), json!({"a": "two"}));
        assert!(serde_json::from_str::<Given>("[1,").is_err());
    }

    #[test]
    fn what_scripts_may_not_have_is_an_error() {
        let refused = |json: Value| Given::deserialize(json).err().map(|error| error.to_string());
        assert_eq!(refused(json!({"a": ["x".repeat(MAX_STRING)]})), None);
        let told = format!("the text would be {} bytes long; at most {MAX_STRING} are allowed", MAX_STRING + 1);
        assert_eq!(refused(json!({"a": ["x".repeat(MAX_STRING + 1)]})), Some(told));
        let told = format!("the array would have {} elements; at most {MAX_ARRAY} are allowed", MAX_ARRAY + 1);
        assert_eq!(refused(json!(vec![0; MAX_ARRAY + 1])), Some(told));
    }
}
