//! All systems with their endpoints, as they are known at one moment.

use std::{borrow::Cow, sync::Arc};

use super::{
    endpoint::{Endpoint, EndpointId},
    graphql::Operation,
    graphql_index::GraphqlIndex,
    lookup::Lookup,
    place::Template,
    reading::{Fixed, Pattern, Reading, readings},
    system::{System, SystemId},
};
use crate::{
    error::{Error, Result},
    id::shorten,
    spec::Risk,
};

/// A system with its endpoints.
#[derive(Debug, Clone, PartialEq)]
pub struct Registered {
    /// The system.
    pub system: System,
    /// Its endpoints, by path and method.
    pub endpoints: Vec<Endpoint>,
    lookup: Lookup,
}

/// The catalog at one moment.
#[derive(Debug, Clone, Default)]
pub struct Directory {
    systems: Vec<Arc<Registered>>,
}

impl Directory {
    /// These systems.
    pub fn new(mut systems: Vec<Arc<Registered>>) -> Self {
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
            // A refusal taints nobody: no name stands in it that a stranger may have chosen.
            let ours = self.systems.iter().filter(|one| one.system.origin.is_none());
            let names: Vec<&str> = ours.take(20).map(|one| one.system.name.as_str()).collect();
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
    /// A system with these endpoints.
    pub fn new(system: System, endpoints: Vec<Endpoint>) -> Self {
        Self { system, endpoints, lookup: Lookup::default() }
    }

    /// The same after a change: what was read of endpoints that send what they sent before is not read again.
    #[must_use]
    pub fn following(self, before: &Self) -> Self {
        let lookup = before.lookup.kept(&before.endpoints, &self.endpoints);
        Self { lookup, ..self }
    }

    /// Its GraphQL operations. Where they were not read yet, `read` reads a document by its text and the name of its operation;
    /// `None` says that it cannot.
    pub fn graphql(&self, read: impl Fn(&str, Option<&str>) -> Option<Operation>) -> &GraphqlIndex {
        self.lookup.graphql(&self.endpoints, read)
    }

    /// Whether its GraphQL operations were read.
    pub fn has_read_graphql(&self) -> bool {
        self.lookup.has_read_graphql()
    }

    /// The endpoint whose limits count for a request: of those it may be for the one that fixes most of the path. Only
    /// protocols that are a plain request are looked at.
    pub fn matching(&self, method: &str, path: &str) -> Option<&Endpoint> {
        let readings = readings(path);
        let scored = self.patterns(|endpoint| endpoint.takes(method)).filter_map(|(endpoint, pattern)| {
            let exact = readings.iter().filter_map(|reading| pattern.fits(reading)).map(|fixed| fixed.sum()).max();
            let fits = exact.is_some() || readings.iter().any(|reading| pattern.may_fit(reading));
            fits.then(|| ((exact, endpoint.effective_risk()), endpoint))
        });
        scored.max_by_key(|(score, _)| *score).map(|(_, endpoint)| endpoint)
    }

    /// The risk of a call at a path, by those of its endpoints that are meant. Where the path can be read in several
    /// ways, the riskiest one counts; `unknown` is the risk of what nobody has let through.
    pub fn weigh(&self, path: &str, unknown: Risk, is_meant: impl Fn(&Endpoint) -> bool) -> Risk {
        self.weigh_given(path, unknown, is_meant, |_| true)
    }

    /// The same of a call that gives the fixed values of some endpoints only, as `gives` says. One whose values are not given
    /// can only raise the risk.
    pub fn weigh_given(
        &self,
        path: &str,
        unknown: Risk,
        is_meant: impl Fn(&Endpoint) -> bool,
        gives: impl Fn(&Endpoint) -> bool,
    ) -> Risk {
        let meant: Vec<(&Endpoint, &Pattern)> = self.patterns(is_meant).collect();
        readings(path).iter().map(|reading| weighed(&meant, reading, unknown, &gives)).max().unwrap_or(unknown)
    }

    /// The highest risk of its endpoints whose place may be this path.
    pub fn highest_at<'a>(&'a self, path: &str, place: impl Fn(&'a Endpoint) -> Option<Cow<'a, str>>) -> Risk {
        let readings = readings(path);
        let is_there = |(endpoint, own): &(&'a Endpoint, Option<&Pattern>)| {
            let may_fit = |pattern: &Pattern| readings.iter().any(|reading| pattern.may_fit(reading));
            place(endpoint).is_some_and(|place| match own {
                Some(own) if place == endpoint.path => may_fit(own),
                _ => Template::parse(&place).is_ok_and(|template| may_fit(&Pattern::new(&template))),
            })
        };
        let there = self.endpoints.iter().zip(self.lookup.patterns(&self.endpoints)).filter(is_there);
        there.map(|(endpoint, _)| endpoint.effective_risk()).max().unwrap_or(Risk::Read)
    }

    fn patterns(&self, is_meant: impl Fn(&Endpoint) -> bool) -> impl Iterator<Item = (&Endpoint, &Pattern)> {
        let all = self.endpoints.iter().zip(self.lookup.patterns(&self.endpoints));
        all.filter_map(move |(endpoint, pattern)| Some((endpoint, pattern.filter(|_| is_meant(endpoint))?)))
    }
}

/// The risk of one reading. What fits exactly is set aside only by what fits more closely and was let through; what fits
/// in a lax way counts in any case, so it can only raise the risk.
fn weighed(
    meant: &[(&Endpoint, &Pattern)],
    reading: &Reading,
    unknown: Risk,
    gives: &impl Fn(&Endpoint) -> bool,
) -> Risk {
    let (mut exact, mut risk) = (Vec::new(), Risk::Read);
    for (endpoint, pattern) in meant {
        match pattern.fits(reading) {
            Some(fixed) if gives(endpoint) => exact.push((endpoint, fixed)),
            Some(_) => risk = risk.max(endpoint.effective_risk()),
            None if pattern.may_fit(reading) => risk = risk.max(endpoint.effective_risk()),
            None => {}
        }
    }
    let let_through: Vec<&Fixed> =
        exact.iter().filter(|(endpoint, _)| endpoint.reviewed).map(|(_, fixed)| fixed).collect();
    let counts = |fixed: &Fixed| !let_through.iter().any(|closer| closer.is_closer_than(fixed));
    let exact_risk = exact.iter().filter(|(_, fixed)| counts(fixed)).map(|(endpoint, _)| endpoint.effective_risk());
    let floor = if let_through.is_empty() { unknown } else { Risk::Read };
    exact_risk.max().unwrap_or(Risk::Read).max(risk).max(floor)
}
