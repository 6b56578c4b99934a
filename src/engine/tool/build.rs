//! The builder of a tool: everything that does not depend on the arguments of a call.

use std::{
    future::Future,
    sync::{Arc, OnceLock},
    time::Duration,
};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Alias, Tool, alias::example};
use crate::{context::Context, preparation::Preparation, validate::Schema};
use satchel_model::{
    error::Result,
    output::Output,
    script::provenance::Provenance,
    settings::Settings,
    spec::{Category, DEFAULT_TIMEOUT, Risk, Setting, Source, Spec},
};

impl Tool {
    /// A built-in tool. Its parameters are the schema of `run`'s arguments; it reads, asks for no permission and has
    /// [`DEFAULT_TIMEOUT`] until the builder says otherwise.
    pub fn new<Args, Run, Running>(name: &str, category: Category, what: &str, when: &str, run: Run) -> Self
    where
        Args: DeserializeOwned + JsonSchema + Send + Sync + 'static,
        Run: Fn(Context, Args) -> Running + Send + Sync + 'static,
        Running: Future<Output = Result<Output>> + Send + 'static,
    {
        Self::prepared(name, category, what, when, Preparation::new(run))
    }

    /// As [`Tool::new`], of a tool whose calls say something by their arguments before they run.
    pub fn prepared<Args>(
        name: &str,
        category: Category,
        what: &str,
        when: &str,
        preparation: Preparation<Args>,
    ) -> Self
    where
        Args: DeserializeOwned + JsonSchema + Send + Sync + 'static,
    {
        let schema = Schema::new::<Args>();
        let spec = Spec {
            name: name.to_owned(),
            source: Source::Builtin,
            description: what.to_owned(),
            when_to_use: when.to_owned(),
            category,
            parameters: schema.given().clone(),
            risk: Risk::Read,
            permission: None,
            timeout: DEFAULT_TIMEOUT,
            settings: Vec::new(),
            examples: Vec::new(),
            innate: false,
            own_data: false,
        };
        Self::bare(spec, schema, preparation)
    }

    /// The data of each result is an object with at least these fields, each of a JSON type.
    #[must_use]
    pub fn giving(self, gives: &'static [(&'static str, &'static str)]) -> Self {
        Self { gives, ..self }
    }

    /// A tool that is known only at run time: a script, an endpoint of a connected system. Its arguments reach `run` as
    /// they are, checked against the spec's parameters. Fails where those are no JSON Schema.
    pub fn of_spec<Run, Running>(spec: Spec, run: Run) -> Result<Self>
    where
        Run: Fn(Context, Value) -> Running + Send + Sync + 'static,
        Running: Future<Output = Result<Output>> + Send + 'static,
    {
        let tool = Self::of_sound_spec(spec, Preparation::new(run));
        tool.schema.require_sound()?;
        Ok(tool)
    }

    /// As [`Tool::of_spec`], for parameters that were found to be JSON Schema before; were they not, every call would fail.
    pub fn of_sound_spec(spec: Spec, preparation: Preparation<Value>) -> Self {
        let schema = Schema::from_document(spec.parameters.clone());
        Self::bare(spec, schema, preparation)
    }

    fn bare<Args>(spec: Spec, schema: Schema, preparation: Preparation<Args>) -> Self
    where
        Args: DeserializeOwned + Send + Sync + 'static,
    {
        let outline = preparation.outline();
        Self {
            spec,
            schema,
            gives: &[],
            prepare: preparation.into_prepare(),
            outline,
            aliases: Vec::new(),
            uses: Vec::new(),
            reaches_setting: None,
            made_of: None,
            definition: OnceLock::new(),
            tokens: OnceLock::new(),
            available: None,
            accepts: None,
            private: &[],
            personal: None,
            usual_timeout: None,
            unnamed: false,
            resumes: false,
            replays: false,
            for_everybody: false,
            provenance: None,
            up_to: None,
        }
    }

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

    /// Keeps it always in the model's context.
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

    /// Says how risky a call can get by its arguments.
    #[must_use]
    pub fn up_to(mut self, risk: Risk) -> Self {
        self.up_to = Some(risk);
        self
    }

    /// Says what it is made of, where that is not compiled in: a script's text, and what that was granted.
    #[must_use]
    pub fn made_of(mut self, text: String) -> Self {
        self.made_of = Some(text);
        self
    }

    /// Names the setting that holds the address its calls are sent to.
    #[must_use]
    pub fn reaches_setting(mut self, key: &'static str) -> Self {
        self.reaches_setting = Some(key);
        self
    }

    /// Keeps the values of these arguments, at any depth and under every alias, out of the audit: what is
    /// remembered of a person is read by nobody else, administrators included.
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

    /// A call that is made again, by the same id, goes on with what it began: one that a stop of the server cut is.
    #[must_use]
    pub fn resumes(mut self) -> Self {
        self.resumes = true;
        self
    }

    /// Says that a call of it makes others that a person may be asked about: with the ticket of one of those it is run anew,
    /// and replays what they have answered.
    #[must_use]
    pub fn replays(mut self) -> Self {
        self.replays = true;
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
