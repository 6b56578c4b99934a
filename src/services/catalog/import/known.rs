//! The match of a document's operations with endpoints: by its key, by its path under other names, by its
//! `operationId`.

use std::collections::{BTreeSet, HashMap};

use super::rename;
use satchel_model::{
    catalog::{
        endpoint::{Endpoint, Operation},
        proposal::Proposal,
    },
    error::Result,
};

/// The endpoints a document could be about, by what they are recognised by.
pub(super) struct Known<'a> {
    by_key: HashMap<String, &'a Endpoint>,
    /// Those whose very key the document does not have, by what is left of it without the names of parameters.
    by_shape: HashMap<String, &'a Endpoint>,
    /// Those of which it has not even that, by the name the document gave them, where it tells them apart.
    by_name: HashMap<String, Option<&'a Endpoint>>,
    /// The names of the document that several of its operations have.
    shared: BTreeSet<String>,
}

impl<'a> Known<'a> {
    /// Of a document with these operations.
    pub(super) fn new(endpoints: &'a [Endpoint], operations: &[&Proposal]) -> Result<Self> {
        let by_hand = endpoints.iter().filter(|endpoint| endpoint.imported.is_none());
        let by_place = by_hand.map(|endpoint| (format!("{} {}", endpoint.method, endpoint.path), endpoint));
        let mut imported = Vec::new();
        for endpoint in endpoints {
            if let Some(stored) = &endpoint.imported {
                let Proposal { key, name, operation, .. } = stored.proposal()?;
                imported.push((endpoint, key, (operation == Operation::Rest).then_some(name)));
            }
        }
        let by_key = imported.iter().map(|(endpoint, key, _)| (key.clone(), *endpoint));
        // What was imported is what it was imported as, whatever it looks like now.
        let by_key: HashMap<String, &Endpoint> = by_place.chain(by_key).collect();
        let keys: BTreeSet<&str> = operations.iter().map(|operation| operation.key.as_str()).collect();
        let shapes: BTreeSet<String> = keys.iter().map(|key| rename::shape(key)).collect();
        let others = by_key.iter().filter(|(key, _)| !keys.contains(key.as_str()));
        let by_shape = others.map(|(key, endpoint)| (rename::shape(key), *endpoint)).collect();
        let mut by_name: HashMap<String, Option<&Endpoint>> = HashMap::new();
        for (endpoint, key, name) in imported {
            if let Some(name) = name.filter(|_| !shapes.contains(&rename::shape(&key))) {
                by_name.entry(name).and_modify(|several| *several = None).or_insert(Some(endpoint));
            }
        }
        let mut names = BTreeSet::new();
        let shared = operations.iter().filter(|operation| !names.insert(&operation.name));
        let shared = shared.map(|operation| operation.name.clone()).collect();
        Ok(Self { by_key, by_shape, by_name, shared })
    }

    /// The endpoint an operation is. One whose path has moved keeps its `operationId`.
    pub(super) fn get(&self, operation: &Proposal) -> Option<&'a Endpoint> {
        let key = operation.key.as_str();
        self.by_key
            .get(key)
            .or_else(|| self.by_shape.get(&rename::shape(key)))
            .copied()
            .or_else(|| self.moved(operation))
    }

    fn moved(&self, operation: &Proposal) -> Option<&'a Endpoint> {
        let name = operation.name.as_str();
        if !is_request(operation) || !is_id(name) || self.shared.contains(name) {
            return None;
        }
        self.by_name.get(name).copied().flatten()
    }
}

/// Returns whether it is recognised by its path, which may change.
fn is_request(operation: &Proposal) -> bool {
    operation.operation == Operation::Rest
}

/// Returns whether a name is an `operationId`, and not the words of a summary: `listUsers`, `users/list`, `users_list`.
fn is_id(name: &str) -> bool {
    let is_whole = name.chars().all(|c| c.is_alphanumeric() || "_-./:#".contains(c));
    let inside = name.get(1..).unwrap_or_default();
    let is_joined = inside.contains(['_', '-', '.', '/', ':', '#']);
    let turns = name.chars().zip(name.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    is_whole && (is_joined || turns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_one_piece_is_told_apart_from_words() {
        for name in ["listUsers", "users/list", "users_list", "Users.List", "get-user"] {
            assert!(is_id(name), "{name}");
        }
        for name in ["List", "List users", "get /users", "Lists all.", "users", ""] {
            assert!(!is_id(name), "{name}");
        }
    }
}
