//! Consent: a script of somebody else runs as whoever calls it. Where it uses what belongs to the caller, or what its author
//! may not use, each caller agrees to that once for each text; what its author agreed to counts for nobody else.

use std::{collections::HashSet, sync::Arc};

use super::{invoker::Invoker, registry::Registry, tool::Tool};
use crate::{
    app::App,
    model::{
        call::{Call, Ticket},
        caller::{Caller, Permissions},
        error::{Error, Result},
        script::Author,
    },
    store::consents,
};

/// Where a script comes from, for those who call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// Its name.
    pub script: String,
    /// The digest of its text.
    pub digest: String,
    /// Who wrote it.
    pub writer: Writer,
}

/// Who wrote a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Writer {
    /// A person, in the console.
    Person {
        /// Who published it.
        author: Author,
        /// As which version.
        version: u32,
    },
    /// Whoever may put files onto this machine.
    Machine,
}

impl Provenance {
    fn is_of(&self, caller: &Caller) -> bool {
        matches!(&self.writer, Writer::Person { author, .. } if author.id == Some(caller.user))
    }

    /// `city_clock v3 by anna`
    fn told(&self) -> String {
        match &self.writer {
            Writer::Person { author, version } => format!("{} v{version} by {}", self.script, author.name),
            Writer::Machine => format!("{}, a file of this machine,", self.script),
        }
    }

    fn writer_name(&self) -> &str {
        match &self.writer {
            Writer::Person { author, .. } => &author.name,
            Writer::Machine => "its author",
        }
    }
}

/// A script that the caller has not agreed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unagreed {
    script: String,
    digest: String,
    /// What it uses, in a sentence.
    told: String,
}

/// The scripts that a call would run and that its caller has not agreed to: the tool itself, and those it uses.
pub(super) async fn unagreed(
    app: &App,
    registry: &Registry,
    caller: &Caller,
    tool: &Arc<Tool>,
) -> Result<Vec<Unagreed>> {
    let mut found = Vec::new();
    if tool.provenance().is_none() && tool.used().is_empty() {
        return Ok(found);
    }
    let (mut waiting, mut seen) = (vec![Arc::clone(tool)], HashSet::new());
    while let Some(tool) = waiting.pop() {
        if !seen.insert(tool.spec().id()) {
            continue;
        }
        let used: Vec<Arc<Tool>> = tool.used().iter().filter_map(|name| Some(registry.find(name).ok()?.tool)).collect();
        if let Some(provenance) = tool.provenance().filter(|provenance| !provenance.is_of(caller)) {
            let concerns = concerns(app, provenance, &used).await?;
            let (script, digest) = (provenance.script.clone(), provenance.digest.clone());
            if !concerns.is_empty() && !consents::has(&app.db, caller.user, (script.clone(), digest.clone())).await? {
                let told = format!("{} uses {}.", provenance.told(), concerns.join(", and "));
                found.push(Unagreed { script, digest, told });
            }
        }
        waiting.extend(used);
    }
    Ok(found)
}

/// What of the tools a script uses concerns its callers, in words.
async fn concerns(app: &App, provenance: &Provenance, used: &[Arc<Tool>]) -> Result<Vec<String>> {
    let held = match &provenance.writer {
        Writer::Machine => Permissions::all(),
        Writer::Person { author, .. } => match author.id {
            Some(id) => app.people.permissions_of(id).await?,
            None => Permissions::default(),
        },
    };
    let concern = |tool: &Arc<Tool>| {
        let spec = tool.spec();
        if let Some(things) = tool.personal_things() {
            return Some(format!("{}: {things}", spec.name));
        }
        let lacks = spec.permission.as_deref().is_some_and(|permission| !held.grants(permission));
        lacks.then(|| format!("{}, which {} may not use", spec.name, provenance.writer_name()))
    };
    Ok(used.iter().filter_map(concern).collect())
}

/// Why a person is asked about these, if so.
pub(super) fn reason(unagreed: &[Unagreed]) -> Option<String> {
    let told: Vec<&str> = unagreed.iter().map(|one| one.told.as_str()).collect();
    (!told.is_empty()).then(|| format!("{} You agree to a text once.", told.join(" ")))
}

/// Fails for a call within one that was approved, where its caller has not agreed to a script it would run: the question
/// did not name that.
pub(super) fn ensure_agreed(unagreed: &[Unagreed]) -> Result<()> {
    match reason(unagreed) {
        None => Ok(()),
        Some(reason) => {
            Err(Error::denied(format!("{reason} Call it by itself first: then you are asked. Nothing was done.")))
        }
    }
}

impl Invoker {
    /// Keeps that the person agreed to the scripts their ticket named. One whose text was changed since is not among them.
    pub(super) async fn agree(&self, ticket: &Ticket, call: &Call) -> Result<()> {
        let registry = self.registry();
        let Ok(found) = registry.find(&ticket.tool) else { return Ok(()) };
        let unagreed = unagreed(&self.app, &registry, &call.caller, &found.tool).await?;
        let agreed = unagreed.into_iter().filter(|one| ticket.reason.contains(&one.told));
        let agreed: Vec<(String, String)> = agreed.map(|one| (one.script, one.digest)).collect();
        if agreed.is_empty() {
            return Ok(());
        }
        consents::give(&self.app.db, call.caller.user, agreed, self.app.clock.now()).await
    }
}
