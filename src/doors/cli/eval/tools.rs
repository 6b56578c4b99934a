//! `satchel eval tools`: each set's tools become a catalogue, each need is answered as find_tools would.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use serde_json::json;

use super::{
    args::EvalTools,
    doubts,
    set::{self, Logged},
    table,
};
use crate::cli::{run::Exit, screen::Screen};
use satchel_host::jsonl;
use satchel_index::embed::embedder::Embedder;
use satchel_model::{error::Result, learning::Used, user::UserId};
use satchel_services::find::{
    catalogue::Catalogue,
    parts,
    past::Past,
    trial::{self, Summary},
    views,
};
use satchel_store::db::{Commit, Db};

/// The part a success adds to a tool's weight, and the most it comes to.
const SUCCESS: f64 = 0.3;
const MOST: f64 = 5.0;

/// Runs every set of the folder and prints the table.
pub async fn run(args: EvalTools, embedder: &Embedder, json: bool) -> Result<Exit> {
    let sets = jsonl::folders_with(&args.dir, "tools.jsonl")?;
    // What was embedded stays with the run: a second one measures the search and not the embedding of tools.
    let db = Db::open(&jsonl::folder(&args.out)?.join("vectors.db"), Commit::Grouped)?;
    let log = args.log.as_deref().map(|file| set::log(Path::new(file))).transpose()?.unwrap_or_default();
    let past = learn(&db, embedder, &log).await?;
    let (screen, mut known) = (Screen::new(json), HashSet::new());
    let mut summaries: Vec<Summary> = Vec::new();
    for (name, folder) in sets.iter().filter(|(_, folder)| folder.join("queries.jsonl").is_file()) {
        let catalogue = Catalogue::new(set::tools(folder)?);
        if let Some(vectors) = views::embedded(&db, embedder, &catalogue.texts()).await? {
            catalogue.see(&vectors);
        }
        let cases = set::cases(folder)?;
        let ids = set::ids(&folder.join("tools.jsonl"))?;
        screen.beside(&doubts::of_set(name, &ids, &cases))?;
        known.extend(ids);
        let every = vec![true; catalogue.profiles().len()];
        let answers = trial::answer(&catalogue, &past, embedder, &every, &cases).await?;
        jsonl::write(&args.out.join(format!("tools.{name}.jsonl")), &answers)?;
        summaries.push(trial::summary(name, catalogue.profiles().len(), &cases, &answers));
    }
    if summaries.is_empty() {
        return Err(doubts::no_sets(&args.dir, "tools.jsonl"));
    }
    if args.log.is_some() {
        screen.beside(doubts::of_log(&log, &known).as_slice())?;
    }
    screen.show(&json!(summaries), |_| report(&summaries, embedder))?;
    Ok(Exit::Done)
}

/// Replays a log: each of its needs was met with its tools.
async fn learn(db: &Db, embedder: &Embedder, log: &[Logged]) -> Result<Past> {
    let mut past = Past::default();
    past.weigh(weights(log));
    let needs: Vec<String> = log.iter().map(|line| parts::beginning(&line.need).to_owned()).collect();
    let Some(vectors) = views::embedded(db, embedder, &needs).await? else { return Ok(past) };
    let user = UserId::new();
    for ((line, need), vector) in log.iter().zip(&needs).zip(&vectors) {
        for tool in &line.tools {
            past.note(user, need, vector, Used { tool: tool.clone(), successes: 1, failures: 0 });
        }
    }
    Ok(past)
}

/// The weight of each tool that the calls of a log would have taught.
fn weights(log: &[Logged]) -> HashMap<String, f64> {
    let mut weights: HashMap<String, f64> = HashMap::new();
    for tool in log.iter().flat_map(|line| &line.tools) {
        let weight = weights.entry(tool.clone()).or_insert(1.0);
        *weight = (*weight + SUCCESS).min(MOST);
    }
    weights
}

fn report(summaries: &[Summary], embedder: &Embedder) -> String {
    let table = table::render(summaries);
    match embedder.model() {
        Some(_) => table,
        None => format!("{table}\nThere is no embedding model in use: tools were found by their words alone."),
    }
}
