//! Path and query parameters: what does not parse is the caller's mistake, said in problem JSON.

use std::collections::HashMap;

use super::routes::ROUTES;
use crate::model::{
    error::{Error, Result},
    text::clip,
};
use actix_web::{
    HttpRequest,
    error::{PathError, QueryPayloadError},
    web::{PathConfig, QueryConfig},
};
use serde::{
    Deserialize,
    de::{
        DeserializeOwned, IntoDeserializer,
        value::{Error as Unread, StrDeserializer},
    },
};
use serde_json::{Value, json};
use url::form_urlencoded;

/// Most characters of what somebody sent that are repeated.
const SHOWN: usize = 200;

/// The query parameters each route takes, as the document names them.
pub(super) struct Queries(Vec<Vec<Known>>);

/// A parameter that is known, and what bounds it if it is a whole number.
struct Known {
    name: String,
    integer: Option<Range>,
}

/// The least and the largest value of a whole number.
struct Range {
    least: i128,
    largest: i128,
}

impl Queries {
    /// Those of every row of the table, in its order.
    pub(super) fn of(document: &str) -> Result<Self> {
        let document: Document = serde_json::from_str(document).map_err(Error::internal)?;
        let operation = |path, method: &str| document.paths.get(path)?.get(&method.to_ascii_lowercase());
        let known = |operation: &Operation| operation.parameters.iter().filter_map(Parameter::known).collect();
        Ok(Self(ROUTES.iter().map(|row| operation(row.path, row.method).map(known).unwrap_or_default()).collect()))
    }

    /// Fails with the first parameter the route does not take, or takes otherwise: what is misspelled must not be
    /// passed over.
    pub(super) fn demand_known(&self, route: usize, query: &str) -> Result<()> {
        let known = self.0.get(route).map(Vec::as_slice).unwrap_or_default();
        let mut seen = Vec::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let Some(one) = known.iter().find(|known| known.name == name) else {
                return Err(wrong(&name, &format!("is not known here: this path {}", takes(known))));
            };
            if let Some(range) = &one.integer {
                range.demand(&value).map_err(|what| wrong(&name, &format!("{what}, not '{}'", clip(&value, SHOWN))))?;
            }
            if seen.contains(&name) {
                return Err(wrong(&name, "is there twice"));
            }
            seen.push(name);
        }
        Ok(())
    }
}

impl Range {
    /// Fails with what the value must be.
    fn demand(&self, value: &str) -> std::result::Result<(), String> {
        match value.parse::<i128>() {
            Err(_) => Err("must be a whole number".to_owned()),
            Ok(number) if number < self.least => Err(format!("must be a whole number from {} on", self.least)),
            Ok(number) if number > self.largest => Err(format!("must be a whole number up to {}", self.largest)),
            Ok(_) => Ok(()),
        }
    }
}

/// The words of `T`, as its errors name them.
pub(super) fn known_words<T: DeserializeOwned>() -> Vec<String> {
    let nothing: StrDeserializer<'_, Unread> = "".into_deserializer();
    let unread = T::deserialize(nothing).err().map(|unread| unread.to_string()).unwrap_or_default();
    unread.split('`').skip(3).step_by(2).map(str::to_owned).collect()
}

/// Fails with the first word of a list, by commas, that is none of `T`, and names those there are.
pub(super) fn demand_words<T: DeserializeOwned>(name: &str, list: Option<&str>) -> Result<()> {
    let words = list.into_iter().flat_map(|list| list.split(',')).map(str::trim).filter(|word| !word.is_empty());
    for word in words {
        let read: StrDeserializer<'_, Unread> = word.into_deserializer();
        if let Err(unread) = T::deserialize(read) {
            let unread = unread.to_string();
            let expected = unread.split_once("`, ").map_or(unread.as_str(), |(_, expected)| expected);
            return Err(wrong(name, &format!("knows no '{}': {expected}", clip(word, SHOWN))));
        }
    }
    Ok(())
}

/// What of an OpenAPI document says which query parameters there are.
#[derive(Deserialize)]
struct Document {
    paths: HashMap<String, HashMap<String, Operation>>,
}

#[derive(Deserialize)]
struct Operation {
    #[serde(default)]
    parameters: Vec<Parameter>,
}

#[derive(Deserialize)]
struct Parameter {
    name: String,
    #[serde(rename = "in")]
    place: String,
    #[serde(default)]
    schema: Value,
}

impl Parameter {
    fn known(&self) -> Option<Known> {
        let is_integer = match self.schema.get("type") {
            Some(Value::Array(several)) => several.iter().any(|one| one == "integer"),
            one => one.is_some_and(|one| one == "integer"),
        };
        let bound = |name: &str| match self.schema.get(name) {
            Some(Value::Number(bound)) => bound.as_i128(),
            _ => None,
        };
        let (least, largest) =
            (bound("minimum").unwrap_or(i64::MIN.into()), bound("maximum").unwrap_or(i64::MAX.into()));
        let integer = is_integer.then_some(Range { least, largest });
        (self.place == "query").then(|| Known { name: self.name.clone(), integer })
    }
}

fn takes(known: &[Known]) -> String {
    let names: Vec<&str> = known.iter().map(|one| one.name.as_str()).collect();
    if names.is_empty() { "takes none".to_owned() } else { format!("takes {}", names.join(", ")) }
}

fn wrong(name: &str, what: &str) -> Error {
    let name = clip(name, SHOWN);
    let message = format!("The query parameter '{name}' {what}.");
    Error::invalid(message).with_details(json!({"field": name}))
}

/// A path whose segment cannot be read names nothing.
pub(super) fn path_config() -> PathConfig {
    let refuse = |error: PathError, _: &HttpRequest| {
        actix_web::Error::from(Error::not_found(format!(
            "The path cannot be read: {}.",
            clip(error.to_string().trim_end_matches('.'), SHOWN)
        )))
    };
    PathConfig::default().error_handler(refuse)
}

/// A query that cannot be read is refused with what is wrong.
pub(super) fn query_config() -> QueryConfig {
    let refuse = |error: QueryPayloadError, _: &HttpRequest| {
        actix_web::Error::from(Error::invalid(format!(
            "The query cannot be read: {}.",
            clip(error.to_string().trim_end_matches('.'), SHOWN)
        )))
    };
    QueryConfig::default().error_handler(refuse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_below_zero_is_refused_by_the_parameters_name() {
        let queries = Queries::of(include_str!("../../../openapi.json")).unwrap();
        let route = ROUTES.iter().position(|row| row.path == "/api/search").unwrap();
        let refused = |query: &str| queries.demand_known(route, query).unwrap_err().message().to_owned();
        assert_eq!(refused("q=a&limit=-1"), "The query parameter 'limit' must be a whole number from 0 on, not '-1'.");
        assert!(refused("q=a&limit=x").contains("must be a whole number, not 'x'"));
        assert!(queries.demand_known(route, "q=-1&limit=3").is_ok());
    }
}
