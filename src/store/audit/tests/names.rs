//! Made-up names make no kinds, and the rows under them are counted all the same.

use super::*;

/// A call of a tool that was not found.
fn unknown(tool: &str, time: i64) -> Event {
    let outcome = AuditOutcome::Failure;
    Event { tool: Some(tool.to_owned()), risk: None, outcome, user_id: Some(UserId::default()), ..event(time) }
}

/// A failed try to sign in.
fn stranger(user: &str, time: i64) -> Event {
    let (event_type, outcome) = (EventType::Auth, AuditOutcome::Failure);
    Event { event_type, user: user.to_owned(), tool: None, risk: None, outcome, ..event(time) }
}

async fn kinds(db: &Db) -> i64 {
    let sql = "SELECT count(*) FROM audit_kinds";
    db.read(move |tx| tx.one(sql, ())).await.unwrap()
}

fn of(user: Option<&str>, tool: Option<&str>) -> Filter {
    Filter { user: user.map(str::to_owned), tool: tool.map(str::to_owned), ..Filter::default() }
}

/// Facets and histogram of a filter come to what its rows do. Returns how many those are.
async fn exact(audit: &Audit, filter: Filter) -> usize {
    let rows = counted(audit, &filter).await.len();
    let told = audit.facets(filter.clone()).await.unwrap();
    let over_time = audit.histogram(filter.clone(), Time::from_millis(START + 200 * HOUR)).await.unwrap();
    let sum: i64 = over_time.bins.iter().map(|bin| bin.all).sum();
    let wanted = i64::try_from(rows).unwrap();
    assert_eq!((told.total, sum), (wanted, wanted), "{filter:?}");
    rows
}

#[tokio::test]
async fn tools_that_were_not_found_are_one_kind_and_counted_where_they_are_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let (db, audit) = open(&dir.path().join("satchel.db"));
    let mut all: Vec<Event> = (0..10).map(|n| event(START + n * HOUR)).collect();
    all.extend((0..50).map(|n| unknown(&format!("made-up-{}", n % 25), START + n * HOUR)));
    write(&db, all).await;
    assert_eq!(kinds(&db).await, 2, "one that succeeded, one that was not found");
    let told = audit.facets(Filter::default()).await.unwrap();
    assert_eq!((told.total, &told.facets["tool"]), (60, &json!({"builtin:write": 10})));
    let told = audit.facets(of(None, Some("made-up-7"))).await.unwrap();
    assert_eq!(told.facets["tool"], json!({"builtin:write": 10, "made-up-7": 2}));
    assert_eq!((&told.facets["outcome"], &told.facets["user"]), (&json!({"failure": 2}), &json!({"ada": 2})));
    let recent = Filter { from: Some(Time::from_millis(START + 20 * HOUR + 1)), ..of(None, Some("made-up-7")) };
    let worked = Filter { outcome: Some("success".to_owned()), ..of(None, Some("made-up-7")) };
    let mut found = Vec::new();
    for filter in [of(None, Some("made-up-7")), recent, worked, of(Some("ada"), None), of(Some("noor"), None)] {
        found.push(exact(&audit, filter).await);
    }
    assert_eq!(found, [2, 1, 0, 60, 0]);
    // From the first time that there is one it counts by its name, and what was before is not forgotten.
    write(&db, vec![Event { tool: Some("made-up-7".to_owned()), ..event(START) }]).await;
    write(&db, vec![unknown("made-up-7", START)]).await;
    assert_eq!(exact(&audit, of(None, Some("made-up-7"))).await, 4);
    assert_eq!(kinds(&db).await, 4);
}

#[tokio::test]
async fn names_nobody_has_signed_in_under_make_no_kinds() {
    let dir = tempfile::tempdir().unwrap();
    let (db, audit) = open(&dir.path().join("satchel.db"));
    let mut all = vec![event(START), stranger("ada", START)];
    all.extend((0..30).map(|n| stranger(&format!("guess-{}", n % 10), START + n * HOUR)));
    write(&db, all).await;
    assert_eq!(kinds(&db).await, 3, "her call, her failure and everybody else's");
    assert_eq!(audit.facets(Filter::default()).await.unwrap().facets["user"], json!({"ada": 2}));
    let mut found = Vec::new();
    for user in ["ada", "guess-3", "guess-3,ada", "nobody"] {
        found.push(exact(&audit, of(Some(user), None)).await);
    }
    assert_eq!(found, [2, 3, 5, 0]);
}

#[tokio::test]
async fn where_there_are_too_many_kinds_new_people_and_tools_are_counted_all_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let (db, audit) = open(&dir.path().join("satchel.db"));
    write(&db, vec![event(START)]).await;
    let fill = "WITH RECURSIVE n (n) AS (VALUES (2) UNION ALL SELECT n + 1 FROM n WHERE n < ?1)
                INSERT INTO audit_kinds (id, event_type, outcome, risk, door, person, tool)
                SELECT n, 'tool_invocation', 'success', 'read', 'api', 'person ' || n, 'builtin:read' FROM n";
    db.write(move |tx| tx.run(fill, [crate::audit::kinds::MOST])).await.unwrap();
    let full = kinds(&db).await;
    let someone =
        |user: &str, tool: &str, time| Event { user: user.to_owned(), tool: Some(tool.to_owned()), ..event(time) };
    let news = [("mara", "builtin:write"), ("ada", "script:new"), ("mara", "script:new"), ("ada", "builtin:write")];
    for (n, (user, tool)) in (0..).zip(news) {
        write(&db, (0..=n).map(|hours| someone(user, tool, START + hours * HOUR)).collect()).await;
    }
    assert_eq!(kinds(&db).await, full + 1, "one for all that is new");
    let mut found = Vec::new();
    for (user, tool) in [
        (None, None),
        (Some("mara"), None),
        (None, Some("script:new")),
        (Some("mara"), Some("script:new")),
        (Some("ada"), Some("write")),
        (Some("mara,ada"), Some("builtin:write")),
    ] {
        found.push(exact(&audit, of(user, tool)).await);
    }
    assert_eq!(found, [11, 4, 5, 3, 5, 6]);
    let told = audit.facets(of(Some("mara"), None)).await.unwrap();
    assert_eq!(told.facets["tool"], json!({"script:new": 3, "builtin:write": 1}));
}
