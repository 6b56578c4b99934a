//! Approved calls that are under way: stopping their conversation stops them.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use satchel_model::{call::Ticket, conversation::ConversationId};

/// The approved calls of this process. Cheap to clone; copies share them.
#[derive(Clone, Default)]
pub(super) struct ApprovedCalls(Arc<Mutex<Calls>>);

#[derive(Default)]
struct Calls {
    /// Not by ticket: of two who approve the same one, the second must not take the first one's call out.
    by_number: HashMap<u64, ApprovedCall>,
    next: u64,
}

/// A call that is under way, or about to be.
struct ApprovedCall {
    topic: Option<ConversationId>,
    stop: CancellationToken,
}

/// The entry of an approved call, which lasts as long as this does.
pub(super) struct UnderWay {
    calls: ApprovedCalls,
    number: u64,
    /// Fires when the conversation of the call is stopped.
    pub(super) stop: CancellationToken,
}

impl ApprovedCalls {
    /// Enters the call of a ticket. To be done before the ticket is taken: what is seen running can be stopped.
    pub(super) fn enter(&self, ticket: &Ticket) -> UnderWay {
        let stop = CancellationToken::new();
        let mut calls = self.0.lock();
        let number = calls.next;
        calls.next += 1;
        calls.by_number.insert(number, ApprovedCall { topic: ticket.topic, stop: stop.clone() });
        UnderWay { calls: self.clone(), number, stop }
    }

    /// Stops every approved call of a conversation.
    pub(super) fn stop(&self, topic: ConversationId) {
        let calls = self.0.lock();
        calls.by_number.values().filter(|call| call.topic == Some(topic)).for_each(|call| call.stop.cancel());
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.calls.0.lock().by_number.remove(&self.number);
    }
}
