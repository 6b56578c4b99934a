//! `satchel ingest`: files and folders into the knowledge base, with the progress of each.

use std::{path::PathBuf, time::Duration};

use http::Method;
use serde_json::{Value, json};

use super::{
    args::IngestArgs,
    client::Client,
    run::Exit,
    screen::{Screen, cell},
};
use satchel_host::folder;
use satchel_model::error::{Error, Result};

/// The interval at which the state of a document is asked for.
const PACE: Duration = Duration::from_millis(250);

/// The outcome of one file.
struct Outcome {
    path: PathBuf,
    id: String,
    status: String,
    reason: String,
}

pub(super) async fn ingest(args: IngestArgs, client: &Client, screen: &Screen) -> Result<Exit> {
    let collection = match &args.collection {
        Some(name) => Some(collection(client, name).await?),
        None => None,
    };
    let files = files(&args.paths)?;
    if files.is_empty() {
        return Err(Error::invalid("There are no files there."));
    }
    let mut sent = Vec::new();
    for path in files {
        sent.push(send(client, collection.as_deref(), path, screen).await?);
    }
    for outcome in &mut sent {
        follow(client, outcome, screen).await?;
    }
    let failed = sent.iter().filter(|outcome| outcome.status != "ready").count();
    let shown: Vec<Value> = sent.iter().map(shown).collect();
    screen.show(&json!({"documents": shown, "failed": failed}), |_| {
        format!("{} taken in, {failed} failed.", sent.len() - failed)
    })?;
    Ok(if failed == 0 { Exit::Done } else { Exit::Failed })
}

/// Every file named, and every file below a folder named.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(folder::walk(path)?.into_iter().map(|file| file.path));
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// The id of a collection, by its name or id.
async fn collection(client: &Client, name: &str) -> Result<String> {
    let all: Vec<Value> = client.get("/api/knowledge/collections").await?;
    let found =
        all.iter().find(|one| cell(one, "id") == name || cell(one, "name").to_lowercase() == name.to_lowercase());
    found.map(|one| cell(one, "id")).ok_or_else(|| {
        let names: Vec<String> = all.iter().map(|one| format!("'{}'", cell(one, "name"))).collect();
        Error::not_found(format!("There is no collection '{name}'. There are {}.", names.join(", ")))
    })
}

/// Sends one file; a refusal is its outcome, and the others go on.
async fn send(client: &Client, collection: Option<&str>, path: PathBuf, screen: &Screen) -> Result<Outcome> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let bytes = match folder::read(&path) {
        Ok(bytes) => bytes,
        Err(error) => return Ok(refused(path, &error, screen)),
    };
    let answer = client.send_file("/api/knowledge/documents", &name, bytes, collection).await?;
    if answer.status >= 400 {
        return Ok(refused(path, &answer.problem(), screen));
    }
    screen.note(&format!("{}: sent", path.display()));
    Ok(Outcome { path, id: cell(&answer.body, "id"), status: "queued".to_owned(), reason: String::new() })
}

/// A file that does not get as far as being a document.
fn refused(path: PathBuf, error: &Error, screen: &Screen) -> Outcome {
    let reason = error.message().to_owned();
    screen.note(&format!("{}: failed: {reason}", path.display()));
    Outcome { path, id: String::new(), status: "failed".to_owned(), reason }
}

/// Follows a document until nothing more happens to it.
async fn follow(client: &Client, outcome: &mut Outcome, screen: &Screen) -> Result<()> {
    let mut told = String::new();
    while matches!(outcome.status.as_str(), "queued" | "reading" | "embedding") {
        let path = format!("/api/knowledge/documents/{}", outcome.id);
        let document: Value = client.ask(Method::GET, &path, None).await?;
        outcome.status = cell(&document, "status");
        outcome.reason = cell(&document, "reason");
        let percent = document.get("progress").and_then(Value::as_f64).unwrap_or_default() * 100.0;
        let line = match outcome.status.as_str() {
            "ready" => format!("ready, {} passages", cell(&document, "chunks")),
            "queued" | "reading" | "embedding" => format!("{} {percent:.0} %", outcome.status),
            status => format!("{status}: {}", outcome.reason),
        };
        if line != told {
            screen.note(&format!("{}: {line}", outcome.path.display()));
            told = line;
        }
        if matches!(outcome.status.as_str(), "queued" | "reading" | "embedding") {
            tokio::time::sleep(PACE).await;
        }
    }
    Ok(())
}

fn shown(outcome: &Outcome) -> Value {
    let reason = (!outcome.reason.is_empty()).then_some(&outcome.reason);
    json!({"path": outcome.path, "id": outcome.id, "status": outcome.status, "reason": reason})
}
