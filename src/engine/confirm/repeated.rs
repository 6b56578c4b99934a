//! A call of an MCP client, which has no place for a ticket: made again unchanged, with the same key, it is given what came of
//! its question, once.

use std::sync::Arc;

use super::{assessed::AssessedCall, inquiry::Asked};
use crate::context::Pipeline;
use satchel_model::{call::TicketId, caller::Door, error::Result, spec::Risk};
use satchel_store::tickets::{Repeated, digest};

/// The question of the same call, if it was asked before and its answer was not given yet.
pub(super) async fn ticket(
    pipeline: &Arc<dyn Pipeline>,
    assessed: &AssessedCall<'_>,
    asked: &Asked<'_>,
) -> Result<Option<TicketId>> {
    let call = assessed.call;
    // What may have run by an approval must not run once more because nobody needs to be asked by now.
    let could_have_asked = assessed.prepared.risk > Risk::Read || !matches!(asked, Asked::Pass);
    if call.caller.door != Door::Mcp || call.depth > 0 || !could_have_asked {
        return Ok(None);
    }
    let digest = digest(&assessed.found.tool.spec().id(), &assessed.prepared.arguments);
    let repeated = Repeated { user: call.caller.user, key: call.caller.credential.key(), digest };
    pipeline.app().stores.tickets.asked_before(repeated, pipeline.app().clock.now()).await
}
