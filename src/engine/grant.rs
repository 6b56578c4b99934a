//! A grant: a tool and the caller it was checked for. What a call goes through; nothing else runs a tool.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::{
    authorise,
    context::{Context, Pipeline, Run},
    policy::View,
    prepared::PreparedCall,
    tool::Tool,
};
use satchel_model::{
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
    /// Fails with the reason where the caller may not use the tool, a policy layer denies it, or nobody may now.
    pub(super) fn check(tool: &Arc<Tool>, caller: &Caller, settings: &Settings, policy: &View) -> Result<Self> {
        authorise::check(tool, caller, settings, policy)?;
        Ok(Self { tool: Arc::clone(tool), caller: caller.clone() })
    }

    /// Runs a call with what its run is handed; gives that, too.
    ///
    /// # Errors
    /// Where it is another caller's or another tool's than those that were checked.
    pub(super) fn run(
        self,
        pipeline: Arc<dyn Pipeline>,
        run: Run,
        prepared: PreparedCall,
    ) -> Result<(Context, BoxFuture<'static, Result<Output>>)> {
        // The arguments are not kept beside what was read of them.
        let PreparedCall { tool, call, .. } = prepared;
        if run.call.caller != self.caller || !Arc::ptr_eq(&tool, &self.tool) {
            return Err(Error::internal("a call went through the grant of another"));
        }
        let context = Context::new(pipeline, tool, run);
        let running = call.run(context.clone());
        Ok((context, running))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        approval::Approval,
        context::{Conclusion, Toolset},
        registry::Registry,
        run::Stops,
        settings::ToolSettings,
    };
    use satchel_app::App;
    use satchel_model::{
        call::Call,
        caller::{Credential, Door, Permissions},
        error::Kind,
        policy::Situation,
        spec::Category,
        user::UserId,
    };
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;
    use tokio_util::sync::CancellationToken;

    /// Nothing of it is used before a call runs.
    struct Unused;

    impl Pipeline for Unused {
        fn app(&self) -> &App {
            unreachable!()
        }

        fn tools(&self) -> Toolset {
            unreachable!()
        }

        fn policy(&self, _: &Situation) -> Arc<View> {
            unreachable!()
        }

        fn start(&self, _: Call, _: Option<Approval>, _: Stops) -> BoxFuture<'_, Conclusion> {
            unreachable!()
        }
    }

    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}

    fn tool(name: &str) -> Arc<Tool> {
        let run = |_, _: Nothing| async { Ok(Output::default()) };
        Arc::new(Tool::new(name, Category::Data, "Does.", "When.", run))
    }

    fn caller() -> Caller {
        Caller {
            user: UserId::new(),
            username: "ada".to_owned(),
            permissions: Permissions::all(),
            door: Door::Api,
            credential: Credential::Session,
            personal: true,
            agent: None,
        }
    }

    fn run(granted: (&Arc<Tool>, &Caller), called: (&Arc<Tool>, &Caller)) -> Result<()> {
        let policy = Registry::default().under(Arc::default()).view(&Situation::default());
        let grant = Grant::check(granted.0, granted.1, &Settings::default(), &policy).unwrap();
        let prepared = Registry::default().prepare(called.0, json!({})).unwrap();
        let call = Call::new(called.1.clone(), "any", json!({}));
        let (settings, cancel) = (ToolSettings::default(), CancellationToken::new());
        grant.run(Arc::new(Unused), Run { call, settings, cancel, coverage: None, origin: None }, prepared).map(drop)
    }

    #[test]
    fn a_grant_opens_one_tool_to_one_caller() {
        let (calculator, exec, ada, bob) = (tool("calculator"), tool("exec"), caller(), caller());
        assert!(run((&calculator, &ada), (&calculator, &ada)).is_ok());
        assert_eq!(run((&calculator, &ada), (&exec, &ada)).unwrap_err().kind(), Kind::Internal);
        assert_eq!(run((&calculator, &ada), (&calculator, &bob)).unwrap_err().kind(), Kind::Internal);
    }
}
