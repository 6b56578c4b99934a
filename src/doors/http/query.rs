//! The query of a request: what a route does not take is refused, not passed over.

use actix_web::http::Method;
use url::form_urlencoded;

use super::path::{SHOWN, wrong};
use satchel_model::{error::Result, text::clip};

/// The query parameters of every route, by method and path. Made of the API's document when the program is built; a test holds
/// the document to the routes.
const QUERIES: &[(&str, &str, &[Parameter])] = include!(concat!(env!("OUT_DIR"), "/queries.rs"));

/// The query parameters a route takes.
pub(super) struct Query(&'static [Parameter]);

/// A parameter that is known, and what bounds it if it is a whole number.
struct Parameter {
    name: &'static str,
    integer: Option<Range>,
}

/// The least and the largest value of a whole number.
struct Range {
    least: i128,
    largest: i128,
}

impl Query {
    /// Returns the parameters of a route; a route that is not in the document takes none.
    pub(super) fn for_route(method: &Method, path: &str) -> Self {
        let known = QUERIES.iter().find(|(of, at, _)| *of == method.as_str() && *at == path);
        Self(known.map_or(&[], |(_, _, parameters)| parameters))
    }

    /// Checks the parameters of a query.
    ///
    /// # Errors
    ///
    /// With the first one the route does not take, or takes otherwise: what is misspelled must not be passed over.
    pub(super) fn ensure(&self, query: &str) -> Result<()> {
        let mut seen = Vec::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let Some(one) = self.0.iter().find(|known| known.name == name) else {
                return Err(wrong(&name, &format!("is not known here: this path {}", self.takes())));
            };
            one.ensure(&value)?;
            if seen.contains(&name) {
                return Err(wrong(&name, "is there twice"));
            }
            seen.push(name);
        }
        Ok(())
    }

    /// Checks the parameters that the route takes, and passes over others.
    ///
    /// # Errors
    ///
    /// With the first one that it takes otherwise.
    pub(super) fn ensure_known(&self, query: &str) -> Result<()> {
        let given = form_urlencoded::parse(query.as_bytes());
        let mut known = given.filter_map(|(name, value)| Some((self.0.iter().find(|one| one.name == name)?, value)));
        known.try_for_each(|(one, value)| one.ensure(&value))
    }

    fn takes(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(|one| one.name).collect();
        if names.is_empty() { "takes none".to_owned() } else { format!("takes {}", names.join(", ")) }
    }
}

impl Parameter {
    fn ensure(&self, value: &str) -> Result<()> {
        let Some(range) = &self.integer else { return Ok(()) };
        range.ensure(value).map_err(|what| wrong(self.name, &format!("{what}, not '{}'", clip(value, SHOWN))))
    }
}

impl Range {
    /// Checks a value.
    ///
    /// # Errors
    ///
    /// With what the value must be.
    fn ensure(&self, value: &str) -> std::result::Result<(), String> {
        match value.parse::<i128>() {
            Err(_) => Err("must be a whole number".to_owned()),
            Ok(number) if number < self.least => Err(format!("must be a whole number from {} on", self.least)),
            Ok(number) if number > self.largest => Err(format!("must be a whole number up to {}", self.largest)),
            Ok(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_refused_by_the_name_of_the_parameter_that_is_wrong() {
        let query = Query(&[
            Parameter { name: "q", integer: None },
            Parameter { name: "limit", integer: Some(Range { least: 0, largest: 9_000 }) },
            Parameter { name: "page", integer: Some(Range { least: 1, largest: 255 }) },
        ]);
        let refused = |text: &str| query.ensure(text).unwrap_err().message().to_owned();
        assert!(query.ensure("q=-1&limit=3&page=255").is_ok());
        assert_eq!(refused("q=a&limit=-1"), "The query parameter 'limit' must be a whole number from 0 on, not '-1'.");
        assert_eq!(refused("page=0"), "The query parameter 'page' must be a whole number from 1 on, not '0'.");
        assert_eq!(refused("page=256"), "The query parameter 'page' must be a whole number up to 255, not '256'.");
        assert!(refused("q=a&limit=x").contains("must be a whole number, not 'x'"));
        assert_eq!(refused("q=a&q=b"), "The query parameter 'q' is there twice.");
        assert!(query.ensure_known("qq=a&limit=3").is_ok() && query.ensure_known("qq=a&limit=x").is_err());
        assert_eq!(refused("qq=a"), "The query parameter 'qq' is not known here: this path takes q, limit, page.");
    }

    #[test]
    fn the_parameters_of_a_route_are_those_of_its_document() {
        let depth = Query::for_route(&Method::GET, "/api/graph/nodes/{id}/neighbors");
        assert!(depth.ensure("depth=4").is_ok() && depth.ensure("depth=5").is_err());
        // A parameter of the path is none of the query.
        assert!(depth.ensure("id=1").is_err());
        assert!(Query::for_route(&Method::GET, "/healthz").ensure("q=a").is_err());
    }
}
