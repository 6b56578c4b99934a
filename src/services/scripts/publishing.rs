//! From a text to a tool: checked, tried, tested, published, taken back.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{
    library::{Library, summary},
    loaded::{Loaded, ensure_carries_none},
    naming, wider, worker,
};
use satchel_engine::{confirm, run::Stops};
use satchel_model::{
    call::{Call, Outcome},
    error::{Error, Kind, Result},
    id::shorten,
    reserved,
    script::{Diagnostic, Origin, TestRun},
    spec::Source,
    user::UserId,
};
use satchel_script::{header, limits::MAX_SOURCE, wire::Checked};
use satchel_store::{
    people::Actor,
    scripts::{Kept, NewVersion, Scripts},
};

/// The workbench where scripts are made. Cheap to clone.
#[derive(Clone)]
pub struct Workbench {
    library: Library,
    scripts: Scripts,
}

/// A person's answer to a publication.
#[derive(Debug, Clone, Default)]
pub struct Accepted {
    /// A note on what was changed.
    pub note: Option<String>,
    /// The new capabilities the publisher agrees to.
    pub wider: Vec<String>,
    /// The digest of the text they saw last, where they say so: another that is there by now is not taken for it.
    pub base: Option<String>,
}

/// The treatment of a draft that a text from elsewhere would replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drafts {
    /// It stays, and the text is refused.
    Stay,
    /// The text takes its place.
    GiveWay,
}

/// The outcome of a text from elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is a draft now.
    Saved,
    /// It was there already, live or as the draft.
    Unchanged,
}

impl Workbench {
    /// A workbench on this library.
    pub fn new(library: &Library) -> Self {
        Self { library: library.clone(), scripts: Scripts::new(&library.app().db) }
    }

    pub(super) fn library(&self) -> &Library {
        &self.library
    }

    /// Checks a text; the tools it names are looked up, too.
    pub async fn check(&self, who: UserId, source: &str) -> Result<Checked> {
        let mut checked = worker::check(&self.library.app().host.workers.for_user(who), source).await?;
        let loaded = Loaded::ungranted(Origin::Console, source);
        let registry = self.library.invoker().registry();
        for (name, (line, column)) in loaded.head.uses_with_places().filter(|(name, _)| registry.find(name).is_err()) {
            let problem = Diagnostic::error(line, column, format!("There is no tool '{name}'."));
            checked.problems.push(problem.long(name.chars().count()).hint("See the list of tools for its name."));
        }
        for (name, (line, column)) in loaded.head.uses_with_places() {
            if let Err(error) = ensure_carries_none(&registry, name) {
                let problem = Diagnostic::error(line, column, error.message());
                checked.problems.push(problem.long(name.chars().count()));
            }
        }
        if let Some(taken) = self.taken(&loaded).filter(|_| !self.is_live(&loaded)) {
            let (line, column) = loaded.head.name_at;
            checked.problems.push(Diagnostic::error(line, column, taken).long(loaded.head.name.len()));
        }
        checked.problems.sort_by_key(|problem| (problem.line, problem.column));
        Ok(checked)
    }

    /// Runs the examples and tests of a text.
    pub async fn test(&self, who: UserId, source: &str) -> Result<TestRun> {
        worker::test(&self.library.app().host.workers.for_user(who), source).await
    }

    /// Runs a text as the caller, through the pipeline, for real. What asks a person is refused with that reason.
    /// `unheard` fires when nobody waits for the outcome any more.
    pub async fn run(&self, source: &str, mut call: Call, unheard: CancellationToken) -> Result<Outcome> {
        let name = Loaded::ungranted(Origin::Console, source).head.name;
        let loaded = Arc::new(self.library.read(source));
        let checked = self.check(call.caller.user, source).await?;
        require_sound(&checked)?;
        call.tool = loaded.spec().id();
        let invoker = self.library.invoker();
        let registry = invoker.registry();
        let others = registry.tools().iter().filter(|tool| tool.spec().source == Source::Script);
        let others = others.filter(|tool| tool.spec().name != name).cloned();
        let shown = self.library.one(&name);
        if let Some(live) = shown.as_ref().and_then(|shown| shown.live.as_ref()) {
            wider::require_permission(&live.head, &loaded.head, &call.caller.permissions)?;
        }
        let tool = Arc::clone(&loaded).tool()?;
        let tool = if shown.is_none() { tool.unnamed() } else { tool };
        let (beside, _) = registry.with_source(Source::Script, others.chain([Arc::new(tool)]).collect::<Vec<_>>());
        call.attended = false;
        let outcome = invoker.beside(beside).invoke(call, Stops { unheard, ..Stops::default() }).await;
        outcome.map_err(|error| match confirm::unasked_risk(&error) {
            Some(_) => Error::conflict(format!("{error} Publish it, then call it.")),
            None => error,
        })
    }

    /// Keeps a text as the draft of the script it names. `base` is the digest of the text it began from, empty where
    /// there was none.
    ///
    /// # Errors
    ///
    /// If another text than that is there by now.
    pub async fn save(&self, by: &Actor, name: &str, source: String, base: Option<String>) -> Result<()> {
        if source.len() > MAX_SOURCE {
            return Err(Error::invalid(format!("The script is longer than {} KB.", MAX_SOURCE >> 10)));
        }
        let loaded = Loaded::ungranted(Origin::Console, &source);
        if loaded.head.name.is_empty() {
            let (_, problems) = header::parse(&source);
            return Err(Error::invalid(
                problems.iter().find(|problem| problem.is_error()).map(summary).unwrap_or_default(),
            ));
        }
        if loaded.head.name != name {
            let said = &loaded.head.name;
            let name = shorten(name);
            return Err(Error::invalid(format!("The text says '@name {said}': it is to be saved as {name}.")));
        }
        if self.scripts.one(name).await?.is_none() {
            // Whoever is first takes all that is left under the name: a file that came a moment ago has it.
            self.library.reload().await?;
        }
        if let Some(taken) = self.taken(&loaded) {
            return Err(Error::conflict(taken));
        }
        self.scripts.save_draft(by, name, loaded.source.to_string(), base).await?;
        self.library.reload().await
    }

    /// Keeps a text from elsewhere as the draft of the script it names, unless it is there already.
    pub async fn take_in(&self, by: &Actor, source: String, drafts: Drafts) -> Result<Taken> {
        let loaded = Loaded::ungranted(Origin::Console, &source);
        let name = loaded.head.name.as_str();
        let there = self.scripts.one(name).await?;
        let draft = there.as_ref().and_then(|kept| kept.draft.as_deref());
        let live = there.as_ref().and_then(|kept| Some(kept.live.as_ref()?.1.as_str()));
        if [draft, live].contains(&Some(&*loaded.source)) {
            return Ok(Taken::Unchanged);
        }
        if draft.is_some() && drafts == Drafts::Stay {
            let message =
                format!("There is a draft of {name} with another text. It stays unless the import says replace.");
            return Err(Error::conflict(message).with_details(json!({"draft": true})));
        }
        let base = there.as_ref().map(Kept::digest).unwrap_or_default();
        self.save(by, name, source, Some(base)).await.map(|()| Taken::Saved)
    }

    /// Makes the draft the live text. A red test, or a capability nobody agreed to, keeps it from it.
    pub async fn publish(&self, by: &Actor, name: &str, accepted: Accepted) -> Result<()> {
        let kept = self.kept(name).await?;
        kept.require_base(accepted.base.as_deref())?;
        let Some(draft) = kept.draft.clone() else {
            return Err(Error::conflict(format!("There is no draft of {name}: the live text is the last one.")));
        };
        self.make_live(by, &kept, draft, accepted).await
    }

    /// Makes an earlier text live again, as a version of its own.
    pub async fn roll_back(&self, by: &Actor, name: &str, version: u32, accepted: Accepted) -> Result<()> {
        let kept = self.kept(name).await?;
        kept.require_base(accepted.base.as_deref())?;
        let Some(source) = self.scripts.source(name, version).await? else {
            return Err(Error::not_found(format!("There is no version {version} of {}.", shorten(name))));
        };
        let accepted = Accepted { note: Some(format!("Back to version {version}")), ..accepted };
        self.make_live(by, &kept, source, accepted).await
    }

    /// Removes a script of the console.
    pub async fn delete(&self, by: &Actor, name: &str, base: Option<String>) -> Result<()> {
        let kept = self.kept(name).await?;
        if let Some((_, live)) = &kept.live {
            let live = Loaded::ungranted(Origin::Console, live);
            wider::require_permission_to_delete(&live.head, &by.caller.permissions)?;
        }
        self.scripts.delete(by, name, base).await?;
        self.library.reload().await
    }

    /// Throws a draft away.
    pub async fn discard(&self, by: &Actor, name: &str, base: Option<String>) -> Result<()> {
        self.kept(name).await?;
        self.scripts.drop_draft(by, name, base).await?;
        self.library.reload().await
    }

    /// Grants a script these of the hosts it names, and no others.
    pub async fn grant(&self, by: &Actor, name: &str, hosts: Vec<String>) -> Result<()> {
        let shown = self.library.one(name).ok_or_else(|| unknown(name))?;
        let draft = shown.kept.as_ref().and_then(|kept| kept.draft.as_deref());
        let draft = draft.map(|source| Loaded::ungranted(shown.origin, source));
        let texts = shown.live.iter().map(|live| &live.head).chain(draft.iter().map(|draft| &draft.head));
        let named: BTreeSet<String> = texts.flat_map(|head| &head.hosts).map(ToString::to_string).collect();
        if let Some(other) = hosts.iter().find(|host| !named.contains(*host)) {
            return Err(Error::invalid(format!("The header of {name} does not name the host '{other}'.")));
        }
        self.scripts.grant(by, name, hosts).await?;
        self.library.reload().await
    }

    async fn make_live(&self, by: &Actor, kept: &Kept, source: String, accepted: Accepted) -> Result<()> {
        require_sound(&self.check(by.caller.user, &source).await?)?;
        let live = kept.live.as_ref().map(|(_, source)| Loaded::ungranted(Origin::Console, source));
        let next = Loaded::ungranted(Origin::Console, &source);
        if let Some(live) = &live {
            wider::require_permission(&live.head, &next.head, &by.caller.permissions)?;
        }
        let tests = self.test(by.caller.user, &source).await?;
        if !tests.is_green() {
            let red = tests.total - tests.passed;
            let message = format!("{red} of {} tests fail: it is published when all pass.", tests.total);
            return Err(Error::conflict(message).with_details(json!({"tests": tests})));
        }
        let stored = self.library.app().stores.tool_config.values(&kept.name).await?;
        let hidden = stored.into_iter().filter(|(_, stored)| stored.secret).map(|(key, _)| key).collect();
        let wider = wider::wider(live.as_ref(), &next, &hidden);
        let unasked: Vec<&String> = wider.iter().filter(|what| !accepted.wider.contains(what)).collect();
        if !unasked.is_empty() {
            let list = unasked.iter().map(|what| what.as_str()).collect::<Vec<_>>().join(", ");
            let message = format!("It may do more than what is live: {list}. Agree to each, then publish.");
            return Err(Error::conflict(message).with_details(json!({"wider": wider})));
        }
        let new = NewVersion { source, note: accepted.note, wider, base: accepted.base };
        self.scripts.publish(by, &kept.name, new).await?;
        self.library.reload().await
    }

    async fn kept(&self, name: &str) -> Result<Kept> {
        match self.scripts.one(name).await? {
            Some(kept) => Ok(kept),
            None if self.library.one(name).is_some() => Err(Error::conflict(format!(
                "{name} is a file: change it where it lies, or save a copy under another name."
            ))),
            None => Err(unknown(name)),
        }
    }

    /// Returns who has the name, where that is not a script of the console.
    fn taken(&self, loaded: &Loaded) -> Option<String> {
        let name = &loaded.head.name;
        if reserved::is_reserved(name) {
            return Some(reserved::message(name));
        }
        let registry = self.library.invoker().registry();
        let Ok(found) = registry.find(name) else {
            // A file that is wrong for a moment keeps its name, and what was configured for it.
            let file = self.library.one(name).filter(|one| one.kept.is_none())?;
            let own = file.live.is_some_and(|live| live.source == loaded.source);
            return (!own).then(|| format!("The name '{name}' belongs to a file that is broken. Choose another."));
        };
        let spec = found.tool.spec();
        let holder = self.library.holder(name).filter(|_| spec.source == Source::Script);
        match holder {
            Some(own) if own.origin == Origin::Console => None,
            Some(file) if file.origin == Origin::Folder => {
                Some(format!("The name '{name}' belongs to {}. Choose another.", naming::description(&file)))
            }
            _ => Some(format!("The name '{name}' belongs to {spec}. Choose another.")),
        }
    }

    /// Returns whether this very text is the live one: a shipped script, or a file, is shown and tried out under its
    /// own name.
    fn is_live(&self, loaded: &Loaded) -> bool {
        self.library.holder(&loaded.head.name).and_then(|one| one.live).is_some_and(|live| live.source == loaded.source)
    }
}

fn require_sound(checked: &Checked) -> Result<()> {
    let errors: Vec<&Diagnostic> = checked.problems.iter().filter(|problem| problem.is_error()).collect();
    match errors.first() {
        None => Ok(()),
        Some(first) => Err(Error::invalid(summary(first)).with_details(json!({"problems": errors}))),
    }
}

fn unknown(name: &str) -> Error {
    Error::new(Kind::NotFound, format!("There is no script '{}'.", shorten(name)))
}

/// Looking at scripts.
impl Workbench {
    /// The text that is edited: the draft, or what is live.
    pub async fn text(&self, name: &str) -> Result<String> {
        let shown = self.library.one(name).ok_or_else(|| unknown(name))?;
        let draft = shown.kept.and_then(|kept| kept.draft);
        let live = shown.live.map(|live| live.source.to_string());
        draft.or(live).ok_or_else(|| unknown(name))
    }

    /// The difference between a version and the one before, as a unified diff.
    pub async fn version(&self, name: &str, version: u32) -> Result<(String, String)> {
        let missing = || Error::not_found(format!("There is no version {version} of {}.", shorten(name)));
        let source = self.scripts.source(name, version).await?.ok_or_else(missing)?;
        let before = match version.checked_sub(1) {
            Some(before) if before > 0 => self.scripts.source(name, before).await?.unwrap_or_default(),
            _ => String::new(),
        };
        let diff = diffy::create_patch(&before, &source).to_string();
        Ok((source, diff))
    }

    /// Every version of a script.
    pub async fn versions(&self, name: &str) -> Result<Vec<satchel_model::script::Version>> {
        self.scripts.versions(name).await
    }
}
