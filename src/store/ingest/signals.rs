//! Signals to those who work on documents: who is woken, which work is stopped.

use std::collections::HashMap;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::Ingest;
use satchel_model::knowledge::DocumentId;

/// Signals that wake workers, and those that stop them.
#[derive(Default)]
pub(super) struct Signals {
    readers: Notify,
    embedder: Notify,
    announcer: Notify,
    folders: Notify,
    graph: Notify,
    running: Mutex<HashMap<DocumentId, CancellationToken>>,
}

/// A worker to be woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worker {
    /// Those who read documents.
    Reader,
    /// Who embeds their passages.
    Embedder,
    /// Who says that they are found.
    Announcer,
    /// Who looks through folders.
    Folders,
    /// Who reads for the graph.
    Graph,
}

impl Ingest {
    /// Wakes a worker, now or as soon as it waits.
    pub fn wake(&self, worker: Worker) {
        self.signal(worker).notify_one();
    }

    /// Waits until somebody wakes this worker.
    pub async fn woken(&self, worker: Worker) {
        self.signal(worker).notified().await;
    }

    fn signal(&self, worker: Worker) -> &Notify {
        match worker {
            Worker::Reader => &self.signals.readers,
            Worker::Embedder => &self.signals.embedder,
            Worker::Announcer => &self.signals.announcer,
            Worker::Folders => &self.signals.folders,
            Worker::Graph => &self.signals.graph,
        }
    }

    /// Fires when the work on a document, which begins now, is stopped.
    pub fn begin(&self, id: DocumentId) -> CancellationToken {
        let token = CancellationToken::new();
        self.signals.running.lock().insert(id, token.clone());
        token
    }

    /// Says that the work on a document is over.
    pub fn end(&self, id: DocumentId) {
        self.signals.running.lock().remove(&id);
    }

    /// Stops the work on a document.
    pub fn interrupt(&self, id: DocumentId) {
        if let Some(token) = self.signals.running.lock().get(&id) {
            token.cancel();
        }
    }
}
