//! Preparations of calls: functions of a tool's arguments that give risk, destinations, questions and the run. They become
//! the one function that prepares a call, so that the arguments are parsed once.

use std::{future::Future, sync::Arc};

use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    context::Context,
    tool::{InnerCall, InnerQuestion, Outline, Prepare, Prepared, parse::parse},
};
use satchel_model::{
    caller::Caller, destination::Destination, error::Result, output::Output, question::Question, settings::Settings,
    spec::Risk,
};

type Says<Args, T> = Box<dyn Fn(&Args) -> T + Send + Sync>;
type SaysBy<Args, By, T> = Box<dyn Fn(&Args, &By) -> T + Send + Sync>;
type Does<Args, T> = Box<dyn Fn(Context, Args) -> BoxFuture<'static, Result<T>> + Send + Sync>;

/// Functions of a tool's arguments that assess a call and run it.
pub struct Preparation<Args> {
    run: Does<Args, Output>,
    risk: Option<Says<Args, Result<Risk>>>,
    asks: Option<SaysBy<Args, Settings, Option<String>>>,
    requires: Option<SaysBy<Args, Caller, Result<()>>>,
    reaches: Option<Says<Args, Vec<Destination>>>,
    reaches_any: bool,
    relies: Option<Says<Args, String>>,
    sends: Option<Says<Args, Vec<String>>>,
    starts: Option<Says<Args, bool>>,
    lasts: Option<Says<Args, bool>>,
    carries: Option<Carries<Args>>,
    scope: Option<Says<Args, Option<String>>>,
    ahead: Option<Ahead<Args>>,
}

/// The calls that stand in arguments, and the question of all of them.
struct Carries<Args> {
    calls: Says<Args, Vec<InnerCall>>,
    together: fn(Vec<InnerQuestion>) -> Question,
}

/// A tool's own look at a call. It has arguments of its own, as the call goes on to run with those that were read.
struct Ahead<Args> {
    look: Does<Args, Question>,
    copy: fn(&Args) -> Args,
}

impl<Args: 'static> Preparation<Args> {
    /// Calls that are run by this function, and of which nothing else is to be said.
    pub fn new<Run, Running>(run: Run) -> Self
    where
        Run: Fn(Context, Args) -> Running + Send + Sync + 'static,
        Running: Future<Output = Result<Output>> + Send + 'static,
    {
        Self {
            run: Box::new(move |context, args| Box::pin(run(context, args))),
            risk: None,
            asks: None,
            requires: None,
            reaches: None,
            reaches_any: false,
            relies: None,
            sends: None,
            starts: None,
            lasts: None,
            carries: None,
            scope: None,
            ahead: None,
        }
    }

    /// Raises the risk by the arguments; it never lowers it.
    #[must_use]
    pub fn risk_of(self, risk: impl Fn(&Args) -> Risk + Send + Sync + 'static) -> Self {
        self.risk_of_call(move |args| Ok(risk(args)))
    }

    /// Raises the risk by the arguments and what they name, and refuses a call that cannot be made before anybody is
    /// asked about it.
    #[must_use]
    pub fn risk_of_call(mut self, risk: impl Fn(&Args) -> Result<Risk> + Send + Sync + 'static) -> Self {
        self.risk = Some(Box::new(risk));
        self
    }

    /// Asks a person for a reason the risk does not cover, for instance a policy of its settings.
    #[must_use]
    pub fn asks(mut self, asks: impl Fn(&Args, &Settings) -> Option<String> + Send + Sync + 'static) -> Self {
        self.asks = Some(Box::new(asks));
        self
    }

    /// Refuses a call that this caller cannot make with such arguments, before a person is asked about it. Running it
    /// checks the same.
    #[must_use]
    pub fn requires(mut self, requires: impl Fn(&Args, &Caller) -> Result<()> + Send + Sync + 'static) -> Self {
        self.requires = Some(Box::new(requires));
        self
    }

    /// Names where a call sends something, where the arguments choose it. Once content from outside is in a conversation, a
    /// person is asked before it reaches a host and port it has not reached yet.
    #[must_use]
    pub fn reaches(mut self, place: impl Fn(&Args) -> Option<Destination> + Send + Sync + 'static) -> Self {
        self.reaches_any = true;
        self.reaches_named(move |args| place(args).into_iter().collect())
    }

    /// Names where a call may send something, which lies with what the arguments name: a connected system is asked for
    /// like any other host, for what may be carried out goes there all the same.
    #[must_use]
    pub fn reaches_named(mut self, places: impl Fn(&Args) -> Vec<Destination> + Send + Sync + 'static) -> Self {
        self.reaches = Some(Box::new(places));
        self
    }

    /// Says what else decides what a call does, which may change without the tool: the system it is sent to. Arguments that
    /// name nothing give an empty text.
    #[must_use]
    pub fn relies_on(mut self, relies: impl Fn(&Args) -> String + Send + Sync + 'static) -> Self {
        self.relies = Some(Box::new(relies));
        self
    }

    /// Names the files of the caller's whose contents a call sends: a person agrees to what is in them at that moment.
    #[must_use]
    pub fn sends_files(mut self, files: impl Fn(&Args) -> Vec<String> + Send + Sync + 'static) -> Self {
        self.sends = Some(Box::new(files));
        self
    }

    /// Says which calls start a process: policies that deny `exec` refuse those, too.
    #[must_use]
    pub fn starts_process(mut self, starts: impl Fn(&Args) -> bool + Send + Sync + 'static) -> Self {
        self.starts = Some(Box::new(starts));
        self
    }

    /// Says which calls change what is done by itself later: with content from outside in their conversation a person is
    /// asked about those, whatever the risk.
    #[must_use]
    pub fn lasts(mut self, lasts: impl Fn(&Args) -> bool + Send + Sync + 'static) -> Self {
        self.lasts = Some(Box::new(lasts));
        self
    }

    /// Names the calls that stand in its arguments: a call is as risky as the riskiest of them. `together` makes one question
    /// of those about each.
    #[must_use]
    pub fn carries(
        mut self,
        calls: impl Fn(&Args) -> Vec<InnerCall> + Send + Sync + 'static,
        together: fn(Vec<InnerQuestion>) -> Question,
    ) -> Self {
        self.carries = Some(Carries { calls: Box::new(calls), together });
        self
    }

    /// Offers a yes for a whole conversation to its high-write calls, and says in words what it covers beside the tool and
    /// the hosts it reaches: `files in “reports”`. Calls with the same words are covered by the same yes. `None` where a call
    /// has no such scope. Of no use to a tool whose answers are from outside: the first one ends it.
    #[must_use]
    pub fn scoped(mut self, scope: impl Fn(&Args) -> Option<String> + Send + Sync + 'static) -> Self {
        self.scope = Some(Box::new(scope));
        self
    }

    /// Says what a person is asked about a call, and refuses one that could not run before anybody is asked about it: it
    /// may look at everything and changes nothing. Running the call checks the same.
    #[must_use]
    pub fn ahead<Look, Looking>(mut self, look: Look) -> Self
    where
        Args: Clone,
        Look: Fn(Context, Args) -> Looking + Send + Sync + 'static,
        Looking: Future<Output = Result<Question>> + Send + 'static,
    {
        let look: Does<Args, Question> = Box::new(move |context, args| Box::pin(look(context, args)));
        self.ahead = Some(Ahead { look, copy: Args::clone });
        self
    }

    /// The functions that it has.
    pub(super) fn outline(&self) -> Outline {
        Outline {
            raises_risk: self.risk.is_some(),
            asks: self.asks.is_some(),
            reaches: self.reaches.is_some(),
            reaches_any: self.reaches_any,
            carries: self.carries.is_some(),
            lasts: self.lasts.is_some(),
        }
    }

    /// The one function that prepares a call.
    pub(super) fn into_prepare(self) -> Prepare
    where
        Args: DeserializeOwned + Send + Sync,
    {
        let says = Arc::new(self);
        Arc::new(move |arguments: &Value| -> Result<Box<dyn Prepared>> {
            Ok(Box::new(Call { args: parse(arguments)?, says: Arc::clone(&says) }))
        })
    }
}

/// A call with the arguments that were read.
struct Call<Args> {
    args: Args,
    says: Arc<Preparation<Args>>,
}

impl<Args: Send + Sync + 'static> Prepared for Call<Args> {
    fn risk(&self) -> Result<Risk> {
        self.says.risk.as_ref().map_or(Ok(Risk::Read), |risk| risk(&self.args))
    }

    fn asks(&self, settings: &Settings) -> Option<String> {
        self.says.asks.as_ref()?(&self.args, settings)
    }

    fn ensure_allowed(&self, caller: &Caller) -> Result<()> {
        self.says.requires.as_ref().map_or(Ok(()), |requires| requires(&self.args, caller))
    }

    fn destinations(&self) -> Vec<Destination> {
        self.says.reaches.as_ref().map(|places| places(&self.args)).unwrap_or_default()
    }

    fn relied_on(&self) -> String {
        self.says.relies.as_ref().map(|relies| relies(&self.args)).unwrap_or_default()
    }

    fn sent_files(&self) -> Vec<String> {
        self.says.sends.as_ref().map(|files| files(&self.args)).unwrap_or_default()
    }

    fn starts_process(&self) -> bool {
        self.says.starts.as_ref().is_some_and(|starts| starts(&self.args))
    }

    fn lasts(&self) -> bool {
        self.says.lasts.as_ref().is_some_and(|lasts| lasts(&self.args))
    }

    fn inner_calls(&self) -> Vec<InnerCall> {
        self.says.carries.as_ref().map(|carries| (carries.calls)(&self.args)).unwrap_or_default()
    }

    fn scope(&self) -> Option<String> {
        self.says.scope.as_ref()?(&self.args)
    }

    fn question(&self, context: Context) -> Option<BoxFuture<'static, Result<Question>>> {
        let Ahead { look, copy } = self.says.ahead.as_ref()?;
        Some(look(context, copy(&self.args)))
    }

    fn together(&self, questions: Vec<InnerQuestion>) -> Option<Question> {
        self.says.carries.as_ref().map(|carries| (carries.together)(questions))
    }

    fn run(self: Box<Self>, context: Context) -> BoxFuture<'static, Result<Output>> {
        let Self { args, says } = *self;
        (says.run)(context, args)
    }
}
