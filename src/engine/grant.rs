//! A grant: a tool and the caller it was checked for. What a call goes through; nothing else runs a tool.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::{
    authorise,
    context::{Context, Pipeline, Run},
    registry::Found,
};
use crate::model::{
    caller::Caller,
    error::{Error, Result},
    output::Output,
    settings::Settings,
};

/// A tool and the caller it was checked for. Only [`Grant::check`] makes one.
pub(super) struct Grant {
    found: Found,
    caller: Caller,
}

impl Grant {
    /// Fails with the reason where the caller may not use the tool, or nobody may now.
    ///
    /// The policy layers (R16) narrow here, after the permission and before the grant.
    pub(super) fn check(found: &Found, caller: &Caller, settings: &Settings) -> Result<Self> {
        authorise::check(&found.tool, caller, settings)?;
        Ok(Self { found: found.clone(), caller: caller.clone() })
    }

    /// Runs the tool with what a run of this call is handed; gives that, too.
    ///
    /// # Errors
    /// Where the call is another caller's than the one who was checked.
    pub(super) fn run(
        self,
        pipeline: Arc<dyn Pipeline>,
        run: Run<'_>,
        arguments: Value,
    ) -> Result<(Context, BoxFuture<'static, Result<Output>>)> {
        if run.call.caller != self.caller {
            return Err(Error::internal("a call went through the grant of another caller"));
        }
        let context = Context::new(pipeline, self.found.tool.spec(), run);
        let running = self.found.tool.run(context.clone(), arguments);
        Ok((context, running))
    }
}
