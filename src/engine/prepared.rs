//! Calls whose arguments are their tool's own and were read, once, with the calls that stand in them.

use std::sync::Arc;

use serde_json::Value;

use super::{
    registry::{Found, Registry},
    tool::{InnerCall, Prepared, Tool},
};
use satchel_model::{error::Result, spec::Risk};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preparation::Preparation;
    use satchel_model::{output::Output, settings::Settings, spec::Category};
    use schemars::JsonSchema;
    use serde::{Deserialize, Deserializer};
    use serde_json::json;
    use std::cell::Cell;

    thread_local! {
        static READ: Cell<usize> = const { Cell::new(0) };
    }

    #[derive(Deserialize, JsonSchema)]
    struct Args {
        #[serde(deserialize_with = "counted")]
        #[schemars(with = "String")]
        path: String,
    }

    fn counted<'de, D: Deserializer<'de>>(text: D) -> Result<String, D::Error> {
        READ.set(READ.get() + 1);
        String::deserialize(text)
    }

    fn tool(preparation: Preparation<Args>) -> Tool {
        Tool::prepared("reads", Category::Data, "Does.", "When.", preparation)
    }

    fn reads() -> Preparation<Args> {
        Preparation::new(|_, _: Args| async { Ok(Output::default()) })
    }

    #[test]
    fn arguments_are_read_once_whatever_is_said_of_them() {
        let calls = reads()
            .risk_of(|args| if args.path == "all" { Risk::Destructive } else { Risk::Read })
            .asks(|args, _| Some(args.path.clone()))
            .relies_on(|args| args.path.clone())
            .scoped(|args| Some(args.path.clone()));
        let call = Registry::default().prepare(&Arc::new(tool(calls)), json!({"path": "all"})).unwrap();
        assert_eq!(call.risk, Risk::Destructive);
        assert_eq!(call.call.asks(&Settings::default()).as_deref(), Some("all"));
        assert_eq!((call.call.relied_on().as_str(), call.call.scope().as_deref()), ("all", Some("all")));
        assert_eq!(READ.get(), 1);
    }

    #[test]
    fn a_call_that_holds_others_is_as_risky_as_the_riskiest() {
        let inner = |args: &Args| {
            let call = |tool: &str| InnerCall { tool: tool.to_owned(), params: json!({"wrong": true}) };
            args.path.split(' ').map(call).collect()
        };
        let holds = |name: &str| {
            let calls = reads().carries(inner, |_| satchel_model::question::Question::run("all"));
            Tool::prepared(name, Category::Data, "Does.", "When.", calls)
        };
        let writes = tool(reads()).risk(Risk::HighWrite);
        let registry = Registry::new(vec![holds("holds"), writes]).unwrap();
        let found = registry.find("holds").unwrap();
        for (names, risk) in [("reads gone", Risk::HighWrite), ("gone holds", Risk::Read)] {
            assert_eq!(registry.risk_of(&found, json!({"path": names})), risk, "{names}");
        }
    }
}
