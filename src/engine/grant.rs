//! A grant: a tool and the caller it was checked for. What a call goes through; nothing else runs a tool.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::{
    authorise,
    context::{Context, Pipeline, Run},
    prepared::PreparedCall,
    tool::Tool,
};
use crate::model::{
    caller::Caller,
    error::{Error, Result},
    output::Output,
    settings::Settings,
};

/// A tool and the caller it was checked for. Only [`Grant::check`] makes one.
pub(super) struct Grant {
    tool: Arc<Tool>,
    caller: Caller,
}

impl Grant {
    /// Fails with the reason where the caller may not use the tool, or nobody may now.
    ///
    /// The policy layers (R16) narrow here, after the permission and before the grant.
    pub(super) fn check(tool: &Arc<Tool>, caller: &Caller, settings: &Settings) -> Result<Self> {
        authorise::check(tool, caller, settings)?;
        Ok(Self { tool: Arc::clone(tool), caller: caller.clone() })
    }

    /// Runs a call with what its run is handed; gives that, too.
    ///
    /// # Errors
    /// Where it is another caller's or another tool's than those that were checked.
    pub(super) fn run(
        self,
        pipeline: Arc<dyn Pipeline>,
        run: Run<'_>,
        prepared: PreparedCall,
    ) -> Result<(Context, BoxFuture<'static, Result<Output>>)> {
        // The arguments are not kept beside what was read of them.
        let PreparedCall { tool, call, .. } = prepared;
        if run.call.caller != self.caller || !Arc::ptr_eq(&tool, &self.tool) {
            return Err(Error::internal("a call went through the grant of another"));
        }
        let context = Context::new(pipeline, tool.spec(), run);
        let running = call.run(context.clone());
        Ok((context, running))
    }
}
