//! The judgement of policies and of rules for arguments on one call: reasons to ask about it, and the rule that would
//! spare the question.

use std::sync::OnceLock;

use serde_json::{Value, json};

use super::{bounds, policy::View, prepared::PreparedCall, registry::Registry, tool::Tool};
use satchel_app::App;
use satchel_model::{
    call::Call,
    error::{Error, Result},
    rule::{Rule, RuleDecision, RuleId},
    user::UserId,
};

/// The judgement on one call that nothing denies.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// Reasons to ask a person, whatever the risk.
    pub asks: Vec<String>,
    /// Rules among them.
    pub asking: Vec<RuleId>,
    /// A rule that allows exactly these arguments.
    pub allow: Option<Rule>,
    /// `true` if an administrator made that one: it spares what a setting asks about, too.
    pub spares_settings: bool,
    /// All rules that allow these arguments: the places that any of them names are no new ones.
    pub allowing: Vec<Rule>,
}

impl Judged {
    /// Judges a call and those that stand in its arguments or that it makes whatever they are.
    ///
    /// # Errors
    ///
    /// Denied, where a layer or a rule denies the call.
    pub(super) async fn new(
        app: &App,
        view: &View,
        registry: &Registry,
        call: &Call,
        prepared: &PreparedCall,
    ) -> Result<Self> {
        if prepared.call.starts_process() {
            bounds::check_process(&prepared.tool, &call.caller, view)?;
            if let Some(denial) = view.denial_of_processes() {
                let what = format!("{} with these arguments", prepared.tool.spec().name);
                return Err(denial.error(&what));
            }
        }
        let mut judged = Self::default();
        judged.tool(view, &prepared.tool);
        registry.used_by(&prepared.tool).iter().for_each(|used| judged.tool(view, used));
        for rule in matching(app, call, &prepared.tool, &prepared.arguments).await? {
            match rule.decision {
                RuleDecision::Deny => return Err(refused(app, call, &rule).await),
                RuleDecision::Ask => judged.rule(&rule),
                RuleDecision::Allow => {
                    if !judged.spares_settings {
                        judged.spares_settings = app.stores.people.permissions_of(rule.user).await?.is_all();
                        if judged.spares_settings || judged.allow.is_none() {
                            judged.allow = Some(rule.clone());
                        }
                    }
                    judged.allowing.push(rule);
                }
            }
        }
        for inner in &prepared.inner {
            let Ok((found, Ok(inner))) = &inner.found else { continue };
            judged.tool(view, &found.tool);
            for rule in matching(app, call, &found.tool, &inner.arguments).await? {
                if rule.decision == RuleDecision::Ask {
                    judged.rule(&rule);
                }
            }
        }
        Ok(judged)
    }

    fn tool(&mut self, view: &View, tool: &Tool) {
        let reason = view.asks(tool).filter(|reason| !self.asks.contains(reason));
        self.asks.extend(reason);
    }

    fn rule(&mut self, rule: &Rule) {
        let reason = format!("A rule of {} asks about calls like this one ({}).", rule.username, rule.id);
        if !self.asks.contains(&reason) {
            self.asks.push(reason);
            self.asking.push(rule.id);
        }
    }

    /// Counts the rules that asked about the call.
    pub(super) async fn count_asking(&self, app: &App) {
        for rule in &self.asking {
            count(app, *rule).await;
        }
    }
}

/// Counts a call that a rule has decided. That it could not is no reason to fail the call.
pub(super) async fn count(app: &App, rule: RuleId) {
    if let Err(error) = app.stores.rules.used(rule, app.clock.now()).await {
        tracing::warn!(?error, %rule, "the use of a rule could not be counted");
    }
}

async fn refused(app: &App, call: &Call, rule: &Rule) -> Error {
    if !call.dry_run {
        count(app, rule.id).await;
    }
    let told =
        format!("A rule of {} refuses calls with these arguments ({}). Nothing was done.", rule.username, rule.id);
    Error::denied(told).with_details(json!({"rule": rule.id}))
}

/// The rules that match a call of this tool with these arguments of its own.
async fn matching(app: &App, call: &Call, tool: &Tool, arguments: &Value) -> Result<Vec<Rule>> {
    let user = call.caller.user;
    let rules = app.stores.rules.for_call(&tool.spec().id(), user).await?;
    let mut matching = Vec::new();
    if rules.is_empty() {
        return Ok(matching);
    }
    let (now, files, parameters) = (app.clock.now(), OnceLock::new(), tool.spec().parameters.document());
    let locate = |path: &str| -> Option<String> {
        let files = files.get_or_init(|| app.files_of(user).ok()).as_ref()?;
        files.locate(path).ok()?.into_os_string().into_string().ok()
    };
    for rule in rules {
        let is_of = rule.is_for(&call.situation, now) && rule.matches(arguments, &parameters, &locate);
        let is_same = rule.definition.as_deref().is_none_or(|then| then == tool.definition().as_str());
        if is_of && is_same && holds(app, &rule, user).await? {
            matching.push(rule);
        }
    }
    Ok(matching)
}

/// A rule for everybody is as good as whoever made it is an administrator still.
async fn holds(app: &App, rule: &Rule, user: UserId) -> Result<bool> {
    Ok(rule.user == user || app.stores.people.permissions_of(rule.user).await?.is_all())
}
