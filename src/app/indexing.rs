//! Search by word and meaning: the text and vector indexes of every space, kept in step with the database.
//!
//! The database says what is true. Each index is a cache of it that remembers the last change it has seen; what is
//! missing, damaged or made from another database is set aside and made again in the background.

mod build;
mod follow;
mod fuse;
mod keep;
mod mend;
mod pace;
mod pump;
mod search;
mod shelf;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde::Serialize;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use satchel_index::vectors::index::{GraphKind, SearchKind};
use satchel_model::{
    error::{Error, Kind, Result},
    index::{Ask, Found, Space},
};
use satchel_store::{db::Db, outbox};
use search::Search;
use shelf::Shelf;

/// The name vectors are kept under that were given where there is no model.
pub const GIVEN: &str = "given";
/// The folder of the index files, below the data directory.
const FOLDER: &str = "indexes";
/// The longest a search waits for files that are being opened before it answers with what there is.
const OPENING: Duration = Duration::from_secs(2);
/// The longest it may take until what was written is found.
const SETTLING: Duration = Duration::from_secs(60);

/// The indexes of every space. Cheap to clone.
#[derive(Clone)]
pub struct Indexing {
    db: Db,
    shelves: Arc<[Arc<Shelf>]>,
}

/// The state of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Its files are being opened.
    Opening,
    /// It is being made from the database: what it answers may be incomplete, never wrong.
    Building,
    /// It has everything but what is pending.
    Ready,
}

/// One space's indexes as they are now.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = IndexStatus)]
pub struct Status {
    /// The space.
    pub space: Space,
    /// Entries that are found by their words.
    pub entries: u64,
    /// The index of words.
    pub text: TextStatus,
    /// The index of vectors.
    pub vectors: VectorStatus,
}

/// The index of words as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct TextStatus {
    /// The state: `ready` can be relied on.
    pub state: State,
    /// Changes it has not seen yet.
    pub pending: i64,
}

/// The index of vectors as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct VectorStatus {
    /// The state: `ready` can be relied on.
    pub state: State,
    /// The way a search without a filter is done.
    pub kind: SearchKind,
    /// The model its vectors are of.
    pub model: Option<String>,
    /// Entries that are found by their meaning.
    pub count: usize,
    /// Rows of vectors that were removed or replaced; they go when there are many.
    pub dead: usize,
    /// Memory.
    pub bytes: usize,
}

impl Indexing {
    /// The indexes of this database, with their files below `data`; nothing runs before [`Indexing::start`].
    pub fn open(db: &Db, data: &Path, graph: GraphKind) -> Self {
        let folder = |space: Space| -> PathBuf { data.join(FOLDER).join(space.as_str()) };
        let shelves = Space::ALL.map(|space| Arc::new(Shelf::new(space, folder(space), graph)));
        Self { db: db.clone(), shelves: Arc::new(shelves) }
    }

    /// Opens the files and follows the database until the process ends.
    pub fn start(&self, tracker: &TaskTracker, shutdown: &CancellationToken) {
        for shelf in self.shelves.iter() {
            tracker.spawn(pump::run(self.db.clone(), Arc::clone(shelf), shutdown.clone()));
        }
    }

    /// Sets the model whose vectors are searched from now on; without one, those that were given. The index of the
    /// model before answers until that of the new one is made.
    pub fn use_model(&self, model: Option<String>) {
        let model = model.unwrap_or_else(|| GIVEN.to_owned());
        for shelf in self.shelves.iter() {
            shelf.want_model(model.clone());
        }
    }

    /// Waits until every space is searched by the model last asked for.
    pub async fn model_in_use(&self) -> Result<()> {
        for shelf in self.shelves.iter() {
            shelf.settled(0).await?;
        }
        Ok(())
    }

    /// The best entries of a space, best first. An entry that is gone is never among them.
    pub async fn search(&self, space: Space, ask: &Ask<'_>) -> Result<Vec<Found>> {
        let shelf = self.shelf(space)?;
        shelf.opened(OPENING).await;
        let search = Search::begin(shelf, ask);
        self.db.read(move |c| search.finish(c)).await
    }

    /// Waits until what was written before is found.
    pub async fn settled(&self) -> Result<()> {
        let last = self.db.read(outbox::last).await?;
        let all = async {
            for shelf in self.shelves.iter() {
                shelf.settled(last).await?;
            }
            Ok(())
        };
        tokio::time::timeout(SETTLING, all).await.map_err(|_| {
            Error::new(
                Kind::Timeout,
                "The indexes are busy: what was written is kept and will be found a little later.",
            )
        })?
    }

    /// Returns the state of the indexes.
    pub async fn status(&self) -> Result<Vec<Status>> {
        let shelves = Arc::clone(&self.shelves);
        self.db.read(move |c| shelves.iter().map(|shelf| shelf.status(c)).collect()).await
    }

    /// Makes a space's indexes again from the database, in the background. They answer meanwhile.
    pub fn rebuild(&self, space: Space) -> Result<()> {
        self.shelf(space)?.order_rebuild();
        Ok(())
    }

    fn shelf(&self, space: Space) -> Result<&Arc<Shelf>> {
        self.shelves.iter().find(|shelf| shelf.space == space).ok_or_else(|| Error::internal("a space without indexes"))
    }
}

#[cfg(test)]
#[path = "indexing/tests.rs"]
mod tests;
