//! A tool's own look at a call before it runs, for those who decide about it: what is asked, and how risky it can get.

use std::{future::Future, sync::Arc};

use serde::de::DeserializeOwned;

use super::{Ahead, Tool, parse::parse};
use crate::{
    engine::context::Context,
    model::{error::Result, question::Question, spec::Risk},
};

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

    /// The highest risk that arguments can give a call.
    pub(in crate::engine) fn can_rise_to(&self) -> Option<Risk> {
        self.up_to
    }

    /// Whether arguments can raise its risk.
    pub fn raises_risk(&self) -> bool {
        self.risk_of.is_some() || self.carries.is_some()
    }
}
