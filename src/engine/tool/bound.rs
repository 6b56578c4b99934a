//! Things that a person's yes to a call is bound to: the tool's definition, whatever else decides what the call does, its
//! destinations, and the scope of a yes for a whole conversation.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{InnerCall, Tool, parse::parse};
use crate::model::{definition::Definition, destination::Destination, json::canonical};

impl Tool {
    /// Says what it is made of, where that is not compiled in: a script's text, and what that was granted.
    #[must_use]
    pub fn made_of(mut self, text: String) -> Self {
        self.made_of = Some(text);
        self
    }

    /// Says what else decides what a call does, which may change without the tool: the system it is sent to. Arguments that
    /// name nothing give an empty text.
    #[must_use]
    pub fn relies_on<Args, F>(mut self, relies: F) -> Self
    where
        Args: DeserializeOwned,
        F: Fn(&Args) -> String + Send + Sync + 'static,
    {
        self.relies =
            Some(Arc::new(move |arguments| parse(arguments.clone()).map(|args| relies(&args)).unwrap_or_default()));
        self
    }

    /// Names the calls that stand in its arguments.
    #[must_use]
    pub fn carries<Args, F>(mut self, carries: F) -> Self
    where
        Args: DeserializeOwned,
        F: Fn(Args) -> Vec<InnerCall> + Send + Sync + 'static,
    {
        self.carries = Some(Arc::new(move |arguments| parse(arguments.clone()).map(&carries).unwrap_or_default()));
        self
    }

    /// Offers a yes for a whole conversation to its high-write calls, and says in words what it covers beside the tool and
    /// the hosts it reaches: `files in “reports”`. Calls with the same words are covered by the same yes. `None` where a call
    /// has no such scope. Of no use to a tool whose answers are from outside: the first one ends it.
    #[must_use]
    pub fn scoped<Args, F>(mut self, scope: F) -> Self
    where
        Args: DeserializeOwned,
        F: Fn(&Args) -> Option<String> + Send + Sync + 'static,
    {
        self.scope = Some(Arc::new(move |arguments| scope(&parse(arguments.clone()).ok()?)));
        self
    }

    /// Names the setting that holds the address its calls are sent to.
    #[must_use]
    pub fn reaches_setting(mut self, key: &'static str) -> Self {
        self.reaches_setting = Some(key);
        self
    }

    /// The digest of what it is, whatever its arguments: worked out when it is first asked for.
    pub fn definition(&self) -> &Definition {
        self.definition.get_or_init(|| {
            let spec = &self.spec;
            let (id, parameters) = (spec.id(), canonical(&spec.parameters).to_string());
            let made_of = self.made_of.as_deref().unwrap_or(env!("CARGO_PKG_VERSION"));
            let permission = spec.permission.as_deref().unwrap_or_default();
            Definition::from_parts([&id, made_of, spec.risk.as_str(), permission, &parameters])
        })
    }

    /// A text of everything else that decides what a call with these arguments does; empty where nothing does.
    pub(in crate::engine) fn relied_on(&self, arguments: &Value) -> String {
        self.relies.as_ref().map(|relies| relies(arguments)).unwrap_or_default()
    }

    /// The calls that stand in these arguments.
    pub fn inner_calls(&self, arguments: &Value) -> Vec<InnerCall> {
        self.carries.as_ref().map(|carries| carries(arguments)).unwrap_or_default()
    }

    /// The words of what a yes for a whole conversation covers beside the tool and its hosts; `None` where there is no such
    /// yes.
    pub(in crate::engine) fn scope_of(&self, arguments: &Value) -> Option<String> {
        self.scope.as_ref().and_then(|scope| scope(arguments))
    }

    /// Destinations of a call, as far as its arguments and what they name tell.
    pub fn destinations_of(&self, arguments: &Value) -> Vec<Destination> {
        self.reaches.as_ref().map(|reaches| reaches(arguments)).unwrap_or_default()
    }

    /// Whether calls can stand in its arguments.
    pub fn carries_calls(&self) -> bool {
        self.carries.is_some()
    }

    /// Whether its calls make other calls.
    pub(in crate::engine) fn calls_others(&self) -> bool {
        self.carries_calls() || !self.uses.is_empty()
    }

    /// The setting that holds the address its calls are sent to.
    pub(in crate::engine) fn reaching_setting(&self) -> Option<&'static str> {
        self.reaches_setting
    }

    /// Whether its arguments alone choose the host its calls are sent to: nobody has allowed that one.
    pub(in crate::engine) fn reaches_any_host(&self) -> bool {
        self.reaches_any
    }

    /// Whether its calls leave this machine.
    pub fn sends_out(&self) -> bool {
        self.reaches_out() || self.reaches_setting.is_some()
    }
}
