//! Systems of the catalog that lead to servers of a test, in use and allowed by an administrator.

use satchel::model::catalog::{
    directory::Registered,
    draft::{EndpointDraft, SystemDraft},
    endpoint::Endpoint,
    status::SystemStatus,
    system::{System, SystemId},
};
use serde_json::{Value, json};

use super::{
    grpc::{Reflection, start as grpc},
    services::{customers, orders, products},
    ws::Talker,
};
use crate::support::app::TestApp;

/// A system in use at this address; `more` is what else is said of it, `secrets` go into the vault.
pub async fn connect(app: &TestApp, name: &str, base_url: &str, more: Value, secrets: Value) -> System {
    let system = draft(app, name, base_url, more).await;
    let (catalog, owner) = (&app.satchel.app.stores.catalog, app.owner().await);
    if let Value::Object(secrets) = secrets {
        catalog.set_credentials(&owner, system.id, secrets).await.unwrap();
    }
    status(app, system.id, SystemStatus::Active).await
}

/// The same without authentication.
pub async fn open(app: &TestApp, name: &str, base_url: &str) -> System {
    connect(app, name, base_url, json!({}), Value::Null).await
}

/// A system that is not in use yet.
pub async fn draft(app: &TestApp, name: &str, base_url: &str, more: Value) -> System {
    let mut all = json!({"name": name, "base_url": base_url, "retries": 0, "timeout_s": 120});
    all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let draft: SystemDraft = serde_json::from_value(all).unwrap();
    let system = app.satchel.app.stores.catalog.create(&app.owner().await, draft).await.unwrap();
    allow(app, base_url).await;
    system
}

/// Moves a system on.
pub async fn status(app: &TestApp, id: SystemId, to: SystemStatus) -> System {
    app.satchel.app.stores.catalog.set_status(&app.owner().await, id, to, None).await.unwrap()
}

/// Registers an endpoint, as a person does.
pub async fn endpoint(app: &TestApp, system: &System, draft: Value) -> Endpoint {
    let draft: EndpointDraft = serde_json::from_value(draft).unwrap();
    let by = app.owner().await;
    let made = app.satchel.app.stores.catalog.create_endpoint(&by, system.id, draft).await.unwrap();
    assert!(registered(app, system).endpoints.iter().any(|one| one.id == made.id));
    made
}

/// A system with its endpoints, as it is known now.
pub fn registered(app: &TestApp, system: &System) -> Registered {
    app.satchel.app.stores.catalog.get().get(system.id).unwrap().as_ref().clone()
}

/// Lets a place on this machine be reached, beside those that may be already.
pub async fn allow(app: &TestApp, base_url: &str) {
    let url: url::Url = base_url.parse().unwrap();
    let place = format!("{}:{}", url.host_str().unwrap(), url.port_or_known_default().unwrap());
    let mut places = app.satchel.app.settings.get().outbound.exceptions.clone();
    if !places.contains(&place) {
        places.push(place);
        app.set(json!({"outbound": {"exceptions": places}})).await;
    }
}

/// The systems the examples of the callers name.
pub async fn for_examples(app: &TestApp) {
    open(app, "crm-01", &customers().await.url()).await;
    open(app, "product-api", &products().await.url()).await;
    open(app, "orders-soap", &orders("1.1").await.url()).await;
    open(app, "users-grpc", &format!("http://{}", grpc(Reflection::V1).await)).await;
    open(app, "ticker", &format!("http://{}", Talker::start().await.address)).await;
}
