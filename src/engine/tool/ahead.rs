//! A tool's own look at a call before it runs, for those who decide about it: what is asked, and how risky it can get.

use std::{future::Future, sync::Arc};

use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Tool, parse};
use crate::{
    engine::{context::Context, registry::Registry},
    model::{error::Result, question::Question, spec::Risk},
};

/// Asks about a call before it runs: gives the question a person is asked.
pub(in crate::engine) type Ahead = Arc<dyn Fn(Context, Value) -> BoxFuture<'static, Result<Question>> + Send + Sync>;

impl Tool {
    /// Says what a person is asked about a call, and refuses one that could not run before anybody is asked about it: it
    /// may look at everything and changes nothing. Running the call checks the same.
    #[must_use]
    pub fn ahead<Args, Look, Looking>(mut self, look: Look) -> Self
    where
        Args: DeserializeOwned + Send + 'static,
        Look: Fn(Context, Args) -> Looking + Send + Sync + 'static,
        Looking: Future<Output = Result<Question>> + Send + 'static,
    {
        let look = Arc::new(look);
        let ahead: Ahead = Arc::new(move |context, arguments| {
            let look = Arc::clone(&look);
            Box::pin(async move { look(context, parse(arguments)?).await })
        });
        self.ahead = Some(ahead);
        self
    }

    /// Says how risky a call can get by its arguments.
    #[must_use]
    pub fn up_to(mut self, risk: Risk) -> Self {
        self.up_to = Some(risk);
        self
    }

    /// The function that looks at a call before somebody is asked about it.
    pub(in crate::engine) fn looks_ahead(&self) -> Option<&Ahead> {
        self.ahead.as_ref()
    }

    /// The tools it calls, whatever its arguments.
    pub(in crate::engine) fn used(&self) -> &[String] {
        &self.uses
    }

    /// The highest risk of a call, where its arguments, or those it calls others with, can raise it above the least.
    pub fn highest_risk(&self, registry: &Registry) -> Option<Risk> {
        let within = registry.used_by(self).iter().filter_map(|used| used.up_to).max();
        // Nobody can be asked within a run: what is destructive there is refused, unless all of it is.
        let most = self.up_to.max(within.map(|most| most.min(Risk::HighWrite)));
        most.filter(|most| *most > self.least_risk(registry))
    }

    /// Whether arguments can raise its risk.
    pub fn raises_risk(&self) -> bool {
        self.risk_of.is_some()
    }
}
