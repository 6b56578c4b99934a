//! A call that is known to be valid, and the refusal of one about which nobody can be asked.

use serde_json::json;

use crate::{
    consent::PendingConsent,
    extent::Extent,
    judged::Judged,
    prepared::PreparedCall,
    registry::{Found, Registry},
};
use satchel_app::App;
use satchel_model::{
    call::Call,
    error::{Error, Result},
};

/// The name under which an error's details give the risk of a call that could not ask.
const UNASKED: &str = "unasked_risk";

/// A call whose arguments are valid and whose risk is known.
pub(crate) struct AssessedCall<'a> {
    /// The call as the door built it.
    pub call: &'a Call,
    /// The tool it means.
    pub found: &'a Found,
    /// The tools there are.
    pub registry: &'a Registry,
    /// The call with what follows from its arguments.
    pub prepared: &'a PreparedCall,
    /// Whether content from outside is in its conversation.
    pub tainted: bool,
    /// Scripts it would run that its caller has not agreed to yet.
    pub pending: Vec<PendingConsent>,
    /// The judgement of policies and rules on it.
    pub judged: Judged,
}

impl AssessedCall<'_> {
    /// The extent of the call.
    ///
    /// # Errors
    ///
    /// As [`Extent::read`].
    pub(crate) async fn extent(&self, app: &App) -> Result<Extent> {
        Extent::read(app, self.prepared, self.registry, self.call.caller.user).await
    }

    /// The words from outside that may have led to it, as a reason says them: content of its conversation, or what describes
    /// tools there. `None` if there are none.
    pub(super) fn led_by(&self) -> Option<&'static str> {
        match (self.tainted, &self.call.tool_words) {
            (true, _) => Some("content from outside is in this conversation"),
            (false, Some(_)) => Some("others describe tools in this conversation"),
            (false, None) => None,
        }
    }

    /// Whether words from outside may have led to it.
    pub(super) fn is_led(&self) -> bool {
        self.led_by().is_some()
    }

    pub(super) fn asks_because(&self, app: &App) -> Option<String> {
        self.prepared.call.asks(&app.settings.get())
    }
}

/// The risk of a call that was refused because nobody can be asked in its place, where that is why.
pub fn unasked_risk(error: &Error) -> Option<&str> {
    error.details()?.get(UNASKED)?.as_str()
}

/// Approved by itself it would run outside of what made it: nobody is asked.
pub(super) fn cannot_ask(assessed: &AssessedCall<'_>, reason: &str) -> Error {
    let tool = assessed.found.name();
    let told = format!("{tool} asks a person before this, and here nobody can be asked: {reason} Nothing was done.");
    Error::denied(told).with_details(json!({UNASKED: assessed.prepared.risk.as_str()}))
}
