//! The query of a request: what a route does not take is refused, not passed over.

use serde_json::Value;
use url::form_urlencoded;
use utoipa::openapi::{
    RefOr,
    path::{Parameter, ParameterIn},
};

use super::{
    bounds,
    path::{SHOWN, wrong},
};
use crate::model::{error::Result, text::clip};

/// The query parameters a route takes.
pub(super) struct Query(Vec<Known>);

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

impl Query {
    /// Those among the parameters of an operation.
    pub(super) fn new(parameters: &[RefOr<Parameter>]) -> Self {
        let known = |parameter: &RefOr<Parameter>| match parameter {
            RefOr::T(one) if one.parameter_in == ParameterIn::Query => {
                Some(Known { name: one.name.clone(), integer: Range::of(one) })
            }
            _ => None,
        };
        Self(parameters.iter().filter_map(known).collect())
    }

    /// Fails with the first parameter the route does not take, or takes otherwise: what is misspelled must not be
    /// passed over.
    pub(super) fn ensure(&self, query: &str) -> Result<()> {
        let mut seen = Vec::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let Some(one) = self.0.iter().find(|known| known.name == name) else {
                return Err(wrong(&name, &format!("is not known here: this path {}", self.takes())));
            };
            if let Some(range) = &one.integer {
                range.ensure(&value).map_err(|what| wrong(&name, &format!("{what}, not '{}'", clip(&value, SHOWN))))?;
            }
            if seen.contains(&name) {
                return Err(wrong(&name, "is there twice"));
            }
            seen.push(name);
        }
        Ok(())
    }

    fn takes(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(|one| one.name.as_str()).collect();
        if names.is_empty() { "takes none".to_owned() } else { format!("takes {}", names.join(", ")) }
    }
}

impl Range {
    /// The range of a parameter; `None` if it is no whole number.
    fn of(parameter: &Parameter) -> Option<Self> {
        let mut schema = serde_json::to_value(parameter.schema.as_ref()?).ok()?;
        bounds::bound(&mut schema);
        let is_integer = match schema.get("type")? {
            Value::Array(several) => several.iter().any(|one| one == "integer"),
            one => one == "integer",
        };
        let bound = |name: &str| match schema.get(name) {
            Some(Value::Number(bound)) => bound.as_i128(),
            _ => None,
        };
        let (least, largest) =
            (bound("minimum").unwrap_or(i64::MIN.into()), bound("maximum").unwrap_or(i64::MAX.into()));
        is_integer.then_some(Self { least, largest })
    }

    /// Fails with what the value must be.
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
    use utoipa::{IntoParams, ToSchema};

    use super::*;

    #[derive(IntoParams, ToSchema)]
    #[expect(dead_code, reason = "only described")]
    struct Page {
        q: String,
        limit: Option<usize>,
        #[param(minimum = 1)]
        page: u8,
    }

    fn page(place: ParameterIn) -> Query {
        let parameters = Page::into_params(|| Some(place.clone()));
        Query::new(&parameters.into_iter().map(RefOr::T).collect::<Vec<_>>())
    }

    #[test]
    fn a_query_is_refused_by_the_name_of_the_parameter_that_is_wrong() {
        let query = page(ParameterIn::Query);
        let refused = |text: &str| query.ensure(text).unwrap_err().message().to_owned();
        assert!(query.ensure("q=-1&limit=3&page=255").is_ok());
        assert_eq!(refused("q=a&limit=-1"), "The query parameter 'limit' must be a whole number from 0 on, not '-1'.");
        assert_eq!(refused("page=0"), "The query parameter 'page' must be a whole number from 1 on, not '0'.");
        assert_eq!(refused("page=256"), "The query parameter 'page' must be a whole number up to 255, not '256'.");
        assert!(refused("q=a&limit=x").contains("must be a whole number, not 'x'"));
        assert_eq!(refused("q=a&q=b"), "The query parameter 'q' is there twice.");
        assert_eq!(refused("qq=a"), "The query parameter 'qq' is not known here: this path takes q, limit, page.");
    }

    #[test]
    fn a_parameter_of_the_path_is_none_of_the_query() {
        let query = page(ParameterIn::Path);
        assert!(query.ensure("").is_ok());
        let error = query.ensure("q=a").unwrap_err();
        assert_eq!(error.message(), "The query parameter 'q' is not known here: this path takes none.");
    }
}
