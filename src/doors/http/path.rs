//! Path and query parameters: what does not parse is the caller's mistake, said in problem JSON.

use actix_web::{
    HttpRequest,
    error::{PathError, QueryPayloadError},
    web::{PathConfig, QueryConfig},
};
use serde_json::json;
use url::form_urlencoded;
use utoipa::openapi::{
    OpenApi, RefOr, Schema,
    path::{Parameter, ParameterIn},
    schema::{SchemaType, Type},
};

use super::{
    openapi,
    routes::{ROUTES, Route},
};
use crate::model::error::{Error, Result};

/// The query parameters each route takes, as the document names them.
pub(super) struct Queries(Vec<Vec<Known>>);

/// A parameter that is known, and whether it is a whole number.
struct Known {
    name: String,
    is_integer: bool,
}

impl Queries {
    /// Those of every row of the table, in its order.
    pub(super) fn of(document: &OpenApi) -> Self {
        Self(ROUTES.iter().map(|route| known(document, route)).collect())
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
            if one.is_integer && value.parse::<i64>().is_err() {
                return Err(wrong(&name, &format!("must be a whole number, not '{}'", shorten(&value))));
            }
            if seen.contains(&name) {
                return Err(wrong(&name, "is there twice"));
            }
            seen.push(name);
        }
        Ok(())
    }
}

fn known(document: &OpenApi, route: &Route) -> Vec<Known> {
    let parameters = openapi::operation(document, route).and_then(|operation| operation.parameters.as_ref());
    let of_query = |one: &RefOr<Parameter>| match one {
        RefOr::T(one) if one.parameter_in == ParameterIn::Query => {
            Some(Known { name: one.name.clone(), is_integer: one.schema.as_ref().is_some_and(is_integer) })
        }
        _ => None,
    };
    parameters.into_iter().flatten().filter_map(of_query).collect()
}

fn is_integer(schema: &RefOr<Schema>) -> bool {
    match schema {
        RefOr::T(Schema::Object(object)) => match &object.schema_type {
            SchemaType::Type(one) => *one == Type::Integer,
            SchemaType::Array(several) => several.contains(&Type::Integer),
            SchemaType::AnyValue => false,
        },
        _ => false,
    }
}

fn takes(known: &[Known]) -> String {
    let names: Vec<&str> = known.iter().map(|one| one.name.as_str()).collect();
    if names.is_empty() { "takes none".to_owned() } else { format!("takes {}", names.join(", ")) }
}

fn wrong(name: &str, what: &str) -> Error {
    let name = shorten(name);
    let message = format!("The query parameter '{name}' {what}.");
    Error::invalid(message).with_details(json!({"field": name}))
}

/// A path whose segment cannot be read names nothing.
pub(super) fn path_config() -> PathConfig {
    let refuse = |error: PathError, _: &HttpRequest| {
        actix_web::Error::from(Error::not_found(format!("The path cannot be read: {}.", shorten(&error.to_string()))))
    };
    PathConfig::default().error_handler(refuse)
}

/// A query that cannot be read is refused with what is wrong.
pub(super) fn query_config() -> QueryConfig {
    let refuse = |error: QueryPayloadError, _: &HttpRequest| {
        actix_web::Error::from(Error::invalid(format!("The query cannot be read: {}.", shorten(&error.to_string()))))
    };
    QueryConfig::default().error_handler(refuse)
}

fn shorten(text: &str) -> String {
    text.trim_end_matches('.').chars().take(200).collect()
}
