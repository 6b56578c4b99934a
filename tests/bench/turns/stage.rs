//! A server that has been in use for long: tools of the catalog, a knowledge base, memories.

use std::{
    iter,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use satchel::{
    index::embed::{embedder::Embedder, model::Model as Embedding, workers::Limits},
    model::{index::Space, knowledge::embedded},
    store::{
        db::{Commit, Db},
        outbox, vectors,
    },
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{
    model::Model,
    texts::{self, Subject},
};
use crate::{
    backup,
    catalog::{self, DIVISIONS},
    document,
    http::Connection,
    made::Made,
    person, search,
    server::{Home, OWNER, Server},
};

/// Chunks of a document.
const OF_ONE: usize = 100;
/// Words of a chunk besides those about its subject.
const WORDS: usize = 80;
/// How far a chunk lies from what all about its subject mean, which has the length 1.
const APART: f32 = 0.7;
/// After so long without a word a connection is taken for closed.
const IDLE: Duration = Duration::from_secs(3);
/// Longest wait for the index of all chunks.
const PATIENCE: Duration = Duration::from_secs(3_600);

/// How much there is of everything.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Tools of the catalog, in thousands.
    pub(super) systems: usize,
    /// Chunks of documents.
    pub(super) chunks: usize,
    /// Memories of the owner.
    pub(super) memories: usize,
}

/// The server, and its owner, signed in.
pub(super) struct Stage {
    pub(super) server: Server,
    pub(super) owner: Owner,
}

/// The owner, signed in at the console.
pub(super) struct Owner {
    address: String,
    connection: Connection,
    used: Instant,
    pub(super) session: String,
}

impl Owner {
    async fn of(server: &Server) -> Result<Self> {
        let (address, session) = (server.address().to_owned(), person::sign_in(server, OWNER).await?);
        let connection = Connection::open(&address).await?;
        Ok(Self { address, connection, used: Instant::now(), session })
    }

    /// A connection that is open: the server closes one on which nothing is said for some seconds.
    pub(super) async fn connection(&mut self) -> Result<&mut Connection> {
        if self.used.elapsed() > IDLE {
            self.connection = Connection::open(&self.address).await?;
        }
        self.used = Instant::now();
        Ok(&mut self.connection)
    }

    /// The answer to a request.
    pub(super) async fn send(&mut self, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        let request = person::request(method, path, &self.session, body);
        self.connection().await?.send(&request).await?.json().with_context(|| format!("{method} {path}"))
    }
}

/// Fills a home, and starts a server on it that is at rest.
pub(super) async fn prepare(home: &Home, model: &Model, sizes: Sizes) -> Result<Stage> {
    let server = start(home, model).await?;
    let mut owner = Owner::of(&server).await?;
    add_tools(home, &server, sizes.systems).await?;
    remember(&mut owner, sizes.memories).await?;
    let me = owner.send("GET", "/api/auth/me", None).await?;
    let id = me["id"].as_str().with_context(|| format!("no id in {me}"))?.to_owned();
    server.stop().await?;
    write_chunks(&home.path(), &id, sizes.chunks).await?;
    let first = at_rest(home, model, sizes.chunks).await?;
    // What making the indexes leaves in memory goes with the server that made them.
    first.again(home, model, sizes.chunks).await
}

impl Stage {
    /// Another server on the same home.
    pub(super) async fn again(self, home: &Home, model: &Model, chunks: usize) -> Result<Self> {
        self.server.stop().await?;
        at_rest(home, model, chunks).await
    }
}

/// Starts a server, and waits until it finds all chunks and has nothing left to do.
async fn at_rest(home: &Home, model: &Model, chunks: usize) -> Result<Stage> {
    let server = start(home, model).await?;
    let mut owner = Owner::of(&server).await?;
    indexed(&mut owner, chunks).await?;
    backup::settle(&server).await?;
    model.watch(server.pid());
    Ok(Stage { server, owner })
}

async fn start(home: &Home, model: &Model) -> Result<Server> {
    let url = model.url();
    let provider = [("SATCHEL_MODEL", "openai:scripted"), ("SATCHEL_MODEL_URL", &url), ("SATCHEL_MODEL_KEY", "none")];
    Server::start(home, &provider).await
}

async fn add_tools(home: &Home, server: &Server, systems: usize) -> Result<()> {
    let mut door = catalog::Door { connection: Connection::open(server.address()).await?, key: home.key().await? };
    let names = iter::once("").chain(DIVISIONS);
    for (division, port) in names.zip(10..).take(systems) {
        let text = document::made(&format!("http://127.0.0.1:{port}/suite"), division).to_string();
        catalog::take_in(&mut door, &text, if division.is_empty() { "Suite" } else { division }).await?;
    }
    Ok(())
}

async fn remember(owner: &mut Owner, memories: usize) -> Result<()> {
    for number in 0..memories {
        let category = if number % 50 == 0 { "preference" } else { "general" };
        let memory = json!({"content": texts::memory(number), "category": category});
        let saved = owner.send("POST", "/api/memories", Some(&memory)).await?;
        ensure!(saved["merged"] == false && saved["replaced"].is_null(), "not one more: {saved}");
    }
    Ok(())
}

/// Documents with chunks and vectors, as the server would have written them for this person.
async fn write_chunks(data: &Path, person: &str, chunks: usize) -> Result<()> {
    let embedder = Embedder::new(Embedding::embedded(), Limits::default());
    let model = embedder.model().context("this build has no embedding model")?;
    let meanings = Subject::all().map(Subject::meaning).collect();
    let meanings = embedder.passages(meanings).await?.context("nothing was embedded")?;
    let db = Db::open(&data.join("satchel.db"), Commit::Grouped)?;
    let mut made = Made::new(model.dimensions);
    for document in 0..chunks / OF_ONE {
        let whole = Whole::new(document, person, &meanings, &mut made);
        let model = model.id.clone();
        db.write(move |tx| {
            let Whole { row, chunks, title } = whole;
            tx.run(DOCUMENT, row)?;
            for (ordinal, (text, vector)) in chunks.into_iter().enumerate() {
                let hash = vectors::hash(&embedded(Some(&title), "", "", &text));
                let length = text.len() as i64;
                let place = (document as i64 + 1, ordinal as i64, ordinal as i64 * length);
                let id = tx.one(CHUNK, (place.0, place.1, place.2, place.2 + length, &text, hash))?;
                vectors::put(tx, &model, &hash, &vector)?;
                outbox::changed(tx, Space::Knowledge, id)?;
            }
            Ok(())
        })
        .await?;
    }
    db.close().await;
    Ok(())
}

const DOCUMENT: &str =
    "INSERT INTO documents (number, id, collection, title, titled, source, name, mime, kind, bytes, file, status, version,
                            added_by, title_by, content_by, created_at, updated_at)
     VALUES (?1, ?2, 1, ?3, TRUE, 'upload', 'handbook.txt', 'text/plain', 'text', ?4, ?5, 'ready', 1, ?6, ?6, ?6, 0, 0)";
const CHUNK: &str = "INSERT INTO chunks (document, version, ordinal, heading, context, start, until, text, hash)
     VALUES (?1, 1, ?2, '', '', ?3, ?4, ?5, ?6) RETURNING id";

/// A document and its chunks, each with its vector.
struct Whole {
    row: (i64, String, String, i64, String, String),
    chunks: Vec<(String, Vec<f32>)>,
    title: String,
}

impl Whole {
    fn new(document: usize, person: &str, meanings: &[Vec<f32>], made: &mut Made) -> Self {
        let mut chunks = Vec::with_capacity(OF_ONE);
        for ordinal in 0..OF_ONE {
            let subject = Subject::of_chunk(document, ordinal);
            let text = format!("{} {}", subject.passage(ordinal), search::text(made, WORDS));
            let meaning = meanings.get(subject.index()).map(Vec::as_slice).unwrap_or_default();
            chunks.push((text, beside(meaning, &made.vectors(1))));
        }
        let bytes = chunks.iter().map(|(text, _)| text.len() as i64).sum();
        let title = Subject::of_chunk(document, 0).title(document);
        // No content lies in the file storage: a turn reads chunks.
        let hash = hex::encode(Sha256::digest(title.as_bytes()));
        let id = uuid::Uuid::now_v7().to_string();
        let row = (document as i64 + 1, id, title.clone(), bytes, hash, person.to_owned());
        Self { row, chunks, title }
    }
}

/// A vector of length 1 that lies somewhat beside another.
fn beside(meaning: &[f32], aside: &[f32]) -> Vec<f32> {
    let raw: Vec<f32> = meaning.iter().zip(aside).map(|(meaning, aside)| meaning + APART * aside).collect();
    let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
    raw.into_iter().map(|x| x / length).collect()
}

/// Waits until all chunks are found by words and by meaning.
async fn indexed(owner: &mut Owner, chunks: usize) -> Result<()> {
    let begun = Instant::now();
    loop {
        let all = owner.send("GET", "/api/indexes", None).await?;
        let all = all.as_array().context("no indexes are told")?;
        let knowledge = all.iter().find(|one| one["space"] == "knowledge").context("no index of chunks is told")?;
        let vectors = &knowledge["vectors"];
        // Few vectors need no graph.
        let graph = chunks <= 20_000 || vectors["kind"] == "hnsw";
        if knowledge["entries"] == chunks && vectors["count"] == chunks && vectors["state"] == "ready" && graph {
            return Ok(());
        }
        ensure!(begun.elapsed() < PATIENCE, "the chunks were not indexed in time: {knowledge}");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}
