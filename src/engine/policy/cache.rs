//! A version of the policies over the tools there are, with what was worked out of it so far.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;

use super::{
    named::{Indexed, Named, NamedList},
    view::View,
};
use satchel_model::policy::{CompiledLayer, EXEC, LayerKind, Situation, ToolNames};
use satchel_store::policies::StoredPolicies;

/// Most situations whose tables are kept: one takes as many bytes as there are tools.
const VIEWS: usize = 64;

/// The policies of one version over the tools of one registry.
pub struct PolicySet {
    policies: Arc<StoredPolicies>,
    tools: Arc<Indexed>,
    exec: ToolNames,
    views: Mutex<HashMap<Situation, Arc<View>>>,
}

impl PolicySet {
    /// These policies over these tools.
    pub(crate) fn new(policies: Arc<StoredPolicies>, tools: Arc<dyn NamedList>) -> Arc<Self> {
        let likely = tools.all().filter(|tool| EXEC.ends_with(tool.name()));
        let exec = likely.map(Named::names).find(|names| names.is(EXEC));
        let (tools, exec) = (Arc::new(Indexed::new(tools)), exec.unwrap_or_default());
        Arc::new(Self { policies, tools, exec, views: Mutex::default() })
    }

    /// The say of these policies in a situation.
    pub fn view(&self, situation: &Situation) -> Arc<View> {
        let mut views = self.views.lock();
        if let Some(view) = views.get(situation) {
            return Arc::clone(view);
        }
        if views.len() >= VIEWS {
            views.clear();
        }
        let view = Arc::new(View::new(self.layers(situation), self.exec.clone(), Arc::clone(&self.tools)));
        views.insert(situation.clone(), Arc::clone(&view));
        view
    }

    /// The layers that hold in a situation, in order.
    fn layers(&self, situation: &Situation) -> Vec<(LayerKind, CompiledLayer)> {
        let document = &self.policies.document;
        let of_kind = |kind| {
            let held = document.layers(kind, situation).into_iter();
            held.map(move |layer| (kind, CompiledLayer::new(layer, &self.exec)))
        };
        LayerKind::ALL.into_iter().flat_map(of_kind).collect()
    }

    /// The names of `exec`.
    pub fn exec(&self) -> &ToolNames {
        &self.exec
    }
}

/// The policies in force over the tools there are now. Copies share it.
#[derive(Clone, Default)]
pub(crate) struct PolicyCache(Arc<Mutex<Option<Arc<PolicySet>>>>);

impl PolicyCache {
    /// The say of these policies on these tools in a situation.
    pub(crate) fn view(
        &self,
        policies: &Arc<StoredPolicies>,
        tools: Arc<dyn NamedList>,
        situation: &Situation,
    ) -> Arc<View> {
        let mut kept = self.0.lock();
        let is_now = |set: &&Arc<PolicySet>| Arc::ptr_eq(&set.policies, policies) && set.tools.is_of(&tools);
        let set = match kept.as_ref().filter(is_now) {
            Some(set) => Arc::clone(set),
            None => Arc::clone(kept.insert(PolicySet::new(Arc::clone(policies), tools))),
        };
        drop(kept);
        set.view(situation)
    }
}
