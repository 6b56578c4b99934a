//! Step 6: run it, within its time, until it ends or is taken back.

use std::time::Duration;

use serde_json::Value;

use super::{authorise::Grant, context::Context, tool::Tool};
use crate::model::{
    error::{Error, Kind, Result},
    output::Output,
};

/// Runs the tool; a timeout or a cancelled call ends it where it waits.
pub async fn within_limits(tool: &Tool, grant: &Grant, context: Context, arguments: Value) -> Result<Output> {
    let limit = tool.spec().timeout;
    let cancel = context.cancelled().clone();
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(Error::new(Kind::Cancelled, "The call was stopped before it was done.")),
        ended = tokio::time::timeout(limit, tool.run(grant, context, arguments)) => match ended {
            Ok(result) => result,
            Err(_) => Err(timed_out(limit)),
        },
    }
}

fn timed_out(limit: Duration) -> Error {
    Error::new(Kind::Timeout, format!("timed out after {}s", limit.as_secs()))
}
