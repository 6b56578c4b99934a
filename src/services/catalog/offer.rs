//! The endpoints of systems in use, as tools: `catalog:<system>.<endpoint>`.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use super::{ahead, endpoint_call, graphql, resolve, risk};
use satchel_engine::{
    context::Context, invoker::Invoker, preparation::Preparation, registry::Registry, tool::Tool, validate::Schema,
};
use satchel_model::{
    catalog::{
        directory::{Directory, Registered},
        endpoint::{Endpoint, Parameter},
        system::System,
    },
    error::{Error, Result},
    json_schema::JsonSchema,
    spec::{Category, Source, Spec},
};
use satchel_store::catalog::Catalog;

/// Longest a call may take beside the system's own time: waiting for its turn, and trying again.
const AROUND: Duration = Duration::from_secs(20);

/// Offers the tools the catalog has now, in place of those it had.
pub fn offer(invoker: &Invoker) {
    let catalog = &invoker.app.stores.catalog;
    loop {
        let directory = catalog.get();
        let tools = tools(catalog, &directory, &invoker.registry());
        for refused in invoker.offer(Source::Catalog, tools) {
            tracing::warn!(tool = refused.id, error = ?refused.reason, "an endpoint has no tool");
        }
        // Whoever changed it meanwhile may have offered before us.
        if Arc::ptr_eq(&directory, &catalog.get()) {
            return;
        }
    }
}

/// A tool for every endpoint that can be called. Those that are there already and would be the same are kept: a change of
/// one system costs no second copy of the others' tools.
fn tools(catalog: &Catalog, directory: &Directory, there: &Registry) -> Vec<Arc<Tool>> {
    let in_use = directory.all().iter().filter(|one| one.system.require_callable().is_ok());
    let offered = |one: &Registered| -> Vec<Arc<Tool>> {
        one.endpoints
            .iter()
            .filter(|one| one.is_offered())
            .map(|endpoint| tool(catalog, &one.system, endpoint, there))
            .collect()
    };
    in_use.flat_map(|one| offered(one)).collect()
}

/// Returns what a model is told of an endpoint.
pub fn spec(system: &System, endpoint: &Endpoint) -> Spec {
    let place = format!("{} {}", endpoint.method, endpoint.path);
    let description = match endpoint.description.as_str() {
        "" => format!("{} ({place} of {}).", endpoint.name, system.name),
        text => format!("{} ({}, {place})", text.trim(), system.name),
    };
    let when_to_use = match endpoint.when_to_use.as_str() {
        "" => format!("{} of {} is needed.", endpoint.name, system.name),
        text => text.to_owned(),
    };
    Spec {
        name: format!("{}.{}", system.slug, endpoint.slug),
        source: Source::Catalog,
        description,
        when_to_use,
        category: Category::Catalog,
        parameters: JsonSchema::compact(&endpoint.schema()),
        risk: endpoint.effective_risk(),
        permission: Some("catalog:read".into()),
        timeout: Duration::from_secs(system.timeout_s.into()) + AROUND,
        settings: Vec::new(),
        examples: Vec::new(),
        innate: false,
        own_data: false,
    }
}

fn tool(catalog: &Catalog, system: &System, endpoint: &Endpoint, there: &Registry) -> Arc<Tool> {
    let (id, catalog) = (endpoint.id, catalog.clone());
    let (spec, place) = (spec(system, endpoint), system.destination());
    let is_upload = endpoint.parameters.iter().any(Parameter::is_upload);
    let made_of = format!("{id} {place:?} {is_upload}");
    let known = there.find(&spec.id()).ok().map(|found| found.tool);
    if let Some(same) = known.filter(|tool| tool.is_made_of(&made_of) && *tool.spec() == spec) {
        return same;
    }
    // The endpoint and its system are looked up when it is called: what they are then is what runs.
    let (registered, uploads) = (catalog.clone(), catalog.clone());
    let run = move |cx: Context, arguments: Value| async move { endpoint_call::call(&cx, id, &arguments).await };
    let calls = Preparation::new(run)
        .risk_of_call(move |arguments| risk::of_endpoint(&catalog.get(), id, arguments))
        .reaches_named(move |_| place.clone().into_iter().collect())
        .relies_on(move |_| resolve::endpoint_as_it_is(&registered.get(), id))
        .ahead(move |cx, arguments| async move { ahead::endpoint(&cx, id, &arguments).await });
    if !is_upload {
        return Arc::new(Tool::of_sound_spec(spec, calls).made_of(made_of));
    }
    let calls = calls.sends_files(move |arguments| endpoint_call::sent_files(&uploads.get(), id, arguments));
    Arc::new(Tool::of_sound_spec(spec, calls).made_of(made_of).personal("your files"))
}

/// Checks an endpoint's parameters and its GraphQL document.
///
/// # Errors
///
/// If they are no JSON Schema, so that it could have no tool, or the document cannot be read.
pub fn require_sound(endpoint: &Endpoint) -> Result<()> {
    graphql::risk::ensure_readable(endpoint)?;
    Schema::from_document(endpoint.schema()).require_sound().map_err(|error| {
        let told = "The schemas of the parameters are not JSON Schema (draft 2020-12): check types and `$ref`s.";
        Error::invalid(told).caused_by(error)
    })
}
