//! `/api/providers`: the models that may be asked. Keys go in and never come out.

use actix_web::{
    HttpResponse, delete, get, post, put,
    web::{Data, Json, Path},
};
use serde::Serialize;

use super::{
    body::{Body, id},
    services::Services,
    state::State,
};
use crate::{
    model::{
        error::Result,
        llm::{Provider, ProviderId, ProviderKind},
        provider::{ProviderDraft, ProviderView, parse_url},
    },
    net::llm::chain::Models,
    store::people::Actor,
};

pub(super) fn services(config: &mut Services<'_>) {
    config.service(list).service(create).service(change).service(remove).service(test).service(detect);
}

/// All providers, the first to be asked first.
#[utoipa::path(tag = "providers", responses((status = 200, body = Vec<ProviderView>)))]
#[get("/api/providers")]
async fn list(state: Data<State>) -> Result<Json<Vec<ProviderView>>> {
    let providers = state.agent.providers().list().await?;
    Ok(Json(providers.into_iter().map(ProviderView::from).collect()))
}

/// Adds a provider. Its address may be on this machine or network: an administrator says so by adding it.
#[utoipa::path(request_body = ProviderDraft, tag = "providers", responses((status = 201, body = ProviderView)))]
#[post("/api/providers")]
async fn create(state: Data<State>, by: Actor, body: Body<ProviderDraft>) -> Result<HttpResponse> {
    let provider = state.agent.providers().create(&by, body.0).await?;
    Ok(HttpResponse::Created().json(ProviderView::from(provider)))
}

/// Changes a provider; what is left out stays. A stored key does not follow to another address.
#[utoipa::path(request_body = ProviderDraft, tag = "providers", params(("id" = String, Path,)), responses((status = 200, body = ProviderView)))]
#[put("/api/providers/{id}")]
async fn change(
    state: Data<State>,
    by: Actor,
    path: Path<String>,
    body: Body<ProviderDraft>,
) -> Result<Json<ProviderView>> {
    let provider = state.agent.providers().change(&by, id(&path)?, body.0).await?;
    Ok(Json(provider.into()))
}

/// Removes a provider and its key.
#[utoipa::path(tag = "providers", params(("id" = String, Path,)), responses((status = 204, description = "Removed.")))]
#[delete("/api/providers/{id}")]
async fn remove(state: Data<State>, by: Actor, path: Path<String>) -> Result<HttpResponse> {
    state.agent.providers().delete(&by, id(&path)?).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// What a provider's test found.
#[derive(Serialize, utoipa::ToSchema)]
struct ProviderTest {
    /// Whether it can be asked.
    ok: bool,
    /// What was found, in words.
    message: String,
    /// The models it offers.
    models: Option<Vec<String>>,
}

/// Asks a provider which models it has: proof that address and key are right.
#[utoipa::path(tag = "providers", params(("id" = String, Path,)), responses((status = 200, body = ProviderTest)))]
#[post("/api/providers/{id}/test")]
async fn test(state: Data<State>, by: Actor, path: Path<String>) -> Result<Json<ProviderTest>> {
    let id: ProviderId = id(&path)?;
    let provider = state.agent.providers().get(id).await?;
    Ok(Json(match ask(&state.agent.models(Some(by.caller.user)), &provider).await {
        Ok(Verdict { has, message, models }) => ProviderTest { ok: has, message, models: Some(models) },
        Err(error) => ProviderTest { ok: false, message: error.message().to_owned(), models: None },
    }))
}

/// What a provider that answers says of its models.
pub(super) struct Verdict {
    /// Whether the chosen model is among them.
    pub(super) has: bool,
    /// The same in words.
    pub(super) message: String,
    /// All of them.
    pub(super) models: Vec<String>,
}

/// Asks a provider for its models; fails where it does not answer or refuses the key.
pub(super) async fn ask(models: &Models, provider: &Provider) -> Result<Verdict> {
    let models = models.list(provider).await?;
    // Ollama names a model with its tag, people often without.
    let is_chosen = |name: &String| *name == provider.model || name.split(':').next() == Some(&provider.model);
    let has = models.is_empty() || models.iter().any(is_chosen);
    let message = match has {
        true => format!("{} answers and has the model '{}'.", provider.name, provider.model),
        false => format!("{} answers, but has no model '{}'. Choose one it has.", provider.name, provider.model),
    };
    Ok(Verdict { has, message, models })
}

/// A model server that was found on this machine.
#[derive(Serialize, utoipa::ToSchema)]
struct DetectedProvider {
    kind: ProviderKind,
    base_url: String,
    /// What it has.
    models: Vec<String>,
}

/// Looks for a model server on this machine, at Ollama's own port; no other is contacted. It is a row of the ledger.
#[utoipa::path(tag = "providers", responses((status = 200, body = Vec<DetectedProvider>)))]
#[get("/api/providers/detect")]
async fn detect(state: Data<State>, by: Actor) -> Result<Json<Vec<DetectedProvider>>> {
    let base_url = parse_url(ProviderKind::Ollama.default_base_url())?;
    let found = state.agent.models(Some(by.caller.user)).detect(&base_url).await;
    let shown = found.map(|found| DetectedProvider {
        kind: ProviderKind::Ollama,
        base_url: found.base_url.to_string(),
        models: found.models,
    });
    Ok(Json(shown.into_iter().collect()))
}
