//! Consent: a script of somebody else runs as whoever calls it. Where it uses what belongs to the caller, what its author
//! may not use, or what sends to any host though its author may grant none, each caller agrees to that once for each text;
//! what its author agreed to counts for nobody else.

use std::{iter, sync::Arc};

use super::{changed, registry::Registry, tool::Tool};
use satchel_app::App;
use satchel_model::{
    caller::{Caller, Permissions},
    definition::Definition,
    error::{Error, Result},
    script::provenance::{Provenance, Writer},
    user::UserId,
};
use satchel_store::consents::{self, ScriptText};

/// The permission to grant hosts to scripts.
const GRANTS_HOSTS: &str = "settings:manage";

/// A script that the caller has not agreed to yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PendingConsent {
    /// The text, with what of its callers' it uses.
    text: ScriptText,
    /// A sentence that names what it uses.
    message: String,
}

/// The scripts that a call would run and that its caller has not agreed to: the tool itself, and those it uses.
pub(super) async fn pending(
    app: &App,
    registry: &Registry,
    caller: &Caller,
    tool: &Arc<Tool>,
) -> Result<Vec<PendingConsent>> {
    let mut found = Vec::new();
    if tool.provenance().is_none() && tool.used().is_empty() {
        return Ok(found);
    }
    let mut scripts = vec![Arc::clone(tool)];
    scripts.extend(registry.used_by(tool));
    for script in scripts {
        let Some(provenance) = script.provenance().filter(|provenance| !provenance.is_of(caller)) else { continue };
        // Through a script that it uses, it comes by what that one uses: even one the caller wrote or agreed to.
        let used = registry.used_by(&script);
        let concerns = if used.is_empty() { Vec::new() } else { concerns(app, provenance, &used).await? };
        if concerns.is_empty() {
            continue;
        }
        let parts = iter::once(&provenance.digest).chain(&concerns).map(String::as_str);
        let digest = Definition::from_parts(parts).as_str().to_owned();
        let text = ScriptText { script: provenance.script.clone(), digest };
        if !consents::has(&app.db, caller.user, text.clone()).await? {
            let message = format!("{} uses {}.", provenance.message(), concerns.join(", and "));
            found.push(PendingConsent { text, message });
        }
    }
    Ok(found)
}

/// The tools a script uses that concern its callers, in words.
async fn concerns(app: &App, provenance: &Provenance, used: &[Arc<Tool>]) -> Result<Vec<String>> {
    let held = match &provenance.writer {
        Writer::Machine => Permissions::all(),
        Writer::Person { author, .. } => match author.id {
            Some(id) => app.stores.people.permissions_of(id).await?,
            None => Permissions::default(),
        },
    };
    let concern = |tool: &Arc<Tool>| {
        let spec = tool.spec();
        if let Some(things) = tool.personal_things() {
            return Some(format!("{}: {things}", spec.name));
        }
        if tool.reaches_any_host() && !held.grants(GRANTS_HOSTS) {
            return Some(format!("{}: it sends to whatever host it chooses", spec.name));
        }
        let lacks = spec.permission.as_deref().is_some_and(|permission| !held.grants(permission));
        lacks.then(|| format!("{}, which {} may not use", spec.name, provenance.writer_name()))
    };
    Ok(used.iter().filter_map(concern).collect())
}

/// The reason a person is asked about these, if so.
pub(super) fn reason(pending: &[PendingConsent]) -> Option<String> {
    let messages: Vec<&str> = pending.iter().map(|one| one.message.as_str()).collect();
    (!messages.is_empty()).then(|| format!("{} You agree to a text once.", messages.join(" ")))
}

/// The texts a question about these names.
pub(super) fn texts(pending: &[PendingConsent]) -> Vec<ScriptText> {
    pending.iter().map(|one| one.text.clone()).collect()
}

/// Fails for a call within one that was approved, where its caller has not agreed to a script it would run: the question
/// did not name that.
pub(super) fn ensure_agreed(pending: &[PendingConsent]) -> Result<()> {
    match reason(pending) {
        None => Ok(()),
        Some(reason) => {
            Err(Error::denied(format!("{reason} Call it by itself first: then you are asked. Nothing was done.")))
        }
    }
}

/// Keeps that a person agreed to these scripts, whose texts their question named. Fails where it named others.
pub(super) async fn agree(app: &App, user: UserId, pending: &[PendingConsent], named: &[ScriptText]) -> Result<()> {
    if pending.is_empty() {
        return Ok(());
    }
    if !pending.iter().all(|one| named.contains(&one.text)) {
        return Err(changed::refusal());
    }
    consents::give(&app.db, user, texts(pending), app.clock.now()).await
}
