//! Changing the catalog: what is stored, and the tools that follow from it.

use std::{collections::BTreeSet, sync::Arc};

use super::offer;
use satchel_engine::{context::Context, invoker::Invoker};
use satchel_model::{
    catalog::{
        draft::{EndpointDraft, SystemDraft},
        endpoint::{Endpoint, EndpointId},
        status::SystemStatus,
        system::{System, SystemId},
        waiting::{SystemChange, Verdict},
    },
    error::Result,
    time::Time,
};
use satchel_store::{
    catalog::{Catalog, Changed, ImportPlan, Writer},
    people::Actor,
};

/// The catalog in the hands of somebody who may change it; the tools follow every change.
pub struct Changing {
    catalog: Catalog,
    invoker: Invoker,
    by: Actor,
}

/// The catalog in the hands of a tool: what it writes waits for a person's review.
pub struct CatalogProposals {
    catalog: Catalog,
    writer: Writer,
}

impl CatalogProposals {
    /// The catalog for writing to it, in the name of a run's caller.
    ///
    /// # Errors
    ///
    /// If they may not.
    pub fn new(cx: &Context) -> Result<Self> {
        cx.caller().require("catalog:write")?;
        let by = Actor::at(cx.caller(), cx.now());
        let writer = Writer { by, tool: cx.tool().to_owned(), origin: cx.taint().origin_for_all() };
        Ok(Self { catalog: cx.app().stores.catalog.clone(), writer })
    }

    /// Registers a system: a draft.
    pub async fn create(&self, draft: SystemDraft) -> Result<System> {
        self.catalog.propose_system(&self.writer, draft).await
    }

    /// Changes a draft; a change of any other system waits.
    pub async fn change(&self, id: SystemId, change: SystemChange) -> Result<Changed> {
        self.catalog.propose_change(&self.writer, id, change).await
    }

    /// Registers an endpoint, which waits.
    ///
    /// # Errors
    ///
    /// If its parameters could be no tool's.
    pub async fn create_endpoint(&self, system: SystemId, draft: EndpointDraft) -> Result<Endpoint> {
        offer::require_sound(&draft.clone().into_new(system, &BTreeSet::new(), self.writer.by.now)?)?;
        self.catalog.propose_endpoint(&self.writer, system, draft).await
    }
}

impl Changing {
    /// Changes by somebody who was let through a guard.
    pub fn new(invoker: &Invoker, by: Actor) -> Self {
        Self { catalog: invoker.app.stores.catalog.clone(), invoker: invoker.clone(), by }
    }

    fn offer(&self) {
        offer::offer(&self.invoker);
    }

    /// Registers a system: a draft.
    pub async fn create(&self, draft: SystemDraft) -> Result<System> {
        self.catalog.create(&self.by, draft).await
    }

    /// Changes a system.
    pub async fn change(&self, id: SystemId, draft: SystemDraft) -> Result<Changed> {
        let changed = self.catalog.change(&self.by, id, draft).await?;
        self.offer();
        Ok(changed)
    }

    /// Moves a system to another status. A guard has let the caller through: a model never gets here.
    pub async fn set_status(&self, id: SystemId, to: SystemStatus, read: Option<Time>) -> Result<System> {
        let system = self.catalog.set_status(&self.by, id, to, read).await?;
        self.offer();
        Ok(system)
    }

    /// Forgets a system.
    pub async fn delete(&self, id: SystemId) -> Result<()> {
        self.catalog.delete(&self.by, id).await?;
        self.offer();
        Ok(())
    }

    /// Registers an endpoint.
    ///
    /// # Errors
    ///
    /// If its parameters could be no tool's.
    pub async fn create_endpoint(&self, system: SystemId, draft: EndpointDraft) -> Result<Endpoint> {
        offer::require_sound(&draft.clone().into_new(system, &BTreeSet::new(), self.by.now)?)?;
        let endpoint = self.catalog.create_endpoint(&self.by, system, draft).await?;
        self.offer();
        Ok(endpoint)
    }

    /// Changes an endpoint.
    ///
    /// # Errors
    ///
    /// If its parameters could be no tool's.
    pub async fn change_endpoint(&self, id: EndpointId, draft: EndpointDraft) -> Result<Endpoint> {
        let directory = Arc::clone(&self.catalog.get());
        let (_, old) = directory.endpoint(id)?;
        offer::require_sound(&draft.clone().apply(old.clone(), &BTreeSet::new(), self.by.now)?)?;
        let endpoint = self.catalog.change_endpoint(&self.by, id, draft).await?;
        self.offer();
        Ok(endpoint)
    }

    /// Forgets an endpoint.
    pub async fn delete_endpoint(&self, id: EndpointId) -> Result<()> {
        self.catalog.delete_endpoint(&self.by, id).await?;
        self.offer();
        Ok(())
    }

    /// Takes in what was chosen of a document, whose parameters [`offer::require_sound`] has found to be JSON Schema.
    pub async fn import(&self, system: SystemId, plan: ImportPlan) -> Result<()> {
        self.catalog.import(&self.by, system, plan).await?;
        self.offer();
        Ok(())
    }

    /// Lets a change of a system count that a tool wrote, or throws it away.
    pub async fn review_change(&self, id: SystemId, read: Time, verdict: Verdict) -> Result<Changed> {
        let changed = self.catalog.review_change(&self.by, id, read, verdict).await?;
        self.offer();
        Ok(changed)
    }

    /// Lets an endpoint count that a tool wrote, or throws it away; `None` if it is thrown away.
    pub async fn review_endpoint(&self, id: EndpointId, read: Time, verdict: Verdict) -> Result<Option<Endpoint>> {
        let endpoint = self.catalog.review_endpoint(&self.by, id, read, verdict).await?;
        self.offer();
        Ok(endpoint)
    }

    /// Returns the person who makes the changes.
    pub fn by(&self) -> &Actor {
        &self.by
    }
}
