//! The extent of a call, as far as it is known before it runs: its tool and those it will call, what they are, where they
//! send something, and why a person is asked about them. A person's yes is bound to this.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use serde_json::Value;
use url::Url;

use super::{
    approval::Part,
    configure,
    prepared::PreparedCall,
    registry::Registry,
    sent,
    tool::{Prepared, Tool},
};
use satchel_app::App;
use satchel_model::{
    definition::Definition,
    destination::{Destination, MOST_NAMED},
    error::Result,
    user::UserId,
};

/// The extent of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    /// The digest of what it does.
    pub definition: Definition,
    /// Destinations of its tool and of those it calls: in order, each once.
    pub reaches: Vec<Destination>,
    /// Further destinations that its arguments name, where something it calls leaves this machine. What is sent may be led
    /// on to them.
    pub names: Vec<Destination>,
    /// Whether they name more of them than a person reads: those beyond are not told.
    pub names_more: bool,
    /// Whether it changes what others' agents read.
    pub for_everybody: bool,
    /// Whether it changes what is done by itself later.
    pub lasts: bool,
    /// Reasons to ask a person whatever the risk: in the order of the calls, each once.
    pub reasons: Vec<Reason>,
    /// Its tool and those it calls, by id.
    pub parts: BTreeMap<String, Part>,
}

/// A reason to ask a person whatever the risk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The tool that gives it, where that is called with arguments nobody knows yet.
    pub used: Option<String>,
    /// Its words.
    pub text: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.used {
            Some(tool) => write!(f, "It uses {tool}. {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

impl Extent {
    /// The extent of a call of this person.
    ///
    /// # Errors
    ///
    /// Fails where the configuration of its tools cannot be read.
    pub async fn read(app: &App, call: &PreparedCall, registry: &Registry, user: UserId) -> Result<Self> {
        let mut walk = Walk::new(app, registry, user);
        walk.call(call).await?;
        for inner in &call.inner {
            match &inner.found {
                Ok((_, Ok(call))) => walk.call(call).await?,
                // It is never run; were it one that can, it would be another call.
                Ok((found, Err(_))) => walk.texts.push(found.tool.spec().id()),
                Err(_) => walk.texts.push(inner.name.clone()),
            }
        }
        Ok(walk.end())
    }

    /// Every destination, reached or named.
    pub fn places(&self) -> impl Iterator<Item = &Destination> {
        self.reaches.iter().chain(&self.names)
    }

    /// Whether all that it runs was told with `parts`, and is what it was then.
    pub fn runs_only(&self, parts: &BTreeMap<String, Part>) -> bool {
        self.parts.iter().all(|(id, part)| parts.get(id).is_some_and(|told| part.is_told_by(told)))
    }

    /// The reasons to ask, together. `None` where there is none.
    pub fn reason(&self) -> Option<String> {
        let all: Vec<String> = self.reasons.iter().map(Reason::to_string).collect();
        (!all.is_empty()).then(|| all.join(" "))
    }
}

/// The way through a call and all that it calls.
struct Walk<'a> {
    app: &'a App,
    registry: &'a Registry,
    user: UserId,
    texts: Vec<String>,
    parts: BTreeMap<String, Part>,
    reaches: BTreeSet<Destination>,
    names: BTreeSet<Destination>,
    names_more: bool,
    for_everybody: bool,
    lasts: bool,
    reasons: Vec<Reason>,
}

impl<'a> Walk<'a> {
    fn new(app: &'a App, registry: &'a Registry, user: UserId) -> Self {
        let (reaches, names) = (BTreeSet::new(), BTreeSet::new());
        let (texts, parts, reasons) = (Vec::new(), BTreeMap::new(), Vec::new());
        let (names_more, for_everybody, lasts) = (false, false, false);
        Self { app, registry, user, texts, parts, reaches, names, names_more, for_everybody, lasts, reasons }
    }

    /// A call whose arguments are known, and the tools it uses.
    async fn call(&mut self, prepared: &PreparedCall) -> Result<()> {
        let PreparedCall { tool, arguments, call, .. } = prepared;
        let used = self.registry.used_by(tool);
        self.tool(tool, Some(call.as_ref())).await?;
        self.lasts |= call.lasts();
        self.reason(None, call.asks(&self.app.settings.get()));
        self.texts.extend(sent::digests(self.app, self.user, call.sent_files()).await);
        for inner in &used {
            // The arguments they will be called with are known to nobody yet: what is known takes none.
            let known = inner.prepare(&Value::Null).ok();
            self.lasts |= inner.can_last();
            self.tool(inner, known.as_deref()).await?;
            self.reason(Some(inner), self.asks_usually(inner));
        }
        // Any address among the arguments may be where it is sent, or where what is sent leads next.
        if tool.sends_out() || used.iter().any(|inner| inner.sends_out()) {
            self.names.extend(Destination::all_in(arguments));
            self.names_more |= self.names.len() > MOST_NAMED;
        }
        Ok(())
    }

    async fn tool(&mut self, tool: &Tool, call: Option<&dyn Prepared>) -> Result<()> {
        let configuration = configure::fingerprint(self.app, tool).await?;
        let definition = Definition::from_parts([tool.definition().as_str(), &configuration]);
        let relied_on = call.map(Prepared::relied_on).unwrap_or_default();
        self.texts.extend([definition.as_str().to_owned(), relied_on.clone()]);
        let part = Part { definition, relied_on: BTreeSet::new() };
        self.parts.entry(tool.spec().id()).or_insert(part).relied_on.insert(relied_on);
        self.reaches.extend(call.map(Prepared::destinations).unwrap_or_default());
        self.reaches.extend(self.configured(tool).await);
        self.for_everybody |= tool.is_for_everybody();
        Ok(())
    }

    fn reason(&mut self, used: Option<&Arc<Tool>>, text: Option<String>) {
        let used = used.map(|tool| tool.spec().name.clone());
        let reason = text.map(|text| Reason { used, text }).filter(|reason| !self.reasons.contains(reason));
        self.reasons.extend(reason);
    }

    /// The reason that a tool gives for one of its own examples, which stand for arguments nobody knows yet.
    fn asks_usually(&self, tool: &Tool) -> Option<String> {
        if !tool.can_ask() {
            return None;
        }
        let settings = self.app.settings.get();
        tool.spec().examples.iter().find_map(|one| match tool.prepare(&one.arguments) {
            Ok(call) => call.asks(&settings),
            Err(error) => Some(error.message().to_owned()),
        })
    }

    /// The destination of the address in a tool's settings.
    async fn configured(&self, tool: &Tool) -> Option<Destination> {
        let key = tool.reaching_setting()?;
        // Without its settings it does not run.
        let settings = configure::load(self.app, tool).await.ok()?;
        Destination::from_url(&Url::parse(settings.get(key)?.expose().trim()).ok()?)
    }

    fn end(self) -> Extent {
        let Self { mut texts, parts, reaches, mut names, names_more, for_everybody, lasts, reasons, .. } = self;
        names.retain(|name| !reaches.contains(name));
        texts.extend(reaches.iter().chain(&names).map(ToString::to_string));
        let definition = Definition::from_parts(texts.iter().map(String::as_str));
        let (reaches, names) = (reaches.into_iter().collect(), names.into_iter().collect());
        Extent { definition, reaches, names, names_more, for_everybody, lasts, reasons, parts }
    }
}
