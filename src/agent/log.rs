//! The events of one turn, kept while anybody may still ask for them: each stream reads at its own pace, and one that
//! was cut off goes on after the last event it saw.

use std::sync::Arc;

use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::watch;

use super::follow::Followed;
use satchel_model::conversation::TurnId;

/// Numbers one process may give a turn's events; the next process begins above them.
const PER_RUN: u64 = 1_000_000;

/// One event, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// `<turn>-<n>`, growing.
    pub id: String,
    /// Its name.
    pub event: &'static str,
    /// Its data, JSON.
    pub data: String,
}

/// The log of one turn.
#[derive(Debug)]
pub struct Log {
    turn: TurnId,
    base: u64,
    frames: Mutex<Vec<Arc<Frame>>>,
    mark: watch::Sender<Mark>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    length: usize,
    closed: bool,
}

impl Log {
    /// A log that goes on after `last_event`, the last number an earlier process recorded; 0 for a new turn.
    pub fn new(turn: TurnId, last_event: u64) -> Arc<Self> {
        let base = if last_event == 0 { 0 } else { (last_event / PER_RUN + 1) * PER_RUN };
        let (mark, _) = watch::channel(Mark { length: 0, closed: false });
        Arc::new(Self { turn, base, frames: Mutex::default(), mark })
    }

    /// The turn it belongs to.
    pub fn turn(&self) -> TurnId {
        self.turn
    }

    /// Adds an event.
    pub fn emit(&self, event: &'static str, data: &impl Serialize) {
        let data = serde_json::to_string(data).unwrap_or_else(|_| "{}".to_owned());
        let mut frames = self.frames.lock();
        let number = self.base + frames.len() as u64 + 1;
        frames.push(Arc::new(Frame { id: format!("{}-{number}", self.turn), event, data }));
        let length = frames.len();
        self.mark.send_modify(|mark| mark.length = length);
    }

    /// Adds an event that says all that the earlier ones of its name have said. Those stay without their data: whoever reads
    /// the log from its beginning comes to this one.
    pub(super) fn emit_instead(&self, event: &'static str, data: &impl Serialize) {
        for frame in self.frames.lock().iter_mut().filter(|frame| frame.event == event && frame.data != "{}") {
            *frame = Arc::new(Frame { id: frame.id.clone(), event, data: "{}".to_owned() });
        }
        self.emit(event, data);
    }

    /// The number of the last event.
    pub fn last(&self) -> u64 {
        self.base + self.frames.lock().len() as u64
    }

    /// Streams end once they have read everything.
    pub fn close(&self) {
        self.mark.send_modify(|mark| mark.closed = true);
    }

    /// Streams wait for more again.
    pub fn reopen(&self) {
        self.mark.send_modify(|mark| mark.closed = false);
    }

    /// A stream from after the event `after`, or from the beginning. An event of an earlier process is followed by
    /// `reset`: what happened in between stands in the conversation, which is to be read again.
    pub fn subscribe(self: &Arc<Self>, after: Option<&str>) -> Subscription {
        let seen = after.and_then(|id| {
            let (turn, number) = id.rsplit_once('-')?;
            (turn == self.turn.to_string()).then(|| number.parse::<u64>().ok()).flatten()
        });
        let (at, reset) = match seen {
            None => (0, false),
            Some(number) => (number.saturating_sub(self.base), number < self.base),
        };
        let first =
            reset.then(|| Frame { id: format!("{}-{}", self.turn, self.base), event: "reset", data: "{}".into() });
        Subscription(Source::Log {
            log: Arc::clone(self),
            at: usize::try_from(at).unwrap_or(usize::MAX),
            mark: self.mark.subscribe(),
            first: first.map(Arc::new),
        })
    }

    /// Returns whether nobody is at the turn here any more.
    pub(super) fn is_closed(&self) -> bool {
        self.mark.borrow().closed
    }
}

/// One reader of the events of a turn.
pub struct Subscription(Source);

enum Source {
    /// As they are told by the task that is at the turn.
    Log { log: Arc<Log>, at: usize, mark: watch::Receiver<Mark>, first: Option<Arc<Frame>> },
    /// As they are seen by whoever is not.
    Rows(Followed),
}

impl Subscription {
    /// A reader of a turn that nobody here is at.
    pub(super) fn from_rows(rows: Followed) -> Self {
        Self(Source::Rows(rows))
    }

    /// The next event, none at the end. Safe to drop and to call again.
    pub async fn next(&mut self) -> Option<Arc<Frame>> {
        let (log, at, mark, first) = match &mut self.0 {
            Source::Log { log, at, mark, first } => (log, at, mark, first),
            Source::Rows(rows) => return rows.next().await.map(Arc::new),
        };
        if let Some(first) = first.take() {
            return Some(first);
        }
        loop {
            let seen = *mark.borrow_and_update();
            let next = log.frames.lock().get(*at).cloned();
            if let Some(frame) = next {
                *at += 1;
                return Some(frame);
            }
            if seen.closed || mark.changed().await.is_err() {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::id::Id;

    async fn all(mut stream: Subscription) -> Vec<(String, String)> {
        let mut read = Vec::new();
        while let Some(frame) = stream.next().await {
            read.push((frame.id.rsplit_once('-').unwrap().1.to_owned(), frame.event.to_owned()));
        }
        read
    }

    fn numbered(events: &[(&str, &str)]) -> Vec<(String, String)> {
        events.iter().map(|(n, event)| ((*n).to_owned(), (*event).to_owned())).collect()
    }

    #[tokio::test]
    async fn a_stream_goes_on_after_the_last_event_it_saw() {
        let log = Log::new(Id::new(), 0);
        log.emit("token", &1);
        let early = tokio::spawn(all(log.subscribe(None)));
        log.emit("token", &2);
        log.emit("done", &3);
        let late = log.subscribe(Some(&format!("{}-1", log.turn())));
        log.close();
        assert_eq!(early.await.unwrap(), numbered(&[("1", "token"), ("2", "token"), ("3", "done")]));
        assert_eq!(all(late).await, numbered(&[("2", "token"), ("3", "done")]));
    }

    #[tokio::test]
    async fn an_event_that_says_all_again_leaves_the_data_of_earlier_ones_out() {
        let log = Log::new(Id::new(), 0);
        log.emit("token", &1);
        log.emit_instead("queue", &["a", "b"]);
        log.emit_instead("queue", &["b"]);
        log.close();
        let mut stream = log.subscribe(None);
        let mut read = Vec::new();
        while let Some(frame) = stream.next().await {
            read.push((frame.event, frame.data.clone()));
        }
        assert_eq!(read, [("token", "1"), ("queue", "{}"), ("queue", "[\"b\"]")].map(|(e, data)| (e, data.to_owned())));
    }

    #[tokio::test]
    async fn numbers_of_a_later_process_are_above_those_of_an_earlier_one() {
        let log = Log::new(Id::new(), 57);
        log.emit("token", &1);
        log.close();
        assert_eq!(log.last(), 1_000_001);
        let stale = log.subscribe(Some(&format!("{}-90", log.turn())));
        assert_eq!(all(stale).await, numbered(&[("1000000", "reset"), ("1000001", "token")]));
        assert_eq!(Log::new(Id::new(), 1_000_001).last(), 2_000_000);
    }

    #[tokio::test]
    async fn an_id_of_another_turn_means_from_the_beginning() {
        let log = Log::new(Id::new(), 0);
        log.emit("token", &1);
        log.close();
        assert_eq!(all(log.subscribe(Some("other-5"))).await, numbered(&[("1", "token")]));
    }
}
