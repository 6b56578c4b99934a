//! JSON that is read into a value of a script as it comes, without anything between.

use std::fmt;

use rhai::{Array, Dynamic, Identifier, Map};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A value of a script, out of JSON: whole numbers beyond 64 bits are floats. As Rhai's own reading, which takes nearly twice
/// as long: that makes a text of each key before it makes a key of it.
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
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Dynamic, A::Error> {
        let mut array = Array::new();
        while let Some(item) = items.next_element_seed(Self)? {
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
    use crate::script::helpers::{from_json, to_json};

    #[test]
    fn it_is_what_the_same_json_is_elsewhere() {
        let all = json!({
            "none": null, "truths": [true, false], "empty": [[], {}, ""], "odd \"key\" \u{e9}": "\u{1f600}\n",
            "numbers": [0, -1, i64::MIN, i64::MAX, u64::MAX, 2.5, -0.0, 1e308],
            "deep": [[[{"a": [{"b": 1}]}]]],
        });
        let Given(read) = serde_json::from_str(&all.to_string()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{:?}", from_json(all.clone()).unwrap()));
        let float = |value: &Value| value["numbers"][4].is_f64();
        assert!(float(&to_json(&read).unwrap()) && !float(&all));
        let Given(last) = serde_json::from_str(r#"{"a": 1, "a": "two"}"#).unwrap();
        assert_eq!(to_json(&last).unwrap(), json!({"a": "two"}));
        assert!(serde_json::from_str::<Given>("[1,").is_err());
    }
}
