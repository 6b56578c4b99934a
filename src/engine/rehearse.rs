//! Everything known of a call before it runs: that it can, and the question a person is asked about it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{
    authorise, configure,
    context::{Context, Pipeline, Run},
    prepared::{PreparedCall, PreparedInner},
    registry::{self, Found},
    settings::ToolSettings,
    tool::{InnerCall, InnerQuestion},
};
use satchel_model::{
    call::Call,
    error::{Error, Kind, Result},
    question::Question,
    unseen::visible,
};

/// The question a person is asked about a call. Fails where it could not run: nobody is asked about that.
pub(super) async fn question(
    pipeline: &Arc<dyn Pipeline>,
    call: &Call,
    found: &Found,
    prepared: &PreparedCall,
) -> Result<Question> {
    prepared.call.ensure_allowed(&call.caller)?;
    let settings = configure::load(pipeline.app(), &prepared.tool).await?;
    let limit = prepared.tool.holding_timeout();
    let looking = look(pipeline, call, prepared, settings);
    let late = |_| Err(Error::new(Kind::Timeout, format!("timed out after {}s", limit.as_secs())));
    // What the tool itself would fail of is its own failure, told beforehand.
    let looked = tokio::time::timeout(limit, looking).await.unwrap_or_else(late).map_err(Error::of_tool)?;
    let Some(Question { text, subject }) = looked else { return Ok(Question::run(found.name())) };
    // Whoever put it together, and wherever it is shown: what a person decides about hides nothing.
    let shown = |text: String| visible(&text).into_owned();
    Ok(Question { text: shown(text), subject: subject.map(shown) })
}

/// The tool's own question, or the one of the calls that stand in its arguments.
async fn look(
    pipeline: &Arc<dyn Pipeline>,
    call: &Call,
    prepared: &PreparedCall,
    settings: ToolSettings,
) -> Result<Option<Question>> {
    let origin = call.origin.clone();
    let run = Run { call: call.without_params(), settings, cancel: CancellationToken::new(), coverage: None, origin };
    let cx = Context::new(Arc::clone(pipeline), Arc::clone(&prepared.tool), run);
    if let Some(looking) = prepared.call.question(cx) {
        return looking.await.map(Some);
    }
    let asked = inner_questions(pipeline, call, &prepared.inner).await?;
    Ok(prepared.call.together(asked))
}

/// The questions about the calls that stand in the arguments of another. A person is asked once for all of them: not about
/// one that could never be run.
async fn inner_questions(
    pipeline: &Arc<dyn Pipeline>,
    call: &Call,
    inner: &[PreparedInner],
) -> Result<Vec<InnerQuestion>> {
    for (number, one) in (1..).zip(inner) {
        if let Ok((found, _)) = &one.found
            && found.tool.carries_calls()
        {
            return Err(InnerCall::nested(number, &found.tool.spec().name));
        }
    }
    let mut asked = Vec::new();
    for (number, one) in (1..).zip(inner) {
        asked.push(Box::pin(inner_question(pipeline, call, one)).await.map_err(|error| {
            let (name, why) = (&one.name, error.message());
            Error::new(error.kind(), format!("Call {number}, {name}: {why} Leave it out, or put it right."))
        })?);
    }
    Ok(asked)
}

async fn inner_question(pipeline: &Arc<dyn Pipeline>, call: &Call, inner: &PreparedInner) -> Result<InnerQuestion> {
    let (found, prepared) = inner.found.as_ref().map_err(Clone::clone)?;
    if !authorise::may_see(&found.tool, &call.caller) {
        return Err(registry::unknown(&inner.name));
    }
    let settings = pipeline.app().settings.get();
    authorise::check(&found.tool, &call.caller, &settings, &pipeline.policy(&call.situation))?;
    let prepared = prepared.as_ref().map_err(Clone::clone)?;
    found.tool.check_available(&settings)?;
    let question = question(pipeline, call, found, prepared).await?;
    Ok(InnerQuestion { tool: found.name().to_owned(), risk: prepared.risk, question })
}
