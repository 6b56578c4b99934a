//! What follows from a system's endpoints, found out once: weighing a call must not cost what all that is registered costs.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use serde_json::Value;

use super::{
    endpoint::{Endpoint, EndpointId, Operation as Sent, ParameterPlace, only_value},
    graphql::Operation,
    graphql_index::GraphqlIndex,
    place::Template,
    reading::Pattern,
};

/// What was read of a document; `None` if it cannot be read.
type Read = Option<Arc<Operation>>;

/// What was found out so far. A copy begins anew: its endpoints may be changed.
#[derive(Debug, Default)]
pub(super) struct Lookup {
    patterns: OnceLock<Vec<Option<Pattern>>>,
    graphql: OnceLock<GraphqlIndex>,
    /// What was read before a change.
    kept: HashMap<EndpointId, Read>,
}

impl Clone for Lookup {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// It follows from the endpoints and says nothing of its own.
impl PartialEq for Lookup {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Lookup {
    /// The pattern of each endpoint's path, in their order.
    pub(super) fn patterns(&self, endpoints: &[Endpoint]) -> impl Iterator<Item = Option<&Pattern>> {
        let all = self.patterns.get_or_init(|| endpoints.iter().map(pattern).collect());
        all.iter().map(Option::as_ref)
    }

    pub(super) fn graphql(
        &self,
        endpoints: &[Endpoint],
        read: impl Fn(&str, Option<&str>) -> Option<Operation>,
    ) -> &GraphqlIndex {
        let read_one = |endpoint: &Endpoint| -> Option<Read> {
            let Sent::Graphql { query, operation_name } = &endpoint.operation else { return None };
            let kept = self.kept.get(&endpoint.id).cloned();
            Some(kept.unwrap_or_else(|| read(query, operation_name.as_deref()).map(Arc::new)))
        };
        let all = || endpoints.iter().filter_map(|endpoint| Some((endpoint, read_one(endpoint)?)));
        self.graphql.get_or_init(|| GraphqlIndex::new(all()))
    }

    pub(super) fn has_read_graphql(&self) -> bool {
        self.graphql.get().is_some()
    }

    /// What still holds for other endpoints: what was read of those that send the same as before.
    pub(super) fn kept(&self, before: &[Endpoint], now: &[Endpoint]) -> Self {
        let sent: HashMap<EndpointId, &Sent> =
            before.iter().map(|endpoint| (endpoint.id, &endpoint.operation)).collect();
        let is_same = |endpoint: &&Endpoint| sent.get(&endpoint.id).is_some_and(|sent| **sent == endpoint.operation);
        let read = |endpoint: &Endpoint| {
            let known = self.graphql.get().and_then(|index| index.read(endpoint.id));
            known.or_else(|| self.kept.get(&endpoint.id)).map(|read| (endpoint.id, read.clone()))
        };
        Self { kept: now.iter().filter(is_same).filter_map(read).collect(), ..Self::default() }
    }
}

/// The pattern of an endpoint's path. A parameter with one value only is as fixed as what is written around it.
fn pattern(endpoint: &Endpoint) -> Option<Pattern> {
    let only = |name: &str| {
        let mut own = endpoint.parameters.iter().filter(|own| own.place == ParameterPlace::Path && own.name == name);
        match only_value(&own.next()?.schema)? {
            Value::String(text) => Some(text.clone()),
            value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
            _ => None,
        }
    };
    Template::parse(&endpoint.path).ok().map(|template| Pattern::new(&template.fill_some(only)))
}

#[cfg(test)]
mod tests {
    use std::{
        cell::Cell,
        collections::{BTreeMap, BTreeSet},
    };

    use serde_json::json;

    use super::*;
    use crate::{
        catalog::{
            directory::Registered,
            draft::{EndpointDraft, SystemDraft},
            graphql::Kind,
            system::SystemId,
        },
        spec::Risk,
        time::Time,
    };

    fn endpoint(query: &str) -> Endpoint {
        let said = json!({"name": "x", "path": "/graphql", "risk": "read", "operation": {"protocol": "graphql", "query": query}});
        let draft: EndpointDraft = serde_json::from_value(said).unwrap();
        let made = draft.into_new(SystemId::new(), &BTreeSet::new(), Time::from_millis(0)).unwrap();
        Endpoint { reviewed: true, ..made }
    }

    fn system(endpoints: Vec<Endpoint>) -> Registered {
        let draft: SystemDraft =
            serde_json::from_value(json!({"name": "shop", "base_url": "https://a.example"})).unwrap();
        Registered::new(draft.into_new(&BTreeSet::new(), Time::from_millis(0)).unwrap(), endpoints)
    }

    /// A stand-in for the parser: a document of one field.
    fn read(field: &str) -> Operation {
        let paths: BTreeMap<_, _> = [(field.to_owned(), [0].into())].into();
        Operation { kind: Kind::Query, fields: vec![field.to_owned()], leaves: paths.clone(), paths, steps: Vec::new() }
    }

    #[test]
    fn a_registered_document_is_read_once_however_often_calls_are_weighed() {
        let before = system((0..4_000).map(|n| endpoint(&format!("field{n}"))).collect());
        let count = Cell::new(0);
        let counted = |query: &str, _: Option<&str>| {
            count.set(count.get() + 1);
            Some(read(query))
        };
        let absent = |n: usize| read(&format!("absent{n}"));
        for n in 0..5_000 {
            assert_eq!(before.graphql(counted).at("/graphql").weigh(&absent(n)), Risk::LowWrite);
        }
        assert_eq!(before.graphql(counted).at("/graphql").weigh(&read("field7")), Risk::Read);
        assert_eq!(count.get(), 4_000);
        // After a change only what is new is read.
        let mut changed = before.endpoints.clone();
        changed.truncate(3_999);
        changed[0].operation = endpoint("other").operation;
        changed.push(endpoint("new"));
        let now = system(changed.clone()).following(&before);
        let again = system(changed).following(&now);
        assert_eq!(again.graphql(counted).at("/graphql").weigh(&read("new")), Risk::Read);
        assert_eq!(again.graphql(counted).at("/graphql").weigh(&read("field0")), Risk::LowWrite);
        assert_eq!(count.get(), 4_002);
    }

    #[test]
    fn what_cannot_be_read_counts_for_every_call_of_the_system() {
        let mut unreadable = endpoint("?");
        (unreadable.risk, unreadable.path) = (Risk::Destructive, "/other".to_owned());
        let system = system(vec![endpoint("ping"), unreadable]);
        let index = system.graphql(|query, _| (query != "?").then(|| read(query)));
        assert_eq!(index.at("/graphql").weigh(&read("ping")), Risk::Destructive);
        assert_eq!(index.at("").weigh(&read("ping")), Risk::Destructive);
    }
}
