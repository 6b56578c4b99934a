//! A route of the API as one value: where it is, who may use it, and what answers.

use actix_web::http::Method;
#[cfg(debug_assertions)]
use utoipa::openapi::{RefOr, Schema, path::Paths};
use utoipa::{Path, openapi::path::HttpMethod};
use utoipa_actix_web::OpenApiFactory;

use super::{query::Query, v1::dialect::Speaks};

/// The callers that may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// Anybody.
    Public,
    /// A caller who shows a session or a key.
    SignedIn,
    /// A person: a session or this machine's command line, not a key.
    Person,
    /// A program: a key, or this machine's command line, not a session.
    Program,
    /// A caller who holds the permission.
    Permission(&'static str),
    /// A person who holds the permission.
    PersonWith(&'static str),
    /// A program on this machine; from elsewhere, who holds `settings:manage`.
    Machine,
}

/// One route. A handler is served as a route only, so none is served without a guard.
pub struct Route {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: Method,
    /// The pattern, with `{name}` for one segment.
    pub path: String,
    /// The callers that may use it.
    pub guard: Guard,
    /// `true` if it touches what belongs to the person: a key opens it only where its owner said so.
    pub personal: bool,
    /// `true` if it calls something else: a tool, a script, a model, another machine. Only the document says it.
    #[cfg(debug_assertions)]
    pub(super) calls_others: bool,
    /// `true` if what its handler refuses is told as its protocol has it: only the document says it.
    #[cfg(debug_assertions)]
    pub(super) own_errors: bool,
    /// The dialect it speaks, if it is one of `/v1`.
    pub(super) speaks: Option<Speaks>,
    /// The query parameters it takes.
    pub(super) query: Query,
    handler: fn() -> actix_web::Route,
    /// Only where tests are built, which make the API's document of it: what ships has the document itself.
    #[cfg(debug_assertions)]
    documentation: Box<dyn OpenApiFactory + Send + Sync>,
}

/// A route: its handler, which `#[utoipa::path(…)]` stands on, and its guard.
macro_rules! route {
    ($handler:ident, $guard:expr) => {
        route!(self::$handler, $guard)
    };
    ($module:ident::$handler:ident, $guard:expr) => {
        pastey::paste! {
            $crate::http::route::Route::new(
                $module::[<__path_ $handler>],
                || actix_web::web::to($module::$handler),
                $guard,
            )
        }
    };
}
pub(super) use route;

impl Route {
    /// The route of a handler; `documentation` is what `#[utoipa::path(…)]` makes of it.
    pub(super) fn new<D>(documentation: D, handler: fn() -> actix_web::Route, guard: Guard) -> Self
    where
        D: Path + OpenApiFactory + Send + Sync + 'static,
    {
        // What it documents is in its type.
        #[cfg(not(debug_assertions))]
        let _ = documentation;
        let (method, path) = (method(&D::methods()), D::path());
        let query = Query::for_route(&method, &path);
        Self {
            method,
            path,
            guard,
            personal: false,
            #[cfg(debug_assertions)]
            calls_others: false,
            #[cfg(debug_assertions)]
            own_errors: false,
            speaks: None,
            query,
            handler,
            #[cfg(debug_assertions)]
            documentation: Box::new(documentation),
        }
    }

    /// The same, of what belongs to the person.
    pub(super) fn personal(self) -> Self {
        Self { personal: true, ..self }
    }

    /// The same, which calls something else: it can fail as that does.
    pub(super) fn calls_others(self) -> Self {
        Self {
            #[cfg(debug_assertions)]
            calls_others: true,
            ..self
        }
    }

    /// The same, whose handler refuses in the words of a protocol of its own.
    pub(super) fn own_errors(self) -> Self {
        Self {
            #[cfg(debug_assertions)]
            own_errors: true,
            ..self
        }
    }

    /// The same, which speaks a dialect: it takes keys as that has them, tells errors in it, and passes over query
    /// parameters that it does not know.
    pub(super) fn speaking(self, speaks: Speaks) -> Self {
        Self { speaks: Some(speaks), ..self }
    }

    /// The handler, for one worker of the server.
    pub(super) fn handler(&self) -> actix_web::Route {
        (self.handler)().method(self.method.clone())
    }

    /// Its path and operation, as the document has them.
    #[cfg(debug_assertions)]
    pub(super) fn paths(&self) -> Paths {
        self.documentation.paths()
    }

    /// The schemas its operation refers to.
    #[cfg(debug_assertions)]
    pub(super) fn schemas(&self) -> Vec<(String, RefOr<Schema>)> {
        let mut schemas = Vec::new();
        self.documentation.schemas(&mut schemas);
        schemas
    }
}

/// The method of a handler. One that documents another method, or several, is found by the test of all routes.
fn method(documented: &[HttpMethod]) -> Method {
    match documented {
        [HttpMethod::Post] => Method::POST,
        [HttpMethod::Put] => Method::PUT,
        [HttpMethod::Patch] => Method::PATCH,
        [HttpMethod::Delete] => Method::DELETE,
        _ => Method::GET,
    }
}
