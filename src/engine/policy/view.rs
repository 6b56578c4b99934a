//! The layers that hold in one situation, and their say on each tool.

use std::sync::{Arc, OnceLock};

use serde_json::json;

use super::named::{Indexed, Named};
use satchel_model::{
    error::Error,
    policy::{CompiledLayer, Judgement, LayerKind, LayerVerdict, ToolNames},
};

/// The layers that hold in one situation.
pub struct View {
    layers: Vec<(LayerKind, CompiledLayer)>,
    exec: ToolNames,
    tools: Arc<Indexed>,
    /// For each tool, by its place in the list: `true` if it passes.
    table: OnceLock<Vec<bool>>,
}

/// The refusal of a tool by a layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// The first layer that says no.
    pub layer: LayerKind,
    /// The part of it that does, in words.
    pub rule: String,
}

impl Denial {
    /// The error of a call that is refused so.
    pub fn error(&self, what: &str) -> Error {
        let (layer, rule) = (self.layer.as_str(), &self.rule);
        let told = format!(
            "The policy layer '{layer}' denies {what} ({rule}). An administrator can change that under Policies."
        );
        Error::denied(told).with_details(json!({"layer": layer, "rule": rule}))
    }
}

impl View {
    pub(super) fn new(layers: Vec<(LayerKind, CompiledLayer)>, exec: ToolNames, tools: Arc<Indexed>) -> Self {
        Self { layers, exec, tools, table: OnceLock::new() }
    }

    /// Returns whether a layer of this kind holds.
    pub fn has(&self, kind: LayerKind) -> bool {
        self.layers.iter().any(|(layer, _)| *layer == kind)
    }

    /// Returns whether the tool passes every layer. Of many tools it is known from a table that is worked out once.
    pub fn allows(&self, tool: &dyn Named) -> bool {
        if self.layers.is_empty() {
            return true;
        }
        let known = self.tools.place(tool).and_then(|place| {
            let judge = || self.tools.all().map(|tool| self.denial(tool).is_none()).collect();
            self.table.get_or_init(judge).get(place).copied()
        });
        known.unwrap_or_else(|| self.denial(tool).is_none())
    }

    /// The first layer that denies the tool. `None` if it passes all.
    pub fn denial(&self, tool: &dyn Named) -> Option<Denial> {
        if self.layers.is_empty() {
            return None;
        }
        let names = tool.names();
        let denies = |(kind, layer): &(LayerKind, CompiledLayer)| denial(*kind, layer, &names);
        self.layers.iter().find_map(denies)
    }

    /// The first layer without `exec`: no process is started under it, by whichever tool.
    pub fn denial_of_processes(&self) -> Option<Denial> {
        let (layer, _) = self.layers.iter().find(|(_, layer)| !layer.allows_exec())?;
        Some(Denial { layer: *layer, rule: "exec is denied".to_owned() })
    }

    /// The names of `exec`, by which agents' own bounds are judged as layers are.
    pub(crate) fn exec(&self) -> &ToolNames {
        &self.exec
    }

    /// The reason why a person is asked about calls of the tool whatever their risk; `None` if no layer asks.
    pub fn asks(&self, tool: &dyn Named) -> Option<String> {
        if self.layers.is_empty() {
            return None;
        }
        let names = tool.names();
        self.layers.iter().find_map(|(kind, layer)| {
            let pattern = layer.judge(&names).asks?;
            let name = tool.name();
            Some(format!("The policy layer '{}' asks about {name} (ask: {pattern}).", kind.as_str()))
        })
    }

    /// The say of all nine layers on a tool, in order.
    pub fn explain(&self, tool: &dyn Named) -> Vec<LayerVerdict> {
        let names = tool.names();
        let of =
            |kind: LayerKind| {
                let judged = self.layers.iter().filter(|(held, _)| *held == kind).map(|(_, layer)| layer.judge(&names));
                // Several of a kind hold for a session: the first that denies says more than one that does not.
                let judged = judged.reduce(|said, next| {
                    let asks = said.asks.clone().or_else(|| next.asks.clone());
                    Judgement { asks, ..if said.allowed && !next.allowed { next } else { said } }
                });
                judged.map_or(LayerVerdict { layer: kind, rule: None, allowed: true, asks: None }, |judged| {
                    LayerVerdict { layer: kind, rule: judged.rule, allowed: judged.allowed, asks: judged.asks }
                })
            };
        LayerKind::ALL.into_iter().map(of).collect()
    }
}

fn denial(kind: LayerKind, layer: &CompiledLayer, names: &ToolNames) -> Option<Denial> {
    let judged = layer.judge(names);
    (!judged.allowed).then(|| Denial { layer: kind, rule: judged.rule.unwrap_or_default() })
}
