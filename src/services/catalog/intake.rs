//! Room for what a system answers: a run's, or that of whoever tries an endpoint out.

use std::sync::Arc;

use parking_lot::Mutex;

use super::rest::Target;
use satchel_model::error::{Error, Kind};
use satchel_net::room::Room;
use satchel_share::Part;

/// Returns the room that answers take. That of a run is kept with its result; any other is given back with the room.
pub(super) fn room(target: &Target<'_>) -> Room {
    if let Some(cx) = target.cx {
        return Room::from(cx);
    }
    let (work, who) = (target.app.host.work.clone(), target.http.user());
    let taken: Arc<Mutex<(u64, Option<Part>)>> = Arc::default();
    Room::new(move |bytes| {
        let (work, taken) = (work.clone(), Arc::clone(&taken));
        Box::pin(async move {
            let all = {
                let mut taken = taken.lock();
                // Given back before more is asked for: nobody waits for themselves.
                taken.1 = None;
                taken.0 = taken.0.saturating_add(bytes);
                taken.0
            };
            let part = work.room(who, all).await?;
            taken.lock().1 = Some(part);
            Ok(())
        })
    })
}

/// The error of an answer there was no room or no turn to read: whatever was asked for was done.
pub(super) fn unread(error: Error, status: Option<u16>) -> Error {
    match error.kind() {
        Kind::Busy => {
            let status = status.map_or_else(String::new, |status| format!(" with status {status}"));
            let told = "and the server has too much work to read the answer now.";
            Error::new(Kind::Timeout, format!("The system answered{status}, {told}"))
        }
        _ => error,
    }
}
