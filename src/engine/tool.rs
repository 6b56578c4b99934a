//! A tool: its spec, its other names, and what runs it. A struct, not a trait: built-in tools, scripts and remote
//! tools differ only in how the value was made.

mod ahead;
mod alias;
mod bound;
mod build;
mod parse;

use std::{
    future::Future,
    sync::{Arc, OnceLock},
    time::Duration,
};

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use self::parse::parse;
use super::{context::Context, provenance::Provenance, validate::Schema};
use crate::model::{
    caller::Caller,
    definition::Definition,
    destination::Destination,
    error::Result,
    output::Output,
    question::Question,
    settings::Settings,
    spec::{Category, DEFAULT_TIMEOUT, Risk, Source, Spec},
};

pub use alias::Alias;

type Handler = Arc<dyn Fn(Context, Value) -> BoxFuture<'static, Result<Output>> + Send + Sync>;
type RiskOf = Arc<dyn Fn(&Value) -> Result<Risk> + Send + Sync>;
type Asks = Arc<dyn Fn(&Value, &Settings) -> Option<String> + Send + Sync>;
type Demands = Arc<dyn Fn(&Value, &Caller) -> Result<()> + Send + Sync>;
type Reaches = Arc<dyn Fn(&Value) -> Vec<Destination> + Send + Sync>;
type Relies = Arc<dyn Fn(&Value) -> String + Send + Sync>;
type Carries = Arc<dyn Fn(&Value) -> Vec<InnerCall> + Send + Sync>;
type ScopeOf = Arc<dyn Fn(&Value) -> Option<String> + Send + Sync>;
/// Asks about a call before it runs: gives the question a person is asked.
type Ahead = Arc<dyn Fn(Context, Value) -> BoxFuture<'static, Result<Question>> + Send + Sync>;
type Accepts = fn(&str, &str) -> Result<()>;
type Available = Arc<dyn Fn(&Settings) -> Result<()> + Send + Sync>;

/// A call that stands in the arguments of another.
#[derive(Debug, Clone, PartialEq)]
pub struct InnerCall {
    /// The tool, as it is named there.
    pub tool: String,
    /// Its arguments.
    pub params: Value,
}

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
    reaches_any: bool,
    reaches_setting: Option<&'static str>,
    made_of: Option<String>,
    relies: Option<Relies>,
    carries: Option<Carries>,
    scope: Option<ScopeOf>,
    definition: OnceLock<Definition>,
    available: Option<Available>,
    accepts: Option<Accepts>,
    private: &'static [&'static str],
    personal: Option<&'static str>,
    usual_timeout: Option<Duration>,
    unnamed: bool,
    for_everybody: bool,
    ahead: Option<Ahead>,
    provenance: Option<Provenance>,
    up_to: Option<Risk>,
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
            own_data: false,
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
            reaches_any: false,
            reaches_setting: None,
            made_of: None,
            relies: None,
            carries: None,
            scope: None,
            definition: OnceLock::new(),
            available: None,
            accepts: None,
            private: &[],
            personal: None,
            usual_timeout: None,
            unnamed: false,
            for_everybody: false,
            ahead: None,
            provenance: None,
            up_to: None,
            handler,
        }
    }

    /// Its spec.
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

    /// The risk of a call with these arguments, whatever it calls. Fails where they fit the schema but not the type behind
    /// it, so that nobody is asked about a call that cannot be made.
    pub(super) fn risk_with(&self, arguments: &Value) -> Result<Risk> {
        let Some(risk_of) = &self.risk_of else { return Ok(self.spec.risk) };
        Ok(risk_of(arguments)?.max(self.spec.risk))
    }

    /// Why a person must be asked whatever the risk, if so.
    pub fn asks_because(&self, arguments: &Value, settings: &Settings) -> Option<String> {
        self.asks.as_ref().and_then(|asks| asks(arguments, settings))
    }

    /// Fails where this caller cannot make a call with these arguments.
    pub fn demand(&self, arguments: &Value, caller: &Caller) -> Result<()> {
        self.demands.as_ref().map_or(Ok(()), |demands| demands(arguments, caller))
    }

    /// Whether its arguments or what they name say where its calls are sent.
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

    /// The time a call may take unless it asks for longer.
    pub fn holding_timeout(&self) -> Duration {
        self.usual_timeout.unwrap_or(self.spec.timeout)
    }

    /// Fails with the reason where the platform's settings switch it off.
    pub fn check_available(&self, settings: &Settings) -> Result<()> {
        self.available.as_ref().map_or(Ok(()), |available| available(settings))
    }

    /// Runs it. Only a [`Grant`](super::grant::Grant) does, for the caller who was checked.
    pub(super) fn run(&self, context: Context, arguments: Value) -> BoxFuture<'static, Result<Output>> {
        (self.handler)(context, arguments)
    }
}
