//! Counting beside the rows comes to what counting the rows would, and rows of the first format verify.

mod dense;
mod names;

use std::{collections::BTreeMap, path::Path};

use serde_json::{Value, json};

use super::{Audit, Filter, chain, stretches::HOUR};
use crate::{
    db::{Commit, Db},
    sql::{Connection, Tx, left_at, params},
};
use satchel_model::{
    audit::{AuditOutcome, Entry, Event, EventType},
    call::Edit,
    caller::Door,
    policy::Situation,
    spec::Risk,
    time::Time,
    user::UserId,
};

const START: i64 = 20_000 * 24 * HOUR + 17 * 60_000;

const OUTCOMES: [AuditOutcome; 5] =
    [AuditOutcome::Success, AuditOutcome::Failure, AuditOutcome::Refused, AuditOutcome::Waiting, AuditOutcome::Stopped];

fn event(time: i64) -> Event {
    Event {
        user: "ada".to_owned(),
        tool: Some("builtin:write".to_owned()),
        arguments: json!({"path": "a.txt"}),
        risk: Some(Risk::HighWrite),
        duration_ms: Some(3),
        ..Event::new(Time::from_millis(time), EventType::ToolInvocation, Door::Api, "invoke")
    }
}

/// Rows over nine weeks, some hours empty and some full, each a little out of order.
fn events() -> Vec<Event> {
    let mut state = 7_u64;
    let mut next = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut at = START;
    let mut made = Vec::new();
    for _ in 0..1_500 {
        at += i64::try_from(if next(10) == 0 { next(40 * 3_600_000) } else { next(600_000) }).unwrap();
        let pick = |words: &[&str], n: u64| words[usize::try_from(n).unwrap()].to_owned();
        let mut one = event(at - i64::try_from(next(90_000)).unwrap());
        one.user = pick(&["ada", "mara", "noor"], next(3));
        one.user_id = Some(UserId::default());
        one.tool = (next(5) > 0).then(|| pick(&["builtin:write", "builtin:read", "catalog:desk.get"], next(3)));
        one.door = [Door::Api, Door::Chat, Door::Cli][usize::try_from(next(3)).unwrap()];
        one.outcome = OUTCOMES[usize::try_from(next(5)).unwrap()];
        one.risk = one.tool.is_some().then(|| [Risk::Read, Risk::HighWrite][usize::try_from(next(2)).unwrap()]);
        one.event_type = if one.tool.is_some() { EventType::ToolInvocation } else { EventType::Auth };
        made.push(one);
    }
    made
}

fn open(path: &Path) -> (Db, Audit) {
    let db = Db::open(path, Commit::Grouped).unwrap();
    let audit = Audit::new(&db);
    (db, audit)
}

async fn write(db: &Db, events: Vec<Event>) {
    let work = move |tx: &Tx| events.iter().try_for_each(|event| super::append(tx, event).map(drop));
    db.write(work).await.unwrap();
}

/// The rows that pass, counted one by one.
async fn counted(audit: &Audit, filter: &Filter) -> Vec<Entry> {
    audit.find(filter.clone(), 10_000).await.unwrap()
}

fn filters() -> Vec<Filter> {
    let hour = |n: i64, more: i64| Some(Time::from_millis(START + n * HOUR + more));
    let word = |word: &str| Some(word.to_owned());
    let ranges = [
        (None, None),
        (hour(30, 123_456), None),
        (None, hour(800, -1)),
        (hour(100, 0), hour(100, 600_000)),
        (hour(7, 1), hour(1_200, 1_234_567)),
        (hour(90_000, 0), None),
        (Some(Time::from_millis(20_000 * 24 * HOUR)), Some(Time::from_millis(20_008 * 24 * HOUR))),
    ];
    let mut made = Vec::new();
    for (from, to) in ranges {
        let range = Filter { from, to, ..Filter::default() };
        made.push(range.clone());
        made.push(Filter { outcome: word("failure,refused"), ..range.clone() });
        made.push(Filter { tool: word("write"), user: word("ada, mara"), ..range.clone() });
        made.push(Filter { text: word("NOOR"), door: word("chat"), ..range });
    }
    made
}

/// The facet's value of a row, `None` where it has none.
fn value(entry: &Entry, facet: &str) -> Option<String> {
    match facet {
        "outcome" => Some(entry.outcome.clone()),
        "user" => Some(entry.user.clone()),
        "door" => Some(entry.door.clone()),
        "tool" => entry.tool.clone(),
        _ => entry.risk.clone(),
    }
}

async fn same_as_rows(audit: &Audit) {
    for filter in filters() {
        let told = audit.facets(filter.clone()).await.unwrap();
        let rows = counted(audit, &filter).await;
        assert_eq!(
            (told.total, told.among, told.uncounted, told.rounded),
            (i64::try_from(rows.len()).unwrap(), None, 0, false),
            "{filter:?}"
        );
        for (facet, without) in [
            ("outcome", Filter { outcome: None, ..filter.clone() }),
            ("user", Filter { user: None, ..filter.clone() }),
            ("tool", Filter { tool: None, ..filter.clone() }),
            ("risk", filter.clone()),
            ("door", Filter { door: None, ..filter.clone() }),
        ] {
            let mut wanted = BTreeMap::<String, i64>::new();
            for word in counted(audit, &without).await.iter().filter_map(|row| value(row, facet)) {
                *wanted.entry(word).or_default() += 1;
            }
            let found: BTreeMap<String, i64> = serde_json::from_value(told.facets[facet].clone()).unwrap();
            assert_eq!(found, wanted, "{facet} of {filter:?}");
        }
        let over_time = audit.histogram(filter.clone(), Time::from_millis(START + 1_600 * HOUR)).await.unwrap();
        assert!(over_time.bins.len() <= 48);
        let mut bins = vec![(0, 0); over_time.bins.len()];
        for row in &rows {
            let at = (row.time.millis() - over_time.start.millis()) / over_time.every_ms;
            let bin = &mut bins[usize::try_from(at).unwrap()];
            *bin = (bin.0 + 1, bin.1 + i64::from(matches!(row.outcome.as_str(), "failure" | "refused")));
        }
        assert_eq!(over_time.bins.iter().map(|bin| (bin.all, bin.wrong)).collect::<Vec<_>>(), bins, "{filter:?}");
    }
}

#[tokio::test]
async fn counts_facets_and_histogram_are_those_of_the_rows_whatever_the_filter() {
    let dir = tempfile::tempdir().unwrap();
    let (db, audit) = open(&dir.path().join("satchel.db"));
    write(&db, events()).await;
    same_as_rows(&audit).await;
}

#[tokio::test]
async fn an_audit_without_rows_has_no_counts() {
    let dir = tempfile::tempdir().unwrap();
    let (_, audit) = open(&dir.path().join("satchel.db"));
    assert_eq!(audit.facets(Filter::default()).await.unwrap().total, 0);
    let over_time = audit.histogram(Filter::default(), Time::from_millis(START)).await.unwrap();
    assert!(over_time.bins.iter().all(|bin| bin.all == 0));
}

/// The body of the first format, as it was written then.
fn first_body(event: &Event) -> Value {
    let mut body: Value = serde_json::from_str(&event.body().unwrap()).unwrap();
    let fields = body.as_object_mut().unwrap();
    for later in ["approved_by", "edited", "agent", "situation"] {
        fields.shift_remove(later);
    }
    body
}

/// A database of the schema before, with rows of its format.
fn before(path: &Path, events: &[Event]) {
    let c = left_at(path, 22);
    let mut prev = [0_u8; 32];
    for (seq, event) in (1_i64..).zip(events) {
        let hash = chain(&prev, seq, &first_body(event).to_string());
        c.run(
            "INSERT INTO audit (seq, time, event_type, user, tool, door, action, arguments, risk, outcome, duration_ms,
                                prev_hash, hash, user_id)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 3, ?11, ?12, ?13)",
            params![
                seq,
                event.time.millis(),
                event.event_type.as_str(),
                event.user,
                event.tool,
                event.door.as_str(),
                event.action,
                event.arguments.to_string(),
                event.risk.map(Risk::as_str),
                event.outcome.as_str(),
                prev,
                hash,
                event.user_id.map(|id| id.to_string())
            ],
        )
        .unwrap();
        prev = hash;
    }
}

#[tokio::test]
async fn rows_of_the_first_format_verify_before_and_after_the_migration_with_newer_ones_behind_them() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("satchel.db");
    before(&path, &events());
    let now = Time::from_millis(START);
    let unopened = super::verify(&Connection::open_read_only(&path).unwrap(), &[], now).unwrap();
    assert!(unopened.ok, "without the newer columns: {unopened:?}");
    let (db, audit) = open(&path);
    assert!(audit.verify(Vec::new(), now).await.unwrap().ok);
    let edited = vec![Edit { name: "path".to_owned(), from: json!("b.txt"), to: json!("a.txt") }];
    let situation = Situation { agent: Some("assistant".to_owned()), depth: 1, ..Situation::default() };
    write(
        &db,
        vec![Event {
            approved_by: Some("mara".to_owned()),
            edited: edited.clone(),
            agent: Some("reader".to_owned()),
            situation: Some(situation.clone()),
            ..event(START)
        }],
    )
    .await;
    let found = audit.verify(Vec::new(), now).await.unwrap();
    assert_eq!((found.ok, found.entries), (true, 1_501), "{found:?}");
    let last = audit.get(1_501).await.unwrap();
    assert_eq!((last.approved_by.as_deref(), last.edited), (Some("mara"), edited));
    assert_eq!((last.agent.as_deref(), last.situation), (Some("reader"), Some(situation)));
}

#[tokio::test]
async fn who_approved_what_was_edited_and_which_agent_it_was_cannot_be_changed_in_any_format() {
    for change in [
        "UPDATE audit SET approved_by = 'eve' WHERE seq = 1",
        "UPDATE audit SET edited = '[]' WHERE seq = 1",
        "UPDATE audit SET agent = 'eve' WHERE seq = 1",
        "UPDATE audit SET format = 2 WHERE seq = 1",
        "UPDATE audit SET format = 3 WHERE seq = 1",
        "UPDATE audit SET approved_by = 'eve' WHERE seq = 3",
        "UPDATE audit SET edited = NULL WHERE seq = 3",
        "UPDATE audit SET format = 1, approved_by = NULL, edited = NULL WHERE seq = 3",
        "UPDATE audit SET format = 2 WHERE seq = 3",
        "UPDATE audit SET format = 4 WHERE seq = 3",
        "UPDATE audit SET agent = NULL WHERE seq = 3",
        "UPDATE audit SET situation = '{\"depth\":2}' WHERE seq = 3",
        "UPDATE audit SET situation = '{\"depth\": 1}' WHERE seq = 3",
        "UPDATE audit SET situation = '{\"depth\":1,\"depth\":1}' WHERE seq = 3",
        "UPDATE audit SET format = 2, agent = NULL, situation = NULL WHERE seq = 3",
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("satchel.db");
        before(&path, &[event(START), event(START + 1)]);
        let (db, audit) = open(&path);
        let edited = vec![Edit { name: "path".to_owned(), from: json!("b.txt"), to: json!("a.txt") }];
        let (agent, situation) = (Some("reader".to_owned()), Some(Situation { depth: 1, ..Situation::default() }));
        write(&db, vec![Event { approved_by: Some("mara".to_owned()), edited, agent, situation, ..event(START) }])
            .await;
        let raw = Connection::open(&path).unwrap();
        assert!(raw.script(change).is_err(), "the audit is append-only");
        raw.script("DROP TRIGGER audit_is_append_only_update").unwrap();
        raw.script(change).unwrap();
        let found = audit.verify(Vec::new(), Time::from_millis(START)).await.unwrap();
        assert!(found.problem.is_some_and(|problem| problem.contains("was changed")), "{change}");
    }
}

#[tokio::test]
async fn older_rows_are_counted_in_parts_and_until_then_it_is_said_that_they_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("satchel.db");
    let mut all = events();
    let newer = all.split_off(1_200);
    before(&path, &all);
    let (db, audit) = open(&path);
    write(&db, newer).await;
    let told = audit.facets(Filter::default()).await.unwrap();
    assert_eq!((told.total, told.uncounted), (300, 1_200));
    let ranged = Filter { from: Some(Time::from_millis(START - HOUR)), ..Filter::default() };
    assert_eq!(counted(&audit, &ranged).await.len(), 1_500, "the rows themselves are all found");
    while audit.count_older().await.unwrap() {}
    same_as_rows(&audit).await;
    assert!(!audit.count_older().await.unwrap());
    same_as_rows(&audit).await;
}
