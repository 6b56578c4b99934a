//! Path and query parameters: what does not parse is the caller's mistake, said in problem JSON.

use crate::http::error::HttpError;
use actix_web::{
    HttpRequest,
    error::{PathError, QueryPayloadError},
    web::{PathConfig, QueryConfig},
};
use satchel_model::{
    error::{Error, Result},
    text::clip,
};
use serde::de::{
    DeserializeOwned, IntoDeserializer,
    value::{Error as Unread, StrDeserializer},
};
use serde_json::json;

/// Most characters of what somebody sent that are repeated.
pub(super) const SHOWN: usize = 200;

/// The words of `T`, as its errors name them.
#[cfg(debug_assertions)]
pub(super) fn known_words<T: DeserializeOwned>() -> Vec<String> {
    let nothing: StrDeserializer<'_, Unread> = "".into_deserializer();
    let unread = T::deserialize(nothing).err().map(|unread| unread.to_string()).unwrap_or_default();
    unread.split('`').skip(3).step_by(2).map(str::to_owned).collect()
}

/// Checks that each word of a list, by commas, is one of `T`.
///
/// # Errors
///
/// With the first one that is not, and the names there are.
pub(super) fn require_words<T: DeserializeOwned>(name: &str, list: Option<&str>) -> Result<()> {
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

/// The error of a query parameter.
pub(super) fn wrong(name: &str, what: &str) -> Error {
    let name = clip(name, SHOWN);
    let message = format!("The query parameter '{name}' {what}.");
    Error::invalid(message).with_details(json!({"field": name}))
}

/// A path whose segment cannot be read names nothing.
pub(super) fn path_config() -> PathConfig {
    let refuse = |error: PathError, _: &HttpRequest| {
        let read = clip(error.to_string().trim_end_matches('.'), SHOWN).into_owned();
        actix_web::Error::from(HttpError(Error::not_found(format!("The path cannot be read: {read}."))))
    };
    PathConfig::default().error_handler(refuse)
}

/// A query that cannot be read is refused with what is wrong.
pub(super) fn query_config() -> QueryConfig {
    let refuse = |error: QueryPayloadError, _: &HttpRequest| {
        let read = clip(error.to_string().trim_end_matches('.'), SHOWN).into_owned();
        actix_web::Error::from(HttpError(Error::invalid(format!("The query cannot be read: {read}."))))
    };
    QueryConfig::default().error_handler(refuse)
}
