//! A document against what is known of a system: what is new, what changed, what is gone, and what people changed by
//! hand, which stays.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{known::Known, rename};
use satchel_model::{
    catalog::{
        draft::EndpointDraft,
        endpoint::{Endpoint, EndpointId, Parameter},
        imported::Imported,
        proposal::Proposal,
        system::SystemId,
    },
    error::{Error, Result},
    id::shorten,
    spec::Risk,
    time::Time,
};
use satchel_store::catalog::ImportPlan;

/// The difference between an operation of a document and what is known.
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
    /// The operation as the document describes it.
    pub proposal: Proposal,
    /// The difference to what is known.
    pub change: ImportChange,
    /// The endpoint it is.
    pub known: Option<EndpointId>,
    /// The fields in which the document differs from the last import.
    pub differs: Vec<&'static str>,
    /// The fields people changed by hand: those stay.
    pub kept: Vec<&'static str>,
    /// The endpoint as it would be.
    pub becomes: Endpoint,
}

/// The choices made for an operation.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportChoice {
    /// The operation, as the preview gave it.
    pub operation: Proposal,
    /// A risk in place of the proposed one.
    pub risk: Option<Risk>,
    /// A description in place of the document's.
    pub description: Option<String>,
    /// The text on when to choose it, in place of the document's.
    pub when_to_use: Option<String>,
}

/// A document against a system.
#[derive(Debug, Default)]
pub struct Comparison<T> {
    /// The part that is shown of its operations, in its order.
    pub operations: Vec<T>,
    /// Endpoints that came from a document and are not in this one.
    pub gone: Vec<EndpointId>,
    /// Operations that could be no endpoints, and why.
    pub unusable: Vec<String>,
}

/// Compares a document's operations with the endpoints of a system, and says which of those it no longer has. Only what
/// `show` makes of each is kept: all of them with what they become would be several times the document.
pub fn compare<T>(
    (system, endpoints): (SystemId, &[Endpoint]),
    operations: Vec<Proposal>,
    now: Time,
    show: impl Fn(Compared) -> T,
) -> Result<Comparison<T>> {
    let known = Known::new(endpoints, &operations.iter().collect::<Vec<_>>())?;
    let (mut seen, mut compared, mut unusable) = (BTreeSet::new(), Vec::with_capacity(operations.len()), Vec::new());
    let mut keys = BTreeSet::new();
    for operation in operations {
        if !keys.insert(operation.key.clone()) {
            let key = shorten(&operation.key);
            unusable.push(format!("'{key}' stands in the document more than once: only the first is shown."));
            continue;
        }
        let old = known.get(&operation).filter(|old| !seen.contains(&old.id));
        seen.extend(old.map(|endpoint| endpoint.id));
        let choice = ImportChoice { operation, risk: None, description: None, when_to_use: None };
        match one(system, old, choice, now) {
            Ok(one) => compared.push(show(one)),
            Err(error) => unusable.push(error.message().to_owned()),
        }
    }
    let gone = endpoints.iter().filter(|endpoint| endpoint.imported.is_some() && !seen.contains(&endpoint.id));
    Ok(Comparison { operations: compared, gone: gone.map(|endpoint| endpoint.id).collect(), unusable })
}

/// Returns the changes to write for the operations that were chosen. `remove` are endpoints of the system to be
/// forgotten.
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
    let known = Known::new(endpoints, &choices.iter().map(|choice| &choice.operation).collect::<Vec<_>>())?;
    let (mut put, mut keys, mut taken) = (Vec::with_capacity(choices.len()), BTreeSet::new(), BTreeSet::new());
    for choice in choices {
        if !keys.insert(choice.operation.key.clone()) {
            return Err(Error::invalid(format!("'{}' was chosen twice.", shorten(&choice.operation.key))));
        }
        let old = known.get(&choice.operation).filter(|old| taken.insert(old.id));
        put.push(one(system, old, choice, now)?.becomes);
    }
    Ok(ImportPlan { put, remove, format: String::new() })
}

/// The names of the fields an import may change.
const FIELDS: [&str; 8] = ["name", "operation", "method", "path", "parameters", "description", "when_to_use", "risk"];

/// Returns the fields in which two operations differ.
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
    let sendable = proposal.parameters.iter().try_for_each(Parameter::require_sendable);
    let fresh = sendable.and_then(|()| draft(&proposal).into_new(system, &BTreeSet::new(), now));
    let fresh =
        fresh.map_err(|error| Error::new(error.kind(), format!("{}: {}", shorten(&proposal.key), error.message())))?;
    let said = as_proposal(&fresh, &proposal);
    let (mut becomes, by_document, by_hand) = match old {
        None => (fresh, Vec::new(), Vec::new()),
        Some(old) => {
            let base = match &old.imported {
                Some(imported) => imported.proposal()?,
                None => as_proposal(old, &proposal),
            };
            let (by_hand, by_document) = (differs(&base, &as_proposal(old, &base)), differs(&base, &said));
            let mut becomes = rename::renamed(old.clone(), &base.path, &said.path);
            for field in by_document.iter().filter(|field| !by_hand.contains(field)) {
                take(field, &mut becomes, &fresh);
            }
            (becomes, by_document, by_hand)
        }
    };
    // What somebody says now, they say by hand.
    let by_person = EndpointDraft { risk, description, when_to_use, ..EndpointDraft::default() };
    becomes = by_person.apply(becomes, &BTreeSet::new(), now)?;
    becomes.imported = Some(Imported::new(&said)?);
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
        let compared = compare((SystemId::new(), &[]), twice, Time::from_millis(0), |one| one).unwrap();
        assert_eq!(compared.operations.len(), 2);
        assert!(compared.unusable[0].contains("more than once"), "{:?}", compared.unusable);
    }

    #[test]
    fn what_cannot_be_sent_is_neither_offered_nor_taken() {
        let mut upload = operation("POST /up");
        let schema = json!({"contentMediaType": "multipart/mixed"});
        upload.parameters = serde_json::from_value(json!([{"name": "body", "in": "body", "schema": schema}])).unwrap();
        let (system, now) = (SystemId::new(), Time::from_millis(0));
        let compared = compare((system, &[]), vec![upload.clone()], now, |one| one).unwrap();
        assert!(compared.operations.is_empty());
        assert!(compared.unusable[0].starts_with("POST /up: Its body is multipart/mixed"), "{:?}", compared.unusable);
        let choice = ImportChoice { operation: upload, risk: None, description: None, when_to_use: None };
        assert!(plan(system, &[], vec![choice], Vec::new(), now).is_err());
    }

    #[test]
    fn operations_of_one_path_stay_apart_when_the_document_is_read_again() {
        let (system, now) = (SystemId::new(), Time::from_millis(0));
        let first = compare((system, &[]), vec![operation("GET /q?a=1")], now, |one| one).unwrap();
        let known: Vec<Endpoint> = first.operations.into_iter().map(|one| one.becomes).collect();
        let again =
            compare((system, &known), vec![operation("GET /q"), operation("GET /q?a=1")], now, |one| one).unwrap();
        let changes: Vec<ImportChange> = again.operations.iter().map(|one| one.change).collect();
        assert_eq!(changes, [ImportChange::Added, ImportChange::Unchanged]);
    }

    #[test]
    fn an_operation_whose_path_moved_is_known_by_its_operation_id_and_keeps_what_people_changed() {
        let (system, now) = (SystemId::new(), Time::from_millis(0));
        let named = |name: &str, path: &str| Proposal {
            name: name.to_owned(),
            path: path.to_owned(),
            ..operation(&format!("GET {path}"))
        };
        let first = vec![named("listUsers", "/v1/users"), named("List", "/v1/items")];
        let first = compare((system, &[]), first, now, |one| one).unwrap();
        let mut known: Vec<Endpoint> = first.operations.into_iter().map(|one| one.becomes).collect();
        known[0].description = "By hand.".to_owned();
        let moved =
            vec![named("listUsers", "/v2/users"), named("List", "/v2/items"), named("addUser", "/v2/users/{id}")];
        let again = compare((system, &known), moved.clone(), now, |one| one).unwrap();
        let [users, items, _] = again.operations.as_slice() else { panic!() };
        assert_eq!((users.known, users.change), (Some(known[0].id), ImportChange::Changed));
        assert_eq!((users.becomes.path.as_str(), users.becomes.description.as_str()), ("/v2/users", "By hand."));
        assert_eq!((items.change, &again.gone), (ImportChange::Added, &vec![known[1].id]));
        // Two of one name are told apart by nobody.
        let twice = vec![named("listUsers", "/v2/users"), named("listUsers", "/v3/users")];
        let again = compare((system, &known), twice, now, |one| one).unwrap();
        assert!(again.operations.iter().all(|one| one.change == ImportChange::Added));
    }
}
