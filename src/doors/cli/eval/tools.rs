//! `satchel eval tools`: each set's tools become a catalogue, each need is answered as find_tools would.

use std::path::Path;

use serde_json::json;

use super::{
    args::EvalTools,
    set::{self, Logged},
    table,
};
use crate::{
    doors::cli::{run::Exit, screen::Screen},
    engine::find::{
        catalogue::Catalogue,
        parts,
        past::Past,
        trial::{self, Summary},
        views,
    },
    host::jsonl,
    index::embed::embedder::Embedder,
    model::{
        error::{Error, Result},
        learning::Used,
        user::UserId,
    },
    store::db::{Commit, Db},
};

/// Runs every set of the folder and prints the table.
pub async fn run(args: EvalTools, embedder: &Embedder, json: bool) -> Result<Exit> {
    let sets = jsonl::folders_with(&args.dir, "tools.jsonl")?;
    // What was embedded stays with the run: a second one measures the search and not the embedding of tools.
    let db = Db::open(&jsonl::folder(&args.out)?.join("vectors.db"), Commit::Grouped)?;
    let log = args.log.as_deref().map(|file| set::log(Path::new(file))).transpose()?.unwrap_or_default();
    let past = learn(&db, embedder, log).await?;
    let mut summaries: Vec<Summary> = Vec::new();
    for (name, folder) in sets.iter().filter(|(_, folder)| folder.join("queries.jsonl").is_file()) {
        let catalogue = Catalogue::of(set::tools(folder)?);
        if let Some(vectors) = views::embedded(&db, embedder, &catalogue.texts()).await? {
            catalogue.see(&vectors);
        }
        let cases = set::cases(folder)?;
        let every = vec![true; catalogue.profiles().len()];
        let answers = trial::answer(&catalogue, &past, embedder, &every, &cases).await?;
        jsonl::write(&args.out.join(format!("tools.{name}.jsonl")), &answers)?;
        summaries.push(trial::summary(name, catalogue.profiles().len(), &cases, &answers));
    }
    if summaries.is_empty() {
        let dir = args.dir.display();
        return Err(Error::invalid(format!("{dir} holds no folder with tools.jsonl and queries.jsonl.")));
    }
    Screen::new(json).show(&json!(summaries), |_| told(&summaries, embedder))?;
    Ok(Exit::Done)
}

/// Replays a log: each of its needs was met with its tools.
async fn learn(db: &Db, embedder: &Embedder, log: Vec<Logged>) -> Result<Past> {
    let mut past = Past::default();
    let needs: Vec<String> = log.iter().map(|line| parts::told(&line.need).to_owned()).collect();
    let Some(vectors) = views::embedded(db, embedder, &needs).await? else { return Ok(past) };
    let user = UserId::new();
    for ((line, need), vector) in log.into_iter().zip(&needs).zip(&vectors) {
        for tool in line.tools {
            past.note(user, need, vector, Used { tool, successes: 1, failures: 0 });
        }
    }
    Ok(past)
}

fn told(summaries: &[Summary], embedder: &Embedder) -> String {
    let table = table::of(summaries);
    match embedder.model() {
        Some(_) => table,
        None => format!("{table}\nThere is no embedding model in use: tools were found by their words alone."),
    }
}
