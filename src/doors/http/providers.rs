//! `/api/providers`: the models that may be asked. Keys go in and never come out.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use serde::{Deserialize, Serialize};

use super::{
    body::{Body, id},
    json::Json,
    route::{
        Guard::{Permission, SignedIn},
        Route, route,
    },
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{
    error::{Error, Result},
    llm::{Provider, ProviderId, ProviderKind},
    provider::{ProviderDraft, ProviderOrder, ProviderView, failure::ProviderFailure, parse_url},
};
use satchel_net::llm::{
    chain::Models,
    models::{Survey, Verdict},
};
use satchel_store::{people::Actor, prices};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, SignedIn),
        route!(create, Permission("settings:manage")),
        route!(reorder, Permission("settings:manage")),
        route!(try_out, Permission("settings:manage")),
        route!(change, Permission("settings:manage")),
        route!(remove, Permission("settings:manage")),
        route!(test, Permission("settings:manage")),
        route!(detect, Permission("settings:manage")),
    ]
}

/// All providers, the first to be asked first.
#[utoipa::path(get, path = "/api/providers", tag = "providers", responses((status = 200, body = Vec<ProviderView>)))]
async fn list(state: Data<State>) -> HttpResult<Json<Vec<ProviderView>>> {
    Ok(Json(views(&state, state.agent.providers().list().await?).await?))
}

async fn views(state: &State, providers: Vec<Provider>) -> Result<Vec<ProviderView>> {
    let mut prices = prices::all(&state.app.db).await?;
    let view = |provider: Provider| {
        let health = state.app.net.breakers.health(&provider);
        let price = prices.remove(&(provider.id, provider.model.clone()));
        ProviderView::new(provider, health, price)
    };
    Ok(providers.into_iter().map(view).collect())
}

async fn view(state: &State, provider: Provider) -> Result<ProviderView> {
    views(state, vec![provider]).await?.pop().ok_or_else(|| Error::internal("a provider has no view"))
}

/// Adds a provider. Its address may be on this machine or network: an administrator says so by adding it.
#[utoipa::path(post, path = "/api/providers",
    request_body = ProviderDraft, tag = "providers", responses((status = 201, body = ProviderView)))]
async fn create(state: Data<State>, Who(by): Who<Actor>, body: Body<ProviderDraft>) -> HttpResult<HttpResponse> {
    let provider = state.agent.providers().create(&by, body.0).await?;
    Ok(HttpResponse::Created().json(view(&state, provider).await?))
}

/// Puts the providers into another order. Whoever saw another list than there is now is told so, and nothing is moved.
#[utoipa::path(put, path = "/api/providers/order", request_body = ProviderOrder, tag = "providers", responses(
    (status = 200, body = Vec<ProviderView>),
    (status = 409, description = "Somebody else has changed the list, or the order is not one of all in it.", body = super::error::Problem),
))]
async fn reorder(
    state: Data<State>,
    Who(by): Who<Actor>,
    body: Body<ProviderOrder>,
) -> HttpResult<Json<Vec<ProviderView>>> {
    Ok(Json(views(&state, state.agent.providers().reorder(&by, body.0).await?).await?))
}

/// Changes a provider; what is left out stays. A stored key does not follow to another address.
#[utoipa::path(put, path = "/api/providers/{id}",
    request_body = ProviderDraft, tag = "providers", params(("id" = String, Path,)), responses((status = 200, body = ProviderView)))]
async fn change(
    state: Data<State>,
    Who(by): Who<Actor>,
    path: Path<String>,
    body: Body<ProviderDraft>,
) -> HttpResult<Json<ProviderView>> {
    let provider = state.agent.providers().change(&by, id(&path)?, body.0).await?;
    state.app.net.breakers.forget_unless_same(&provider);
    Ok(Json(view(&state, provider).await?))
}

/// Removes a provider and its key.
#[utoipa::path(delete, path = "/api/providers/{id}",
    tag = "providers", params(("id" = String, Path,)), responses((status = 204, description = "Removed.")))]
async fn remove(state: Data<State>, Who(by): Who<Actor>, path: Path<String>) -> HttpResult<HttpResponse> {
    let id: ProviderId = id(&path)?;
    state.agent.providers().delete(&by, id).await?;
    state.app.net.breakers.forget(id);
    Ok(HttpResponse::NoContent().finish())
}

/// The result of a provider's test.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct ProviderTest {
    /// `true` if it can be asked.
    pub(super) ok: bool,
    /// The finding, in words.
    pub(super) message: String,
    /// The field of a provider that is wrong: `base_url`, `api_key`, `model` or one of its parameters.
    field: Option<String>,
    /// The models it lists; null where it has no list.
    pub(super) models: Option<Vec<String>>,
}

/// Asks a provider which models it has: proof that address and key are right. Where its model is not listed, or it has
/// failed lately, it is asked for one word as well, and counts as well again where it answers.
#[utoipa::path(post, path = "/api/providers/{id}/test",
    tag = "providers", params(("id" = String, Path,)), responses((status = 200, body = ProviderTest)))]
async fn test(state: Data<State>, Who(by): Who<Actor>, path: Path<String>) -> HttpResult<Json<ProviderTest>> {
    let id: ProviderId = id(&path)?;
    let provider = state.agent.providers().get(id).await?;
    let models = state.agent.models(Some(by.caller.user));
    Ok(Json(match ask(&models, &provider).await {
        Ok(found) if found.ok => match models.try_again(&provider).await {
            Ok(()) => found,
            Err(error) => ProviderTest::failed(&error),
        },
        Ok(found) => found,
        Err(error) => ProviderTest::failed(&error),
    }))
}

/// A provider to be tried before it is saved.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct ProviderTrial {
    /// The provider this would change: its stored key is used where none is given.
    #[schema(value_type = Option<String>, format = "uuid")]
    stored: Option<ProviderId>,
    /// The provider that would be saved; the model may be left out to see which there are.
    provider: ProviderDraft,
}

/// Asks a provider that is not saved which models it has, and for one word where the chosen model is not listed.
/// Nothing is kept.
#[utoipa::path(post, path = "/api/providers/test",
    request_body = ProviderTrial, tag = "providers", responses((status = 200, body = ProviderTest)))]
async fn try_out(state: Data<State>, Who(by): Who<Actor>, body: Body<ProviderTrial>) -> HttpResult<Json<ProviderTest>> {
    let ProviderTrial { stored, provider: draft } = body.0;
    let stored = match stored {
        Some(id) => Some(state.agent.providers().get(id).await?),
        None => None,
    };
    let names_model = draft.model.as_deref().is_some_and(|model| !model.trim().is_empty());
    let provider = draft.into_trial(stored)?;
    let models = state.agent.models(Some(by.caller.user));
    let found = match names_model {
        true => ask(&models, &provider).await,
        false => list_of(&models, &provider).await,
    };
    Ok(Json(found.unwrap_or_else(|error| ProviderTest::failed(&error))))
}

impl ProviderTest {
    fn found(message: String, models: Option<Vec<String>>) -> Self {
        Self { ok: true, message, field: None, models }
    }

    fn failed(error: &Error) -> Self {
        let failure = ProviderFailure::from_error(error);
        let field = failure.as_ref().map(|failure| field_of(failure).unwrap_or_else(|| "base_url".to_owned()));
        let message = failure.map_or_else(|| error.message().to_owned(), |failure| failure.cause);
        Self { ok: false, message, field, models: None }
    }

    fn refused(provider: &Provider, error: &Error, models: Option<Vec<String>>) -> Self {
        let Provider { name, model, .. } = provider;
        let failure = ProviderFailure::from_error(error);
        let message = match &failure {
            Some(ProviderFailure { parameter: Some(_), cause, .. }) => format!("{name} answers. {cause}"),
            Some(ProviderFailure { status: Some(404), .. }) => {
                format!("{name} answers, but has no model '{model}'. Choose one it has.")
            }
            Some(ProviderFailure { cause, .. }) => {
                let listed = models.iter().flatten().any(|one| one == model);
                let lists = if listed { "lists the model" } else { "does not list the model" };
                let and = if listed { "but" } else { "and" };
                format!("{name} {lists} '{model}', {and} does not answer with it. {cause}")
            }
            None => error.message().to_owned(),
        };
        let field = failure.as_ref().and_then(field_of).unwrap_or_else(|| "model".to_owned());
        Self { ok: false, message, field: Some(field), models }
    }
}

/// The field a refusal is about, where its status says so.
fn field_of(failure: &ProviderFailure) -> Option<String> {
    if failure.parameter.is_some() {
        return failure.parameter.clone();
    }
    match failure.status? {
        401..=403 => Some("api_key".to_owned()),
        400 | 422 => Some("model".to_owned()),
        _ => None,
    }
}

/// Asks a provider for its models, and for one word where the chosen one is not among them.
///
/// # Errors
///
/// If it does not answer, or refuses the key.
pub(super) async fn ask(models: &Models, provider: &Provider) -> Result<ProviderTest> {
    let Provider { name, model, .. } = provider;
    let Survey { models, verdict } = models.survey(provider).await?;
    let message = match (verdict, &models) {
        (Verdict::Listed, _) => format!("{name} answers and has the model '{model}'."),
        (Verdict::Answers, None) => format!("{name} answers with the model '{model}'. It has no list of models."),
        (Verdict::Answers, Some(_)) => format!("{name} answers with the model '{model}', which it does not list."),
        (Verdict::Refused(error), _) => return Ok(ProviderTest::refused(provider, &error, models)),
    };
    Ok(ProviderTest::found(message, models))
}

/// Asks a provider for its models, where none is chosen yet.
async fn list_of(models: &Models, provider: &Provider) -> Result<ProviderTest> {
    let models = models.list(provider).await?;
    let message = match &models {
        Some(models) => format!("{} answers and has {} models.", provider.base_url, models.len()),
        None => format!("{} answers, but has no list of models: write the name of one.", provider.base_url),
    };
    Ok(ProviderTest::found(message, models))
}

/// A model server that was found on this machine.
#[derive(Serialize, utoipa::ToSchema)]
struct DetectedProvider {
    kind: ProviderKind,
    base_url: String,
    /// The models it has.
    models: Vec<String>,
}

/// Looks for a model server on this machine, at Ollama's own port; no other is contacted. It is a row of the ledger.
#[utoipa::path(get, path = "/api/providers/detect",
    tag = "providers", responses((status = 200, body = Vec<DetectedProvider>)))]
async fn detect(state: Data<State>, Who(by): Who<Actor>) -> HttpResult<Json<Vec<DetectedProvider>>> {
    let base_url = parse_url(ProviderKind::Ollama.default_base_url())?;
    let found = state.agent.models(Some(by.caller.user)).detect(&base_url).await;
    let shown = found.map(|found| DetectedProvider {
        kind: ProviderKind::Ollama,
        base_url: found.base_url.to_string(),
        models: found.models,
    });
    Ok(Json(shown.into_iter().collect()))
}
