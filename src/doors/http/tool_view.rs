//! A tool as the API shows it: its spec, whether it can be used now, what it costs and how it has fared.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::state::State;
use satchel_engine::{
    authorise, configure,
    registry::Registry,
    tool::{Alias, Tool},
    validate::Schema,
};
use satchel_model::{
    error::Result,
    settings::Settings,
    spec::{Category, Example, Risk, Setting, Source, Status},
    time::Time,
};
use satchel_store::outcomes::{Outcomes, Tally};

/// Another name of a tool, with what differs under it.
#[derive(Serialize, ToSchema)]
pub(super) struct AliasView {
    /// The name.
    name: String,
    /// A description of what it does.
    description: String,
    /// Its parameters.
    #[schema(value_type = Value)]
    parameters: Arc<Value>,
}

/// The record of a tool's calls.
#[derive(Serialize, Default, ToSchema)]
pub(super) struct Stats {
    /// Calls that ran.
    pub(super) calls: i64,
    /// Those that failed.
    pub(super) failures: i64,
    /// Median duration of the last calls; only on the tool's own page.
    pub(super) median_ms: Option<u64>,
    /// 95th percentile of the last calls; only on the tool's own page.
    pub(super) p95_ms: Option<u64>,
    /// The last call.
    pub(super) last_used_at: Option<Time>,
    /// The weight learned for it: 1 at first, 0.1 to 5.
    pub(super) weight: f64,
}

/// A tool.
#[derive(Serialize, ToSchema)]
pub(super) struct ToolView {
    /// Fully qualified id.
    pub(super) id: String,
    /// Bare name.
    name: String,
    /// Other names.
    aliases: Vec<AliasView>,
    /// Group in the library.
    category: Category,
    /// A description of what it does.
    description: String,
    /// A description of when to choose it.
    when_to_use: String,
    /// JSON Schema of its arguments.
    #[schema(value_type = Value)]
    parameters: Arc<Value>,
    /// Least risk of a call.
    risk: Risk,
    /// The highest risk of a call, where its arguments, or those it calls others with, can raise it.
    risk_up_to: Option<Risk>,
    /// The permission it needs.
    permission: Option<Cow<'static, str>>,
    /// The source it comes from.
    source: Source,
    /// Its availability now.
    status: Status,
    /// The reason it cannot be used.
    status_reason: Option<String>,
    /// The longest a call may take, unless its arguments ask for longer.
    timeout_seconds: u64,
    /// Always in the model's context.
    innate: bool,
    /// Not switched off.
    enabled: bool,
    /// The cost of its description in a model's context.
    tokens: u64,
    /// Worked examples.
    examples: Vec<Example>,
    /// Configuration it takes.
    settings: Vec<Setting>,
    /// The record of its calls.
    pub(super) stats: Stats,
}

/// The facts that views of tools are made from, read once for a whole list.
pub(super) struct Facts {
    registry: Arc<Registry>,
    settings: Arc<Settings>,
    keys_set: BTreeMap<String, Vec<String>>,
    tallies: BTreeMap<String, Tally>,
}

impl Facts {
    /// Reads the settings, the stored configuration keys and the outcomes.
    pub(super) async fn read(state: &State) -> Result<Self> {
        let app = &state.app;
        Ok(Self {
            registry: state.invoker.registry(),
            settings: app.settings.get(),
            keys_set: app.stores.tool_config.keys_set().await?,
            tallies: Outcomes::new(&app.db).tallies().await?,
        })
    }
}

impl ToolView {
    /// The view of one tool.
    pub(super) fn new(tool: &Tool, facts: &Facts) -> Self {
        let spec = tool.spec();
        let (status, status_reason) = status(tool, facts);
        Self {
            id: spec.id(),
            name: spec.name.clone(),
            aliases: tool.aliases().iter().map(|alias| alias_view(tool, alias)).collect(),
            category: spec.category,
            description: spec.description.clone(),
            when_to_use: spec.when_to_use.clone(),
            parameters: spec.parameters.document(),
            risk: facts.registry.least_risk(tool),
            risk_up_to: facts.registry.risk_up_to(tool),
            permission: spec.permission.clone(),
            source: spec.source,
            enabled: authorise::switched_on(tool, &facts.settings).is_ok(),
            status,
            status_reason,
            timeout_seconds: tool.holding_timeout().as_secs(),
            innate: spec.innate,
            tokens: tool.tokens(),
            examples: spec.examples.clone(),
            settings: spec.settings.clone(),
            stats: stats(facts.tallies.get(&spec.id())),
        }
    }
}

fn status(tool: &Tool, facts: &Facts) -> (Status, Option<String>) {
    let off = authorise::switched_on(tool, &facts.settings).and_then(|()| tool.check_available(&facts.settings));
    if let Err(error) = off {
        return (Status::Disabled, Some(error.message().to_owned()));
    }
    let set = facts.keys_set.get(&tool.spec().name);
    let is_set = |key: &str| set.is_some_and(|keys| keys.iter().any(|k| k == key));
    let missing = configure::missing(&tool.spec().settings, is_set);
    let reason = (!missing.is_empty()).then(|| format!("Missing required config: {}", missing.join(", ")));
    (configure::status(tool.spec(), is_set), reason)
}

fn alias_view(tool: &Tool, alias: &Alias) -> AliasView {
    AliasView {
        name: alias.name().to_owned(),
        description: alias.description().unwrap_or(&tool.spec().description).to_owned(),
        parameters: alias.schema().map_or_else(|| tool.spec().parameters.document(), Schema::document),
    }
}

fn stats(tally: Option<&Tally>) -> Stats {
    match tally {
        None => Stats { weight: 1.0, ..Stats::default() },
        Some(tally) => Stats {
            calls: tally.calls,
            failures: tally.failures,
            weight: (tally.weight * 1_000.0).round() / 1_000.0,
            last_used_at: Some(tally.last_used_at),
            ..Stats::default()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::time::Time;

    #[test]
    fn a_learned_weight_is_put_out_without_noise() {
        let tally =
            Tally { calls: 9, failures: 0, weight: 3.599_999_999_999_998_8, last_used_at: Time::from_millis(0) };
        assert_eq!(stats(Some(&tally)).weight.to_string(), "3.6");
    }
}
