//! Taking a document of a thousand operations into the catalog, through the REST API, and finding tools among them.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use satchel::model::score::percentile;
use serde_json::{Value, json};

use super::{
    document,
    http::{self, Connection},
    report::{Report, Target},
    server::{Home, Server},
    usage,
};

const NEEDS: usize = 200;
/// Longest wait for the tools to be embedded.
const PATIENCE: Duration = Duration::from_secs(600);

/// Measures.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let home = Home::new()?;
    let server = Server::start(&home, &[]).await?;
    let key = home.key().await?;
    let mut door = Door { connection: Connection::open(server.address()).await?, key };
    // What the first search of all loads is no part of an import.
    door.find("Which order is late?").await?;
    import(report, &server, &mut door).await?;
    find(report, &mut door).await?;
    server.kill().await
}

/// The REST API, with a key.
struct Door {
    connection: Connection,
    key: String,
}

impl Door {
    async fn send(&mut self, method: &str, path: &str, body: Value) -> Result<Value> {
        self.connection.send(&http::request(method, path, &self.key, Some(&body))).await?.json()
    }

    /// What `find_tools` answers.
    async fn find(&mut self, need: &str) -> Result<Value> {
        let body = json!({"params": {"query": need, "limit": 10}});
        self.send("POST", "/api/tools/find_tools/invoke", body).await
    }
}

/// Preview, apply of all, and their tools in use.
async fn import(report: &mut Report, server: &Server, door: &mut Door) -> Result<()> {
    let text = document::made("http://127.0.0.1:9/suite").to_string();
    report.note(&format!("{} operations in {:.1} MB", document::OPERATIONS, text.len() as f64 / 1e6));
    let (resident, cpu) = (usage::resident_mb(server.pid())?, usage::cpu_seconds(server.pid())?);
    usage::forget_peak(server.pid())?;
    let begun = Instant::now();
    let mut preview = door.send("POST", "/api/catalog/import/preview", json!({"source": {"text": text}})).await?;
    let read = begun.elapsed().as_secs_f64();
    let rows = preview["operations"].as_array_mut().map(std::mem::take).unwrap_or_default();
    ensure!(rows.len() == document::OPERATIONS, "{} operations were read", rows.len());
    let chosen: Vec<Value> = rows.into_iter().map(|mut row| json!({"operation": row["operation"].take()})).collect();
    let system = json!({"name": "Suite", "base_url": preview["base_url"], "auth": preview["auth"]});
    let order = json!({"system": system, "operations": chosen, "format": preview["format"]});
    let written = Instant::now();
    let applied = door.send("POST", "/api/catalog/import/apply", order).await?;
    let apply = written.elapsed().as_secs_f64();
    ensure!(applied["written"] == document::OPERATIONS, "{applied}");
    let id = applied["system_id"].as_str().context("the system has no id")?;
    let activated = Instant::now();
    door.send("PUT", &format!("/api/catalog/systems/{id}/status"), json!({"status": "active"})).await?;
    report.figure("preview, s", read, Target::None);
    report.figure("apply of all, s", apply, Target::None);
    report.figure("activation, s", activated.elapsed().as_secs_f64(), Target::None);
    report.figure("import, s", read + apply, Target::AtMost(2.0));
    let used = usage::cpu_seconds(server.pid())? - cpu;
    report.figure("CPU of the server, activation included, s", used, Target::AtMost(2.0));
    let peak = usage::peak_mb_of(server.pid())? - resident;
    report.figure("memory at its peak beside that before, MB", peak, Target::AtMost(150.0));
    Ok(())
}

/// Searches while the tools are being embedded, and after it.
async fn find(report: &mut Report, door: &mut Door) -> Result<()> {
    let begun = Instant::now();
    let mut meanwhile = Vec::new();
    let embedded = loop {
        let (took, answer) = one(door, meanwhile.len()).await?;
        // Its note says where only words were compared.
        if answer.pointer("/data/note").is_none() {
            break begun.elapsed().as_secs_f64();
        }
        meanwhile.push(took);
        ensure!(begun.elapsed() < PATIENCE, "the tools were not embedded in time");
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    let mut after = Vec::with_capacity(NEEDS);
    for number in 0..NEEDS {
        after.push(one(door, number).await?.0);
    }
    report.figure("until all are found by meaning, s", embedded, Target::None);
    report.figure("find_tools meanwhile, by words, p95 ms", percentile(&meanwhile, 0.95), Target::None);
    report.figure("find_tools after it, p50 ms", percentile(&after, 0.5), Target::None);
    report.figure("find_tools after it, p95 ms", percentile(&after, 0.95), Target::AtMost(10.0));
    Ok(())
}

/// A need nobody has asked before, answered in these milliseconds.
async fn one(door: &mut Door, number: usize) -> Result<(f64, Value)> {
    let need = format!(
        "Please {} number {number}, the one of last week.",
        ["archive the invoice", "approve the refund", "export the shipment", "show the history of the contract"]
            .get(number % 4)
            .copied()
            .unwrap_or_default()
    );
    let begun = Instant::now();
    let answer = door.find(&need).await?;
    Ok((begun.elapsed().as_secs_f64() * 1e3, answer))
}
