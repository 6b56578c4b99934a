//! Where handlers are registered: with a worker of the server, or with the document that describes them.

use actix_web::{dev::HttpServiceFactory, web::ServiceConfig};
use utoipa::openapi::{RefOr, Schema, path::Paths};
use utoipa_actix_web::OpenApiFactory;

/// Takes handlers. A worker does not make the descriptions: they are most of the work, and nobody reads them there.
pub struct Services<'a>(Target<'a>);

enum Target<'a> {
    Worker(&'a mut ServiceConfig),
    Document(&'a mut Described),
}

/// What handlers say of themselves.
#[derive(Default)]
pub(super) struct Described {
    pub(super) paths: Paths,
    pub(super) schemas: Vec<(String, RefOr<Schema>)>,
}

impl<'a> Services<'a> {
    /// Handlers that answer.
    pub(super) fn of_worker(config: &'a mut ServiceConfig) -> Self {
        Self(Target::Worker(config))
    }

    /// Handlers that are described.
    pub(super) fn described(described: &'a mut Described) -> Self {
        Self(Target::Document(described))
    }

    /// Takes one.
    pub(super) fn service(&mut self, handler: impl HttpServiceFactory + OpenApiFactory + 'static) -> &mut Self {
        match &mut self.0 {
            Target::Worker(config) => {
                config.service(handler);
            }
            Target::Document(described) => {
                described.paths.merge(handler.paths());
                handler.schemas(&mut described.schemas);
            }
        }
        self
    }
}
