//! The GraphQL operations registered for a system, ready to be looked up: a call is weighed without reading any of them.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use super::{
    endpoint::{Endpoint, EndpointId},
    graphql::{Kind, Operation, Step},
    place::Template,
    reading::{Pattern, readings},
};
use crate::spec::Risk;

/// Most ways in which the arguments of one path are remembered. What goes beyond is as unknown.
const MAX_WAYS: usize = 16;

/// All of a system's.
#[derive(Debug, Default)]
pub struct GraphqlIndex {
    places: Vec<Place>,
    /// The highest risk of those that cannot be read: it is not known what they are, so any call may be theirs.
    unreadable: Option<Risk>,
    /// What was read of each endpoint; `None` if it cannot be read.
    read: HashMap<EndpointId, Option<Arc<Operation>>>,
}

/// The operations of one path.
#[derive(Debug)]
struct Place {
    pattern: Option<Pattern>,
    highest: Risk,
    kinds: HashMap<Kind, Fields>,
}

#[derive(Debug, Default)]
struct Fields {
    outermost: HashMap<String, Risk>,
    /// Which arguments each path may have; any if there is an empty way. Whoever asks for less of a field than is registered runs
    /// a part of that.
    paths: HashMap<String, Vec<Vec<Arc<Step>>>>,
}

/// What is registered where a call goes.
pub struct Nearby<'a> {
    exact: Vec<&'a Place>,
    /// What a lax server may take the path for; it can only raise the risk.
    lax: Vec<&'a Place>,
    unreadable: Option<Risk>,
}

impl GraphqlIndex {
    /// Of these endpoints with what was read of their documents; `None` if it cannot be read.
    pub(super) fn new<'a>(endpoints: impl Iterator<Item = (&'a Endpoint, Option<Arc<Operation>>)>) -> Self {
        let (mut index, mut at) = (Self::default(), HashMap::new());
        for (endpoint, read) in endpoints {
            let risk = endpoint.effective_risk();
            let number = *at.entry(endpoint.path.as_str()).or_insert_with(|| {
                index.places.push(Place::new(&endpoint.path));
                index.places.len() - 1
            });
            let place = index.places.get_mut(number);
            match (&read, place) {
                (Some(operation), Some(place)) => place.add(operation, risk),
                (_, place) => {
                    index.unreadable = index.unreadable.max(Some(risk));
                    place.into_iter().for_each(|place| place.highest = place.highest.max(risk));
                }
            }
            index.read.insert(endpoint.id, read);
        }
        index
    }

    /// What was read of an endpoint: `None` if nothing was yet, `Some(None)` if it cannot be read.
    pub(super) fn read(&self, id: EndpointId) -> Option<&Option<Arc<Operation>>> {
        self.read.get(&id)
    }

    /// What is registered at a path, however servers may read it.
    pub fn at(&self, path: &str) -> Nearby<'_> {
        let readings = readings(path);
        let (mut exact, mut lax) = (Vec::new(), Vec::new());
        for place in &self.places {
            let Some(pattern) = &place.pattern else { continue };
            match readings.first().and_then(|written| pattern.fits(written)) {
                Some(_) => exact.push(place),
                None if readings.iter().any(|reading| pattern.may_fit(reading)) => lax.push(place),
                None => {}
            }
        }
        Nearby { exact, lax, unreadable: self.unreadable }
    }

    /// What is registered at the places that a path lies below.
    pub fn above(&self, path: &str) -> Nearby<'_> {
        let readings = readings(path);
        let is_above = |pattern: &Pattern| readings.iter().any(|reading| pattern.may_begin(reading));
        let lax = self.places.iter().filter(|place| place.pattern.as_ref().is_some_and(is_above)).collect();
        Nearby { exact: Vec::new(), lax, unreadable: self.unreadable }
    }

    /// The operations registered at any path, for documents that go elsewhere.
    pub fn elsewhere(&self) -> Nearby<'_> {
        Nearby { exact: Vec::new(), lax: self.places.iter().collect(), unreadable: self.unreadable }
    }
}

impl Place {
    fn new(path: &str) -> Self {
        let pattern = Template::parse(path).ok().map(|template| Pattern::new(&template));
        Self { pattern, highest: Risk::Read, kinds: HashMap::new() }
    }

    fn add(&mut self, operation: &Operation, risk: Risk) {
        self.highest = self.highest.max(risk);
        let fields = self.kinds.entry(operation.kind).or_default();
        for field in &operation.fields {
            let known = fields.outermost.entry(field.clone()).or_insert(risk);
            *known = risk.max(*known);
        }
        for (path, steps) in &operation.paths {
            let ways = fields.paths.entry(path.clone()).or_default();
            for way in steps.iter().map(|step| operation.fixed(*step)) {
                let is_known = ways.iter().any(|known| known.is_empty() || *known == way);
                if way.is_empty() {
                    *ways = vec![way];
                } else if !is_known && ways.len() < MAX_WAYS {
                    ways.push(way);
                }
            }
        }
    }

    fn risk_of(&self, kind: Kind, field: &str) -> Option<Risk> {
        self.kinds.get(&kind)?.outermost.get(field).copied()
    }

    /// Whether a path was registered, with these values where it has some of its own.
    fn knows(&self, asked: &Operation, leaf: &str, step: usize) -> bool {
        let ways = self.kinds.get(&asked.kind).and_then(|fields| fields.paths.get(leaf));
        ways.is_some_and(|ways| ways.iter().any(|way| asked.gives(step, way)))
    }
}

impl Nearby<'_> {
    /// Whether nothing is registered there.
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.lax.is_empty()
    }

    /// The highest risk of all that is registered there.
    pub fn highest(&self) -> Risk {
        let there = self.exact.iter().chain(&self.lax).map(|place| place.highest);
        there.chain(self.unreadable).max().unwrap_or(Risk::Read)
    }

    /// The risk of an outermost field of an operation: as registered, else that of its kind.
    pub fn of_field(&self, kind: Kind, field: &str) -> Risk {
        let highest = |places: &[&Place]| places.iter().filter_map(|place| place.risk_of(kind, field)).max();
        highest(&self.exact).unwrap_or_else(|| kind.risk()).max(highest(&self.lax).unwrap_or(Risk::Read))
    }

    /// The risk of an operation: the highest of its outermost fields, and at least that of its kind where it asks for
    /// something that is not registered as it asks for it.
    pub fn weigh(&self, asked: &Operation) -> Risk {
        let fields = asked.fields.iter().map(|field| self.of_field(asked.kind, field));
        let outermost = fields.max().unwrap_or_else(|| asked.kind.risk());
        // Many systems group what they do: from `customer { rename }` nothing follows for `customer { deleteAll }`.
        let known = |leaf: &str, step: usize| self.exact.iter().any(|place| place.knows(asked, leaf, step));
        let is_known = asked.leaves.iter().all(|(leaf, steps)| steps.iter().all(|step| known(leaf, *step)));
        let own = if is_known { outermost } else { outermost.max(asked.kind.risk()) };
        own.max(self.unreadable.unwrap_or(Risk::Read))
    }

    /// The outermost fields of an operation that have something unregistered in them.
    pub fn unknown<'a>(&self, asked: &'a Operation) -> HashSet<&'a str> {
        let known = |leaf: &str, step: usize| self.exact.iter().any(|place| place.knows(asked, leaf, step));
        let unknown = asked.leaves.iter().filter(|(leaf, steps)| !steps.iter().all(|step| known(leaf, *step)));
        unknown.map(|(leaf, _)| super::graphql::outermost(leaf)).collect()
    }
}
