//! Endpoints of a system: registered, changed, forgotten.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Catalog, lets_through, rows};
use crate::{people::Actor, sql::Tx};
use satchel_model::{
    catalog::{
        draft::EndpointDraft,
        endpoint::{Endpoint, EndpointId, Operation},
        system::SystemId,
    },
    error::{Error, Result},
    id::shorten,
    spec::Risk,
    time::Time,
};

/// Most endpoints of a system.
pub(super) const MAX_ENDPOINTS: usize = 5_000;

impl Catalog {
    /// Registers an endpoint.
    pub async fn create_endpoint(&self, by: &Actor, system: SystemId, draft: EndpointDraft) -> Result<Endpoint> {
        let by = by.clone();
        let work = move |tx: &Tx| {
            let endpoint = Endpoint { reviewed: lets_through(&by), ..drafted(tx, system, draft, by.now)? };
            rows::put_endpoint(tx, &endpoint)?;
            by.record(tx, "catalog.endpoint.create", described(&endpoint))?;
            Ok((system, endpoint))
        };
        self.write(work).await
    }

    /// Changes an endpoint. What it sends counts as let through only where somebody said so who may; nobody else lowers
    /// its risk.
    pub async fn change_endpoint(&self, by: &Actor, id: EndpointId, draft: EndpointDraft) -> Result<Endpoint> {
        let by = by.clone();
        let work = move |tx: &Tx| {
            let old = rows::require_endpoint(tx, id)?;
            let system = old.system_id;
            let endpoint = draft.apply(old.clone(), &slugs(tx, system, Some(id))?, by.now)?;
            let endpoint = guarded(&by, &old, endpoint)?;
            require_free(tx, &endpoint)?;
            rows::put_endpoint(tx, &endpoint)?;
            by.record(tx, "catalog.endpoint.change", described(&endpoint))?;
            Ok((system, endpoint))
        };
        self.write(work).await
    }

    /// Writes down that somebody tries an endpoint, before they do.
    pub async fn note_try(&self, by: &Actor, endpoint: &Endpoint) -> Result<()> {
        let (by, told) = (by.clone(), described(endpoint));
        self.db.write(move |tx| by.record(tx, "catalog.endpoint.test", told)).await
    }

    /// Forgets an endpoint. Fails where calls could be weighed lower without it, in the hands of somebody who may not let
    /// them through.
    pub async fn delete_endpoint(&self, by: &Actor, id: EndpointId) -> Result<()> {
        let by = by.clone();
        let work = move |tx: &Tx| {
            let endpoint = rows::require_endpoint(tx, id)?;
            require_no_guard(&by, &endpoint, "forgets it")?;
            tx.run("DELETE FROM endpoints WHERE id = ?1", [id.to_string()])?;
            by.record(tx, "catalog.endpoint.delete", described(&endpoint))?;
            Ok((endpoint.system_id, ()))
        };
        self.write(work).await
    }
}

/// The endpoint a draft describes. Fails where the system has no room or no place for it.
pub(super) fn drafted(tx: &Tx, system: SystemId, draft: EndpointDraft, now: Time) -> Result<Endpoint> {
    rows::require_system(tx, system)?;
    let slugs = slugs(tx, system, None)?;
    if slugs.len() >= MAX_ENDPOINTS {
        return Err(Error::conflict(format!("A system has at most {MAX_ENDPOINTS} endpoints.")));
    }
    let endpoint = draft.into_new(system, &slugs, now)?;
    require_free(tx, &endpoint)?;
    Ok(endpoint)
}

/// An endpoint as it may be after a change: somebody who may not let it through lowers no risk that was. Fails where they
/// would move one that guards calls away from them.
pub(super) fn guarded(by: &Actor, old: &Endpoint, new: Endpoint) -> Result<Endpoint> {
    if lets_through(by) {
        return Ok(Endpoint { reviewed: true, ..new });
    }
    let sends = |one: &Endpoint| (one.method.clone(), one.path.clone(), one.operation.clone());
    let is_same = sends(old) == sends(&new);
    if !is_same {
        require_no_guard(by, old, "makes it send something else")?;
    }
    // One that nobody has let through only ever raises a risk: their word for it is a proposal.
    let least = if old.reviewed { old.effective_risk() } else { Risk::Read };
    Ok(Endpoint { reviewed: old.reviewed && is_same, risk: new.risk.max(least), ..new })
}

/// Fails where somebody who may not let calls through would take away an endpoint that makes them ask: what is left could
/// weigh them lower.
pub(super) fn require_no_guard(by: &Actor, endpoint: &Endpoint, what: &str) -> Result<()> {
    if lets_through(by) || !endpoint.reviewed || endpoint.risk <= Risk::LowWrite {
        return Ok(());
    }
    Err(Error::denied(format!(
        "An administrator let '{}' through as {}, so that such calls ask: only an administrator {what}, in the console.",
        shorten(&endpoint.name),
        endpoint.risk.as_str()
    )))
}

/// The slugs of a system's endpoints but one.
pub(super) fn slugs(tx: &Tx, system: SystemId, except: Option<EndpointId>) -> Result<BTreeSet<String>> {
    let except = except.map(|id| id.to_string()).unwrap_or_default();
    let query = "SELECT slug FROM endpoints WHERE system = ?1 AND id <> ?2";
    let found = tx.all(query, (system.to_string(), except), |row| row.get("slug"))?;
    Ok(found.into_iter().collect())
}

/// Two endpoints of one method and path would leave it to chance which one's risk decides.
fn require_free(tx: &Tx, endpoint: &Endpoint) -> Result<()> {
    if endpoint.operation != Operation::Rest {
        return Ok(());
    }
    let query = "SELECT name FROM endpoints WHERE system = ?1 AND method = ?2 AND path = ?3 AND id <> ?4 \
         AND operation ->> 'protocol' = 'rest'";
    let key = (endpoint.system_id.to_string(), &endpoint.method, &endpoint.path, endpoint.id.to_string());
    match tx.first(query, key, |row| row.get::<String>("name"))? {
        None => Ok(()),
        Some(name) => Err(Error::conflict(format!(
            "{} {} is registered already, as '{name}': change that endpoint, or forget it first.",
            endpoint.method, endpoint.path
        ))),
    }
}

pub(super) fn described(endpoint: &Endpoint) -> Value {
    json!({
        "id": endpoint.id, "system_id": endpoint.system_id, "name": endpoint.name, "method": endpoint.method,
        "path": endpoint.path, "protocol": endpoint.operation.protocol(), "risk": endpoint.risk,
        "reviewed": endpoint.reviewed,
    })
}
