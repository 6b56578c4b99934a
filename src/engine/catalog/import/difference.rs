//! A document against what is known of a system: what is new, what changed, what is gone, and what people changed by
//! hand, which stays.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::rename;
use crate::{
    model::{
        catalog::{
            draft::EndpointDraft,
            endpoint::{Endpoint, EndpointId, Parameter},
            proposal::Proposal,
            system::SystemId,
        },
        error::{Error, Result},
        id::shorten,
        spec::Risk,
        time::Time,
    },
    store::catalog::ImportPlan,
};

/// How an operation of a document stands to what is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImportChange {
    /// Not known yet.
    Added,
    /// Known, and the document says something else now.
    Changed,
    /// Known as it stands.
    Unchanged,
}

/// One operation, compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// What the document says.
    pub proposal: Proposal,
    /// How that stands to what is known.
    pub change: ImportChange,
    /// The endpoint it is.
    pub known: Option<EndpointId>,
    /// What the document says otherwise than at the last import.
    pub differs: Vec<&'static str>,
    /// What people changed by hand: that stays.
    pub kept: Vec<&'static str>,
    /// The endpoint as it would be.
    pub becomes: Endpoint,
}

/// What was chosen of an operation.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportChoice {
    /// The operation, as the preview gave it.
    pub operation: Proposal,
    /// A risk in place of the proposed one.
    pub risk: Option<Risk>,
    /// A description in place of the document's.
    pub description: Option<String>,
    /// When to choose it, in place of the document's.
    pub when_to_use: Option<String>,
}

/// A document against a system.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Its operations, in its order.
    pub operations: Vec<Compared>,
    /// Endpoints that came from a document and are not in this one.
    pub gone: Vec<EndpointId>,
    /// Operations that could be no endpoints, and why.
    pub unusable: Vec<String>,
}

/// Compares a document's operations with the endpoints of a system, and says which of those it no longer has.
pub fn compare(system: SystemId, endpoints: &[Endpoint], operations: Vec<Proposal>, now: Time) -> Comparison {
    let known = Known::of(endpoints, operations.iter().map(|operation| operation.key.as_str()));
    let (mut seen, mut compared, mut unusable) = (BTreeSet::new(), Vec::with_capacity(operations.len()), Vec::new());
    let mut keys = BTreeSet::new();
    for operation in operations {
        if !keys.insert(operation.key.clone()) {
            let key = shorten(&operation.key);
            unusable.push(format!("'{key}' stands in the document more than once: only the first is shown."));
            continue;
        }
        let old = known.get(&operation.key).filter(|old| !seen.contains(&old.id));
        seen.extend(old.map(|endpoint| endpoint.id));
        let choice = ImportChoice { operation, risk: None, description: None, when_to_use: None };
        match one(system, old, choice, now) {
            Ok(one) => compared.push(one),
            Err(error) => unusable.push(error.message().to_owned()),
        }
    }
    let gone = endpoints.iter().filter(|endpoint| endpoint.imported.is_some() && !seen.contains(&endpoint.id));
    Comparison { operations: compared, gone: gone.map(|endpoint| endpoint.id).collect(), unusable }
}

/// What is to be written for the operations that were chosen. `remove` are endpoints of the system to be forgotten.
pub fn plan(
    system: SystemId,
    endpoints: &[Endpoint],
    choices: Vec<ImportChoice>,
    remove: Vec<EndpointId>,
    now: Time,
) -> Result<ImportPlan> {
    if let Some(stranger) = remove.iter().find(|id| !endpoints.iter().any(|endpoint| endpoint.id == **id)) {
        return Err(Error::not_found(format!("The system has no endpoint '{stranger}'.")));
    }
    let known = Known::of(endpoints, choices.iter().map(|choice| choice.operation.key.as_str()));
    let (mut put, mut keys, mut taken) = (Vec::with_capacity(choices.len()), BTreeSet::new(), BTreeSet::new());
    for choice in choices {
        if !keys.insert(choice.operation.key.clone()) {
            return Err(Error::invalid(format!("'{}' was chosen twice.", shorten(&choice.operation.key))));
        }
        let old = known.get(&choice.operation.key).filter(|old| taken.insert(old.id));
        put.push(one(system, old, choice, now)?.becomes);
    }
    Ok(ImportPlan { put, remove, format: String::new() })
}

/// The endpoints a document could be about, by what they are recognised by.
struct Known<'a> {
    by_key: HashMap<String, &'a Endpoint>,
    /// Those whose very key the document does not have, by what is left of it without the names of parameters.
    by_shape: HashMap<String, &'a Endpoint>,
}

impl<'a> Known<'a> {
    /// Of a document with operations of these keys.
    fn of<'k>(endpoints: &'a [Endpoint], keys: impl Iterator<Item = &'k str>) -> Self {
        let by_hand = endpoints.iter().filter(|endpoint| endpoint.imported.is_none());
        let by_place = by_hand.map(|endpoint| (format!("{} {}", endpoint.method, endpoint.path), endpoint));
        let by_key = endpoints.iter().filter_map(|endpoint| Some((endpoint.imported.as_ref()?.key.clone(), endpoint)));
        // What was imported is what it was imported as, whatever it looks like now.
        let by_key: HashMap<String, &Endpoint> = by_place.chain(by_key).collect();
        let keys: BTreeSet<&str> = keys.collect();
        let others = by_key.iter().filter(|(key, _)| !keys.contains(key.as_str()));
        let by_shape = others.map(|(key, endpoint)| (rename::shape(key), *endpoint)).collect();
        Self { by_key, by_shape }
    }

    fn get(&self, key: &str) -> Option<&'a Endpoint> {
        self.by_key.get(key).or_else(|| self.by_shape.get(&rename::shape(key))).copied()
    }
}

/// The names of the fields an import may change.
const FIELDS: [&str; 8] = ["name", "operation", "method", "path", "parameters", "description", "when_to_use", "risk"];

/// Which fields of two operations differ.
fn differs(a: &Proposal, b: &Proposal) -> Vec<&'static str> {
    let same = [
        a.name == b.name,
        a.operation == b.operation,
        a.method == b.method,
        a.path == b.path,
        a.parameters == b.parameters,
        a.description == b.description,
        a.when_to_use == b.when_to_use,
        a.risk == b.risk,
    ];
    FIELDS.iter().zip(same).filter(|(_, same)| !same).map(|(field, _)| *field).collect()
}

/// The endpoint as a proposal, for comparing.
fn as_proposal(endpoint: &Endpoint, like: &Proposal) -> Proposal {
    Proposal {
        key: like.key.clone(),
        group: like.group.clone(),
        warnings: Vec::new(),
        elsewhere: like.elsewhere,
        name: endpoint.name.clone(),
        operation: endpoint.operation.clone(),
        method: endpoint.method.clone(),
        path: endpoint.path.clone(),
        parameters: endpoint.parameters.clone(),
        description: endpoint.description.clone(),
        when_to_use: endpoint.when_to_use.clone(),
        risk: endpoint.risk,
    }
}

fn one(system: SystemId, old: Option<&Endpoint>, choice: ImportChoice, now: Time) -> Result<Compared> {
    let ImportChoice { operation: proposal, risk, description, when_to_use } = choice;
    // What a draft makes of the document: parameters of the path are completed, texts trimmed.
    let sendable = proposal.parameters.iter().try_for_each(Parameter::demand_sendable);
    let fresh = sendable.and_then(|()| draft(&proposal).into_new(system, &BTreeSet::new(), now));
    let fresh =
        fresh.map_err(|error| Error::new(error.kind(), format!("{}: {}", shorten(&proposal.key), error.message())))?;
    let said = as_proposal(&fresh, &proposal);
    let (mut becomes, by_document, by_hand) = match old {
        None => (fresh, Vec::new(), Vec::new()),
        Some(old) => {
            let base = old.imported.as_deref().cloned().unwrap_or_else(|| as_proposal(old, &proposal));
            let (by_hand, by_document) = (differs(&base, &as_proposal(old, &base)), differs(&base, &said));
            let mut becomes = rename::renamed(old.clone(), &base.path, &said.path);
            for field in by_document.iter().filter(|field| !by_hand.contains(field)) {
                take(field, &mut becomes, &fresh);
            }
            (becomes, by_document, by_hand)
        }
    };
    // What somebody says now, he says by hand.
    let by_person = EndpointDraft { risk, description, when_to_use, ..EndpointDraft::default() };
    becomes = by_person.apply(becomes, &BTreeSet::new(), now)?;
    becomes.imported = Some(Box::new(said));
    let change = match old {
        None => ImportChange::Added,
        Some(old) if old.imported.is_some() && by_document.is_empty() => ImportChange::Unchanged,
        Some(_) => ImportChange::Changed,
    };
    Ok(Compared { proposal, change, known: old.map(|old| old.id), differs: by_document, kept: by_hand, becomes })
}

fn take(field: &str, into: &mut Endpoint, from: &Endpoint) {
    match field {
        "name" => into.name.clone_from(&from.name),
        "operation" => into.operation.clone_from(&from.operation),
        "method" => into.method.clone_from(&from.method),
        "path" => into.path.clone_from(&from.path),
        "parameters" => into.parameters.clone_from(&from.parameters),
        "description" => into.description.clone_from(&from.description),
        "when_to_use" => into.when_to_use.clone_from(&from.when_to_use),
        "risk" => into.risk = from.risk,
        _ => {}
    }
}

fn draft(said: &Proposal) -> EndpointDraft {
    EndpointDraft {
        name: Some(said.name.clone()),
        operation: Some(said.operation.clone()),
        method: Some(said.method.clone()),
        path: Some(said.path.clone()),
        parameters: Some(said.parameters.clone()),
        description: Some(said.description.clone()),
        when_to_use: Some(said.when_to_use.clone()),
        risk: Some(said.risk),
        ..EndpointDraft::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn operation(key: &str) -> Proposal {
        let proposal = json!({"key": key, "group": null, "name": "x", "protocol": "rest", "method": "GET", "path": "/q",
            "parameters": [], "description": "", "when_to_use": "", "risk": "read"});
        serde_json::from_value(proposal).unwrap()
    }

    #[test]
    fn what_stands_twice_in_a_document_is_shown_once() {
        let twice = vec![operation("GET /q"), operation("GET /q"), operation("GET /q?a=1")];
        let compared = compare(SystemId::new(), &[], twice, Time::from_millis(0));
        assert_eq!(compared.operations.len(), 2);
        assert!(compared.unusable[0].contains("more than once"), "{:?}", compared.unusable);
    }

    #[test]
    fn what_cannot_be_sent_is_neither_offered_nor_taken() {
        let mut upload = operation("POST /up");
        let schema = json!({"contentMediaType": "multipart/mixed"});
        upload.parameters = serde_json::from_value(json!([{"name": "body", "in": "body", "schema": schema}])).unwrap();
        let (system, now) = (SystemId::new(), Time::from_millis(0));
        let compared = compare(system, &[], vec![upload.clone()], now);
        assert!(compared.operations.is_empty());
        assert!(compared.unusable[0].starts_with("POST /up: Its body is multipart/mixed"), "{:?}", compared.unusable);
        let choice = ImportChoice { operation: upload, risk: None, description: None, when_to_use: None };
        assert!(plan(system, &[], vec![choice], Vec::new(), now).is_err());
    }

    #[test]
    fn operations_of_one_path_stay_apart_when_the_document_is_read_again() {
        let (system, now) = (SystemId::new(), Time::from_millis(0));
        let first = compare(system, &[], vec![operation("GET /q?a=1")], now);
        let known: Vec<Endpoint> = first.operations.into_iter().map(|one| one.becomes).collect();
        let again = compare(system, &known, vec![operation("GET /q"), operation("GET /q?a=1")], now);
        let changes: Vec<ImportChange> = again.operations.iter().map(|one| one.change).collect();
        assert_eq!(changes, [ImportChange::Added, ImportChange::Unchanged]);
    }
}
