//! Entries that tools write into the catalog, and the review that lets them count.

use serde_json::json;

use super::{
    Catalog, Changed, credentials, described, endpoints, ensure_room, lets_through, moved, require_free, rows, slugs,
};
use crate::{people::Actor, sql::Tx};
use satchel_model::{
    caller::Credential,
    catalog::{
        draft::{EndpointDraft, SystemDraft},
        endpoint::{Endpoint, EndpointId},
        status::SystemStatus,
        system::{System, SystemId},
        waiting::{SystemChange, Verdict, Waiting},
    },
    error::{Error, Result},
    id::shorten,
    origin::Origin,
    time::Time,
};

/// A tool that writes in somebody's name, and what it has read from outside.
#[derive(Debug, Clone)]
pub struct Writer {
    /// The person and the time.
    pub by: Actor,
    /// The tool.
    pub tool: String,
    /// The origin of what was around its call, as everybody may read it.
    pub origin: Option<Origin>,
}

impl Writer {
    fn waiting(&self, change: Option<SystemChange>) -> Waiting {
        Waiting { by: self.by.caller.username.clone(), tool: self.tool.clone(), at: self.by.now, change }
    }
}

impl Catalog {
    /// Registers a system that a tool describes: a draft, which only a person activates.
    pub async fn propose_system(&self, writer: &Writer, draft: SystemDraft) -> Result<System> {
        let writer = writer.clone();
        let work = move |tx: &Tx| {
            let slugs = slugs(tx, None)?;
            ensure_room(&slugs)?;
            let system = System {
                waiting: Some(writer.waiting(None)),
                origin: writer.origin.clone(),
                ..draft.into_new(&slugs, writer.by.now)?
            };
            require_free(tx, &system)?;
            rows::put_system(tx, &system)?;
            writer.by.record(tx, "catalog.system.create", described(&system))?;
            Ok((system.id, system))
        };
        self.write(work).await
    }

    /// Changes a draft as a tool says. What is said of any other system waits beside it, over what waited before.
    pub async fn propose_change(&self, writer: &Writer, id: SystemId, change: SystemChange) -> Result<Changed> {
        let writer = writer.clone();
        let work = move |tx: &Tx| {
            let old = rows::require_system(tx, id)?;
            let origin = writer.origin.clone().or_else(|| old.origin.clone());
            let is_draft = old.status == SystemStatus::Draft;
            let before = old.waiting.clone().and_then(|waiting| waiting.change).unwrap_or_default();
            let change = if is_draft { change } else { before.followed_by(change) };
            // Whatever is wrong with it is said now, and not to whoever reviews it.
            let changed = SystemDraft::from(change.clone()).apply(old.clone(), &slugs(tx, Some(id))?, writer.by.now)?;
            require_free(tx, &changed)?;
            let system = match is_draft {
                true => System { waiting: Some(writer.waiting(None)), origin, ..changed },
                false => System { waiting: Some(writer.waiting(Some(change))), origin, ..old },
            };
            let secrets_gone = credentials::tidy(tx, &system)?;
            rows::put_system(tx, &system)?;
            let action = if is_draft { "catalog.system.change" } else { "catalog.system.propose" };
            let told = system.waiting.as_ref().and_then(|waiting| waiting.change.as_ref());
            writer.by.record(tx, action, json!({"system": described(&system), "change": told}))?;
            Ok((id, Changed { system, secrets_gone, switched_off: false }))
        };
        self.write(work).await
    }

    /// Registers an endpoint that a tool describes: it waits.
    pub async fn propose_endpoint(&self, writer: &Writer, system: SystemId, draft: EndpointDraft) -> Result<Endpoint> {
        let writer = writer.clone();
        let work = move |tx: &Tx| {
            let endpoint = endpoints::drafted(tx, system, draft, writer.by.now)?;
            let (waiting, origin) = (Some(writer.waiting(None)), writer.origin.clone());
            let endpoint = Endpoint { reviewed: false, waiting, origin, ..endpoint };
            rows::put_endpoint(tx, &endpoint)?;
            writer.by.record(tx, "catalog.endpoint.create", endpoints::described(&endpoint))?;
            Ok((system, endpoint))
        };
        self.write(work).await
    }

    /// Makes a change of a system count that waited, or throws it away. `read` is when what was read had been written.
    pub async fn review_change(&self, by: &Actor, id: SystemId, read: Time, verdict: Verdict) -> Result<Changed> {
        require_person(by)?;
        let by = by.clone();
        let work = move |tx: &Tx| {
            let old = rows::require_system(tx, id)?;
            let waiting = still(old.waiting.clone(), read, &old.name)?;
            let Some(change) = waiting.change else {
                return Err(Error::conflict("The system is a draft: activate it once you have read it, or forget it."));
            };
            let reviewed = System { waiting: None, origin: None, ..old.clone() };
            let system = match verdict {
                Verdict::Reject => reviewed,
                Verdict::Approve => SystemDraft::from(change.clone()).apply(reviewed, &slugs(tx, Some(id))?, by.now)?,
            };
            require_free(tx, &system)?;
            let (system, switched_off) = moved(&by, &old, system);
            let secrets_gone = credentials::tidy(tx, &system)?;
            rows::put_system(tx, &system)?;
            let told = json!({
                "system": described(&system), "change": change, "written_by": waiting.by, "tool": waiting.tool,
                "approved": verdict == Verdict::Approve,
            });
            by.record(tx, "catalog.system.review", told)?;
            Ok((id, Changed { system, secrets_gone, switched_off }))
        };
        self.write(work).await
    }

    /// Lets an endpoint count that a tool wrote, or throws it away; `None` if it is thrown away.
    pub async fn review_endpoint(
        &self,
        by: &Actor,
        id: EndpointId,
        read: Time,
        verdict: Verdict,
    ) -> Result<Option<Endpoint>> {
        require_person(by)?;
        let by = by.clone();
        let work = move |tx: &Tx| {
            let old = rows::require_endpoint(tx, id)?;
            let waiting = still(old.waiting.clone(), read, &old.name)?;
            let reviewed = old.reviewed || lets_through(&by);
            let endpoint = Endpoint { waiting: None, origin: None, reviewed, updated_at: by.now, ..old };
            let told = json!({
                "endpoint": endpoints::described(&endpoint), "written_by": waiting.by, "tool": waiting.tool,
                "approved": verdict == Verdict::Approve,
            });
            by.record(tx, "catalog.endpoint.review", told)?;
            let system = endpoint.system_id;
            if verdict == Verdict::Approve {
                rows::put_endpoint(tx, &endpoint)?;
                return Ok((system, Some(endpoint)));
            }
            tx.run("DELETE FROM endpoints WHERE id = ?1", [id.to_string()])?;
            Ok((system, None))
        };
        self.write(work).await
    }
}

/// Lets all of a draft count that is activated. Fails for a key where some of it was written by a tool, and where a tool
/// wrote some of it after `read`.
pub(super) fn let_through_draft(tx: &Tx, by: &Actor, system: &mut System, read: Option<Time>) -> Result<()> {
    let waits = "SELECT waiting FROM endpoints WHERE system = ?1 AND waiting IS NOT NULL";
    let endpoints: Vec<Waiting> = tx.all(waits, [system.id.to_string()], |row| row.json("waiting"))?;
    let last = endpoints.iter().chain(&system.waiting).map(|waiting| waiting.at).max();
    if let Some(last) = last {
        require_person(by)?;
        if read.is_none_or(|read| last > read) {
            let name = shorten(&system.name);
            return Err(Error::conflict(format!(
                "A tool wrote some of '{name}' that you have not read yet: read it with its endpoints, then activate it."
            )));
        }
    }
    system.waiting = None;
    system.origin = None;
    let reviewed = "UPDATE endpoints SET reviewed = TRUE, waiting = NULL, origin = NULL WHERE system = ?1";
    tx.run(reviewed, [system.id.to_string()]).map(drop)
}

/// A key is a program: what a model wrote is read by a person.
fn require_person(by: &Actor) -> Result<()> {
    match by.caller.credential {
        Credential::Session | Credential::Local => Ok(()),
        Credential::Key(_) => {
            Err(Error::denied("A tool wrote this: sign in to the console and review it there, not with a key."))
        }
    }
}

/// Returns what waits, where it is still as it was read.
fn still(waiting: Option<Waiting>, read: Time, name: &str) -> Result<Waiting> {
    let name = shorten(name);
    match waiting {
        None => Err(Error::conflict(format!("Nothing of '{name}' waits for a review."))),
        Some(waiting) if waiting.at == read => Ok(waiting),
        Some(_) => Err(Error::conflict(format!("'{name}' was written again since you read it: read it again."))),
    }
}
