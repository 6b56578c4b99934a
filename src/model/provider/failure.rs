//! The failure of a provider, as people and programs are told.

use serde::{Deserialize, Serialize};
use serde_json::json;
use url::Url;

use crate::{error::Error, llm::Provider};

/// The field of an error's details that holds it.
const FIELD: &str = "provider_failure";
/// The page of the console where providers are mended.
const PAGE: &str = "/settings/models";

/// A provider that did not answer, and why. It holds no key and no path of an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ProviderFailure {
    /// The name people call the provider by.
    pub provider: String,
    /// The model that was asked.
    pub model: String,
    /// Host, and port where it is not the usual one.
    pub address: String,
    /// The HTTP status it answered with, where it answered.
    pub status: Option<u16>,
    /// The failure, as a sentence.
    pub cause: String,
    /// The parameter it does not take as it is set, where that is why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// The page of the console where it is mended.
    pub mend: String,
}

impl ProviderFailure {
    /// The failure at this provider.
    pub fn new(provider: &Provider, status: Option<u16>, cause: impl Into<String>) -> Self {
        Self {
            provider: provider.name.clone(),
            model: provider.model.clone(),
            address: host(&provider.base_url),
            status,
            cause: cause.into(),
            parameter: None,
            mend: PAGE.to_owned(),
        }
    }

    /// The failure an error tells of, if it is one of a provider.
    pub fn from_error(error: &Error) -> Option<Self> {
        serde_json::from_value(error.details()?.get(FIELD)?.clone()).ok()
    }

    /// The error with this as a field of its details.
    #[must_use]
    pub fn attach_to(&self, error: Error) -> Error {
        error.with_details(json!({ FIELD: self }))
    }
}

/// A provider as sentences name it: its name, its model and its host.
pub fn named(provider: &Provider) -> String {
    format!("{} ({} at {})", provider.name, provider.model, host(&provider.base_url))
}

/// Host and port of an address, without what else it may say.
fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        llm::{ProviderId, ProviderKind},
        provider::parameters::Parameters,
        secret::Secret,
    };

    #[test]
    fn a_failure_names_model_and_host_and_neither_key_nor_path() {
        let provider = Provider {
            id: ProviderId::new(),
            kind: ProviderKind::Openai,
            name: "House".to_owned(),
            base_url: "https://h.example:8443/secret-path/v1".parse().unwrap(),
            model: "m".to_owned(),
            api_key: Some(Secret::new("sk-canary")),
            priority: 0,
            enabled: true,
            context_tokens: None,
            parameters: Parameters::default(),
            from_environment: false,
        };
        assert_eq!(named(&provider), "House (m at h.example:8443)");
        let failure = ProviderFailure::new(&provider, Some(500), "It failed.");
        let error = failure.attach_to(Error::upstream("x"));
        assert_eq!(ProviderFailure::from_error(&error), Some(failure));
        let told = error.details().unwrap().to_string();
        assert!(!told.contains("canary") && !told.contains("secret-path"), "{told}");
        assert_eq!(ProviderFailure::from_error(&Error::upstream("x")), None);
    }
}
