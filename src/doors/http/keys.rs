//! API keys: made by a person for themselves; listed and revoked by whoever manages users, too.

use actix_web::{
    HttpResponse,
    web::{Data, Path, Query},
};
use serde::{Deserialize, Serialize};

use super::{
    body::{Body, id},
    json::Json,
    route::{
        Guard::{Person, SignedIn},
        Route, route,
    },
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{
    caller::{Permission, Permissions},
    error::{Error, Result},
    settings::Exposure,
    user::{ApiKey, KeyTerms},
};
use satchel_store::{keys::NewKey, people::Actor};

pub(super) fn routes() -> Vec<Route> {
    vec![route!(list, SignedIn), route!(create, Person), route!(revoke, SignedIn)]
}

/// The owner of the keys.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct Whose {
    /// A user's id, for those who manage users; left out, one's own.
    pub(super) user: Option<String>,
}

/// Keys, the newest first; never the keys themselves.
#[utoipa::path(get, path = "/api/keys", tag = "keys", params(Whose), responses((status = 200, body = [ApiKey])))]
async fn list(state: Data<State>, Who(by): Who<Actor>, whose: Query<Whose>) -> HttpResult<Json<Vec<ApiKey>>> {
    let user = whose.user.as_deref().map(id).transpose()?;
    let user = state.app.stores.people.reach(&by, user).await?;
    Ok(state.app.stores.people.keys(user).await.map(Json)?)
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewKey)]
struct Create {
    /// The purpose.
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    name: String,
    /// None that the caller does not hold; left out, what its owner may at the time.
    #[schema(value_type = Option<Vec<Permission>>)]
    permissions: Option<Permissions>,
    /// Opens what belongs to its owner: conversations, memories, lists, clipboard, files and questions. Left
    /// out: it does without `permissions`, and does not with them.
    personal: Option<bool>,
    /// The program that holds it may answer questions for its owner, where its protocol can ask them: that counts as the
    /// owner's decision. Given in a session only; false if left out.
    #[serde(default)]
    approves: bool,
    /// The tools that an MCP client is shown; left out, as the settings have it.
    exposure: Option<Exposure>,
    /// The tools that `selected` shows, by name.
    #[serde(default)]
    selected: Vec<String>,
    /// A user's id, for the command line of this machine; left out, one's own.
    user: Option<String>,
}

/// A key, with the only sight of it there is.
#[derive(Serialize, utoipa::ToSchema)]
struct Created {
    /// The text to send as `Authorization: Bearer …`. It cannot be shown again.
    key: String,
    #[serde(flatten)]
    info: ApiKey,
}

/// Makes a key of one's own and shows it, this once.
#[utoipa::path(post, path = "/api/keys", request_body = Create, tag = "keys", responses(
    (status = 201, body = Created),
    (status = 403, description = "It would be somebody else's, or wider than its maker; or a key asks for it.", body = super::error::Problem),
    (status = 409, description = "Too many keys.", body = super::error::Problem),
))]
async fn create(state: Data<State>, Who(by): Who<Actor>, body: Body<Create>) -> HttpResult<HttpResponse> {
    let Create { name, permissions, personal, approves, exposure, selected, user } = body.0;
    let user = user.as_deref().map(id).transpose()?;
    let user = state.app.stores.people.reach(&by, user).await?;
    known(&state, &by, &selected)?;
    let terms = KeyTerms { approves, exposure, selected };
    let (info, key) =
        state.app.stores.people.create_key(&by, NewKey { user, name, permissions, personal, terms }).await?;
    Ok(HttpResponse::Created().json(Created { key: key.expose().to_owned(), info }))
}

/// Checks that there are these tools, as far as the maker of a key sees.
fn known(state: &State, by: &Actor, selected: &[String]) -> Result<()> {
    let registry = state.invoker.registry().as_seen_by(&by.caller);
    selected.iter().try_for_each(|name| registry.find(name).map(drop)).map_err(|error| {
        Error::invalid(error.message().to_owned()).with_details(serde_json::json!({"field": "selected"}))
    })
}

/// Revokes a key at once.
#[utoipa::path(delete, path = "/api/keys/{id}",
    tag = "keys", params(("id" = String, Path,)), responses((status = 204, description = "Revoked.")))]
async fn revoke(state: Data<State>, Who(by): Who<Actor>, path: Path<String>) -> HttpResult<HttpResponse> {
    state.app.stores.people.revoke_key(&by, id(&path)?).await?;
    Ok(HttpResponse::NoContent().finish())
}
