//! Systems and endpoints of the tests of how calls are weighed.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use satchel_model::{
    catalog::{
        directory::Registered,
        draft::{EndpointDraft, SystemDraft},
        endpoint::Endpoint,
        status::SystemStatus,
        system::SystemId,
    },
    time::Time,
};

/// An endpoint as its JSON describes it, reviewed.
pub(super) fn endpoint(described: Value) -> Endpoint {
    let draft: EndpointDraft = serde_json::from_value(described).unwrap();
    let made = draft.into_new(SystemId::new(), &BTreeSet::new(), Time::from_millis(0)).unwrap();
    Endpoint { reviewed: true, ..made }
}

/// An active system with these.
pub(super) fn system(endpoints: Vec<Endpoint>) -> Registered {
    let draft: SystemDraft = serde_json::from_value(json!({"name": "a", "base_url": "https://a.example"})).unwrap();
    let mut system = draft.into_new(&BTreeSet::new(), Time::from_millis(0)).unwrap();
    system.status = SystemStatus::Active;
    Registered::new(system, endpoints)
}
