//! Replay: the calls of the audit judged anew, by policies and rules that are not in force yet. Nothing is changed.

use std::{collections::HashMap, sync::Arc};

use serde::Serialize;
use utoipa::ToSchema;

use satchel_engine::{
    invoker::Invoker,
    policy::{PolicySet, View},
    registry::{Found, Registry},
};
use satchel_model::{
    agent::ASSISTANT,
    caller::Caller,
    error::Result,
    policy::{Policies, Situation},
    rule::{Rule, RuleDecision},
    time::Time,
};
use satchel_store::{
    audit::{Past, PastCall},
    policies::StoredPolicies,
};

/// Rows that are read and judged at once.
const PAGE: i64 = 20_000;
/// Most changed calls that are listed; all are counted.
const LISTED: usize = 500;

/// Policies and rules that calls are judged by in place of those in force.
#[derive(Debug, Default)]
pub struct Draft {
    /// The policies; `None` for those in force.
    pub policies: Option<Policies>,
    /// The rules of whoever asks; `None` for those in force.
    pub rules: Option<Vec<Rule>>,
}

/// The way a call went, or would go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It is let through.
    Allowed,
    /// A person is asked.
    Asked,
    /// It is refused.
    Refused,
}

/// A call that would go another way.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangedCall {
    /// Its row in the audit.
    pub seq: i64,
    /// Canonical id of the tool.
    pub tool: String,
    /// The caller.
    pub user: String,
    /// The way it went.
    pub was: Fate,
    /// The way it would go.
    pub would_be: Fate,
    /// The layer or the rule that decides, or `risk`.
    pub by: String,
}

/// The numbers of calls that would go another way.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Changes {
    /// Those that would be let through.
    pub allowed: u64,
    /// Those about which a person would be asked.
    pub asked: u64,
    /// Those that would be refused.
    pub refused: u64,
}

/// The calls of the audit, judged anew.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Replay {
    /// Calls that were judged.
    pub calls: u64,
    /// The first of those that would go another way, 500 at most.
    pub changed: Vec<ChangedCall>,
    /// All of those, counted.
    pub changes: Changes,
}

/// Judges the calls of the audit anew, a page at a time, each in a turn of whoever asks.
///
/// # Errors
///
/// If the audit cannot be read, or no turn comes.
pub async fn replay(invoker: &Invoker, caller: &Caller, draft: Draft, past: Past) -> Result<Replay> {
    let app = &invoker.app;
    let registry = invoker.registry();
    let now = app.stores.policies.get();
    let document = draft.policies.map(|document| Arc::new(StoredPolicies { version: 0, document }));
    let mut rules = app.stores.rules.all().await?;
    if let Some(drafted) = draft.rules {
        rules.retain(|rule| rule.user != caller.user);
        rules.extend(drafted);
    }
    let arguments_of = Arc::new(rules.iter().map(|rule| rule.tool.clone()).collect());
    let past = Past { arguments_of, ..past };
    let mut judge = Judge {
        now: registry.under(Arc::clone(&now)),
        draft: registry.under(document.unwrap_or(now)),
        registry,
        rules,
        at: app.clock.now(),
        tools: HashMap::new(),
        replay: Replay::default(),
    };
    let mut next = Some(0);
    while let Some(after) = next {
        let page = app.stores.audit.past_calls(past.clone(), after, PAGE).await?;
        next = page.next;
        let judging = move || {
            page.calls.iter().for_each(|call| judge.call(call));
            Ok(judge)
        };
        judge = app.host.work.run(Some(caller.user), judging).await?;
    }
    Ok(judge.replay)
}

/// The say of the policies on one tool in one situation, now and by the draft.
#[derive(Clone)]
struct Verdicts {
    denied: Option<String>,
    asks: Option<String>,
    asks_now: bool,
}

struct Judge {
    now: Arc<PolicySet>,
    draft: Arc<PolicySet>,
    registry: Arc<Registry>,
    rules: Vec<Rule>,
    at: Time,
    tools: HashMap<(String, Situation), Option<(Found, Verdicts)>>,
    replay: Replay,
}

impl Judge {
    fn call(&mut self, call: &PastCall) {
        // A call that a person approved has two rows: the first says that they were asked.
        let by_rule = call.approved_by.as_deref().is_some_and(|by| by.starts_with("rule "));
        if call.approved_by.is_some() && !by_rule {
            return;
        }
        self.replay.calls += 1;
        let was = match call.outcome.as_str() {
            "refused" => Fate::Refused,
            "waiting" => Fate::Asked,
            _ => Fate::Allowed,
        };
        let situation = call.situation.clone().unwrap_or_else(|| situation_before(&call.door));
        let key = (call.tool.clone(), situation.clone());
        let (registry, now, draft) = (&self.registry, &self.now, &self.draft);
        let known = self.tools.entry(key).or_insert_with(|| {
            let found = registry.find(&call.tool).ok()?;
            let verdicts = verdicts(&found, &now.view(&situation), &draft.view(&situation));
            Some((found, verdicts))
        });
        // A tool that is gone is judged by nothing.
        let Some((found, verdicts)) = known.clone() else { return };
        let (would_be, by) = self.fate((call, was), (&found, verdicts), &situation);
        if would_be == was {
            return;
        }
        match would_be {
            Fate::Allowed => self.replay.changes.allowed += 1,
            Fate::Asked => self.replay.changes.asked += 1,
            Fate::Refused => self.replay.changes.refused += 1,
        }
        if self.replay.changed.len() < LISTED {
            let (seq, tool, user) = (call.seq, call.tool.clone(), call.user.clone());
            self.replay.changed.push(ChangedCall { seq, tool, user, was, would_be, by });
        }
    }

    fn fate(
        &self,
        (call, was): (&PastCall, Fate),
        (found, verdicts): (&Found, Verdicts),
        situation: &Situation,
    ) -> (Fate, String) {
        let by_policy = call.error.as_deref().is_some_and(|error| error.starts_with("The policy layer '"));
        let by_rule = call.error.as_deref().is_some_and(|error| error.starts_with("A rule of "));
        // Refused for want of a permission, by a switch or by a person: that stays.
        if was == Fate::Refused && !by_policy && !by_rule {
            return (was, String::new());
        }
        if let Some(layer) = verdicts.denied {
            return (Fate::Refused, layer);
        }
        let rule = |decision| self.rule(call, found, situation, decision);
        if let Some(rule) = rule(RuleDecision::Deny) {
            return (Fate::Refused, rule);
        }
        if let Some(layer) = verdicts.asks {
            return (Fate::Asked, layer);
        }
        if let Some(rule) = rule(RuleDecision::Ask) {
            return (Fate::Asked, rule);
        }
        let is_destructive = call.risk.as_deref() == Some("destructive");
        let is_risky = is_destructive || call.risk.as_deref() == Some("high_write");
        match rule(RuleDecision::Allow).filter(|_| !is_destructive) {
            Some(rule) => (Fate::Allowed, rule),
            None if was == Fate::Asked && verdicts.asks_now && !is_risky => (Fate::Allowed, "risk".to_owned()),
            // It was let through by a rule that is gone, or nobody knows what would have come of it.
            None if call.approved_by.is_some() => (Fate::Asked, "risk".to_owned()),
            None if was == Fate::Refused && is_risky => (Fate::Asked, "risk".to_owned()),
            None if was == Fate::Refused => (Fate::Allowed, "risk".to_owned()),
            None => (was, String::new()),
        }
    }

    fn rule(&self, call: &PastCall, found: &Found, situation: &Situation, decision: RuleDecision) -> Option<String> {
        let arguments = call.arguments.as_ref()?;
        let schema = found.tool.spec().parameters.document();
        let is_for = |rule: &&Rule| {
            let is_of = rule.everybody || Some(rule.user) == call.user_id;
            is_of && rule.decision == decision && rule.tool == call.tool
        };
        let matches = |rule: &&Rule| rule.is_for(situation, self.at) && rule.matches(arguments, &schema, &|_| None);
        self.rules.iter().filter(is_for).find(matches).map(Rule::told)
    }
}

/// The situation of a call from before rows kept it, when the assistant alone made calls in a chat.
fn situation_before(door: &str) -> Situation {
    Situation { agent: (door == "chat").then(|| ASSISTANT.to_owned()), ..Situation::default() }
}

fn verdicts(found: &Found, now: &View, draft: &View) -> Verdicts {
    let tool = &found.tool;
    let layer = |denial: satchel_engine::policy::Denial| denial.layer.as_str().to_owned();
    let asking = draft.explain(tool.as_ref()).into_iter().find(|verdict| verdict.asks.is_some());
    Verdicts {
        denied: draft.denial(tool.as_ref()).map(layer),
        asks: asking.map(|verdict| verdict.layer.as_str().to_owned()),
        asks_now: now.asks(tool.as_ref()).is_some(),
    }
}
