//! The builder of a tool: everything beyond its arguments and what runs it.

use std::{sync::Arc, time::Duration};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Alias, Tool, alias::example, parse::parse};
use crate::{
    engine::provenance::Provenance,
    model::{
        caller::Caller,
        destination::Destination,
        error::Result,
        settings::Settings,
        spec::{Risk, Setting},
    },
};

impl Tool {
    /// Sets the least risk of a call.
    #[must_use]
    pub fn risk(mut self, risk: Risk) -> Self {
        self.spec.risk = risk;
        self
    }

    /// Sets the permission a caller needs.
    #[must_use]
    pub fn permission(mut self, permission: &'static str) -> Self {
        self.spec.permission = Some(permission.into());
        self
    }

    /// Sets how long a call may take.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.spec.timeout = timeout;
        self
    }

    /// Says how long a call may take that does not ask for longer, where the tool lets it ask.
    #[must_use]
    pub fn usual_timeout(mut self, timeout: Duration) -> Self {
        self.usual_timeout = Some(timeout);
        self
    }

    /// Keeps it always in the model's context (R30).
    #[must_use]
    pub fn innate(mut self) -> Self {
        self.spec.innate = true;
        self
    }

    /// Says that it changes nothing but what belongs to its caller alone: it needs no permission.
    #[must_use]
    pub fn own_data(mut self) -> Self {
        self.spec.own_data = true;
        self
    }

    /// Adds a setting of its configuration.
    #[must_use]
    pub fn setting(mut self, setting: Setting) -> Self {
        self.spec.settings.push(setting);
        self
    }

    /// Names the tools it calls, whatever its arguments: it is at least as risky as they are.
    #[must_use]
    pub fn uses(mut self, uses: Vec<String>) -> Self {
        self.uses = uses;
        self
    }

    /// Raises the risk by the arguments; it never lowers it.
    #[must_use]
    pub fn risk_of<Args, F>(self, risk_of: F) -> Self
    where
        Args: DeserializeOwned,
        F: Fn(&Args) -> Risk + Send + Sync + 'static,
    {
        self.risk_of_call(move |args| Ok(risk_of(args)))
    }

    /// Raises the risk by the arguments and what they name, and refuses a call that cannot be made before anybody is
    /// asked about it.
    #[must_use]
    pub fn risk_of_call<Args, F>(mut self, risk_of: F) -> Self
    where
        Args: DeserializeOwned,
        F: Fn(&Args) -> Result<Risk> + Send + Sync + 'static,
    {
        self.risk_of = Some(Arc::new(move |arguments| risk_of(&parse(arguments.clone())?)));
        self
    }

    /// Asks a person for a reason the risk does not cover, for instance a policy of its settings.
    #[must_use]
    pub fn asks<Args, F>(mut self, asks: F) -> Self
    where
        Args: DeserializeOwned,
        F: Fn(&Args, &Settings) -> Option<String> + Send + Sync + 'static,
    {
        self.asks = Some(Arc::new(move |arguments, settings| match parse(arguments.clone()) {
            Ok(args) => asks(&args, settings),
            Err(error) => Some(error.message().to_owned()),
        }));
        self
    }

    /// Refuses a call that this caller cannot make with such arguments, before a person is asked about it. Running it
    /// checks the same.
    #[must_use]
    pub fn demands<Args, F>(mut self, demands: F) -> Self
    where
        Args: DeserializeOwned,
        F: Fn(&Args, &Caller) -> Result<()> + Send + Sync + 'static,
    {
        self.demands = Some(Arc::new(move |arguments, caller| demands(&parse(arguments.clone())?, caller)));
        self
    }

    /// Names where a call sends something, where the arguments choose it. Once content from outside is in a conversation, a
    /// person is asked before it reaches a host and port it has not reached yet.
    #[must_use]
    pub fn reaches<Args, F>(mut self, place: F) -> Self
    where
        Args: DeserializeOwned,
        F: Fn(&Args) -> Option<Destination> + Send + Sync + 'static,
    {
        self.reaches_any = true;
        self.reaches_named(move |args| place(args).into_iter().collect())
    }

    /// Names where a call may send something, which lies with what the arguments name: a connected system is asked for
    /// like any other host, for what may be carried out goes there all the same.
    #[must_use]
    pub fn reaches_named<Args, F>(mut self, places: F) -> Self
    where
        Args: DeserializeOwned,
        F: Fn(&Args) -> Vec<Destination> + Send + Sync + 'static,
    {
        self.reaches =
            Some(Arc::new(move |arguments| parse(arguments.clone()).map(|args| places(&args)).unwrap_or_default()));
        self
    }

    /// Keeps the values of these arguments, at any depth and under every alias, out of the audit: what is
    /// remembered of a person is read by nobody else, administrators included (R4).
    #[must_use]
    pub fn private(mut self, arguments: &'static [&'static str]) -> Self {
        self.private = arguments;
        self
    }

    /// Says what it touches of the caller's own, in words that end a sentence to them: `your memories`. A key uses it
    /// only where its owner said so, and a script of somebody else only where the caller agreed.
    #[must_use]
    pub fn personal(mut self, things: &'static str) -> Self {
        self.personal = Some(things);
        self
    }

    /// Says who wrote it, for those whom that concerns.
    #[must_use]
    pub fn written(mut self, provenance: Option<Provenance>) -> Self {
        self.provenance = provenance;
        self
    }

    /// Says when the platform's settings switch it off, and why.
    #[must_use]
    pub fn available(mut self, available: impl Fn(&Settings) -> Result<()> + Send + Sync + 'static) -> Self {
        self.available = Some(Arc::new(available));
        self
    }

    /// Says whether a value may be stored under a key of its configuration, so that it is refused where it is entered.
    #[must_use]
    pub fn accepts(mut self, accepts: fn(&str, &str) -> Result<()>) -> Self {
        self.accepts = Some(accepts);
        self
    }

    /// Runs it without what is stored under its name, which nobody has: that was somebody else's.
    #[must_use]
    pub fn unnamed(mut self) -> Self {
        self.unnamed = true;
        self
    }

    /// Says that it changes what others' agents read: once content from outside is in a conversation, a person is asked
    /// before every call.
    #[must_use]
    pub fn for_everybody(mut self) -> Self {
        self.for_everybody = true;
        self
    }

    /// Adds a worked example: documentation and test.
    #[must_use]
    pub fn example(self, title: &str, arguments: Value, result: Value) -> Self {
        self.example_after(Vec::new(), title, arguments, result)
    }

    /// Adds a worked example that needs other calls first.
    #[must_use]
    pub fn example_after(mut self, before: Vec<(&str, Value)>, title: &str, arguments: Value, result: Value) -> Self {
        self.spec.examples.push(example(before, title, arguments, result));
        self
    }

    /// Adds another name.
    #[must_use]
    pub fn alias(mut self, alias: Alias) -> Self {
        self.aliases.push(alias);
        self
    }
}
