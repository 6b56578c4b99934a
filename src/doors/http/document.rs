//! The OpenAPI document, made of the routes: what their handlers say, and what follows from their guards.

use actix_web::http::Method;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        ComponentsBuilder, ContentBuilder, InfoBuilder, OneOfBuilder, OpenApi, OpenApiBuilder, PathItem, Paths, Ref,
        RefOr, Response, ResponseBuilder,
        path::Operation,
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    },
};

use super::{
    bounds,
    client::SESSION,
    error::{PROBLEM, Problem},
    route::{Guard, Route},
    v1::dialect::{self, Dialect, Speaks},
};
use satchel_model::error::{Error, Result};

/// The whole API, as the handlers and guards of its routes describe it.
pub fn document(routes: &[Route]) -> OpenApi {
    let mut paths = Paths::new();
    routes.iter().for_each(|route| paths.merge(route.paths()));
    let components = ComponentsBuilder::new().schemas_from_iter(routes.iter().flat_map(Route::schemas)).build();
    let mut document = OpenApiBuilder::new().paths(paths).components(Some(components)).build();
    document.info = InfoBuilder::new()
        .title("Satchel")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some("Errors are RFC 9457 problem JSON. Times are RFC 3339 in UTC."))
        .build();
    let components = document.components.get_or_insert_default();
    components.schemas.insert(Problem::name().into_owned(), Problem::schema());
    for (name, schema) in dialect::schemas() {
        components.schemas.insert(name, schema);
    }
    components.add_security_scheme(
        "key",
        SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("sk_satchel_…").build()),
    );
    components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new(SESSION))));
    for route in routes {
        if let Some(item) = document.paths.paths.get_mut(&route.path)
            && let Some(operation) = operation_mut(item, &route.method)
        {
            operation.operation_id = Some(operation_id(route.method.as_str(), &route.path));
            complete(operation, route);
        }
    }
    document
}

/// The text of [`document`].
pub fn text(routes: &[Route]) -> Result<String> {
    let mut document = serde_json::to_value(document(routes)).map_err(Error::internal)?;
    bounds::complete(&mut document);
    serde_json::to_string_pretty(&document).map(|text| text + "\n").map_err(Error::internal)
}

fn operation_mut<'a>(item: &'a mut PathItem, method: &Method) -> Option<&'a mut Operation> {
    match method.as_str() {
        "GET" => item.get.as_mut(),
        "POST" => item.post.as_mut(),
        "PUT" => item.put.as_mut(),
        "PATCH" => item.patch.as_mut(),
        "DELETE" => item.delete.as_mut(),
        _ => None,
    }
}

/// Unique over the document: `get_api_tools_name` for `GET /api/tools/{name}`.
fn operation_id(method: &str, path: &str) -> String {
    let words = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(method.to_ascii_lowercase(), |id, word| format!("{id}_{word}"))
}

/// Adds the security and the errors that follow from the guard and the parameters.
fn complete(operation: &mut Operation, route: &Route) {
    let guard = route.guard;
    let mut errors = vec![("500", "A defect of ours; the log says more under the request id.")];
    match guard {
        Guard::Public => {}
        Guard::SignedIn
        | Guard::Program
        | Guard::Person
        | Guard::Permission(_)
        | Guard::PersonWith(_)
        | Guard::Machine => {
            errors.push(("401", "Nobody is signed in, or the credential is not known."));
        }
    }
    errors.push(("403", refusal(guard)));
    if let Guard::Permission(permission) | Guard::PersonWith(permission) = guard {
        let note = format!("Needs the permission `{permission}`.");
        let description = operation.description.take();
        operation.description = Some(description.map_or(note.clone(), |text| format!("{text}\n\n{note}")));
    }
    let takes_body = operation.request_body.is_some();
    let takes_parameters = operation.parameters.as_ref().is_some_and(|parameters| !parameters.is_empty());
    if takes_body || takes_parameters {
        errors.push(("400", "The request is wrong; the detail says what and where."));
    }
    if takes_body {
        errors.push(("413", "The body is too large."));
        errors.push(("415", "The body is not JSON."));
    }
    if takes_parameters || takes_body {
        errors.push(("404", "No such thing, or not for this caller."));
    }
    if route.method != Method::GET {
        errors.push(("409", "Not possible in the state that things are in; the detail says why."));
        errors.push(("507", "The disk is full: nothing was written."));
    }
    if route.calls_others {
        errors.push(("429", "Too much was asked for; the detail says when to come again."));
        errors.push(("502", "Another system failed."));
        errors.push(("503", "It is switched off, too much waits, or it was cancelled; the detail says which."));
        errors.push(("504", "It took too long."));
        if route.speaks == Some(Speaks::Only(Dialect::Anthropic)) {
            errors.push(("529", "Too much waits."));
        }
    }
    for (status, description) in errors {
        let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name(Problem::name()))).build();
        let response = ResponseBuilder::new().description(description).content(PROBLEM, problem).build();
        operation.responses.responses.entry(status.to_owned()).or_insert_with(|| response.into());
    }
    for (_, response) in operation.responses.responses.iter_mut().filter(|(status, _)| status.as_str() >= "400") {
        if let RefOr::T(response) = response {
            match route.speaks {
                Some(speaks) => answers_in_dialect(response, speaks),
                None => answers_with_a_problem(response, route.own_errors),
            }
        }
    }
    operation.security = Some(match guard {
        Guard::Public | Guard::Machine => vec![SecurityRequirement::default()],
        Guard::Person | Guard::PersonWith(_) => vec![SecurityRequirement::new::<_, [&str; 0], &str>("session", [])],
        Guard::Program => vec![SecurityRequirement::new::<_, [&str; 0], &str>("key", [])],
        Guard::SignedIn | Guard::Permission(_) => vec![
            SecurityRequirement::new::<_, [&str; 0], &str>("key", []),
            SecurityRequirement::new::<_, [&str; 0], &str>("session", []),
        ],
    });
}

/// Returns why a route with this guard refuses, beside what its handler has against it.
fn refusal(guard: Guard) -> &'static str {
    match guard {
        Guard::Public => "The request comes from another site.",
        Guard::SignedIn | Guard::Program | Guard::Permission(_) | Guard::Machine => {
            "The caller may not do this, or the request comes from another site."
        }
        Guard::Person | Guard::PersonWith(_) => {
            "Only a person in a session may do this, if permitted, and not from another site."
        }
    }
}

/// Errors are problem JSON, whatever fields they have besides; where a handler has errors of its own, those or these.
fn answers_with_a_problem(response: &mut Response, own_errors: bool) {
    let given = response.content.shift_remove("application/json");
    if own_errors {
        let any = ContentBuilder::new().build().into();
        response.content.insert("application/json".to_owned(), given.clone().unwrap_or(any));
    }
    let given = given.filter(|_| !own_errors);
    let problem = || ContentBuilder::new().schema(Some(Ref::from_schema_name(Problem::name()))).build().into();
    response.content.entry(PROBLEM.to_owned()).or_insert_with(|| given.unwrap_or_else(problem));
}

/// Errors of `/v1` have the shape of their dialect.
fn answers_in_dialect(response: &mut Response, speaks: Speaks) {
    let mut shapes = OneOfBuilder::new();
    for name in speaks.error_names() {
        shapes = shapes.item(Ref::from_schema_name(name));
    }
    let content = ContentBuilder::new().schema(Some(shapes)).build();
    response.content.clear();
    response.content.insert("application/json".to_owned(), content.into());
}
