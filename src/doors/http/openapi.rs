//! The OpenAPI document, collected from the handlers; what follows from a route's guard is added here, once.

use std::collections::BTreeSet;

use actix_web::{HttpResponse, get, http::header::ContentType, web::Data};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, PathItem, Ref, RefOr, Response, ResponseBuilder,
        path::Operation,
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    },
};
use utoipa_actix_web::{AppExt, service_config::ServiceConfig};

use super::{
    client::SESSION,
    error::Problem,
    routes::{self, Guard, ROUTES, Route},
    state::State,
};
use crate::model::error::{Error, Result};

/// The media type of errors.
const PROBLEM: &str = "application/problem+json";

pub(super) fn services(config: &mut ServiceConfig<'_>) {
    config.service(read);
}

/// This document.
#[utoipa::path(tag = "platform", responses((status = 200, description = "OpenAPI 3.1", content_type = "application/json")))]
#[get("/api/openapi.json")]
async fn read(state: Data<State>) -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::json()).body(state.document.clone())
}

/// The whole API.
pub fn document() -> OpenApi {
    let (_, mut document) = actix_web::App::new().into_utoipa_app().configure(routes::configure).split_for_parts();
    document.info = InfoBuilder::new()
        .title("Satchel")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some("Errors are RFC 9457 problem JSON. Times are RFC 3339 in UTC."))
        .build();
    let components = document.components.get_or_insert_default();
    components.schemas.insert(Problem::name().into_owned(), Problem::schema());
    components.add_security_scheme(
        "key",
        SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("sk_satchel_…").build()),
    );
    components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new(SESSION))));
    for route in ROUTES {
        if let Some(item) = document.paths.paths.get_mut(route.path)
            && let Some(operation) = operation_mut(item, route.method)
        {
            operation.operation_id = Some(operation_id(route.method, route.path));
            complete(operation, route);
        }
    }
    document
}

/// The document as it is served and kept in the repository.
pub fn text(document: &OpenApi) -> Result<String> {
    let builder: OpenApiBuilder = document.clone().into();
    builder.build().to_pretty_json().map(|text| text + "\n").map_err(Error::internal)
}

/// Every path and method of the document.
pub(super) fn operations(document: &OpenApi) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for (path, item) in &document.paths.paths {
        let methods = [
            ("GET", &item.get),
            ("POST", &item.post),
            ("PUT", &item.put),
            ("PATCH", &item.patch),
            ("DELETE", &item.delete),
        ];
        let there = methods.into_iter().filter(|(_, operation)| operation.is_some());
        found.extend(there.map(|(method, _)| (path.clone(), method.to_owned())));
    }
    found
}

/// What the document says of a route.
pub(super) fn operation<'a>(document: &'a OpenApi, route: &Route) -> Option<&'a Operation> {
    let item = document.paths.paths.get(route.path)?;
    match route.method {
        "GET" => item.get.as_ref(),
        "POST" => item.post.as_ref(),
        "PUT" => item.put.as_ref(),
        "PATCH" => item.patch.as_ref(),
        "DELETE" => item.delete.as_ref(),
        _ => None,
    }
}

fn operation_mut<'a>(item: &'a mut PathItem, method: &str) -> Option<&'a mut Operation> {
    match method {
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
        Guard::SignedIn | Guard::Person | Guard::Permission(_) | Guard::Machine => {
            errors.push(("401", "Nobody is signed in, or the credential is not known."));
        }
    }
    if let Guard::Permission(permission) = guard {
        errors.push(("403", "The caller may not do this."));
        let note = format!("Needs the permission `{permission}`.");
        let description = operation.description.take();
        operation.description = Some(description.map_or(note.clone(), |text| format!("{text}\n\n{note}")));
    }
    if guard == Guard::Person {
        errors.push(("403", "Only a person in a session may do this."));
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
    if takes_parameters {
        errors.push(("404", "No such thing, or not for this caller."));
    }
    if !matches!(route.method, "GET") {
        errors.push(("507", "The disk is full: nothing was written."));
    }
    for (status, description) in errors {
        let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name(Problem::name()))).build();
        let response = ResponseBuilder::new().description(description).content(PROBLEM, problem).build();
        operation.responses.responses.entry(status.to_owned()).or_insert_with(|| response.into());
    }
    for (_, response) in operation.responses.responses.iter_mut().filter(|(status, _)| status.as_str() >= "400") {
        if let RefOr::T(response) = response {
            answers_with_a_problem(response);
        }
    }
    operation.security = Some(match guard {
        Guard::Public | Guard::Machine => vec![SecurityRequirement::default()],
        Guard::Person => vec![SecurityRequirement::new::<_, [&str; 0], &str>("session", [])],
        Guard::SignedIn | Guard::Permission(_) => vec![
            SecurityRequirement::new::<_, [&str; 0], &str>("key", []),
            SecurityRequirement::new::<_, [&str; 0], &str>("session", []),
        ],
    });
}

/// Errors are problem JSON, whatever fields they have besides.
fn answers_with_a_problem(response: &mut Response) {
    let given = response.content.shift_remove("application/json");
    let problem = || ContentBuilder::new().schema(Some(Ref::from_schema_name(Problem::name()))).build().into();
    response.content.entry(PROBLEM.to_owned()).or_insert_with(|| given.unwrap_or_else(problem));
}
