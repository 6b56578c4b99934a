//! The seam to the tools: they are there before the agents are, and hold them by a thread.

use std::sync::{Arc, Weak};

use futures_util::future::BoxFuture;

use crate::chat::{Agent, Shared};
use satchel_engine::context::Context;
use satchel_model::{
    agent::session::{SessionEntry, SessionMessage, SessionRun, SessionStatus},
    error::{Error, Kind, Result},
};
use satchel_services::agents::sessions::{Inference, Inferred, NewSession, Sessions};

/// The agents, as long as they are there: tools do not keep them alive.
struct Seam(Weak<Shared>);

impl Seam {
    fn agent(&self) -> Result<Agent> {
        let shared = self.0.upgrade().ok_or_else(|| Error::new(Kind::Cancelled, "The server stops."))?;
        Ok(Agent { shared })
    }
}

impl Agent {
    /// The agents, as the tools of sessions have them.
    pub fn as_sessions(&self) -> Arc<dyn Sessions> {
        Arc::new(Seam(Arc::downgrade(&self.shared)))
    }
}

impl Sessions for Seam {
    fn spawn(&self, cx: Context, new: NewSession) -> BoxFuture<'_, Result<SessionRun>> {
        Box::pin(async move { self.agent()?.spawn(&cx, new).await })
    }

    fn send(&self, cx: Context, key: String, message: String) -> BoxFuture<'_, Result<SessionRun>> {
        Box::pin(async move { self.agent()?.write_to(&cx, &key, message).await })
    }

    fn list(&self, cx: Context) -> BoxFuture<'_, Result<Vec<SessionEntry>>> {
        Box::pin(async move { self.agent()?.sessions(&cx).await })
    }

    fn history(&self, cx: Context, key: String, limit: usize) -> BoxFuture<'_, Result<Vec<SessionMessage>>> {
        Box::pin(async move { self.agent()?.session_history(&cx, &key, limit).await })
    }

    fn status(&self, cx: Context, key: Option<String>) -> BoxFuture<'_, Result<SessionStatus>> {
        Box::pin(async move { self.agent()?.session_status(&cx, key.as_deref()).await })
    }

    fn infer(&self, cx: Context, asked: Inference) -> BoxFuture<'_, Result<Inferred>> {
        Box::pin(async move { self.agent()?.infer(&cx, asked).await })
    }
}
