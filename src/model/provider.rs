//! Providers as people see and change them: keys go in, and never come out.

pub mod failure;
pub mod health;
pub mod parameters;

use health::ProviderHealth;
use parameters::Parameters;
use serde::{Deserialize, Deserializer, Serialize};
use url::Url;

use super::{
    error::{Error, Result},
    llm::{Provider, ProviderId, ProviderKind},
    price::Price,
    secret::{MASK, Secret},
};

/// A provider as answers show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ProviderView {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: ProviderId,
    /// Its dialect.
    pub kind: ProviderKind,
    /// The name people call it by.
    pub name: String,
    /// The address it is asked at.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// `***` where a key is stored.
    pub api_key: Option<String>,
    /// The lowest number is asked first, the others when it fails.
    pub priority: i64,
    /// `true` if it is asked at all.
    pub enabled: bool,
    /// Tokens that fit, where known.
    pub context_tokens: Option<u32>,
    /// Parameters of its requests.
    pub parameters: Parameters,
    /// Set by `SATCHEL_MODEL`: shown, not changed.
    pub from_environment: bool,
    /// Its health, as far as it was asked.
    pub health: ProviderHealth,
    /// The price of its model. Left out where nobody has entered one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

impl ProviderView {
    /// A provider without its key.
    pub fn new(provider: Provider, health: ProviderHealth, price: Option<Price>) -> Self {
        Self {
            health,
            price,
            id: provider.id,
            kind: provider.kind,
            name: provider.name,
            base_url: provider.base_url.to_string(),
            model: provider.model,
            api_key: provider.api_key.map(|_| MASK.to_owned()),
            priority: provider.priority,
            enabled: provider.enabled,
            context_tokens: provider.context_tokens,
            parameters: provider.parameters,
            from_environment: provider.from_environment,
        }
    }
}

/// The order in which providers are to be asked.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderOrder {
    /// All ids in the order they were seen in: where somebody else has changed it meanwhile, nothing is done.
    #[schema(value_type = Vec<String>, format = "uuid")]
    pub seen: Vec<ProviderId>,
    /// The same ids, the first to be asked first.
    #[schema(value_type = Vec<String>, format = "uuid")]
    pub order: Vec<ProviderId>,
}

/// A provider as somebody writes it. What is left out stays, or has its default in a new one.
#[derive(Debug, Clone, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderDraft {
    /// Its dialect; a new provider needs one.
    pub kind: Option<ProviderKind>,
    /// The name people call it by; the model's name unless said.
    #[schema(min_length = 1, max_length = 200, pattern = r"\S")]
    pub name: Option<String>,
    /// The address it is asked at; the dialect's usual address unless said.
    #[schema(pattern = r"^https?://[^\s/?#@]+(/[^\s?#]*)?$")]
    pub base_url: Option<String>,
    /// The model's name there; a new provider needs one.
    #[schema(min_length = 1, max_length = 200, pattern = r"\S")]
    pub model: Option<String>,
    /// The key; `***` keeps the stored one, null forgets it.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    pub api_key: Option<Option<Secret>>,
    /// The lowest number is asked first; a new provider comes last unless said.
    pub priority: Option<i64>,
    /// `true` if it is asked at all.
    pub enabled: Option<bool>,
    /// Tokens that fit; null means unknown.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u32>, minimum = 1024)]
    pub context_tokens: Option<Option<u32>>,
    /// Parameters of its requests, as a whole: one that is left out is not sent. Null means none.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Parameters>)]
    pub parameters: Option<Option<Parameters>>,
}

/// Tells "null" from "left out".
fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl ProviderDraft {
    /// The provider this describes where there was none.
    pub fn into_new(self, last_priority: i64) -> Result<Provider> {
        let kind = self.kind.ok_or_else(|| Error::invalid("Say the kind of provider: openai, anthropic or ollama."))?;
        let blank = Provider {
            id: ProviderId::new(),
            kind,
            name: String::new(),
            base_url: parse_url(kind.default_base_url())?,
            model: String::new(),
            api_key: None,
            priority: last_priority.saturating_add(1),
            enabled: true,
            context_tokens: None,
            parameters: Parameters::default(),
            from_environment: false,
        };
        self.apply(blank)
    }

    /// The provider this would be, to be tried: it needs no model yet.
    pub fn into_trial(mut self, stored: Option<Provider>) -> Result<Provider> {
        let named = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
        if !named(&self.model) {
            self.model = stored.as_ref().map(|old| old.model.clone()).or_else(|| Some("?".to_owned()));
        }
        match stored {
            Some(old) => self.apply(old),
            None => self.into_new(0),
        }
    }

    /// The provider with these changes. A key goes nowhere but to the host it was given for.
    pub fn apply(self, old: Provider) -> Result<Provider> {
        let kind = self.kind.unwrap_or(old.kind);
        let base_url = self.base_url.as_deref().map(parse_url).transpose()?.unwrap_or_else(|| old.base_url.clone());
        let given = self.api_key.map(|key| key.filter(|key| !key.expose().is_empty()));
        let keeps = given.as_ref().is_none_or(|key| key.as_ref().is_some_and(|key| key.expose() == MASK));
        if keeps && old.api_key.is_some() && base_url.origin() != old.base_url.origin() {
            return Err(Error::invalid(
                "The stored key was given for another address. Enter the key again, or null for none.",
            ));
        }
        let model = text(self.model, old.model, "model")?;
        let name = self.name.or_else(|| Some(old.name).filter(|name| !name.is_empty()));
        let context_tokens = self.context_tokens.unwrap_or(old.context_tokens);
        if context_tokens.is_some_and(|tokens| tokens < 1_024) {
            return Err(Error::invalid("A context of fewer than 1,024 tokens holds no conversation."));
        }
        let parameters = self.parameters.map_or(old.parameters, Option::unwrap_or_default);
        Ok(Provider {
            kind,
            name: text(name, model.clone(), "name")?,
            base_url,
            model,
            api_key: if keeps { old.api_key } else { given.flatten() },
            priority: self.priority.unwrap_or(old.priority),
            enabled: self.enabled.unwrap_or(old.enabled),
            context_tokens,
            parameters: parameters.checked(kind, context_tokens)?,
            id: old.id,
            from_environment: old.from_environment,
        })
    }
}

fn text(given: Option<String>, old: String, what: &str) -> Result<String> {
    let text = given.unwrap_or(old).trim().to_owned();
    if (1..=200).contains(&text.chars().count()) {
        Ok(text)
    } else {
        Err(Error::invalid(format!("The {what} of a provider is 1 to 200 characters.")))
    }
}

/// An address a provider may have.
pub fn parse_url(text: &str) -> Result<Url> {
    let wrong = || Error::invalid("The address must be a URL such as https://api.openai.com/v1, without a user name.");
    let url = Url::parse(text.trim()).map_err(|_| wrong())?;
    let plain = matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none();
    if plain && url.query().is_none() && url.fragment().is_none() { Ok(url) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn draft(value: serde_json::Value) -> ProviderDraft {
        serde_json::from_value(value).unwrap()
    }

    fn stored() -> Provider {
        let new = json!({"kind": "openai", "model": "m", "base_url": "https://h.example/v1", "api_key": "k1"});
        draft(new).into_new(4).unwrap()
    }

    #[test]
    fn a_new_provider_needs_a_kind_and_a_model_only() {
        let provider = draft(json!({"kind": "ollama", "model": "qwen3"})).into_new(0).unwrap();
        assert_eq!(provider.base_url.as_str(), "http://127.0.0.1:11434/");
        assert_eq!((provider.name.as_str(), provider.priority, provider.enabled), ("qwen3", 1, true));
        assert!(draft(json!({"kind": "ollama"})).into_new(0).is_err());
        assert!(draft(json!({"model": "m"})).into_new(0).is_err());
    }

    #[test]
    fn a_key_is_kept_replaced_or_forgotten_and_never_shown() {
        let key = |change| draft(change).apply(stored()).unwrap().api_key.map(|key| key.expose().to_owned());
        assert_eq!(key(json!({})), Some("k1".to_owned()));
        assert_eq!(key(json!({"api_key": "***", "name": "n"})), Some("k1".to_owned()));
        assert_eq!(key(json!({"api_key": "k2"})), Some("k2".to_owned()));
        assert_eq!(key(json!({"api_key": null})), None);
        let view = ProviderView::new(stored(), ProviderHealth::default(), None);
        assert_eq!(view.api_key.as_deref(), Some(MASK));
    }

    #[test]
    fn a_key_does_not_follow_to_another_host() {
        assert!(draft(json!({"base_url": "https://evil.example/v1"})).apply(stored()).is_err());
        assert!(draft(json!({"base_url": "https://evil.example/v1", "api_key": "***"})).apply(stored()).is_err());
        assert!(draft(json!({"base_url": "https://h.example/v2"})).apply(stored()).is_ok());
        assert!(draft(json!({"base_url": "https://o.example/v1", "api_key": "k2"})).apply(stored()).is_ok());
    }

    #[test]
    fn only_plain_http_addresses_are_taken() {
        for wrong in ["", "x", "ftp://h/", "http://u@h/", "http://u:p@h/", "https://h/?key=1", "file:///etc/passwd"] {
            assert!(parse_url(wrong).is_err(), "{wrong}");
        }
    }
}
