//! The reason why a tool may or may not be used: permission, switches and all nine layers, by the functions that decide.

use serde::Serialize;
use utoipa::ToSchema;

use satchel_engine::{authorise, policy::View, registry::Registry, tool::Tool};
use satchel_model::{
    caller::Caller,
    error::{Error, Result},
    policy::LayerVerdict,
    settings::Settings,
    spec::Risk,
};

/// The reasons why a tool may or may not be used.
#[derive(Debug, Serialize, ToSchema)]
pub struct Explanation {
    /// Canonical id of the tool.
    pub tool: String,
    /// `true` if the call is let through, by permission, switches and all layers.
    pub allowed: bool,
    /// `true` if a person is asked about such calls in a conversation without content from outside, as far as that does
    /// not depend on their arguments.
    pub asks: bool,
    /// The first that says no: `permission`, `bounds` of the agent, a layer, or `settings` where it is switched off. Null
    /// where it is allowed.
    pub decided_by: Option<String>,
    /// The reason in words; null where nothing stands in the way.
    pub reason: Option<String>,
    /// The say of the agent's own bounds; null where no agent asks.
    pub bounds: Option<BoundsVerdict>,
    /// The nine layers in order, and what each says of the tool.
    pub layers: Vec<LayerVerdict>,
}

/// The say of an agent's own bounds on a tool.
#[derive(Debug, Serialize, ToSchema)]
pub struct BoundsVerdict {
    /// The agent's name.
    pub agent: String,
    /// `true` if it may call the tool, as far as that does not depend on the arguments.
    pub allowed: bool,
    /// The reason in words why it may not.
    pub rule: Option<String>,
}

/// Explains a tool to somebody who asks about a caller in a situation.
pub fn explain(registry: &Registry, tool: &Tool, caller: &Caller, settings: &Settings, policy: &View) -> Explanation {
    let layers = policy.explain(tool);
    let permitted = authorise::permitted(tool, caller).err();
    let denied = policy.denial(tool);
    let off = authorise::switched_on(tool, settings).and_then(|()| tool.check_available(settings)).err();
    let unbounded = authorise::within_bounds(tool, caller, policy).err();
    let bounds = caller.agent.as_ref().map(|agent| BoundsVerdict {
        agent: agent.name.clone(),
        allowed: unbounded.is_none(),
        rule: unbounded.as_ref().map(|error| error.message().to_owned()),
    });
    let by = |decider: &str, error: &Error| (Some(decider.to_owned()), Some(error.message().to_owned()));
    // In the order in which a call is checked.
    let (decided_by, reason) = match (permitted, unbounded, denied, off) {
        (Some(error), ..) => by("permission", &error),
        (None, Some(error), ..) => by("bounds", &error),
        (None, None, Some(denial), _) => by(denial.layer.as_str(), &denial.error(&tool.spec().name)),
        (None, None, None, Some(error)) => by("settings", &error),
        (None, None, None, None) => (None, None),
    };
    let by_layer = policy.asks(tool);
    let by_risk = match registry.least_risk(tool) {
        Risk::Read | Risk::LowWrite => false,
        Risk::HighWrite => !caller.permissions.is_all(),
        Risk::Destructive => true,
    };
    Explanation {
        tool: tool.spec().id(),
        allowed: decided_by.is_none(),
        asks: by_layer.is_some() || by_risk,
        decided_by,
        reason: reason.or(by_layer),
        bounds,
        layers,
    }
}

/// A tool as somebody would see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeenTool {
    /// Canonical id.
    pub id: String,
    /// `true` if it can be used.
    pub allowed: bool,
    /// `true` if a person is asked first, as far as that does not depend on the arguments.
    pub asks: bool,
    /// The first that says no: `permission`, `bounds`, a layer, or `settings`. Null where it is allowed.
    pub decided_by: Option<String>,
    /// The reason in words; null where nothing stands in the way.
    pub reason: Option<String>,
}

/// The tools as somebody would see them.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Sight {
    /// Tools they can use.
    pub allowed: usize,
    /// Those among them about which a person is asked first.
    pub asked: usize,
    /// Tools that are kept from them.
    pub denied: usize,
    /// The tools that fit what was searched for, in the order of their ids: 300 at most.
    pub tools: Vec<SeenTool>,
}

/// Most tools that are listed.
const LISTED: usize = 300;

/// Returns what somebody sees of all tools; lists those whose ids hold `query`.
pub fn sight(registry: &Registry, caller: &Caller, settings: &Settings, policy: &View, query: &str) -> Sight {
    let query = query.trim().to_lowercase();
    let mut sight = Sight::default();
    for tool in registry.tools() {
        let Explanation { tool: id, allowed, asks, decided_by, reason, .. } =
            explain(registry, tool, caller, settings, policy);
        match (allowed, asks) {
            (true, true) => (sight.allowed, sight.asked) = (sight.allowed + 1, sight.asked + 1),
            (true, false) => sight.allowed += 1,
            (false, _) => sight.denied += 1,
        }
        if id.contains(&query) {
            sight.tools.push(SeenTool { id, allowed, asks: asks && allowed, decided_by, reason });
        }
    }
    sight.tools.sort_by(|a, b| a.id.cmp(&b.id));
    sight.tools.truncate(LISTED);
    sight
}

/// The caller somebody else would be, signed in, with the permissions they hold now.
///
/// # Errors
///
/// If the database cannot be read.
pub async fn as_person(app: &satchel_app::App, user: satchel_model::user::User, like: &Caller) -> Result<Caller> {
    let permissions = app.stores.people.permissions_of(user.id).await?;
    Ok(Caller { user: user.id, username: user.username, permissions, personal: true, ..like.clone() })
}
