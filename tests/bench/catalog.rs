//! Taking a document of a thousand operations into the catalog, through the REST API, and finding tools among them; then
//! fourteen more, so that there are 15,000.

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
const PATIENCE: Duration = Duration::from_secs(3_600);
/// The divisions whose systems are imported after the first, a thousand operations each.
pub(crate) const DIVISIONS: [&str; 14] = [
    "Alpine", "Baltic", "Celtic", "Danube", "Eastern", "Finnish", "Gulf", "Harbour", "Iberian", "Jura", "Levant",
    "Nordic", "Pacific", "Rhine",
];

/// Measures.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let home = Home::new()?;
    let server = Server::start(&home, &[]).await?;
    let key = home.key().await?;
    let mut door = Door { connection: Connection::open(server.address()).await?, key };
    // What the first search of all loads is no part of an import.
    door.find("Which order is late?").await?;
    import(report, &server, &mut door).await?;
    let since = usage::cpu_seconds(server.pid())?;
    find(report, &server, &mut door, Promise { since, cpu: 15.0, p95: Target::AtMost(10.0) }).await?;
    grow(report, &server, &mut door).await?;
    server.kill().await
}

/// The REST API, with a key.
pub(crate) struct Door {
    pub(crate) connection: Connection,
    pub(crate) key: String,
}

impl Door {
    async fn send(&mut self, method: &str, path: &str, body: Value) -> Result<Value> {
        self.connection.send(&http::request(method, path, &self.key, Some(&body))).await?.json()
    }

    /// Returns what `find_tools` answers.
    async fn find(&mut self, need: &str) -> Result<Value> {
        let body = json!({"params": {"query": need, "limit": 10}});
        self.send("POST", "/api/tools/find_tools/invoke", body).await
    }
}

/// Preview, apply of all, and their tools in use.
async fn import(report: &mut Report, server: &Server, door: &mut Door) -> Result<()> {
    let text = document::made("http://127.0.0.1:9/suite", "").to_string();
    report.note(&format!("{} operations in {:.1} MB", document::OPERATIONS, text.len() as f64 / 1e6));
    let (resident, cpu) = (usage::resident_mb(server.pid())?, usage::cpu_seconds(server.pid())?);
    usage::forget_peak(server.pid())?;
    let [read, apply, activation] = take_in(door, &text, "Suite").await?;
    report.figure("preview, s", read, Target::None);
    report.figure("apply of all, s", apply, Target::None);
    report.figure("activation, s", activation, Target::None);
    report.figure("import, s", read + apply, Target::AtMost(2.0));
    let used = usage::cpu_seconds(server.pid())? - cpu;
    report.figure("CPU of the server, activation included, s", used, Target::AtMost(2.0));
    let peak = usage::peak_mb_of(server.pid())? - resident;
    report.figure("memory at its peak beside that before, MB", peak, Target::AtMost(150.0));
    Ok(())
}

/// Imports a document as an active system of this name. Returns the seconds of preview, apply and activation.
pub(crate) async fn take_in(door: &mut Door, text: &str, name: &str) -> Result<[f64; 3]> {
    let begun = Instant::now();
    let mut preview = door.send("POST", "/api/catalog/import/preview", json!({"source": {"text": text}})).await?;
    let read = begun.elapsed().as_secs_f64();
    let rows = preview["operations"].as_array_mut().map(std::mem::take).unwrap_or_default();
    ensure!(rows.len() == document::OPERATIONS, "{} operations were read", rows.len());
    let chosen: Vec<Value> = rows.into_iter().map(|mut row| json!({"operation": row["operation"].take()})).collect();
    let system = json!({"name": name, "base_url": preview["base_url"], "auth": preview["auth"]});
    let order = json!({"system": system, "operations": chosen, "format": preview["format"]});
    let written = Instant::now();
    let applied = door.send("POST", "/api/catalog/import/apply", order).await?;
    let apply = written.elapsed().as_secs_f64();
    ensure!(applied["written"] == document::OPERATIONS, "{applied}");
    let id = applied["system_id"].as_str().context("the system has no id")?;
    let activated = Instant::now();
    door.send("PUT", &format!("/api/catalog/systems/{id}/status"), json!({"status": "active"})).await?;
    Ok([read, apply, activated.elapsed().as_secs_f64()])
}

/// The other divisions' systems, one after the other, and all their tools in use.
async fn grow(report: &mut Report, server: &Server, door: &mut Door) -> Result<()> {
    let resident = usage::resident_mb(server.pid())?;
    usage::forget_peak(server.pid())?;
    let since = usage::cpu_seconds(server.pid())?;
    for (division, port) in DIVISIONS.into_iter().zip(10..) {
        let text = document::made(&format!("http://127.0.0.1:{port}/suite"), division).to_string();
        take_in(door, &text, division).await?;
    }
    report.note(&format!(
        "{} more systems: {} operations",
        DIVISIONS.len(),
        (DIVISIONS.len() + 1) * document::OPERATIONS
    ));
    let imports = usage::cpu_seconds(server.pid())? - since;
    report.figure("CPU of the imports and what was embedded meanwhile, s", imports, Target::None);
    find(report, server, door, Promise { since, cpu: 300.0, p95: Target::None }).await?;
    let peak = usage::peak_mb_of(server.pid())? - resident;
    report.figure("memory at its peak beside that before, MB", peak, Target::AtMost(400.0));
    Ok(())
}

/// The promise for tools that were just imported.
struct Promise {
    /// The server's CPU seconds at which counting begins.
    since: f64,
    /// CPU seconds from there until each is found by meaning.
    cpu: f64,
    /// Milliseconds of a search after that.
    p95: Target,
}

/// Searches while the tools are being embedded, and after it.
async fn find(report: &mut Report, server: &Server, door: &mut Door, promise: Promise) -> Result<()> {
    let begun = Instant::now();
    let spent = || usage::cpu_seconds(server.pid()).map(|seconds| seconds - promise.since);
    let (mut meanwhile, mut each) = (Vec::new(), None);
    let embedded = loop {
        let (took, answer) = one(door, meanwhile.len()).await?;
        // Its note says what was found by words alone, and then that details are still to come.
        let note = answer.pointer("/data/note").and_then(Value::as_str);
        if each.is_none() && !note.is_some_and(|note| note.contains("words alone")) {
            each = Some(spent()?);
        }
        if note.is_none() {
            break begun.elapsed().as_secs_f64();
        }
        meanwhile.push(took);
        ensure!(begun.elapsed() < PATIENCE, "the tools were not embedded in time");
        // Seldom enough that what is searched meanwhile costs little beside what is embedded.
        tokio::time::sleep(Duration::from_millis(500)).await;
    };
    let mut after = Vec::with_capacity(NEEDS);
    for number in 0..NEEDS {
        after.push(one(door, number).await?.0);
    }
    report.figure("CPU until each is found by meaning, s", each.unwrap_or_default(), Target::AtMost(promise.cpu));
    report.figure("CPU until all is embedded, s", spent()?, Target::None);
    report.figure("until all is embedded, s", embedded, Target::None);
    report.figure("find_tools meanwhile, by words, p95 ms", percentile(&meanwhile, 0.95), Target::None);
    report.figure("find_tools after it, p50 ms", percentile(&after, 0.5), Target::None);
    report.figure("find_tools after it, p95 ms", percentile(&after, 0.95), promise.p95);
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
