//! Many rows in little time: they are counted, not read.

use std::path::Path;

use super::{super::stretches::MINUTE, *};

/// An hour's first moment.
const FIRST: i64 = 20_000 * 24 * HOUR;

/// The time of the n-th of so many rows that lie evenly over a time.
fn at(n: i64, rows: i64, lasting: i64) -> i64 {
    FIRST + n * lasting / rows
}

/// An audit of so many rows, every tenth a failure, every second by mara. The first five are of a conversation, and one of
/// those of a call.
async fn filled(path: &Path, rows: i64, lasting: i64) -> (Db, Audit) {
    left_at(path, 22)
        .run(
            "WITH RECURSIVE n (n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM n WHERE n + 1 < ?1)
             INSERT INTO audit (seq, time, event_type, user_id, user, topic, tool, door, action, arguments, risk, outcome,
                                call_id, prev_hash, hash)
             SELECT n + 1, ?2 + n * ?3 / ?1, 'tool_invocation', NULL, iif(n % 2, 'mara', 'ada'), iif(n < 5, ?4, NULL),
                    'builtin:read', 'api', 'invoke', '{}', 'read', iif(n % 10, 'success', 'failure'),
                    iif(n = 3, ?5, NULL), zeroblob(32), zeroblob(32)
             FROM n",
            (rows, FIRST, lasting, TALK, CALL),
        )
        .unwrap();
    let (db, audit) = open(path);
    while audit.count_older().await.unwrap() {}
    (db, audit)
}

const TALK: &str = "0199a1b2-0000-7000-8000-000000000001";
const CALL: &str = "0199a1b2-0000-7000-8000-000000000002";

fn range(from: i64, to: i64) -> Filter {
    Filter { from: Some(Time::from_millis(from)), to: Some(Time::from_millis(to)), ..Filter::default() }
}

#[tokio::test]
async fn a_quarter_of_a_million_rows_in_two_hours_are_counted_exactly() {
    const ROWS: i64 = 250_000;
    let dir = tempfile::tempdir().unwrap();
    let (_db, audit) = filled(&dir.path().join("satchel.db"), ROWS, 2 * HOUR).await;
    let now = Time::from_millis(FIRST + 2 * HOUR - 1);
    let ends = [(0, 120 * MINUTE), (17 * MINUTE + 1, 91 * MINUTE + 12_345), (61 * MINUTE, 62 * MINUTE)];
    for (from, to) in ends.map(|(from, to)| (FIRST + from, FIRST + to)) {
        for user in [None, Some("mara")] {
            let filter = Filter { user: user.map(str::to_owned), ..range(from, to) };
            let fits = |n: &i64| (from..to).contains(&at(*n, ROWS, 2 * HOUR)) && (user.is_none() || n % 2 == 1);
            let all = i64::try_from((0..ROWS).filter(fits).count()).unwrap();
            let failed = i64::try_from((0..ROWS).filter(fits).filter(|n| n % 10 == 0).count()).unwrap();
            let told = audit.facets(filter.clone()).await.unwrap();
            assert_eq!((told.total, told.among, told.rounded), (all, None, false), "{filter:?}");
            assert_eq!(told.facets["outcome"].get("failure").cloned().unwrap_or(json!(0)), json!(failed));
            let over_time = audit.histogram(filter.clone(), now).await.unwrap();
            let sums = over_time.bins.iter().fold((0, 0), |sums, bin| (sums.0 + bin.all, sums.1 + bin.wrong));
            assert_eq!((sums, over_time.among, over_time.rounded), ((all, failed), None, false), "{filter:?}");
            assert!(over_time.every_ms == 5 * MINUTE || to - from < 5 * MINUTE, "minutes are read, five are counted");
        }
    }
}

#[tokio::test]
async fn an_end_within_five_crowded_minutes_is_rounded_and_that_is_said() {
    const ROWS: i64 = 20_000;
    let dir = tempfile::tempdir().unwrap();
    let (db, audit) = filled(&dir.path().join("satchel.db"), ROWS, 4 * MINUTE).await;
    write(&db, vec![event(FIRST + 20 * MINUTE)]).await;
    let (from, now) = (FIRST + MINUTE, Time::from_millis(FIRST + HOUR));
    let told = audit.facets(range(from, FIRST + HOUR)).await.unwrap();
    assert_eq!((told.total, told.among, told.rounded), (ROWS + 1, None, true));
    let over_time = audit.histogram(range(from, FIRST + HOUR), now).await.unwrap();
    let sum: i64 = over_time.bins.iter().map(|bin| bin.all).sum();
    assert_eq!((sum, over_time.among, over_time.rounded), (ROWS + 1, None, true));
    // Within five minutes there is nothing but the rows.
    let told = audit.facets(range(from, from + MINUTE)).await.unwrap();
    assert_eq!((told.total, told.among, told.rounded), (ROWS / 4, None, false));
}

#[tokio::test]
async fn a_conversation_and_a_call_are_counted_exactly_however_many_rows_came_after() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("satchel.db");
    let (_db, audit) = filled(&path, 100_100, HOUR).await;
    let word = |word: &str| Some(word.to_owned());
    for (filter, rows) in [
        (Filter { topic: word(TALK), ..Filter::default() }, vec![5, 4, 3, 2, 1]),
        (Filter { topic: word(TALK), user: word("mara"), ..Filter::default() }, vec![4, 2]),
        (Filter { text: word(CALL), ..Filter::default() }, vec![4]),
        (Filter { text: word(CALL), ..range(FIRST + MINUTE, FIRST + HOUR) }, vec![]),
    ] {
        let found: Vec<i64> = audit.find(filter.clone(), 10).await.unwrap().iter().map(|row| row.seq).collect();
        assert_eq!(found, rows, "{filter:?}");
        let told = audit.facets(filter.clone()).await.unwrap();
        assert_eq!((told.total, told.among), (i64::try_from(rows.len()).unwrap(), None), "{filter:?}");
    }
    // A text that may stand anywhere is looked for in the newest rows, which is said.
    let told = audit.facets(Filter { text: word("mara"), ..Filter::default() }).await.unwrap();
    assert_eq!((told.total, told.among), (50_000, Some(100_000)));
}

#[tokio::test]
async fn rows_of_a_conversation_and_of_a_call_are_found_by_an_index() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("satchel.db");
    let (db, _audit) = filled(&path, 10, HOUR).await;
    for (filter, index) in [
        (Filter { topic: Some(TALK.to_owned()), ..Filter::default() }, "audit_topic"),
        (Filter { text: Some(CALL.to_owned()), ..Filter::default() }, "audit_call"),
        (Filter { tool: Some("builtin:read".to_owned()), ..Filter::default() }, "audit_tool"),
    ] {
        let plan = db.read(move |tx| {
            let (condition, bound) = filter.resolve(tx)?.clause(None);
            let sql = format!("EXPLAIN QUERY PLAN SELECT * FROM audit WHERE {condition} ORDER BY seq DESC LIMIT 50");
            tx.all(&sql, bound, |row| row.get::<String>("detail"))
        });
        let plan = plan.await.unwrap();
        assert!(plan.len() == 1 && plan[0].contains(index), "{index}: {plan:?}");
    }
}
