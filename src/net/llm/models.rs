//! Which models a provider offers: for its test, and to find a local Ollama.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::Value;
use url::Url;

use super::{chain::Models, dialect, failure};
use crate::{
    model::{
        error::{Error, Result},
        llm::{Provider, ProviderId, ProviderKind},
    },
    net::{guard::HostPort, http::Request},
};

/// Most bytes of a list of models.
const LIST: usize = 4 << 20;

/// An Ollama that answers on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detected {
    /// Where it answers.
    pub base_url: Url,
    /// What it has.
    pub models: Vec<String>,
}

impl Models {
    /// The models a provider offers: proof that the address and the key are right.
    pub async fn list(&self, provider: &Provider) -> Result<Vec<String>> {
        self.list_within(provider, Duration::from_secs(10)).await
    }

    /// An Ollama on this machine, if one answers soon.
    pub async fn detect(&self, base_url: &Url) -> Option<Detected> {
        let provider = Provider {
            id: ProviderId::new(),
            kind: ProviderKind::Ollama,
            name: "Ollama".to_owned(),
            base_url: base_url.clone(),
            model: String::new(),
            api_key: None,
            priority: 0,
            enabled: true,
            context_tokens: None,
            from_environment: false,
        };
        let models = self.list_within(&provider, Duration::from_secs(1)).await.ok()?;
        Some(Detected { base_url: base_url.clone(), models })
    }

    async fn list_within(&self, provider: &Provider, patience: Duration) -> Result<Vec<String>> {
        let (path, list, name) = match provider.kind {
            ProviderKind::Openai | ProviderKind::Anthropic => ("models", "data", "id"),
            ProviderKind::Ollama => ("api/tags", "models", "name"),
        };
        let mut request = dialect::authorised(Request::get(dialect::address(provider, path)?), provider)?;
        request.patience = patience;
        let host = HostPort::of(&provider.base_url);
        let response = self.http.allowing(host.as_slice()).send(request).await?;
        if response.status != StatusCode::OK {
            return Err(failure::from_response(provider, response).await.error);
        }
        let answer = response.json(LIST).await?;
        let entries = answer.get(list).and_then(Value::as_array);
        let entries = entries.ok_or_else(|| Error::upstream("The address answers, but not with a list of models."))?;
        Ok(entries.iter().map(|entry| dialect::text(entry, name).to_owned()).filter(|name| !name.is_empty()).collect())
    }
}
