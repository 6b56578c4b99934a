//! `satchel eval docs`: each set's documents are taken in as any others are, each question is asked as any other is.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use serde::Deserialize;
use serde_json::json;

use super::{args::EvalDocs, doubts, set, table};
use crate::cli::{run::Exit, screen::Screen};
use satchel_app::App;
use satchel_host::jsonl;
use satchel_model::{
    error::Result,
    knowledge::{CollectionId, DocumentId, NewCollection, SourceKind, Status, fitted_title},
    score::DEPTH,
};
use satchel_services::{
    find::trial::{self, Answer, Case, Summary},
    knowledge::search::{self, Question},
};
use satchel_store::{
    documents::{Content, Filter, NewDocument},
    people::Actor,
};

/// Passages asked for: several can be of one document.
const PASSAGES: usize = 60;
/// Documents listed at a time.
const PAGE: u32 = 500;
/// The interval at which it is looked whether everything is taken in.
const LOOK: Duration = Duration::from_millis(500);

#[derive(Deserialize)]
struct DocLine {
    id: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    text: String,
}

/// Runs every set of the folder and prints the table. What was taken in stays with the run: a second one only asks.
pub async fn run(app: &Arc<App>, args: EvalDocs, json: bool) -> Result<Exit> {
    let sets = jsonl::folders_with(&args.dir, "docs.jsonl")?;
    let by = Actor { caller: app.stores.people.local_caller().await?, session: None, now: app.clock.now() };
    let screen = Screen::new(json);
    let mut summaries: Vec<Summary> = Vec::new();
    for (name, folder) in sets.iter().filter(|(_, folder)| folder.join("queries.jsonl").is_file()) {
        let collection = collection(app, &by, name).await?;
        let names = take_in(app, &by, collection, folder).await?;
        let cases = set::cases(folder)?;
        screen.beside(&doubts::of_set(name, &set::ids(&folder.join("docs.jsonl"))?, &cases))?;
        let answers = answer(app, &by, collection, (&names, &cases)).await?;
        jsonl::write(&args.out.join(format!("docs.{name}.jsonl")), &answers)?;
        summaries.push(trial::summary(name, names.len(), &cases, &answers));
    }
    if summaries.is_empty() {
        return Err(doubts::no_sets(&args.dir, "docs.jsonl"));
    }
    let told = |_: &serde_json::Value| match app.search.embedder.model() {
        Some(_) => table::render(&summaries),
        None => format!("{}\nThere is no embedding model in use: words alone count.", table::render(&summaries)),
    };
    screen.show(&json!(summaries), told)?;
    Ok(Exit::Done)
}

async fn collection(app: &App, by: &Actor, name: &str) -> Result<CollectionId> {
    let all = app.stores.knowledge.collections.list(by.caller.reader()).await?;
    match all.into_iter().find(|collection| collection.name == name) {
        Some(known) => Ok(known.id),
        None => {
            let new = NewCollection::new(name, "A set of an evaluation.", None)?;
            Ok(app.stores.knowledge.collections.create(by, new).await?.id)
        }
    }
}

/// Takes in what is not there yet, and waits until all of it is found; the set's name of each document.
async fn take_in(app: &App, by: &Actor, set: CollectionId, folder: &Path) -> Result<HashMap<DocumentId, String>> {
    let known: HashSet<String> = listed(app, by, set).await?.into_values().collect();
    for line in jsonl::read::<DocLine>(&folder.join("docs.jsonl"))? {
        if !known.contains(&line.id) {
            add(app, by, set, line).await?;
        }
    }
    for status in [Status::Queued, Status::Reading, Status::Embedding] {
        let filter = || Filter { collection: Some(set), status: Some(status), limit: 1, ..Filter::default() };
        while !app.stores.knowledge.documents.list(by.caller.reader(), filter()).await?.is_empty() {
            tokio::time::sleep(LOOK).await;
        }
    }
    app.search.indexes.settled().await?;
    listed(app, by, set).await
}

async fn add(app: &App, by: &Actor, collection: CollectionId, line: DocLine) -> Result<()> {
    let titled = !line.title.trim().is_empty();
    let title = fitted_title(if titled { &line.title } else { &line.id });
    // A document whose text is only its title says that.
    let text = if line.text.trim().is_empty() { &title } else { &line.text };
    let stored = app.stores.knowledge.files.put(text.as_bytes()).await?;
    let content = Content {
        name: "document.txt".to_owned(),
        mime: "text/plain".to_owned(),
        bytes: stored.bytes,
        hash: stored.hash.clone(),
    };
    let new = NewDocument {
        collection: Some(collection),
        title,
        titled,
        source: SourceKind::Text,
        uri: Some(line.id),
        content: Some(content),
    };
    app.stores.knowledge.add(by, new, Some(stored)).await?;
    Ok(())
}

async fn listed(app: &App, by: &Actor, collection: CollectionId) -> Result<HashMap<DocumentId, String>> {
    let mut names = HashMap::new();
    let mut before = None;
    loop {
        let filter = Filter { collection: Some(collection), before, limit: PAGE, ..Filter::default() };
        let page = app.stores.knowledge.documents.list(by.caller.reader(), filter).await?;
        let Some(last) = page.last() else { return Ok(names) };
        before = Some(last.id);
        names.extend(page.into_iter().filter_map(|document| Some((document.id, document.source.uri?))));
    }
}

async fn answer(
    app: &App,
    by: &Actor,
    collection: CollectionId,
    (names, cases): (&HashMap<DocumentId, String>, &[Case]),
) -> Result<Vec<Answer>> {
    let mut answers = Vec::with_capacity(cases.len());
    for case in cases {
        let question = Question {
            query: case.query.clone(),
            limit: Some(PASSAGES),
            collections: vec![collection.to_string()],
            ..Question::default()
        };
        let started = Instant::now();
        let hits = search::search(app, by.caller.reader(), &question).await?;
        let ms = started.elapsed().as_secs_f64() * 1_000.0;
        let mut seen = HashSet::new();
        let documents = hits.iter().map(|hit| hit.document_id).filter(|id| seen.insert(*id));
        let ranked = documents.filter_map(|id| names.get(&id).cloned()).take(DEPTH).collect();
        answers.push(Answer { id: case.id.clone(), ranked, ms });
    }
    Ok(answers)
}
