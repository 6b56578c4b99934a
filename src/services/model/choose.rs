//! The model that a call chooses: one that is connected, at an address that is. A key follows no other address.

use super::Choice;
use crate::agents::{is_model, model_name};
use satchel_model::{
    error::{Error, Result},
    id::shorten,
    llm::Provider,
};

/// The providers that a choice is among.
pub(super) struct Among {
    /// Those that are known.
    pub(super) known: Vec<Provider>,
    /// Those that would be asked without a choice.
    pub(super) chain: Vec<Provider>,
    /// `true` if no models are asked but the ones they name.
    pub(super) no_others: bool,
}

/// The providers to be asked, of those that are known and those that would be asked without a choice.
///
/// # Errors
///
/// If the address is none of theirs, or the model none that they could have.
pub(super) fn chosen(among: Among, choice: &Choice) -> Result<Vec<Provider>> {
    let Among { known, chain, no_others } = among;
    let given =
        |text: &Option<String>| text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let (model, base_url) = (given(&choice.model), given(&choice.base_url));
    let among = match &base_url {
        None => known,
        Some(address) => {
            let at = |provider: &Provider| plain(provider.base_url.as_str()) == plain(address);
            let there: Vec<Provider> = known.iter().filter(|one| at(one)).cloned().collect();
            if there.is_empty() {
                return Err(refused(address, &known));
            }
            there
        }
    };
    let Some(model) = model else { return Ok(if base_url.is_some() { among } else { chain }) };
    if let Some(found) = among.iter().find(|provider| is_model(provider, &model)) {
        return Ok(vec![found.clone()]);
    }
    let names = |provider: &Provider| model_name(provider).split(':').next().map(|name| format!("{name}:"));
    let names_provider = among.iter().any(|provider| names(provider).is_some_and(|name| model.starts_with(&name)));
    let first = if base_url.is_some() { among.first() } else { chain.first() };
    match first.filter(|_| !names_provider && !no_others) {
        Some(first) => Ok(vec![Provider { model, ..first.clone() }]),
        None => Err(Error::invalid(format!(
            "There is no model '{}': name one as provider:model, as Settings, Models shows them. There: {}.",
            shorten(&model),
            listed(among.iter().map(model_name))
        ))),
    }
}

fn plain(address: &str) -> String {
    address.trim_end_matches('/').to_lowercase()
}

fn refused(address: &str, known: &[Provider]) -> Error {
    let there = known.iter().map(|provider| plain(provider.base_url.as_str()));
    Error::denied(format!(
        "'{}' is not the address of a model that is connected: only those are asked. There: {}.",
        shorten(address),
        listed(there)
    ))
}

fn listed(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
