//! Which system or endpoint somebody means, and whether it may be called now.

use std::sync::Arc;

use crate::{
    app::App,
    engine::context::Context,
    model::{
        catalog::{
            directory::{Directory, Registered},
            endpoint::{Endpoint, EndpointId},
            system::SystemId,
        },
        error::Result,
    },
};

/// The system somebody means by its id, name or slug, where it may be called now (R8).
pub fn callable(app: &App, asked: &str) -> Result<Arc<Registered>> {
    let directory = app.catalog.get();
    let found = directory.find(asked)?;
    found.system.demand_callable()?;
    Ok(Arc::clone(found))
}

/// The endpoint with this id and its system, where it may be called now.
pub fn callable_endpoint(app: &App, id: EndpointId) -> Result<(Arc<Registered>, Endpoint)> {
    let directory = app.catalog.get();
    let (found, endpoint) = directory.endpoint(id)?;
    found.system.demand_callable()?;
    Ok((Arc::clone(found), endpoint.clone()))
}

/// The host of the system somebody means. That an administrator connected it says that it may be reached, not that
/// whatever a conversation holds may be carried there.
pub fn hosts(directory: &Directory, asked: &str) -> Vec<String> {
    directory.find(asked).ok().and_then(|found| found.system.host()).into_iter().collect()
}

impl Context {
    /// All systems. Fails where the caller may not see them.
    pub fn systems(&self) -> Result<Arc<Directory>> {
        self.caller().demand("catalog:read")?;
        Ok(self.app().catalog.get())
    }

    /// All systems, for one who may change them.
    pub fn systems_to_change(&self) -> Result<Arc<Directory>> {
        self.caller().demand("catalog:write")?;
        Ok(self.app().catalog.get())
    }

    /// The id of the system somebody means to change. Fails where the caller may change none.
    pub fn known_system(&self, asked: &str) -> Result<SystemId> {
        Ok(self.systems_to_change()?.find(asked)?.system.id)
    }

    /// The system somebody means, where it may be called now. Fails where the caller may not call any.
    pub fn callable_system(&self, asked: &str) -> Result<Arc<Registered>> {
        self.caller().demand("catalog:read")?;
        callable(self.app(), asked)
    }
}
