//! The system or endpoint somebody means, and whether it may be called now.

use std::sync::Arc;

use serde_json::json;

use super::graphql;
use satchel_app::App;
use satchel_engine::context::Context;
use satchel_model::{
    catalog::{
        directory::{Directory, Registered},
        endpoint::{Endpoint, EndpointId},
        system::{System, SystemId},
    },
    destination::Destination,
    error::Result,
};

/// The system somebody means by its id, name or slug, where it may be called now.
pub fn callable(app: &App, asked: &str) -> Result<Arc<Registered>> {
    let directory = app.stores.catalog.get();
    let found = directory.find(asked)?;
    found.system.require_callable()?;
    Ok(Arc::clone(found))
}

/// The endpoint with this id and its system, where it may be called now.
pub fn callable_endpoint(app: &App, id: EndpointId) -> Result<(Arc<Registered>, Endpoint)> {
    let directory = app.stores.catalog.get();
    let (found, endpoint) = directory.endpoint(id)?;
    found.system.require_callable()?;
    Ok((Arc::clone(found), endpoint.clone()))
}

/// The destination of the system somebody means. That an administrator connected it says that it may be reached, not that
/// whatever a conversation holds may be carried there.
pub fn destinations(directory: &Directory, asked: &str) -> Vec<Destination> {
    directory.find(asked).ok().and_then(|found| found.system.destination()).into_iter().collect()
}

/// The text that decides where a call to the system somebody means goes, and as whom: its address and how it is asked.
/// Empty where there is no such system.
pub fn system_as_it_is(directory: &Directory, asked: &str) -> String {
    directory.find(asked).map(|found| address(&found.system)).unwrap_or_default()
}

/// The same of a GraphQL call, which goes where the operations that were let through have it.
pub fn graphql_as_it_is(directory: &Directory, asked: &str) -> String {
    let Ok(found) = directory.find(asked) else { return String::new() };
    format!("{} {}", json!({"path": graphql::risk::path(found)}), address(&found.system))
}

/// The text that decides what a call of an endpoint does: the endpoint as it is registered, and its system. Empty where it
/// is gone.
pub fn endpoint_as_it_is(directory: &Directory, id: EndpointId) -> String {
    let Ok((found, endpoint)) = directory.endpoint(id) else { return String::new() };
    let Endpoint { operation, method, path, parameters, risk, reviewed, .. } = endpoint;
    let row = json!({
        "operation": operation, "method": method, "path": path, "parameters": parameters, "risk": risk,
        "reviewed": reviewed,
    });
    format!("{row} {}", address(&found.system))
}

fn address(system: &System) -> String {
    json!({"system": system.id, "base_url": system.base_url, "auth": system.auth}).to_string()
}

/// Returns all systems.
///
/// # Errors
///
/// If the caller may not see them.
pub fn systems(cx: &Context) -> Result<Arc<Directory>> {
    cx.caller().require("catalog:read")?;
    Ok(cx.app().stores.catalog.get())
}

/// All systems, for one who may change them.
pub fn systems_to_change(cx: &Context) -> Result<Arc<Directory>> {
    cx.caller().require("catalog:write")?;
    Ok(cx.app().stores.catalog.get())
}

/// Returns the id of the system somebody means to change.
///
/// # Errors
///
/// If the caller may change none.
pub fn known_system(cx: &Context, asked: &str) -> Result<SystemId> {
    Ok(systems_to_change(cx)?.find(asked)?.system.id)
}

/// Returns the system somebody means, where it may be called now.
///
/// # Errors
///
/// If the caller may not call any.
pub fn callable_for(cx: &Context, asked: &str) -> Result<Arc<Registered>> {
    cx.caller().require("catalog:read")?;
    callable(cx.app(), asked)
}
