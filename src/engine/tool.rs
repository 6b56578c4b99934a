//! A tool: its spec, its other names, and what runs it. A struct, not a trait: built-in tools, scripts and remote
//! tools differ only in how the value was made.

mod alias;

use std::{future::Future, sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{authorise::Grant, context::Context, registry::Registry, validate::Schema};
use crate::model::{
    caller::Caller,
    error::{Error, Result},
    output::Output,
    settings::Settings,
    spec::{Category, DEFAULT_TIMEOUT, Example, Risk, Setting, Source, Spec},
};

pub use alias::Alias;

type Handler = Arc<dyn Fn(Context, Value) -> BoxFuture<'static, Result<Output>> + Send + Sync>;
type RiskOf = Arc<dyn Fn(&Value, &Registry) -> Result<Risk> + Send + Sync>;
type Asks = Arc<dyn Fn(&Value, &Settings, &Registry) -> Option<String> + Send + Sync>;
type Demands = Arc<dyn Fn(&Value, &Caller, &Registry) -> Result<()> + Send + Sync>;
type Reaches = Arc<dyn Fn(&Value, &Registry) -> Vec<String> + Send + Sync>;
type Accepts = fn(&str, &str) -> Result<()>;
type Available = Arc<dyn Fn(&Settings) -> Result<()> + Send + Sync>;

/// A tool, ready to be registered.
#[derive(Clone)]
pub struct Tool {
    spec: Spec,
    schema: Schema,
    aliases: Vec<Alias>,
    uses: Vec<String>,
    risk_of: Option<RiskOf>,
    asks: Option<Asks>,
    demands: Option<Demands>,
    reaches: Option<Reaches>,
    available: Option<Available>,
    accepts: Option<Accepts>,
    private: &'static [&'static str],
    usual_timeout: Option<Duration>,
    unnamed: bool,
    handler: Handler,
}

impl Tool {
    /// A built-in tool. Its parameters are the schema of `run`'s arguments; it reads, asks for no permission and has
    /// [`DEFAULT_TIMEOUT`] until the builder says otherwise.
    pub fn new<Args, Run, Running>(name: &str, category: Category, what: &str, when: &str, run: Run) -> Self
    where
        Args: DeserializeOwned + JsonSchema + Send + 'static,
        Run: Fn(Context, Args) -> Running + Send + Sync + 'static,
        Running: Future<Output = Result<Output>> + Send + 'static,
    {
        let schema = Schema::of::<Args>();
        let spec = Spec {
            name: name.to_owned(),
            source: Source::Builtin,
            description: what.to_owned(),
            when_to_use: when.to_owned(),
            category,
            parameters: schema.document().clone(),
            risk: Risk::Read,
            permission: None,
            timeout: DEFAULT_TIMEOUT,
            settings: Vec::new(),
            examples: Vec::new(),
            innate: false,
        };
        let run = Arc::new(run);
        let handler: Handler = Arc::new(move |context, arguments| {
            let run = Arc::clone(&run);
            Box::pin(async move { run(context, parse(arguments)?).await })
        });
        Self::bare(spec, schema, handler)
    }

    /// A tool that is known only at run time: a script, an endpoint of a connected system. Its arguments reach `run` as
    /// they are, checked against the spec's parameters. Fails where those are no JSON Schema.
    pub fn of_spec<Run, Running>(spec: Spec, run: Run) -> Result<Self>
    where
        Run: Fn(Context, Value) -> Running + Send + Sync + 'static,
        Running: Future<Output = Result<Output>> + Send + 'static,
    {
        let tool = Self::of_sound_spec(spec, run);
        tool.schema.demand_sound()?;
        Ok(tool)
    }

    /// As [`Tool::of_spec`], for parameters that were found to be JSON Schema when they were stored; were they not, every
    /// call would fail.
    pub fn of_sound_spec<Run, Running>(spec: Spec, run: Run) -> Self
    where
        Run: Fn(Context, Value) -> Running + Send + Sync + 'static,
        Running: Future<Output = Result<Output>> + Send + 'static,
    {
        let schema = Schema::from_document(spec.parameters.clone());
        let handler: Handler = Arc::new(move |context, arguments| Box::pin(run(context, arguments)));
        Self::bare(spec, schema, handler)
    }

    fn bare(spec: Spec, schema: Schema, handler: Handler) -> Self {
        Self {
            spec,
            schema,
            aliases: Vec::new(),
            uses: Vec::new(),
            risk_of: None,
            asks: None,
            demands: None,
            reaches: None,
            available: None,
            accepts: None,
            private: &[],
            usual_timeout: None,
            unnamed: false,
            handler,
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

    /// Keeps it always in the model's context (R30).
    #[must_use]
    pub fn innate(mut self) -> Self {
        self.spec.innate = true;
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
        self.risk_among(move |args, _| risk_of(args))
    }

    /// Raises the risk by the arguments and the tools they name.
    #[must_use]
    pub fn risk_among<Args, F>(self, risk_of: F) -> Self
    where
        Args: DeserializeOwned,
        F: Fn(&Args, &Registry) -> Risk + Send + Sync + 'static,
    {
        self.risk_of_call(move |args, registry| Ok(risk_of(args, registry)))
    }

    /// Raises the risk by the arguments and what they name, and refuses a call that cannot be made before anybody is
    /// asked about it.
    #[must_use]
    pub fn risk_of_call<Args, F>(mut self, risk_of: F) -> Self
    where
        Args: DeserializeOwned,
        F: Fn(&Args, &Registry) -> Result<Risk> + Send + Sync + 'static,
    {
        self.risk_of = Some(Arc::new(move |arguments, registry| risk_of(&parse(arguments.clone())?, registry)));
        self
    }

    /// Asks a person for a reason the risk does not cover, for instance a policy of its settings.
    #[must_use]
    pub fn asks<Args, F>(self, asks: F) -> Self
    where
        Args: DeserializeOwned,
        F: Fn(&Args, &Settings) -> Option<String> + Send + Sync + 'static,
    {
        self.asks_among(move |args, settings, _| asks(args, settings))
    }

    /// Asks a person for a reason that lies with the tools the arguments name.
    #[must_use]
    pub fn asks_among<Args, F>(mut self, asks: F) -> Self
    where
        Args: DeserializeOwned,
        F: Fn(&Args, &Settings, &Registry) -> Option<String> + Send + Sync + 'static,
    {
        self.asks = Some(Arc::new(move |arguments, settings, registry| match parse(arguments.clone()) {
            Ok(args) => asks(&args, settings, registry),
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
        F: Fn(&Args, &Caller, &Registry) -> Result<()> + Send + Sync + 'static,
    {
        let demands =
            move |arguments: &Value, caller: &_, registry: &_| demands(&parse(arguments.clone())?, caller, registry);
        self.demands = Some(Arc::new(demands));
        self
    }

    /// Names the host a call sends something to, where the arguments choose it. Once content from outside is in a
    /// conversation, a person is asked before it reaches a host it has not reached yet.
    #[must_use]
    pub fn reaches<Args, F>(self, host: F) -> Self
    where
        Args: DeserializeOwned,
        F: Fn(&Args) -> Option<String> + Send + Sync + 'static,
    {
        self.reaches_among(move |args, _| host(args).into_iter().collect())
    }

    /// Names the hosts a call may send something to, which lie with what the arguments name: a connected system is
    /// asked for like any other host, for what may be carried out goes there all the same.
    #[must_use]
    pub fn reaches_among<Args, F>(mut self, hosts: F) -> Self
    where
        Args: DeserializeOwned,
        F: Fn(&Args, &Registry) -> Vec<String> + Send + Sync + 'static,
    {
        let of = move |arguments: &Value, registry: &Registry| {
            parse(arguments.clone()).map(|args| hosts(&args, registry)).unwrap_or_default()
        };
        self.reaches = Some(Arc::new(of));
        self
    }

    /// Keeps the values of these arguments, at any depth and under every alias, out of the audit: what is
    /// remembered of a person is read by nobody else, administrators included (R4).
    #[must_use]
    pub fn private(mut self, arguments: &'static [&'static str]) -> Self {
        self.private = arguments;
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

    /// What is known of it.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Its compiled parameters.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Its other names.
    pub fn aliases(&self) -> &[Alias] {
        &self.aliases
    }

    /// The least risk of a call: its own, or that of the tools it calls.
    pub fn least_risk(&self, registry: &Registry) -> Risk {
        self.spec.risk.max(registry.highest_risk(&self.uses))
    }

    /// The risk of a call with these arguments. Fails where they fit the schema but not the type behind it, so that
    /// nobody is asked about a call that cannot be made.
    pub fn risk_with(&self, arguments: &Value, registry: &Registry) -> Result<Risk> {
        let least = self.least_risk(registry);
        let Some(risk_of) = &self.risk_of else { return Ok(least) };
        Ok(risk_of(arguments, registry)?.max(least))
    }

    /// Why a person must be asked whatever the risk, if so.
    pub fn asks_because(&self, arguments: &Value, settings: &Settings, registry: &Registry) -> Option<String> {
        self.asks.as_ref().and_then(|asks| asks(arguments, settings, registry))
    }

    /// Fails where this caller cannot make a call with these arguments.
    pub fn demand(&self, arguments: &Value, caller: &Caller, registry: &Registry) -> Result<()> {
        self.demands.as_ref().map_or(Ok(()), |demands| demands(arguments, caller, registry))
    }

    /// The hosts a call may reach, where that is known before it runs.
    pub fn hosts_of(&self, arguments: &Value, registry: &Registry) -> Vec<String> {
        self.reaches.as_ref().map(|reaches| reaches(arguments, registry)).unwrap_or_default()
    }

    /// Whether its calls go to other machines.
    pub fn reaches_out(&self) -> bool {
        self.reaches.is_some()
    }

    /// Fails where a value cannot be one of its configuration.
    pub fn demand_setting(&self, key: &str, value: &str) -> Result<()> {
        self.accepts.map_or(Ok(()), |accepts| accepts(key, value))
    }

    /// Whether what is stored under its name is its own.
    pub fn owns_its_name(&self) -> bool {
        !self.unnamed
    }

    /// The arguments whose values the audit does not keep.
    pub fn private_arguments(&self) -> &'static [&'static str] {
        self.private
    }

    /// How long a call may take unless it asks for longer.
    pub fn holding_timeout(&self) -> Duration {
        self.usual_timeout.unwrap_or(self.spec.timeout)
    }

    /// Fails with the reason where the platform's settings switch it off.
    pub fn check_available(&self, settings: &Settings) -> Result<()> {
        self.available.as_ref().map_or(Ok(()), |available| available(settings))
    }

    /// Runs it. The grant proves that the caller was checked; only the pipeline has one.
    pub(super) fn run(&self, _: &Grant, context: Context, arguments: Value) -> BoxFuture<'static, Result<Output>> {
        (self.handler)(context, arguments)
    }
}

fn example(before: Vec<(&str, Value)>, title: &str, arguments: Value, result: Value) -> Example {
    let before = before.into_iter().map(|(tool, arguments)| (tool.to_owned(), arguments)).collect();
    Example { title: title.to_owned(), before, arguments, result }
}

/// Validated arguments always parse; the error says where if a schema ever promises less than its type.
fn parse<T: DeserializeOwned>(arguments: Value) -> Result<T> {
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let place = error.path().to_string();
        // It may quote the whole value.
        let what: String = error.inner().to_string().chars().take(300).collect();
        Error::invalid(format!("The arguments do not fit: '{place}': {what}."))
    })
}
