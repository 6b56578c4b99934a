//! Going over to another model: everything is embedded anew beside the old vectors, and only then it is swapped.

use std::{sync::Arc, time::Duration};

use super::{download, offered};
use satchel_app::App;
use satchel_index::embed::{
    embedder::{Change, Embedder, Running, Stage},
    workers::Limits,
};
use satchel_model::{
    error::{Error, Kind, Result},
    index::Space,
};
use satchel_store::embeddings::Embeddings;

/// Texts embedded and written at once.
const BATCH: u32 = 128;
/// The time until settings that were changed elsewhere are seen, and a change that failed is tried again.
const LOOK: Duration = Duration::from_secs(60);

/// Follows the setting until the process ends.
pub fn start(app: &Arc<App>) {
    let shared = Arc::clone(app);
    let follow = async move {
        let app = shared;
        tokio::select! {
            () = app.lifecycle.shutdown.cancelled() => {}
            () = follow(&app) => {}
        }
    };
    drop(app.lifecycle.tracker.spawn_on(follow, &app.lifecycle.runtime));
}

/// Returns the share of the machine embedding may take, as the settings say.
pub fn limits(app: &App) -> Limits {
    let settings = &app.settings.get().embeddings;
    let default = Limits::default();
    Limits {
        threads: settings.threads.map_or(default.threads, |threads| threads.max(1) as usize),
        idle: Duration::from_secs(u64::from(settings.idle_minutes.max(1)) * 60),
    }
}

async fn follow(app: &App) {
    loop {
        app.search.embedder.limit(limits(app));
        match go_over(app).await {
            Ok(()) => app.search.embedder.set_change(Change::default()),
            // Another was wanted meanwhile, and is next.
            Err(error) if error.kind() == Kind::Conflict => app.search.embedder.set_change(Change::default()),
            Err(error) => {
                let known = app.search.embedder.change().failed;
                if known.as_deref() != Some(error.message()) {
                    tracing::warn!(?error, "the embedding model could not be changed; search goes on as before");
                }
                app.search.embedder.set_change(Change { running: None, failed: Some(error.message().to_owned()) });
            }
        }
        tokio::select! {
            () = app.search.embedder.change_asked() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

fn wanted(app: &App) -> String {
    app.settings.get().embeddings.model.clone()
}

fn in_use(app: &App) -> String {
    app.search.embedder.name().unwrap_or_else(|| offered::NONE.to_owned())
}

/// Brings what is in use to what is wanted, and every text a vector of it.
async fn go_over(app: &App) -> Result<()> {
    let name = wanted(app);
    let before = app.search.embedder.model();
    let next = if same(app, &name)? { app.search.embedder.steady() } else { prepare(app, &name).await? };
    let changes = next.model() != before;
    // Where nothing changes this is what a build with another model in it, or a crash, left to do.
    read_all(app, &name, &next).await?;
    if !changes {
        return Ok(());
    }
    let id = next.model().map(|model| model.id);
    app.search.indexes.use_model(id);
    show(app, Running { to: name.clone(), stage: Stage::Indexing, done: 0, total: 0 });
    app.search.indexes.model_in_use().await?;
    app.search.embedder.become_like(&next);
    let embeddings = Embeddings::new(&app.db);
    embeddings.use_model(&in_use(app), before.map(|model| model.id), app.clock.now()).await?;
    tracing::info!(model = name, "another embedding model is in use");
    // What was taken in meanwhile was read by the model before.
    read_all(app, &name, &next).await
}

/// Returns whether the model that is wanted is the one in use, by its files as well as its name.
fn same(app: &App, name: &str) -> Result<bool> {
    let known = offered::find(&app.config.data, name);
    match known {
        Ok(model) => Ok(model.map(|model| model.info) == app.search.embedder.model()),
        Err(error) if error.kind() == Kind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The model, on this machine and proven to work.
async fn prepare(app: &App, name: &str) -> Result<Embedder> {
    let model = match offered::find(&app.config.data, name) {
        Err(error) if error.kind() == Kind::NotFound => match offered::entry(name) {
            Some(entry) => {
                download::fetch(app, name, &entry).await?;
                offered::find(&app.config.data, name)?
            }
            None => return Err(error),
        },
        found => found?,
    };
    let next = Embedder::new(model, limits(app));
    // Before anything is thrown over for it.
    next.passages(vec!["a text like any other".to_owned()]).await?;
    Ok(next)
}

fn show(app: &App, running: Running) {
    app.search.embedder.set_change(Change { running: Some(running), failed: None });
}

/// Gives every text a vector of this model. Ends early, with an error, when yet another is wanted.
async fn read_all(app: &App, name: &str, next: &Embedder) -> Result<()> {
    let Some(model) = next.model() else { return Ok(()) };
    let embeddings = Embeddings::new(&app.db);
    let total = embeddings.count_missing(&model.id).await?;
    if total == 0 {
        return Ok(());
    }
    let mut done = 0;
    for space in Space::ALL {
        let mut after = 0;
        loop {
            show(app, Running { to: name.to_owned(), stage: Stage::Embedding, done, total: total.max(done) });
            let contents = embeddings.missing(space, &model.id, after, BATCH).await?;
            let Some(last) = contents.last() else { break };
            after = last.id;
            done += contents.len() as u64;
            let (hashes, texts): (Vec<_>, Vec<_>) = contents.into_iter().map(|one| (one.hash, one.text)).unzip();
            let made = next.passages(texts).await?.unwrap_or_default();
            embeddings.keep(&model.id, hashes.into_iter().zip(made).collect()).await?;
            if wanted(app) != name {
                app.search.embedder.ask_for_change();
                return Err(Error::conflict(format!("Going over to '{name}' was given up for another model.")));
            }
        }
    }
    Ok(())
}
