//! One space's indexes, as searches and the pump share them.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use parking_lot::{Mutex, RwLock};
use tokio::sync::{Notify, watch};

use super::{GIVEN, State, Status, TextStatus, VectorStatus};
use satchel_index::{
    text::index::Text,
    vectors::index::{GraphKind, SearchKind, Vectors},
};
use satchel_model::{
    error::{Error, Result},
    index::Space,
};
use satchel_store::{outbox, sql::Tx};

/// The vectors of a model.
pub(super) struct Meaning {
    pub(super) model: String,
    pub(super) vectors: Vectors,
}

/// The changes the indexes have seen: those up to these numbers are found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) text: i64,
    pub(super) vectors: i64,
    /// The model whose vectors are searched; `None` if there is none yet.
    pub(super) model: Option<String>,
    pub(super) opened: bool,
}

/// One space's indexes.
pub(super) struct Shelf {
    pub(super) space: Space,
    pub(super) folder: PathBuf,
    pub(super) graph: GraphKind,
    /// `None` while it is being opened or was found damaged.
    pub(super) text: RwLock<Option<Arc<Text>>>,
    pub(super) meaning: RwLock<Option<Meaning>>,
    pub(super) seen: watch::Sender<Seen>,
    /// The model that is to be searched by.
    wanted: Mutex<String>,
    /// Set while what stands in the files is not to be believed.
    pub(super) text_broken: AtomicBool,
    pub(super) rebuild_all: AtomicBool,
    /// Rings when there is an order.
    pub(super) orders: Notify,
}

/// Before anything was seen.
pub(super) const NOTHING: i64 = -1;

impl Shelf {
    pub(super) fn new(space: Space, folder: PathBuf, graph: GraphKind) -> Self {
        let (seen, _) = watch::channel(Seen { text: NOTHING, vectors: NOTHING, model: None, opened: false });
        Self {
            space,
            folder,
            graph,
            text: RwLock::default(),
            meaning: RwLock::default(),
            seen,
            wanted: Mutex::new(GIVEN.to_owned()),
            text_broken: AtomicBool::default(),
            rebuild_all: AtomicBool::default(),
            orders: Notify::new(),
        }
    }

    pub(super) fn want_model(&self, model: String) {
        *self.wanted.lock() = model;
        self.orders.notify_one();
    }

    pub(super) fn wanted_model(&self) -> String {
        self.wanted.lock().clone()
    }

    pub(super) fn order_rebuild(&self) {
        self.rebuild_all.store(true, Ordering::Relaxed);
        self.orders.notify_one();
    }

    /// A search met something it cannot read.
    pub(super) fn doubt_text(&self) {
        *self.text.write() = None;
        self.text_broken.store(true, Ordering::Relaxed);
        self.orders.notify_one();
    }

    /// Waits until the files are opened, for so long.
    pub(super) async fn opened(&self, most: Duration) {
        let mut seen = self.seen.subscribe();
        if !seen.borrow().opened {
            // What is there by then is searched.
            let _ = tokio::time::timeout(most, seen.wait_for(|seen| seen.opened)).await;
        }
    }

    /// Waits until changes up to `last` are found by word and by the meaning that is wanted.
    pub(super) async fn settled(&self, last: i64) -> Result<()> {
        let mut seen = self.seen.subscribe();
        let there = |seen: &Seen| {
            seen.text >= last && seen.vectors >= last && seen.model.as_ref() == Some(&self.wanted_model())
        };
        seen.wait_for(there).await.map_err(Error::internal)?;
        Ok(())
    }

    pub(super) fn status(&self, tx: &Tx) -> Result<Status> {
        let seen = self.seen.borrow().clone();
        let state = |seq: i64| match (seen.opened, seq) {
            (false, _) => State::Opening,
            (true, NOTHING) => State::Building,
            (true, _) => State::Ready,
        };
        let pending = outbox::pending(tx, self.space, seen.text)?;
        let entries = self.text.read().as_ref().map_or(0, |text| text.count());
        let meaning = self.meaning.read();
        let vectors = meaning.as_ref().map(|meaning| &meaning.vectors);
        Ok(Status {
            space: self.space,
            entries,
            text: TextStatus { state: state(seen.text), pending },
            vectors: VectorStatus {
                state: state(seen.vectors),
                kind: vectors.map_or(SearchKind::Exact, Vectors::search_kind),
                model: meaning.as_ref().map(|meaning| meaning.model.clone()),
                count: vectors.map_or(0, Vectors::count),
                dead: vectors.map_or(0, Vectors::dead),
                bytes: vectors.map_or(0, Vectors::bytes),
            },
        })
    }
}
