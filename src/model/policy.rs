//! Policies: nine layers, each of which can only narrow what a call may use. Data, not code.

mod compiled;
mod groups;
mod names;

use std::{collections::BTreeMap, ptr, sync::LazyLock};

use serde::{Deserialize, Serialize};

use super::error::{Error, Result};

pub use self::{
    compiled::{CompiledLayer, EXEC, Judgement, Patterns},
    groups::{GROUPS, PROFILES, SUBAGENT_DENY},
    names::{ToolNames, normal},
};

/// Most bytes of the document, as JSON.
pub const LARGEST: usize = 256 << 10;
/// Longest pattern, and longest name of an agent, provider or channel, in characters.
const LONGEST: usize = 200;

/// One layer: what passes it is in its profile, fits its allow list and is not denied.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = PolicyLayer)]
pub struct Layer {
    /// A profile: `minimal`, `coding`, `messaging` or `full`. An unknown one allows nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Patterns of tools that pass: names, ids, aliases, `*` for any part, `group:<name>`. Empty lets all pass.
    #[schema(max_items = 1000)]
    pub allow: Vec<String>,
    /// Patterns of tools that do not pass, whatever else is said here.
    #[schema(max_items = 1000)]
    pub deny: Vec<String>,
    /// Patterns of tools about whose calls a person is asked, whatever their risk.
    #[schema(max_items = 1000)]
    pub ask: Vec<String>,
}

/// Layers by the name of a provider or a channel, or by the id of an agent.
pub type Layers = BTreeMap<String, Layer>;

/// The layer `subagent` where none is written.
static SUBAGENT: LazyLock<Layer> =
    LazyLock::new(|| Layer { deny: SUBAGENT_DENY.iter().map(|name| (*name).to_owned()).collect(), ..Layer::default() });

/// The whole document. A layer that is left out lets everything pass; without `subagent`, sub-agents are denied what
/// starts and steers others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Policies {
    /// For everybody: usually a profile.
    pub profile: Option<Layer>,
    /// By the name of the provider whose model asks.
    pub provider_profile: Layers,
    /// For everybody.
    pub global: Option<Layer>,
    /// By the name of the provider whose model asks.
    pub global_provider: Layers,
    /// By the id of the agent.
    pub agent: Layers,
    /// By the id of the agent, then by the name of the provider.
    pub agent_provider: BTreeMap<String, Layers>,
    /// By the id of the channel that a message came through.
    pub group: Layers,
    /// For calls that code in a confined worker makes, scripts among it.
    pub sandbox: Option<Layer>,
    /// For sessions that an agent started.
    pub subagent: Option<Layer>,
    /// By the id of the agent that leads such a session: in the place of `subagent`.
    pub agent_subagent: Layers,
}

/// The place of a layer, in the order in which they are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LayerKind {
    /// For everybody: usually a profile.
    Profile,
    /// Of a provider: usually a profile.
    ProviderProfile,
    /// For everybody.
    Global,
    /// Of a provider.
    GlobalProvider,
    /// Of an agent.
    Agent,
    /// Of an agent with a provider.
    AgentProvider,
    /// Of a channel.
    Group,
    /// Of confined code.
    Sandbox,
    /// Of sessions below an agent's.
    Subagent,
}

impl LayerKind {
    /// All nine, in order.
    pub const ALL: [Self; 9] = [
        Self::Profile,
        Self::ProviderProfile,
        Self::Global,
        Self::GlobalProvider,
        Self::Agent,
        Self::AgentProvider,
        Self::Group,
        Self::Sandbox,
        Self::Subagent,
    ];

    /// The word as it stands in the document and in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Profile => "profile",
            Self::ProviderProfile => "provider_profile",
            Self::Global => "global",
            Self::GlobalProvider => "global_provider",
            Self::Agent => "agent",
            Self::AgentProvider => "agent_provider",
            Self::Group => "group",
            Self::Sandbox => "sandbox",
            Self::Subagent => "subagent",
        }
    }
}

/// The say of one layer on one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct LayerVerdict {
    /// The layer.
    pub layer: LayerKind,
    /// The part of it that decides, in words; null where it says nothing of the tool.
    pub rule: Option<String>,
    /// `true` if the tool passes it.
    pub allowed: bool,
    /// The pattern by which a person is asked about its calls; null if there is none.
    pub asks: Option<String>,
}

/// The circumstances of a call that decide which layers apply to it. A call from a door, without an agent, has none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Situation {
    /// The id of the agent that asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The ids of the agents within whose bounds it asks: their layers hold as well.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
    /// The name of the provider whose model asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The id of the channel that what it answers came through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// `true` for calls that code in a confined worker makes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sandboxed: bool,
    /// Sessions above the one that asks: 0 in a conversation that a person holds.
    #[serde(skip_serializing_if = "is_zero")]
    pub depth: u8,
    /// The names of the providers whose models began the sessions on the way to it: their layers hold as well.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<String>,
}

impl Situation {
    /// The circumstances of whatever is done in a session that a call in this situation begins, before an agent acts there.
    #[must_use]
    pub fn of_session(&self) -> Self {
        let Self { channel, sandboxed, depth, mut through, provider, .. } = self.clone();
        through.extend(provider.filter(|name| !self.through.contains(name)));
        Self { channel, sandboxed, depth: depth.saturating_add(1), through, ..Self::default() }
    }

    /// The circumstances of a session, joined with those it had before: whatever held goes on to hold.
    #[must_use]
    pub fn joined(mut self, before: &Self) -> Self {
        for provider in &before.through {
            if !self.through.contains(provider) {
                self.through.push(provider.clone());
            }
        }
        let channel = self.channel.or_else(|| before.channel.clone());
        let (sandboxed, depth) = (self.sandboxed || before.sandboxed, self.depth.max(before.depth));
        Self { channel, sandboxed, depth, ..self }
    }

    /// It and those of the agents and providers whose layers of a kind hold as well: each agent with each provider, the
    /// nearest first.
    fn each(&self, kind: LayerKind) -> Vec<Self> {
        // Above a session that begins in a person's conversation no other one leads a session.
        let within = if kind == LayerKind::Subagent && self.depth < 2 { &[] } else { self.within.as_slice() };
        let agents = || std::iter::once(self.agent.clone()).chain(within.iter().cloned().map(Some));
        let providers = std::iter::once(self.provider.clone()).chain(self.through.iter().cloned().map(Some));
        let with = |provider: Option<String>| agents().map(move |agent| (agent, provider.clone())).collect::<Vec<_>>();
        let single = |(agent, provider)| Self {
            agent,
            provider,
            channel: self.channel.clone(),
            sandboxed: self.sandboxed,
            depth: self.depth,
            ..Self::default()
        };
        providers.flat_map(with).map(single).collect()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it skips by reference")]
fn is_zero(depth: &u8) -> bool {
    *depth == 0
}

impl Policies {
    /// The layers of this kind that hold in a situation, the nearest first: in a session, those of the agents and providers
    /// above it hold as well. Where there is none, everything passes.
    pub fn layers(&self, kind: LayerKind, situation: &Situation) -> Vec<&Layer> {
        let mut held: Vec<&Layer> = Vec::new();
        for layer in situation.each(kind).iter().filter_map(|situation| self.layer(kind, situation)) {
            if !held.iter().any(|known| ptr::eq(*known, layer)) {
                held.push(layer);
            }
        }
        held
    }

    fn layer(&self, kind: LayerKind, situation: &Situation) -> Option<&Layer> {
        let Situation { agent, provider, channel, sandboxed, depth, .. } = situation;
        match kind {
            LayerKind::Profile => self.profile.as_ref(),
            LayerKind::ProviderProfile => self.provider_profile.get(provider.as_ref()?),
            LayerKind::Global => self.global.as_ref(),
            LayerKind::GlobalProvider => self.global_provider.get(provider.as_ref()?),
            LayerKind::Agent => self.agent.get(agent.as_ref()?),
            LayerKind::AgentProvider => self.agent_provider.get(agent.as_ref()?)?.get(provider.as_ref()?),
            LayerKind::Group => self.group.get(channel.as_ref()?),
            LayerKind::Sandbox => self.sandbox.as_ref().filter(|_| *sandboxed),
            LayerKind::Subagent if *depth == 0 => None,
            LayerKind::Subagent => {
                let own = agent.as_ref().and_then(|agent| self.agent_subagent.get(agent));
                Some(own.or(self.subagent.as_ref()).unwrap_or(&SUBAGENT))
            }
        }
    }

    /// Every layer that is written, with its place in words: `global`, `agent.assistant`, `agent_provider.assistant.x`.
    pub fn written(&self) -> Vec<(String, &Layer)> {
        let mut found: Vec<(String, &Layer)> = Vec::new();
        let singles = [
            ("profile", &self.profile),
            ("global", &self.global),
            ("sandbox", &self.sandbox),
            ("subagent", &self.subagent),
        ];
        found.extend(singles.into_iter().filter_map(|(name, layer)| Some((name.to_owned(), layer.as_ref()?))));
        let maps = [
            ("provider_profile", &self.provider_profile),
            ("global_provider", &self.global_provider),
            ("agent", &self.agent),
            ("group", &self.group),
            ("agent_subagent", &self.agent_subagent),
        ];
        for (name, layers) in maps {
            found.extend(layers.iter().map(|(key, layer)| (format!("{name}.{key}"), layer)));
        }
        for (agent, layers) in &self.agent_provider {
            found.extend(layers.iter().map(|(key, layer)| (format!("agent_provider.{agent}.{key}"), layer)));
        }
        found
    }

    /// Fails where a pattern or a name is empty or too long, or all of it is too large.
    pub fn ensure_bounded(&self) -> Result<()> {
        if serde_json::to_vec(self).map_err(Error::internal)?.len() > LARGEST {
            return Err(Error::invalid("These policies are larger than 256 KB: say more with groups and `*`."));
        }
        for (place, layer) in self.written() {
            let texts = layer.profile.iter().chain(&layer.allow).chain(&layer.deny).chain(&layer.ask);
            for text in texts {
                if text.trim().is_empty() || text.chars().count() > LONGEST {
                    return Err(Error::invalid(format!(
                        "`{place}` holds a pattern that is empty or longer than {LONGEST} characters: write a tool's \
                         name, `group:<name>`, or a part of a name with `*`."
                    )));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
