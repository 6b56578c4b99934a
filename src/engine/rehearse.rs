//! Everything known of a call before it runs: that it can, and the question a person is asked about it.

use std::sync::Arc;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    configure,
    context::{Context, Pipeline, Run},
    registry::Found,
};
use crate::model::{
    call::Call,
    error::{Error, Kind, Result},
    question::Question,
    unseen::visible,
};

/// The question a person is asked about a call whose arguments are its tool's own. Fails where the call could not run: nobody is
/// asked about that.
pub(super) async fn question(
    pipeline: &Arc<dyn Pipeline>,
    call: &Call,
    found: &Found,
    arguments: &Value,
) -> Result<Question> {
    let tool = &found.tool;
    tool.demand(arguments, &call.caller)?;
    let settings = configure::load(pipeline.app(), tool).await?;
    let Some(ahead) = tool.looks_ahead() else { return Ok(Question::run(found.name())) };
    let cancel = CancellationToken::new();
    let origin = call.origin.clone();
    let run = Run { call, settings, cancel, coverage: None, origin };
    let cx = Context::new(Arc::clone(pipeline), tool.spec(), run);
    let limit = tool.holding_timeout();
    let looked = tokio::time::timeout(limit, ahead(cx, arguments.clone())).await;
    let late = |_| Err(Error::new(Kind::Timeout, format!("timed out after {}s", limit.as_secs())));
    // What the tool itself would fail of is its own failure, told beforehand.
    let Question { text, subject } = looked.unwrap_or_else(late).map_err(Error::of_tool)?;
    // Whoever put it together, and wherever it is shown: what a person decides about hides nothing.
    let shown = |text: String| visible(&text).into_owned();
    Ok(Question { text: shown(text), subject: subject.map(shown) })
}
