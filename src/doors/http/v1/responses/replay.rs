//! A response as it is now, by the rows of its run.

use serde_json::Value;

use super::{
    super::{
        pieces::Piece,
        rows::{asked_by, end_of, pieces},
        writer::Writer,
    },
    tell::{Head, Responses},
};
use crate::http::state::State;
use satchel_model::{caller::Caller, error::Result, response::StoredResponse};

/// The response as it is now. `origin` is the address of this server.
///
/// # Errors
///
/// If its run is gone.
pub(super) async fn now(
    state: &State,
    caller: &Caller,
    (kept, origin, approves): (StoredResponse, String, bool),
) -> Result<Value> {
    let StoredResponse { id, conversation, run, decided, request, created_at, .. } = kept;
    let (run, messages) = state.agent.come_of_run(caller, (conversation, run)).await?;
    let address = format!("{origin}/chat/{conversation}");
    let mut writer = Responses::new(Head { id, repeated: request, at: created_at }, approves).after(
        messages
            .iter()
            .flat_map(|message| &message.steps)
            .filter(|step| decided.contains(&step.call_id))
            .map(asked_by)
            .collect(),
    );
    writer.open();
    for piece in pieces(&messages, &decided, &address) {
        writer.write(piece);
    }
    writer.write(Piece::Usage(run.usage));
    if let Some(end) = end_of(&run) {
        writer.close(&end);
    }
    Ok(writer.whole())
}
