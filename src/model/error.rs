//! The one error of the house: a kind a program can act on, a message a person can act on.

use std::{error::Error as StdError, fmt, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{call::Approved, origin::Origin, time::Time};

/// Shorthand used everywhere in the crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of error, as far as a caller can act on it. Doors map it to a status or an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The arguments are wrong; repeating the call unchanged cannot help.
    Invalid,
    /// Nobody is signed in, or the credential is unknown.
    Unauthenticated,
    /// The caller is known and may not do this.
    Denied,
    /// There is no such thing, or not for this caller.
    NotFound,
    /// The state of things forbids it now.
    Conflict,
    /// A required setting is missing.
    Unconfigured,
    /// An administrator has switched this off.
    Disabled,
    /// Too many requests, or a budget is used up.
    Exhausted,
    /// More waits than the server can hold: nothing was done.
    Busy,
    /// A time limit passed.
    Timeout,
    /// The caller took the call back.
    Cancelled,
    /// Another system failed.
    Upstream,
    /// The disk is full: nothing was written.
    DiskFull,
    /// A defect of ours.
    Internal,
}

/// A failure. `message` is safe for the model and the person and says what to do;
/// the source is for the log only.
#[derive(Clone)]
pub struct Error {
    kind: Kind,
    message: String,
    details: Option<Box<Value>>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
    tools_own: bool,
    answered: bool,
    outside: Option<Box<(String, Option<Time>)>>,
    approval: Option<Box<(Approved, u64)>>,
}

impl Error {
    /// An error of any kind.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            kind,
            message,
            details: None,
            source: None,
            tools_own: false,
            answered: false,
            outside: None,
            approval: None,
        }
    }

    /// The arguments are wrong: say which, and what would be right.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, message)
    }

    /// The caller may not do this: say which permission is missing.
    pub fn denied(message: impl Into<String>) -> Self {
        Self::new(Kind::Denied, message)
    }

    /// No such thing for this caller.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Kind::NotFound, message)
    }

    /// The state of things forbids it now.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(Kind::Conflict, message)
    }

    /// Another system failed.
    pub fn upstream(message: impl Into<String>) -> Self {
        Self::new(Kind::Upstream, message)
    }

    /// A defect of ours; the message shown never holds the source.
    pub fn internal(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let message = "Something failed inside Satchel. The log says what; trying again may help.";
        Self { source: Some(Arc::from(source.into())), ..Self::new(Kind::Internal, message) }
    }

    /// Adds the cause, for the log.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(Arc::from(source.into()));
        self
    }

    /// The same error with all its words passed through `text`, those of its causes and of where it came from too, and its
    /// details through `details`.
    #[must_use]
    pub fn reworded(self, text: impl Fn(&str) -> String, details: impl FnOnce(Value) -> Value) -> Self {
        let causes = self.source.is_some().then(|| text(&self.causes().join(": ")));
        Self {
            message: text(&self.message),
            details: self.details.map(|given| Box::new(details(*given))),
            source: causes.map(|causes| Arc::from(Box::<dyn StdError + Send + Sync>::from(causes))),
            outside: self.outside.map(|outside| Box::new((text(&outside.0), outside.1))),
            ..self
        }
    }

    /// Adds fields a program can read, for instance where the arguments are wrong.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// Says that a person had approved the call, and how many milliseconds it then took.
    #[must_use]
    pub fn after_approval(mut self, approved: Approved, duration_ms: u64) -> Self {
        self.approval = Some(Box::new((approved, duration_ms)));
        self
    }

    /// The approval of a person, and the milliseconds the call then took; `None` where nobody was asked.
    pub fn approval(&self) -> Option<(&Approved, u64)> {
        self.approval.as_deref().map(|(approved, duration_ms)| (approved, *duration_ms))
    }

    /// Marks it as a tool's own failure: the call was let through, ran, and failed.
    #[must_use]
    pub fn of_tool(mut self) -> Self {
        self.tools_own = true;
        self
    }

    /// Returns whether a tool ran and failed, as against a call that was never let through.
    pub fn is_tools_own(&self) -> bool {
        self.tools_own
    }

    /// Marks it as what another system answered: that system refused, and whoever asked it did what they should.
    #[must_use]
    pub fn as_answer(mut self) -> Self {
        self.answered = true;
        self
    }

    /// Returns whether another system answered so.
    pub fn is_answer(&self) -> bool {
        self.answered
    }

    /// Says that its words may be those of somebody outside, and where they came from.
    #[must_use]
    pub fn from_outside(mut self, place: impl Into<String>) -> Self {
        self.outside = Some(Box::new((place.into(), None)));
        self
    }

    /// Says that its words may be those of what was kept from a place outside.
    #[must_use]
    pub fn kept_from(mut self, origin: Origin) -> Self {
        self.outside = Some(Box::new((origin.source, Some(origin.at))));
        self
    }

    /// The place its words came from, if from outside, and when that was read where it was before.
    pub fn outside(&self) -> Option<(&str, Option<Time>)> {
        self.outside.as_deref().map(|(place, at)| (place.as_str(), *at))
    }

    /// The words of its causes, the nearest first.
    fn causes(&self) -> Vec<String> {
        let (mut words, mut cause) = (Vec::new(), self.source());
        while let Some(inner) = cause {
            words.push(inner.to_string());
            cause = inner.source();
        }
        words
    }

    /// Returns the kind a program acts on.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the message a person or a model acts on.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Extra fields, an object where present.
    pub fn details(&self) -> Option<&Value> {
        self.details.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.message)?;
        self.causes().iter().try_for_each(|cause| write!(f, ": {cause}"))
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|s| s as &(dyn StdError + 'static))
    }
}
