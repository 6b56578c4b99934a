//! Reads documents for the graph, in the background: each by its form as soon as it is ready, and, where an
//! administrator has turned that on, by a model, within a budget of tokens a day.

use std::{io::Read as _, sync::Arc, time::Duration};

use super::model::{self, Question};
use satchel_app::App;
use satchel_engine::context::Context;
use satchel_index::graph::{self, Titles};
use satchel_model::{
    error::{Error, Result},
    graph::{Finding, Thing},
    llm::estimate_tokens,
};
use satchel_store::{
    graph::{Graph, Sight, Unread},
    ingest::Worker,
};

/// Documents read with one look at all titles.
const AT_ONCE: usize = 50;
/// The longest the reader waits before it looks for work itself.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time it rests after a failure.
const REST: Duration = Duration::from_secs(30);
/// Most of a document that is read by its form, in characters.
const LONGEST: usize = 2 << 20;
/// The part of a document a model reads, in characters.
const SHOWN: usize = 12_000;
/// Most tokens of a model's answer.
const ANSWER: u32 = 2_000;
/// Most passages looked at for mentions of a new document.
const PASSAGES: usize = 100;

/// The graph, and what of it a run's caller sees.
pub fn seen_by(cx: &Context) -> (Graph, Sight) {
    (Graph::new(&cx.app().db), Sight::new(cx.caller()))
}

/// Starts the reader; it ends with the process.
pub fn start(app: &Arc<App>) {
    let shared = Arc::clone(app);
    app.lifecycle.tracker.spawn_on(follow(shared), &app.lifecycle.runtime);
}

async fn follow(app: Arc<App>) {
    loop {
        let work = async {
            match read_some(&app).await {
                Ok(0) => ask_one(&app).await,
                done => done,
            }
        };
        let pause = tokio::select! {
            biased;
            () = app.lifecycle.shutdown.cancelled() => return,
            done = work => match done {
                Ok(0) => PATIENCE,
                Ok(_) => continue,
                Err(error) => {
                    tracing::warn!(?error, "a document could not be read for the graph");
                    REST
                }
            },
        };
        tokio::select! {
            () = app.lifecycle.shutdown.cancelled() => return,
            () = app.stores.knowledge.ingest.woken(Worker::Graph) => {}
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// Reads the next documents by their form and says how many.
async fn read_some(app: &Arc<App>) -> Result<usize> {
    let store = Graph::new(&app.db);
    let unread = store.unread(AT_ONCE).await?;
    if unread.is_empty() {
        return Ok(0);
    }
    let titles = Arc::new(Titles::new(store.titles().await?));
    let count = unread.len();
    for document in unread {
        let findings = by_form(app, &store, &document, &titles).await?;
        store.found(document.clone(), findings, app.clock.now()).await?;
        mentioned(app, &store, &document).await?;
    }
    Ok(count)
}

async fn by_form(app: &Arc<App>, store: &Graph, document: &Unread, titles: &Arc<Titles>) -> Result<Vec<Finding>> {
    let content = store.content(document, LONGEST).await?;
    let (app, document, titles) = (Arc::clone(app), document.clone(), Arc::clone(titles));
    let read = move || {
        let mut text = content.text;
        // Of a text with marks, what it links to stands in the file and no longer in what was read of it.
        if let Some(raw) = marked(&app, &document) {
            text.push('\n');
            text.push_str(&raw);
        }
        let heading = |path: &String| path.split(" › ").map(str::to_owned).collect();
        let sections: Vec<Vec<String>> = content.headings.iter().map(heading).collect();
        graph::findings(&document.id, &text, &sections, &titles)
    };
    tokio::task::spawn_blocking(read).await.map_err(Error::internal)
}

fn marked(app: &App, document: &Unread) -> Option<String> {
    let file = document.file.as_deref()?;
    document.kind.as_deref().filter(|kind| matches!(*kind, "markdown" | "html"))?;
    let (file, mut bytes) = (app.stores.knowledge.files.open(file).ok()?, Vec::new());
    file.take(LONGEST as u64).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Finds where documents that were read before name this one.
async fn mentioned(app: &App, store: &Graph, document: &Unread) -> Result<()> {
    let to =
        Thing { id: format!("document:{}", document.id), label: "Document".to_owned(), name: document.title.clone() };
    for (by, text) in store.holding_title(document, PASSAGES).await? {
        if graph::names(&text, &document.id, &document.title) {
            let finding = Finding { rel: "mentions".to_owned(), from: None, to: to.clone() };
            store.also_found(by, vec![finding], app.clock.now()).await?;
        }
    }
    Ok(())
}

/// Has a model read the next document, where that is wanted and the budget of the day allows it.
async fn ask_one(app: &Arc<App>) -> Result<usize> {
    let settings = app.settings.get().graph.clone();
    let store = Graph::new(&app.db);
    if !settings.ask_model {
        return Ok(0);
    }
    let Some(document) = store.unread_by_model(1).await?.into_iter().next() else { return Ok(0) };
    let text = store.content(&document, SHOWN).await?.text;
    let wanted = estimate_tokens(&text) + estimate_tokens(graph::INSTRUCTIONS) + u64::from(ANSWER);
    if store.spent(app.clock.now()).await?.saturating_add(wanted) > settings.daily_tokens {
        return Ok(0);
    }
    let asked = format!("Title: {}\n\n{text}", document.title);
    let question =
        Question { system: graph::INSTRUCTIONS.to_owned(), text: asked, most: ANSWER, ..Question::default() };
    let said = model::ask(app, (None, None), question).await?;
    store.spend(said.spent.usage.total().max(1), app.clock.now()).await?;
    // An answer that is none is not asked for again: the next would cost as much and likely be as bad.
    let findings = graph::read_answer(&said.text, &text).unwrap_or_else(|error| {
        tracing::warn!(?error, document = document.id, "a model's reading of a document is left out");
        Vec::new()
    });
    store.found_by_model(document, findings, app.clock.now()).await?;
    Ok(1)
}
