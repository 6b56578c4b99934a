//! Path and query parameters: what does not parse is the caller's mistake, said in problem JSON.

use actix_web::{
    HttpRequest,
    error::{PathError, QueryPayloadError},
    web::{PathConfig, QueryConfig},
};

use crate::model::error::Error;

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
