//! Agents: whether what one names is there, and the models it asks.

pub mod sessions;

use satchel_app::App;
use satchel_engine::{authorise, policy::Named, registry::Registry};
use satchel_model::{
    agent::{
        AgentAt,
        draft::{AgentDraft, wrong},
    },
    caller::Caller,
    error::{Error, Kind, Result},
    id::shorten,
    llm::{Provider, ProviderId},
    policy::Patterns,
    skill,
};
use satchel_store::{providers::Providers, skills::Skills};

/// A draft whose parts are within their bounds, and whose tools, models and collections are there for its author.
/// Collections are named by their ids afterwards.
///
/// # Errors
///
/// If one of them is not: the field is named in the details.
pub async fn checked(app: &App, registry: &Registry, by: &Caller, draft: AgentDraft) -> Result<AgentDraft> {
    let mut draft = draft.checked()?;
    require_tools(registry, by, "allow", &draft.allow)?;
    require_tools(registry, by, "deny", &draft.deny)?;
    require_models(app, &draft.models).await?;
    require_skills(app, &draft.skills).await?;
    let seen = if draft.collections.is_empty() {
        Vec::new()
    } else {
        by.require("knowledge:read")?;
        app.stores.knowledge.collections.list(by.reader()).await?
    };
    for named in &mut draft.collections {
        let found =
            seen.iter().find(|one| one.id.to_string() == *named || one.name.to_lowercase() == named.to_lowercase());
        *named = found.map(|one| one.id.to_string()).ok_or_else(|| {
            let message = format!("There is no collection '{}': see the list of collections.", shorten(named));
            wrong("collections", message)
        })?;
    }
    Ok(draft)
}

/// Checks that each rule means a tool that its author may see. A group may be empty.
fn require_tools(registry: &Registry, by: &Caller, field: &str, rules: &[String]) -> Result<()> {
    let seen = || registry.tools().iter().filter(|tool| authorise::may_see(tool, by));
    let is_lost = |rule: &&String| {
        let pattern = Patterns::new(&[rule.as_str()]);
        !rule.starts_with("group:") && !seen().any(|tool| pattern.find(&tool.names()).is_some())
    };
    let lost = rules.iter().find(is_lost);
    match lost {
        Some(rule) => {
            let rule = shorten(rule);
            let told = format!("'{rule}' in '{field}' is no tool and no pattern of one: see the list of tools.");
            Err(wrong(field, told))
        }
        None => Ok(()),
    }
}

async fn require_skills(app: &App, names: &[String]) -> Result<()> {
    let found = Skills::new(&app.db).named(names.to_vec()).await?;
    match names.iter().find(|name| !found.iter().any(|skill| skill.head.name == **name)) {
        Some(name) => Err(wrong("skills", skill::unknown(name).message().to_owned())),
        None => Ok(()),
    }
}

async fn require_models(app: &App, models: &[String]) -> Result<()> {
    if models.is_empty() {
        return Ok(());
    }
    let known = Providers::new(&app.db, &app.stores.vault, app.config.model.as_ref())?.list().await?;
    match models.iter().find(|model| !known.iter().any(|provider| is_model(provider, model))) {
        Some(model) => {
            let there: Vec<String> = known.iter().map(model_name).collect();
            let there = if there.is_empty() { "none is connected".to_owned() } else { there.join(", ") };
            let told = format!(
                "There is no model '{}': write it as provider:model, with the names that Settings, Models shows. There: {there}.",
                shorten(model)
            );
            Err(wrong("models", told))
        }
        None => Ok(()),
    }
}

/// The name of a provider's model, as agents write it: `provider:model`.
pub fn model_name(provider: &Provider) -> String {
    if provider.from_environment {
        return format!("{}:{}", provider.kind.as_str(), provider.model);
    }
    format!("{}:{}", provider.name, provider.model)
}

pub(super) fn is_model(provider: &Provider, name: &str) -> bool {
    name == model_name(provider) || name == format!("{}:{}", provider.name, provider.model)
}

/// The providers that an agent asks, in its order; where it names no models, those of the settings. One that a person chose
/// comes first, if the agent asks it at all.
///
/// # Errors
///
/// If it names models and none of them is connected any more.
pub async fn chain(providers: &Providers, agent: &AgentAt, chosen: Option<ProviderId>) -> Result<Vec<Provider>> {
    let all = providers.chain(chosen).await?;
    let AgentDraft { name, models, reasoning_effort, .. } = &agent.content;
    let mut chain = match models.is_empty() {
        true => all,
        false => {
            let named = |model: &String| all.iter().find(|provider| is_model(provider, model)).cloned();
            let mut named: Vec<Provider> = models.iter().filter_map(named).collect();
            named.sort_by_key(|provider| Some(provider.id) != chosen);
            named
        }
    };
    if chain.is_empty() && !models.is_empty() {
        let models = models.join(", ");
        return Err(Error::new(
            Kind::Unconfigured,
            format!(
                "The agent {name} asks {models}, and none of that is connected any more. Give it another model under Agents, \
                 {name}, or connect this one under Settings, Models."
            ),
        ));
    }
    if let Some(effort) = reasoning_effort {
        for provider in &mut chain {
            provider.parameters.reasoning_effort = Some(*effort);
        }
    }
    Ok(chain)
}
