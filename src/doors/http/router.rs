//! The routes as actix serves them: one resource for each path, each route behind its guard.

use std::sync::Arc;

use actix_web::{
    HttpRequest,
    body::BoxBody,
    dev::{ResourceDef, ServiceRequest},
    guard::fn_guard,
    http::Method,
    middleware::{Next, from_fn},
    web::{self, Data, ServiceConfig},
};

use super::{
    error::wrong_method,
    gate::{self, Endpoint},
    meters::Meters,
    route::Route,
    state::State,
};

/// The resources, the same for all workers.
pub(super) struct Router(Vec<Resource>);

/// One path.
struct Resource {
    path: String,
    endpoints: Vec<Arc<Endpoint>>,
    /// Methods that a pattern answers which matches this path too: for them this is no resource.
    elsewhere: Vec<Method>,
}

impl Router {
    /// Serves these routes. A path that is written out goes before a pattern that matches it.
    pub(super) fn new(routes: Vec<Route>, meters: &Meters) -> Self {
        let (patterns, written): (Vec<_>, Vec<_>) =
            by_path(routes, meters).into_iter().partition(|resource| resource.path.contains('{'));
        // Made once: each is a regular expression to be compiled.
        let matching: Vec<_> = patterns.iter().map(|pattern| (ResourceDef::new(&*pattern.path), pattern)).collect();
        let mut all: Vec<_> = written.into_iter().map(|resource| resource.beside(&matching)).collect();
        all.extend(patterns);
        Self(all)
    }

    /// Registers everything with a worker.
    pub(super) fn configure(&self, config: &mut ServiceConfig) {
        for resource in &self.0 {
            config.service(resource.served());
        }
    }
}

fn by_path(routes: Vec<Route>, meters: &Meters) -> Vec<Resource> {
    let mut resources: Vec<Resource> = Vec::new();
    for route in routes {
        let path = route.path.clone();
        let meter = meters.route(&route.method, &path);
        let endpoint = Arc::new(Endpoint { route, meter });
        match resources.iter_mut().find(|resource| resource.path == path) {
            Some(resource) => resource.endpoints.push(endpoint),
            None => resources.push(Resource { path, endpoints: vec![endpoint], elsewhere: Vec::new() }),
        }
    }
    resources
}

impl Resource {
    /// The same, which leaves to these patterns what they answer of its path and it does not.
    fn beside(self, patterns: &[(ResourceDef, &Self)]) -> Self {
        let own = self.methods();
        let same = patterns.iter().filter(|(pattern, _)| pattern.is_match(&self.path));
        let elsewhere = same.flat_map(|(_, route)| route.methods()).filter(|method| !own.contains(method)).collect();
        Self { elsewhere, ..self }
    }

    fn methods(&self) -> Vec<Method> {
        self.endpoints.iter().map(|endpoint| endpoint.route.method.clone()).collect()
    }

    fn served(&self) -> actix_web::Resource {
        let (elsewhere, allowed) = (self.elsewhere.clone(), self.methods());
        let refuse = move |request: HttpRequest| {
            let refusal = wrong_method(request.method(), &allowed);
            async { Err::<String, _>(refusal) }
        };
        let resource = web::resource(self.path.as_str())
            .guard(fn_guard(move |request| !elsewhere.contains(&request.head().method)))
            .default_service(web::to(refuse));
        self.endpoints.iter().fold(resource, |resource, endpoint| resource.route(guarded(endpoint)))
    }
}

/// A route's handler, behind its guard.
fn guarded(endpoint: &Arc<Endpoint>) -> actix_web::Route {
    let own = Arc::clone(endpoint);
    let pass = move |state: Data<State>, request: ServiceRequest, next: Next<BoxBody>| {
        gate::serve(Arc::clone(&own), state, request, next)
    };
    endpoint.route.handler().wrap(from_fn(pass))
}
