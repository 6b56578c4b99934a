//! The models a provider offers: for its test, and to find a local Ollama.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::Value;
use url::Url;

use super::{
    chain::Models,
    dialect,
    failure::{self, Failure},
};
use crate::{guard::HostPort, http::Request};
use satchel_model::{
    error::{Error, Kind, Result},
    llm::{Provider, ProviderId, ProviderKind},
    provider::parameters::Parameters,
};

/// Most bytes of a list of models.
const LIST: usize = 4 << 20;

/// The time a list is waited for.
pub(super) const LISTING: Duration = Duration::from_secs(10);

const FORBIDDEN: u16 = StatusCode::FORBIDDEN.as_u16();

/// The statements of a provider about its models, and about the one that was chosen.
#[derive(Debug, Clone)]
pub struct Survey {
    /// The models it lists. `None` if it has no list.
    pub models: Option<Vec<String>>,
    /// The verdict on whether it can be asked with the chosen one.
    pub verdict: Verdict,
}

/// The verdict on whether a provider can be asked with its model.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// It lists it, and takes the parameters that are set.
    Listed,
    /// It does not list it, and answers with it.
    Answers,
    /// It does not answer with it.
    Refused(Error),
}

/// An Ollama that answers on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detected {
    /// The address it answers at.
    pub base_url: Url,
    /// The models it has.
    pub models: Vec<String>,
}

impl Models {
    /// The models a provider offers. `None` if it answers, but has no list of them.
    pub async fn list(&self, provider: &Provider) -> Result<Option<Vec<String>>> {
        match self.list_within(provider, LISTING).await {
            Ok(models) => Ok(Some(models)),
            Err(failure) if failure.is_no_list() => Ok(None),
            Err(failure) => Err(failure.error),
        }
    }

    /// Returns whether a provider can be asked with its model: a list that names it is proof enough. Where it stands in
    /// none, which is so of aliases, variants and servers without a list, it is asked for one word; so it is where it
    /// has parameters, for not every model takes each.
    ///
    /// # Errors
    ///
    /// If it does not answer, refuses the key, or has neither a list nor an answer.
    pub async fn survey(&self, provider: &Provider) -> Result<Survey> {
        let models = match self.list_within(provider, LISTING).await {
            Ok(models) => Some(models),
            // Some keys may ask, and not list.
            Err(failure) if failure.is_no_list() || failure.told.status == Some(FORBIDDEN) => None,
            Err(failure) => return Err(failure.error),
        };
        let is_listed = models.as_ref().is_some_and(|models| models.iter().any(|name| is_named(name, &provider.model)));
        if is_listed && !provider.parameters.ask_otherwise() {
            return Ok(Survey { models, verdict: Verdict::Listed });
        }
        let verdict = match (self.ask_for_a_word(provider).await, &models) {
            (Ok(()), _) if is_listed => Verdict::Listed,
            (Ok(()), _) => Verdict::Answers,
            (Err(failure), Some(_)) => Verdict::Refused(failure.error),
            (Err(failure), None) => return Err(failure.error),
        };
        if matches!(verdict, Verdict::Listed | Verdict::Answers) {
            self.breakers.answered(provider);
        }
        Ok(Survey { models, verdict })
    }

    async fn ask_for_a_word(&self, provider: &Provider) -> Result<(), Failure> {
        match self.ping(provider, Some(1)).await {
            // Some models take no limit, or none so low.
            Err(failure) if failure.is_refusal() => self.ping(provider, None).await,
            asked => asked,
        }
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
            parameters: Parameters::default(),
            from_environment: false,
        };
        let models = self.list_within(&provider, Duration::from_secs(1)).await.ok()?;
        Some(Detected { base_url: base_url.clone(), models })
    }

    /// Asks a provider that failed whether it answers again, and closes its breaker where it does.
    pub async fn try_again(&self, provider: &Provider) -> Result<()> {
        match self.breakers.skip(provider) {
            None => Ok(()),
            Some(_) => self.probe_now(provider).await.map_err(|failure| failure.error),
        }
    }

    pub(super) async fn list_within(&self, provider: &Provider, patience: Duration) -> Result<Vec<String>, Failure> {
        let (path, list, name) = match provider.kind {
            ProviderKind::Openai | ProviderKind::Anthropic => ("models", "data", "id"),
            ProviderKind::Ollama => ("api/tags", "models", "name"),
        };
        let unanswered = |error| Failure::unanswered(provider, error);
        let address = dialect::address(provider, path).map_err(unanswered)?;
        let mut request = dialect::authorised(Request::get(address), provider).map_err(unanswered)?;
        request.patience = patience;
        let host = HostPort::from_url(&provider.base_url);
        let response = self.http.allowing(host.as_slice()).send(request).await.map_err(unanswered)?;
        if response.status != StatusCode::OK {
            return Err(failure::from_response(provider, response).await);
        }
        let status = response.status;
        let no_list = || Error::upstream("The address answers, but not with a list of models.");
        let answer = response.json(LIST).await.map_err(|error| match error.kind() {
            Kind::Timeout => unanswered(error),
            _ => Failure::no_list(provider, status, no_list().caused_by(error)),
        })?;
        let entries =
            answer.get(list).and_then(Value::as_array).ok_or_else(|| Failure::no_list(provider, status, no_list()))?;
        Ok(entries.iter().map(|entry| dialect::text(entry, name).to_owned()).filter(|name| !name.is_empty()).collect())
    }
}

/// Returns whether a name of a list is this model: Ollama names a model with its tag, people often without.
fn is_named(name: &str, model: &str) -> bool {
    name == model || name.split(':').next() == Some(model)
}
