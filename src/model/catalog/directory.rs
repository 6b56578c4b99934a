//! All systems with their endpoints, as they are known at one moment.

use std::sync::Arc;

use super::{
    endpoint::{Endpoint, EndpointId},
    place::Template,
    system::{System, SystemId},
};
use crate::model::{
    error::{Error, Result},
    id::shorten,
};

/// A system with its endpoints.
#[derive(Debug, Clone, PartialEq)]
pub struct Registered {
    /// The system.
    pub system: System,
    /// Its endpoints, by path and method.
    pub endpoints: Vec<Endpoint>,
}

/// The catalog at one moment.
#[derive(Debug, Clone, Default)]
pub struct Directory {
    systems: Vec<Arc<Registered>>,
}

impl Directory {
    /// These systems.
    pub fn of(mut systems: Vec<Arc<Registered>>) -> Self {
        systems.sort_by_cached_key(|one| one.system.name.to_lowercase());
        Self { systems }
    }

    /// All, by name.
    pub fn all(&self) -> &[Arc<Registered>] {
        &self.systems
    }

    /// The system somebody means by its id, its name or its slug; case does not matter.
    pub fn find(&self, asked: &str) -> Result<&Arc<Registered>> {
        let asked = asked.trim();
        if let Ok(id) = asked.parse::<SystemId>() {
            return self.get(id);
        }
        let lower = asked.to_lowercase();
        let by_name = self.systems.iter().find(|one| one.system.name.to_lowercase() == lower);
        by_name.or_else(|| self.systems.iter().find(|one| one.system.slug == lower)).ok_or_else(|| {
            let names: Vec<&str> = self.systems.iter().take(20).map(|one| one.system.name.as_str()).collect();
            let there = match names.as_slice() {
                [] => "There are no systems yet: create_catalog_system registers one.".to_owned(),
                names => format!("There are: {}.", names.join(", ")),
            };
            Error::not_found(format!("There is no system '{}'. {there}", shorten(asked)))
        })
    }

    /// The system with this id.
    pub fn get(&self, id: SystemId) -> Result<&Arc<Registered>> {
        let found = self.systems.iter().find(|one| one.system.id == id);
        found.ok_or_else(|| Error::not_found(format!("There is no system '{id}': list_catalog_systems shows them.")))
    }

    /// The endpoint with this id, and the system it is of.
    pub fn endpoint(&self, id: EndpointId) -> Result<(&Arc<Registered>, &Endpoint)> {
        let mut all = self.systems.iter().flat_map(|one| one.endpoints.iter().map(move |endpoint| (one, endpoint)));
        all.find(|(_, endpoint)| endpoint.id == id)
            .ok_or_else(|| Error::not_found(format!("There is no endpoint '{id}': list_system_endpoints shows them.")))
    }
}

impl Registered {
    /// The endpoint a request to this path is for, if one is registered: the one that fixes most of the path, of equals
    /// the riskiest. Only protocols that are a plain request are looked at.
    pub fn matching(&self, method: &str, path: &str) -> Option<&Endpoint> {
        let method = method.to_ascii_uppercase();
        let candidates = self.endpoints.iter().filter(|endpoint| {
            endpoint.method == method && matches!(endpoint.operation, super::endpoint::Operation::Rest)
        });
        let scored = candidates.filter_map(|endpoint| {
            let fixed = Template::parse(&endpoint.path).ok()?.matches(path)?;
            Some(((fixed, endpoint.effective_risk()), endpoint))
        });
        scored.max_by_key(|(score, _)| *score).map(|(_, endpoint)| endpoint)
    }
}
