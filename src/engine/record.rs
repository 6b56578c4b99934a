//! Steps 8 and 9, audit and remember: one row a call, refusals included, and one reward.

pub(super) mod edits;
mod redact;

use std::time::Instant;

use serde_json::Value;

use self::redact::Secrets;
use super::{approval::Approval, registry::Found};
use satchel_app::App;
use satchel_model::{
    audit::{
        AuditOutcome, Event, EventType,
        extract::{MAX_TEXT, Unmasked, clip},
    },
    call::{Call, Edit, Outcome},
    error::{Error, Kind, Result},
    id::Id,
    origin::Origin,
    policy::Situation,
    rule::Rule,
    secret_name::is_secret,
    spec::Risk,
    time::Time,
    user::ApiKey,
};
use satchel_store::audit::Reward;

pub use redact::{names_only, redact};

/// A call's row while the call is under way.
pub struct Record {
    event: Event,
    started: Instant,
    intent_kept: bool,
    collected: bool,
    /// `true` if a rule spared the question.
    ruled: bool,
    /// Whether others find tools by how it ended.
    teaches: bool,
    private: &'static [&'static str],
    /// What a person changed, whole: how it is kept follows from the tool.
    edited: Vec<Edit>,
    /// The key of the program that called it by this name, itself.
    by: Option<(Id<ApiKey>, String)>,
}

impl Record {
    /// Opens the row: whatever happens next, [`Record::close`] writes it.
    pub(super) fn open(call: &Call, approval: Option<&Approval>, now: Time) -> Self {
        let action = match approval {
            Some(_) => "invoke",
            None if call.dry_run => "dry_run",
            None if call.ticket.is_some() => "collect",
            None => "invoke",
        };
        let edited = approval.map_or_else(Vec::new, |approval| approval.edited.clone());
        let door = call.caller.door;
        let event = Event {
            user_id: Some(call.caller.user),
            user: call.caller.username.clone(),
            topic: call.topic,
            tool: Some(clip(&call.tool, 80, Unmasked)),
            // Until the tool is known, and what of its arguments is private, no value is kept.
            arguments: names_only(&call.params),
            outcome: AuditOutcome::Failure,
            call_id: Some(call.id),
            approved_by: approval.map(|approval| approval.by.clone()),
            edited: edits::names_only(&edited),
            agent: call.caller.agent.as_ref().map(|agent| agent.name.clone()),
            situation: (call.situation != Situation::default()).then(|| call.situation.clone()),
            // What calls another is a script's author's words.
            own_words: call.caller.is_person() && call.depth == 0,
            ..Event::new(now, EventType::ToolInvocation, door, action)
        };
        Self {
            event,
            started: Instant::now(),
            intent_kept: false,
            collected: false,
            ruled: false,
            teaches: true,
            private: &[],
            edited,
            by: asked_by(call),
        }
    }

    /// The name is known now. What is private of arguments that do not fit the tool is not known: under another name, or
    /// in another place, a value may be what it keeps to itself. Those are kept only of tools that keep nothing to
    /// themselves, until [`Record::weighed`] says that they fit.
    pub(super) fn found(&mut self, found: &Found, given: &Value) {
        self.event.tool = Some(found.tool.spec().id());
        self.private = found.tool.private_arguments();
        if self.private.is_empty() {
            self.event.arguments = redact(given, &[]);
        }
        self.event.edited = edits::redacted(&self.edited, self.private);
    }

    /// Content from outside was in the call's conversation when it came: that may have chosen the tool, and nothing is
    /// learned of it for others.
    pub(super) fn tainted(&mut self) {
        self.teaches = false;
    }

    /// Whether others find tools by how it ended.
    pub(super) fn teaches(&self) -> bool {
        self.teaches
    }

    /// A rule for arguments spared the question about the call.
    pub(super) fn let_through(&mut self, rule: &Rule) {
        self.event.approved_by = Some(rule.told());
        self.ruled = true;
    }

    /// The rule that spared the question, in words.
    pub(super) fn ruled_by(&self) -> Option<String> {
        self.event.approved_by.clone().filter(|_| self.ruled)
    }

    /// The call only fetches what came of one that has its own row: a second one would tell it twice, with arguments that
    /// perhaps never ran.
    pub(super) fn collected(&mut self) {
        self.collected = true;
    }

    /// The risk and the tool's own arguments are known now.
    pub(super) fn weighed(&mut self, risk: Risk, arguments: &Value) {
        self.event.risk = Some(risk);
        self.event.arguments = redact(arguments, self.private);
    }

    /// The run begins. A call that changes things leaves a durable trace first.
    pub(super) async fn about_to_run(&mut self, app: &App) -> Result<()> {
        self.started = Instant::now();
        self.event.duration_ms = Some(0);
        if self.event.risk == Some(Risk::Read) {
            return Ok(());
        }
        if let Some(call) = self.event.call_id {
            app.stores.audit.open_call(call, self.event.clone()).await?;
            self.intent_kept = true;
        }
        Ok(())
    }

    /// Milliseconds since the run began.
    pub(super) fn ran_for(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Notes the origin of the call's outcome: the row may repeat words of it.
    pub(super) fn note_origin(&mut self, origin: Option<&Origin>) {
        self.event.own_words &= origin.is_none();
    }

    /// Writes the row and the reward. Where that fails for a call that changed nothing, the call fails.
    pub(super) async fn close(mut self, app: &App, outcome: &Result<Outcome>) -> Result<()> {
        if self.collected {
            return Ok(());
        }
        if let Some((key, name)) = &self.by {
            app.stores.people.note_call(*key, name, self.event.time).await;
        }
        let ran = self.event.duration_ms.is_some();
        if ran {
            self.event.duration_ms = Some(self.ran_for());
        }
        self.event.outcome = match outcome {
            Ok(Outcome::Done(_)) => AuditOutcome::Success,
            Ok(Outcome::Confirm(_)) => AuditOutcome::Waiting,
            Err(error) => outcome_of(error),
        };
        self.event.error = outcome.as_ref().err().map(|e| self.told(e));
        metrics::counter!("satchel_tool_calls_total", "outcome" => self.event.outcome.as_str()).increment(1);
        let reward = if ran { self.event.tool.clone().and_then(|tool| reward(tool, outcome)) } else { None };
        // It is counted all the same.
        let reward = reward.map(|reward| Reward { change: if self.teaches { reward.change } else { 0.0 }, ..reward });
        let done_and_kept = self.intent_kept && outcome.is_ok();
        let closed = match self.intent_kept {
            true => app.stores.audit.close_call(self.event, reward).await,
            false => app.stores.audit.append_call(self.event, reward).await,
        };
        match closed {
            // Its trace stands already, and the next start writes the row: what was done is not called a failure.
            Err(error) if done_and_kept => {
                tracing::error!(?error, "a call that was done could not be closed in the audit");
                Ok(())
            }
            closed => closed.map(|_| ()),
        }
    }
}

impl Record {
    /// The error as the row keeps it: what went wrong with private arguments may quote them.
    fn told(&self, error: &Error) -> String {
        let quotes = matches!(error.kind(), Kind::Invalid | Kind::NotFound | Kind::Conflict);
        if quotes && !self.private.is_empty() {
            return "The arguments do not fit. What is wrong is not kept: they are private.".to_owned();
        }
        clip(error.message(), MAX_TEXT, Secrets { private: &[], is_secret })
    }
}

/// The key of a program that made a call itself, and the name it called the tool by: neither a script it runs nor an agent
/// it asks did.
fn asked_by(call: &Call) -> Option<(Id<ApiKey>, String)> {
    let itself = call.depth == 0 && !call.programmed && call.caller.agent.is_none();
    call.caller.credential.key().filter(|_| itself).map(|key| (key, call.tool.clone()))
}

/// What a call that ended so has come to. Stopping one is not an error.
fn outcome_of(error: &Error) -> AuditOutcome {
    match error.kind() {
        Kind::Cancelled => AuditOutcome::Stopped,
        Kind::Denied | Kind::Disabled | Kind::Unauthenticated | Kind::Exhausted => AuditOutcome::Refused,
        _ => AuditOutcome::Failure,
    }
}

/// R43: success +0.3, the tool's failure −0.2, an outside failure −0.05, which is any answer of another system, 404
/// included; a call taken back teaches nothing.
fn reward(tool: String, outcome: &Result<Outcome>) -> Option<Reward> {
    let (change, failed) = match outcome {
        Ok(Outcome::Done(_)) => (0.3, false),
        Ok(Outcome::Confirm(_)) => return None,
        Err(error) => match error.kind() {
            Kind::Cancelled => return None,
            _ if error.is_answer() => (-0.05, true),
            Kind::Upstream | Kind::DiskFull => (-0.05, true),
            _ => (-0.2, true),
        },
    };
    Some(Reward { tool, change, failed })
}
