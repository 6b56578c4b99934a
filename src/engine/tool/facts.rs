//! What is known of a tool whatever the arguments of a call.

use std::{sync::Arc, time::Duration};

use super::{Outline, Tool};
use crate::policy::{Named, NamedList};
use satchel_model::{
    caller::Caller,
    definition::Definition,
    error::Result,
    json::canonical,
    policy::ToolNames,
    script::provenance::{Provenance, Writer},
    settings::Settings,
    spec::{Risk, Source},
};

impl Named for Tool {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn names(&self) -> ToolNames {
        let (source, aliases) = (self.spec.source.as_str(), &self.aliases);
        let ids: Vec<String> = aliases.iter().map(|alias| format!("{source}:{}", alias.name())).collect();
        let bare = std::iter::once(self.spec.name.as_str()).chain(aliases.iter().map(|alias| alias.name()));
        ToolNames::new(&self.spec.id(), bare.chain(ids.iter().map(String::as_str)))
    }
}

impl NamedList for Vec<Arc<Tool>> {
    fn all(&self) -> Box<dyn Iterator<Item = &dyn Named> + '_> {
        Box::new(self.iter().map(|tool| tool.as_ref() as &dyn Named))
    }
}

impl Tool {
    /// The fields of the object that each result is, with their JSON types, as far as it tells them; empty if it tells none.
    pub fn gives(&self) -> &'static [(&'static str, &'static str)] {
        self.gives
    }

    /// Fails where a value cannot be one of its configuration.
    pub fn require_setting(&self, key: &str, value: &str) -> Result<()> {
        self.accepts.map_or(Ok(()), |accepts| accepts(key, value))
    }

    /// Whether what is stored under its name is its own.
    pub fn owns_its_name(&self) -> bool {
        !self.unnamed
    }

    /// Whether it changes what others' agents read.
    pub fn is_for_everybody(&self) -> bool {
        self.for_everybody
    }

    /// The arguments whose values the audit does not keep.
    pub fn private_arguments(&self) -> &'static [&'static str] {
        self.private
    }

    /// Things of the caller's own that it touches, in words: `your memories`. `None` if there are none.
    pub fn personal_things(&self) -> Option<&'static str> {
        self.personal
    }

    /// Its provenance, where a person wrote it: a script.
    pub fn provenance(&self) -> Option<&Provenance> {
        self.provenance.as_ref()
    }

    /// Returns whether what it says of itself is from outside for a caller: the words of a system, or of somebody else.
    pub fn has_foreign_words(&self, caller: &Caller) -> bool {
        let of_another = |one: &Provenance| matches!(one.writer, Writer::Person { .. }) && !one.is_of(caller);
        let is_systems = matches!(self.spec.source, Source::Mcp | Source::Catalog | Source::Interface);
        is_systems || self.provenance.as_ref().is_some_and(of_another)
    }

    /// The time a call may take unless it asks for longer.
    pub fn holding_timeout(&self) -> Duration {
        self.usual_timeout.unwrap_or(self.spec.timeout)
    }

    /// Fails with the reason where the platform's settings switch it off.
    pub fn check_available(&self, settings: &Settings) -> Result<()> {
        self.available.as_ref().map_or(Ok(()), |available| available(settings))
    }

    /// The digest of what it is, whatever its arguments: worked out when it is first asked for.
    pub fn definition(&self) -> &Definition {
        self.definition.get_or_init(|| {
            let spec = &self.spec;
            let (id, parameters) = (spec.id(), canonical(&spec.parameters.document()).to_string());
            let made_of = self.made_of.as_deref().unwrap_or(env!("CARGO_PKG_VERSION"));
            let permission = spec.permission.as_deref().unwrap_or_default();
            Definition::from_parts([&id, made_of, spec.risk.as_str(), permission, &parameters])
        })
    }

    /// The cost of its definition in a model's context, in tokens: counted when it is first asked for.
    pub fn tokens(&self) -> u64 {
        *self.tokens.get_or_init(|| self.spec.tokens())
    }

    /// Returns whether this is the text it is made of: [`Tool::made_of`].
    pub fn is_made_of(&self, text: &str) -> bool {
        self.made_of.as_deref() == Some(text)
    }

    /// Whether calls can stand in its arguments.
    pub fn carries_calls(&self) -> bool {
        self.outline.carries
    }

    /// Whether its calls can change what is done by itself later.
    pub fn can_last(&self) -> bool {
        self.outline.lasts
    }

    /// Whether a call that is made again, by the same id, goes on with what it began.
    pub fn can_be_resumed(&self) -> bool {
        self.resumes
    }

    /// Returns whether a call of it is run anew with the ticket of a call within it.
    pub fn can_replay(&self) -> bool {
        self.replays
    }

    /// Returns whether its calls make others that are not known before.
    pub fn holds_calls(&self) -> bool {
        self.carries_calls() || self.replays
    }

    /// Whether its calls make other calls.
    pub fn calls_others(&self) -> bool {
        self.carries_calls() || !self.uses.is_empty()
    }

    /// The setting that holds the address its calls are sent to.
    pub fn reaching_setting(&self) -> Option<&'static str> {
        self.reaches_setting
    }

    /// Whether its arguments alone choose the host its calls are sent to: nobody has allowed that one.
    pub fn reaches_any_host(&self) -> bool {
        self.outline.reaches_any
    }

    /// Whether its calls leave this machine.
    pub fn sends_out(&self) -> bool {
        self.outline.reaches || self.reaches_setting.is_some()
    }

    /// Whether its arguments or what they name say where its calls are sent.
    pub fn reaches_out(&self) -> bool {
        self.outline.reaches
    }

    /// The tools it calls, whatever its arguments.
    pub fn used(&self) -> &[String] {
        &self.uses
    }

    /// The highest risk that arguments can give a call.
    pub fn can_rise_to(&self) -> Option<Risk> {
        self.up_to
    }

    /// Whether arguments can raise its risk.
    pub fn raises_risk(&self) -> bool {
        let Outline { raises_risk, carries, .. } = self.outline;
        raises_risk || carries
    }

    /// Whether arguments can be a reason to ask a person whatever the risk.
    pub fn can_ask(&self) -> bool {
        self.outline.asks
    }
}
