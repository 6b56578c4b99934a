//! Ten thousand jobs that wait, and two hundred that are due in one second.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{
    http::{self, Connection},
    report::{Report, Target},
    server::{Home, Server},
    usage,
};

const WAITING: usize = 9_800;
const DUE: usize = 200;
/// The time for which those that wait are watched.
const WATCHED: Duration = Duration::from_secs(60);
/// The time until the others are due: longer than making them takes.
const AHEAD: Duration = Duration::from_secs(20);
/// Longest wait until all of them have started.
const PATIENCE: Duration = Duration::from_secs(60);
const SHARE: f64 = 1.0;
const START_S: f64 = 2.0;

/// Measures.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let home = Home::new()?;
    let server = Server::start(&home, &[]).await?;
    let mut door = Door { connection: Connection::open(server.address()).await?, key: home.key().await? };
    let since = Instant::now();
    for number in 0..WAITING {
        let when = json!({"cron": format!("{} {} {} 1 *", number % 60, number % 24, number % 28 + 1)});
        door.make(number, &when).await?;
    }
    report.figure("jobs made a second", WAITING as f64 / since.elapsed().as_secs_f64(), Target::None);
    sleep(Duration::from_secs(5)).await;
    let before = usage::cpu_seconds(server.pid())?;
    sleep(WATCHED).await;
    let used = usage::cpu_seconds(server.pid())? - before;
    let share = 100.0 * used / WATCHED.as_secs_f64();
    report.figure("10,000 jobs that wait, percent of a core", share, Target::AtMost(SHARE));
    report.figure("memory with them, MB", usage::resident_mb(server.pid())?, Target::None);
    let started = due_at_once(&mut door).await?;
    let (last, all) = (started.iter().copied().fold(0.0, f64::max), started.len());
    ensure!(all == DUE, "{all} of {DUE} jobs ran");
    report.figure("200 due in one second: the last has started after, s", last, Target::AtMost(START_S));
    server.kill().await
}

/// Makes jobs that are due in the same second, and says after how many seconds each has started.
async fn due_at_once(door: &mut Door) -> Result<Vec<f64>> {
    let due = SystemTime::now().duration_since(UNIX_EPOCH)? + AHEAD;
    let due = DateTime::<Utc>::from_timestamp(i64::try_from(due.as_secs())?, 0).context("no time")?;
    let mut ids = Vec::new();
    for number in 0..DUE {
        ids.push(door.make(number, &json!({"at": due.to_rfc3339()})).await?);
    }
    ensure!(Utc::now() < due, "it took too long to make them");
    let wait = (due - Utc::now()).to_std()? + Duration::from_secs(3);
    sleep(wait).await;
    let end = Instant::now() + PATIENCE;
    let mut started = Vec::new();
    for id in ids {
        loop {
            let runs = door.send("GET", &format!("/api/jobs/{id}/runs"), None).await?;
            if let Some(at) = runs[0]["started_at"].as_str() {
                let at = DateTime::parse_from_rfc3339(at)?.with_timezone(&Utc);
                started.push((at - due).num_milliseconds() as f64 / 1_000.0);
                break;
            }
            ensure!(Instant::now() < end, "a job has not started");
            sleep(Duration::from_millis(50)).await;
        }
    }
    Ok(started)
}

/// The REST API, with a key.
struct Door {
    connection: Connection,
    key: String,
}

impl Door {
    async fn send(&mut self, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        self.connection.send(&http::request(method, path, &self.key, body)).await?.json()
    }

    async fn make(&mut self, number: usize, when: &Value) -> Result<String> {
        let deed = json!({"tool": "calculator", "params": {"expression": format!("1 + {number}")}});
        let draft = json!({"name": format!("Job {number}"), "when": when, "do": deed});
        let made = self.send("POST", "/api/jobs", Some(&draft)).await?;
        Ok(made["id"].as_str().with_context(|| format!("not made: {made}"))?.to_owned())
    }
}
