//! Calls whose arguments are their tool's own and were read, once, with the calls that stand in them.

use std::sync::Arc;

use serde_json::Value;

use super::{
    registry::{Found, Registry},
    tool::{InnerCall, Prepared, Tool},
};
use crate::model::{error::Result, spec::Risk};

/// A call that can be made: what follows from its arguments is known.
pub struct PreparedCall {
    /// Its tool.
    pub(super) tool: Arc<Tool>,
    /// The tool's own arguments.
    pub(super) arguments: Value,
    /// The risk of exactly this call, with that of the calls within it: one question covers them all.
    pub risk: Risk,
    /// All else that follows from the arguments.
    pub(super) call: Box<dyn Prepared>,
    /// The calls that stand in its arguments.
    pub(super) inner: Vec<PreparedInner>,
}

/// A call that stands in the arguments of another, as far as it can be made. What is unknown or wrong fails when it runs.
pub(super) struct PreparedInner {
    /// The tool, as it is named there.
    pub(super) name: String,
    /// The tool, and the call with it.
    pub(super) found: Result<(Found, Result<PreparedCall>)>,
}

impl Registry {
    /// Prepares a call with these arguments of the tool's own: they are read once, here.
    ///
    /// # Errors
    /// Where they fit the schema but not the type behind it, or such a call cannot be made: nobody is asked about that.
    pub fn prepare(&self, tool: &Arc<Tool>, arguments: Value) -> Result<PreparedCall> {
        let mut prepared = self.prepare_alone(tool, arguments)?;
        prepared.inner = prepared.call.inner_calls().into_iter().map(|call| self.prepare_inner(call)).collect();
        let inner = prepared.inner.iter().filter_map(|inner| self.inner_risk(inner)).max();
        prepared.risk = prepared.risk.max(inner.unwrap_or(Risk::Read));
        Ok(prepared)
    }

    /// The risk of a call with these arguments; the tool's least where they are wrong, as such a call does nothing.
    pub fn risk_of(&self, found: &Found, given: Value) -> Risk {
        let prepared = found.own_arguments(given).and_then(|own| self.prepare(&found.tool, own));
        prepared.map_or_else(|_| self.least_risk(&found.tool), |call| call.risk)
    }

    fn prepare_alone(&self, tool: &Arc<Tool>, arguments: Value) -> Result<PreparedCall> {
        let call = tool.prepare(&arguments)?;
        let risk = call.risk()?.max(self.least_risk(tool));
        Ok(PreparedCall { tool: Arc::clone(tool), arguments, risk, call, inner: Vec::new() })
    }

    fn prepare_inner(&self, call: InnerCall) -> PreparedInner {
        let InnerCall { tool: name, params } = call;
        let found = self.find(&name).map(|found| {
            let prepared = found.own_arguments(params).and_then(|own| self.prepare_alone(&found.tool, own));
            (found, prepared)
        });
        PreparedInner { name, found }
    }

    /// `None` of one that is unknown, and of one that holds calls itself, which is refused.
    fn inner_risk(&self, inner: &PreparedInner) -> Option<Risk> {
        let (found, prepared) = inner.found.as_ref().ok().filter(|(found, _)| !found.tool.carries_calls())?;
        Some(prepared.as_ref().map_or_else(|_| self.least_risk(&found.tool), |call| call.risk))
    }
}
