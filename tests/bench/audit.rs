//! The audit's page over many rows: facets and histogram, as they are asked for by the page.
//!
//! `AUDIT_ROWS=10000000` fills as many; without it, a million. The rows go through the chain, as calls' do: ten million
//! take some minutes. They are of forty people who each use some twenty-five of two hundred tools through two of five doors,
//! a few mostly, and lie over a year; then as many again lie over two hours.

#![expect(clippy::disallowed_methods, reason = "reads how many rows are wanted")]

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use futures_util::{StreamExt, TryStreamExt, stream};
use satchel::{
    model::{
        audit::{AuditOutcome, Event, EventType},
        caller::Door,
        spec::Risk,
        time::Time,
    },
    store::{
        audit::{Audit, Filter},
        db::{Commit, Db},
    },
};
use serde_json::json;
use tempfile::TempDir;

use super::report::{Report, Target, median};

const ROWS: u64 = 1_000_000;
/// Writes that wait for one commit together.
const AT_ONCE: usize = 2_048;
const HOUR: u64 = 3_600_000;
const DAY: u64 = 24 * HOUR;
const YEAR: u64 = 365 * DAY;
const START: i64 = 1_760_000_000_000;
const ROUNDS: usize = 9;
const MOST_MS: f64 = 50.0;

/// Fills a database with sparse rows and one with dense ones, and measures each question of the page.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let rows = std::env::var("AUDIT_ROWS").ok().and_then(|text| text.parse().ok()).unwrap_or(ROWS);
    report.figure("rows", rows as f64, Target::None);
    measure_over(report, rows, ("a year's rows", YEAR), of_a_year).await?;
    measure_over(report, rows, ("two hours' rows", 2 * HOUR), of_two_hours).await
}

/// Fills a database with rows over this many milliseconds, and asks it.
async fn measure_over(
    report: &mut Report,
    rows: u64,
    (which, lasting): (&str, u64),
    questions: fn() -> Vec<Question>,
) -> Result<()> {
    let directory = TempDir::new_in(env!("CARGO_TARGET_TMPDIR"))?;
    let db = Db::open(&directory.path().join("satchel.db"), Commit::Grouped)?;
    let audit = Audit::new(&db);
    let started = Instant::now();
    let events = (0..rows).map(|n| audit.append(event(n, rows, lasting)));
    stream::iter(events).buffered(AT_ONCE).try_for_each(|_| async { Ok(()) }).await?;
    let speed = rows as f64 / started.elapsed().as_secs_f64();
    report.figure(&format!("{which} written a second, counts and all"), speed, Target::None);
    let now = Time::from_millis(START + i64::try_from(lasting)?);
    for Question { what, filter, promised } in questions() {
        let promise = if promised { Target::AtMost(MOST_MS) } else { Target::None };
        let mut took = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let started = Instant::now();
            let facets = audit.facets(filter.clone()).await?;
            took.0.push(started.elapsed().as_secs_f64() * 1_000.0);
            let started = Instant::now();
            let histogram = audit.histogram(filter.clone(), now).await?;
            took.1.push(started.elapsed().as_secs_f64() * 1_000.0);
            let sum: i64 = histogram.bins.iter().map(|bin| bin.all).sum();
            ensure!(facets.total == sum, "{which}, {what}: {} rows under the facets, {sum} over time", facets.total);
            ensure!(!promised || facets.among.is_none(), "{which}, {what}: not all rows were counted");
        }
        report.figure(&format!("{which}: facets, {what}, ms"), median(took.0), promise);
        report.figure(&format!("{which}: histogram, {what}, ms"), median(took.1), promise);
    }
    Ok(())
}

/// A question the page asks, and whether an answer in time is promised.
struct Question {
    what: String,
    filter: Filter,
    promised: bool,
}

impl Question {
    fn new(what: impl Into<String>, filter: Filter) -> Self {
        Self { what: what.into(), filter, promised: true }
    }
}

/// Rows from so many milliseconds before an end up to so many before it, neither at a whole minute.
fn before(end: u64, from: u64, to: u64) -> Filter {
    let end = Time::from_millis(START.saturating_add_unsigned(end));
    let moment = |millis: u64| Some(end.before(Duration::from_millis(millis.saturating_sub(1_234))));
    Filter { from: moment(from), to: (to > 0).then(|| moment(to)).flatten(), ..Filter::default() }
}

fn word(word: &str) -> Option<String> {
    Some(word.to_owned())
}

/// One value of each facet, within a time.
fn each_facet(what: &str, time: &Filter) -> Vec<Question> {
    let filters = [
        ("one outcome", Filter { outcome: word("failure"), ..time.clone() }),
        ("one risk", Filter { risk: word("high_write"), ..time.clone() }),
        ("one door", Filter { door: word("api"), ..time.clone() }),
        ("one person", Filter { user: word("person-1"), ..time.clone() }),
        ("one kind", Filter { event_type: word("tool_invocation"), ..time.clone() }),
        ("one tool", Filter { tool: word("builtin:tool-3"), ..time.clone() }),
    ];
    filters.map(|(facet, filter)| Question::new(format!("{facet}{what}"), filter)).into()
}

fn of_a_year() -> Vec<Question> {
    let last = |lasting: u64| before(YEAR, lasting, 0);
    let one_persons = Filter { tool: word("builtin:tool-3"), user: word("person-1"), ..Filter::default() };
    let text = Filter { text: word("needle"), ..Filter::default() };
    let mut asked = vec![
        Question::new("all", Filter::default()),
        Question::new("a tool and a person", one_persons),
        Question::new("last hour", last(HOUR)),
        Question::new("last day", last(DAY)),
        Question::new("last week", last(7 * DAY)),
        Question::new("last 30 days", last(30 * DAY)),
        Question::new("eleven months of twelve", before(YEAR, 350 * DAY, 15 * DAY)),
        Question { promised: false, ..Question::new("a text, among the newest", text) },
    ];
    asked.extend(each_facet("", &Filter::default()));
    asked.extend(each_facet(" in nine days", &before(YEAR, 30 * DAY, 21 * DAY)));
    asked
}

fn of_two_hours() -> Vec<Question> {
    let mut asked = vec![
        Question::new("all", Filter::default()),
        Question::new("last hour", before(2 * HOUR, HOUR, 0)),
        Question::new("half an hour of it", before(2 * HOUR, HOUR, HOUR / 2)),
    ];
    asked.extend(each_facet("", &Filter::default()));
    asked.extend(each_facet(" in the last hour", &before(2 * HOUR, HOUR, 0)));
    asked
}

/// The n-th of so many rows over this many milliseconds.
pub(crate) fn event(n: u64, rows: u64, lasting: u64) -> Event {
    let mut state = n.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
    let mut next = move |below: u64| {
        state = (state ^ (state >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (state >> 33) % below
    };
    // The first of many, mostly: a product of two even shares is near 0.
    let mut mostly = |of: u64| next(of) * next(of) / of;
    let (person, habit) = (mostly(40), mostly(25));
    let (tool, ended) = ((person * 7 + habit) % 200, next(50));
    // Three calls of four come through the person's usual door.
    let door = (person + u64::from(next(4) == 0)) % 5;
    let at = START + i64::try_from(u128::from(n) * u128::from(lasting) / u128::from(rows)).unwrap_or_default();
    let door =
        [Door::Chat, Door::Api, Door::Mcp, Door::Cli, Door::Job].get(door as usize).copied().unwrap_or(Door::Api);
    Event {
        user: format!("person-{person}"),
        tool: Some(format!("builtin:tool-{tool}")),
        arguments: json!({"path": format!("reports/{n}.csv"), "content": "Rows of a table, as a tool may be given them."}),
        risk: Some(if tool % 4 == 0 { Risk::HighWrite } else { Risk::Read }),
        outcome: match ended {
            0..4 => AuditOutcome::Failure,
            4 => AuditOutcome::Refused,
            5 => AuditOutcome::Waiting,
            6 => AuditOutcome::Stopped,
            _ => AuditOutcome::Success,
        },
        duration_ms: Some(tool),
        ..Event::new(Time::from_millis(at), EventType::ToolInvocation, door, "invoke")
    }
}
