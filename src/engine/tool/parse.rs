//! Arguments as their tool's own type.

use serde::de::DeserializeOwned;
use serde_json::Value;

use satchel_model::error::{Error, Result};

/// Validated arguments always parse; the error says where if a schema ever promises less than its type.
pub(crate) fn parse<T: DeserializeOwned>(arguments: &Value) -> Result<T> {
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let place = error.path().to_string();
        // It may quote the whole value.
        let what: String = error.inner().to_string().chars().take(300).collect();
        Error::invalid(format!("The arguments do not fit: '{place}': {what}."))
    })
}
