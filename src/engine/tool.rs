//! A tool: its spec, its other names, and how its calls are prepared. A struct, not a trait: built-in tools, scripts and
//! remote tools differ only in how the value was made.

mod alias;
mod build;
mod facts;
pub(super) mod parse;

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::{context::Context, validate::Schema};
use satchel_model::{
    caller::Caller,
    definition::Definition,
    destination::Destination,
    error::{Error, Result},
    output::Output,
    question::Question,
    script::provenance::Provenance,
    settings::Settings,
    spec::{Risk, Spec},
};

pub use alias::Alias;

/// Reads the arguments of a call as the tool's own type, once; all that follows from them is said by what it gives. Fails
/// where they fit the schema but not the type behind it.
pub(super) type Prepare = Arc<dyn Fn(&Value) -> Result<Box<dyn Prepared>> + Send + Sync>;

/// A call whose arguments were read: all that follows from them, and what runs it.
pub(super) trait Prepared: Send + Sync {
    /// How risky they make it. Fails where such a call cannot be made: nobody is asked about it.
    fn risk(&self) -> Result<Risk>;

    /// Why a person must be asked whatever the risk, if so.
    fn asks(&self, settings: &Settings) -> Option<String>;

    /// Fails where this caller cannot make it.
    fn ensure_allowed(&self, caller: &Caller) -> Result<()>;

    /// Its destinations, as far as its arguments and what they name tell.
    fn destinations(&self) -> Vec<Destination>;

    /// A text of everything else that decides what it does; empty where nothing does.
    fn relied_on(&self) -> String;

    /// The paths of the caller's files whose contents it sends.
    fn sent_files(&self) -> Vec<String>;

    /// Returns whether it starts a process.
    fn starts_process(&self) -> bool;

    /// Returns whether it changes what is done by itself later.
    fn lasts(&self) -> bool;

    /// The calls that stand in its arguments.
    fn inner_calls(&self) -> Vec<InnerCall>;

    /// The words of what a yes for a whole conversation covers beside the tool and its hosts; `None` where there is no such
    /// yes.
    fn scope(&self) -> Option<String>;

    /// The tool's own look at it before it runs: the question a person is asked. `None` where it has none.
    fn question(&self, context: Context) -> Option<BoxFuture<'static, Result<Question>>>;

    /// One question for it, of those about the calls that stand in its arguments; `None` where none can.
    fn together(&self, questions: Vec<InnerQuestion>) -> Option<Question>;

    /// Runs it. Only a [`Grant`](super::grant::Grant) does, for the caller who was checked.
    fn run(self: Box<Self>, context: Context) -> BoxFuture<'static, Result<Output>>;
}

/// What a tool may say of its calls by their arguments, whatever these are.
#[derive(Clone, Copy)]
pub(super) struct Outline {
    /// Whether they can raise the risk.
    pub(super) raises_risk: bool,
    /// Whether they can be a reason to ask.
    pub(super) asks: bool,
    /// Whether they, or what they name, say where a call is sent.
    pub(super) reaches: bool,
    /// Whether they alone choose the host: nobody has allowed that one.
    pub(super) reaches_any: bool,
    /// Whether calls can stand in them.
    pub(super) carries: bool,
    /// Whether they can change what is done by itself later.
    pub(super) lasts: bool,
}

/// A call that stands in the arguments of another.
#[derive(Debug, Clone, PartialEq)]
pub struct InnerCall {
    /// The tool, as it is named there.
    pub tool: String,
    /// Its arguments.
    pub params: Value,
}

impl InnerCall {
    /// The refusal of a call, by its number, whose tool holds calls itself.
    pub fn nested(number: usize, tool: &str) -> Error {
        Error::invalid(format!("Call {number} is {tool} itself: put its calls into this list instead."))
    }
}

/// The question a person would be asked about a call that stands in the arguments of another.
pub struct InnerQuestion {
    /// The name its tool was found by.
    pub tool: String,
    /// Its risk.
    pub risk: Risk,
    /// The question.
    pub question: Question,
}

type Accepts = fn(&str, &str) -> Result<()>;
type Available = Arc<dyn Fn(&Settings) -> Result<()> + Send + Sync>;

/// A tool, ready to be registered.
#[derive(Clone)]
pub struct Tool {
    spec: Spec,
    schema: Schema,
    gives: &'static [(&'static str, &'static str)],
    prepare: Prepare,
    outline: Outline,
    aliases: Vec<Alias>,
    uses: Vec<String>,
    reaches_setting: Option<&'static str>,
    made_of: Option<String>,
    definition: OnceLock<Definition>,
    tokens: OnceLock<u64>,
    available: Option<Available>,
    accepts: Option<Accepts>,
    private: &'static [&'static str],
    personal: Option<&'static str>,
    usual_timeout: Option<Duration>,
    unnamed: bool,
    resumes: bool,
    replays: bool,
    for_everybody: bool,
    provenance: Option<Provenance>,
    up_to: Option<Risk>,
}

impl Tool {
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

    /// Reads arguments of its own: the one look at them before the call is asked about and run.
    pub(super) fn prepare(&self, arguments: &Value) -> Result<Box<dyn Prepared>> {
        (self.prepare)(arguments)
    }
}
