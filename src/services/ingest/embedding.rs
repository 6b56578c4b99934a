//! From passages to vectors, for all documents together: the model is fast on many texts at once.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use satchel_app::App;
use satchel_model::{error::Result, index::ContentHash};
use satchel_store::{
    chunks::Unembedded,
    ingest::{Embedding, Worker},
};

/// Texts handed to the model at once.
const BATCH: usize = 64;
/// Documents that share a batch: a small one is not kept waiting by a large one.
const SHARING: usize = 2;
/// Documents looked at for one batch.
const LOOKED_AT: u32 = 64;
/// The longest the worker waits before it looks for work itself.
const PATIENCE: Duration = Duration::from_secs(60);

/// The time indexes that are busy are left alone.
const BUSY: Duration = Duration::from_secs(2);

/// One batch, and how far each document is after it.
#[derive(Default)]
struct Batch {
    texts: Vec<(ContentHash, String)>,
    upto: Vec<(Embedding, i64)>,
}

/// Embeds whatever waits for it, for ever.
pub(super) async fn embed_all(app: Arc<App>) -> Result<()> {
    let ingest = &app.stores.knowledge.ingest;
    let mut places: HashMap<Embedding, i64> = HashMap::new();
    let mut last_model = String::new();
    loop {
        let waiting = ingest.embedding(LOOKED_AT).await?;
        if waiting.is_empty() {
            places.clear();
            tokio::select! {
                () = ingest.woken(Worker::Embedder) => {}
                () = tokio::time::sleep(PATIENCE) => {}
            }
            continue;
        }
        places.retain(|one, _| waiting.contains(one));
        let embedder = app.search.embedder.steady();
        let Some(model) = embedder.model() else {
            // By words alone they are found all the same.
            for one in waiting {
                finish(&app, one).await?;
            }
            continue;
        };
        if last_model != model.id {
            // Of another model's vectors, none is of use.
            places.clear();
            last_model.clone_from(&model.id);
        }
        let batch = gather(&app, &waiting, &model.id, &mut places).await?;
        if batch.texts.is_empty() {
            continue;
        }
        let (hashes, texts): (Vec<ContentHash>, Vec<String>) = batch.texts.into_iter().unzip();
        let Some(vectors) = embedder.passages(texts).await? else { continue };
        ingest.embedded(&model.id, hashes.into_iter().zip(vectors).collect(), batch.upto).await?;
    }
}

/// The next texts, each once; a document that has none left is finished.
async fn gather(
    app: &Arc<App>,
    waiting: &[Embedding],
    model: &str,
    places: &mut HashMap<Embedding, i64>,
) -> Result<Batch> {
    let share = (BATCH / waiting.len().clamp(1, SHARING)) as u32;
    let mut batch = Batch::default();
    let mut known: HashSet<ContentHash> = HashSet::new();
    for one in waiting {
        let room = share.min(BATCH.saturating_sub(batch.texts.len()) as u32);
        if room == 0 {
            break;
        }
        let after = places.get(one).copied().unwrap_or(-1);
        let next: Vec<Unembedded> = app.stores.knowledge.ingest.unembedded(*one, model, after, room).await?;
        let Some(last) = next.last().map(|text| text.ordinal) else {
            finish(app, *one).await?;
            continue;
        };
        places.insert(*one, last);
        batch.upto.push((*one, last));
        batch.texts.extend(next.into_iter().filter(|text| known.insert(text.hash)).map(|text| (text.hash, text.text)));
    }
    Ok(batch)
}

async fn finish(app: &Arc<App>, one: Embedding) -> Result<()> {
    app.stores.knowledge.ingest.finish(one, app.clock.now()).await?;
    app.stores.knowledge.ingest.wake(Worker::Announcer);
    Ok(())
}

/// Says of documents that they are found, once the indexes have them, for ever.
pub(super) async fn announce(app: Arc<App>) -> Result<()> {
    let ingest = &app.stores.knowledge.ingest;
    loop {
        let done = ingest.finished().await?;
        if done.is_empty() {
            tokio::select! {
                () = ingest.woken(Worker::Announcer) => {}
                () = tokio::time::sleep(PATIENCE) => {}
            }
            continue;
        }
        if let Err(error) = app.search.indexes.settled().await {
            tracing::warn!(?error, "documents that were taken in are not found yet");
            tokio::time::sleep(BUSY).await;
            continue;
        }
        ingest.ready(done).await?;
        ingest.wake(Worker::Graph);
    }
}
