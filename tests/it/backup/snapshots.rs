//! Snapshots that are kept, and the way back to one.

#![expect(clippy::disallowed_methods, reason = "looks at data directories")]

use std::{fs, path::Path};

use rusqlite::Connection;
use satchel::store::{backup::snapshots, dir};
use serde_json::json;

use crate::support::program::Home;

fn database(dir: &Path) -> std::path::PathBuf {
    let database = dir::database(dir);
    Connection::open(&database).unwrap().execute_batch("CREATE TABLE IF NOT EXISTS t (x)").unwrap();
    database
}

/// The schema of a data directory's database.
fn schema(data: &Path) -> usize {
    let c = Connection::open(dir::database(data)).unwrap();
    let version: i64 = c.query_row("PRAGMA user_version", (), |row| row.get(0)).unwrap();
    usize::try_from(version).unwrap()
}

fn schemas(dir: &Path) -> Vec<usize> {
    snapshots::list(dir).iter().map(|one| one.schema).collect()
}

#[test]
fn the_snapshot_just_taken_is_the_last_also_where_the_clock_was_put_back() {
    let dir = tempfile::tempdir().unwrap();
    let database = database(dir.path());
    fs::create_dir(dir.path().join("snapshots")).unwrap();
    for schema in 1..=3 {
        let name = format!("snapshots/2999123{}T000000.000Z-schema-{schema}.db", schema % 2);
        fs::copy(&database, dir.path().join(name)).unwrap();
    }
    snapshots::take(&database, 9).unwrap();
    assert_eq!(schemas(dir.path()).first(), Some(&9));
    assert_eq!(schemas(dir.path()).len(), 3);
}

#[test]
fn a_migration_that_fails_at_every_start_leaves_one_snapshot_and_takes_no_others_place() {
    let dir = tempfile::tempdir().unwrap();
    let database = database(dir.path());
    for schema in [3, 4, 5, 5, 5, 5] {
        snapshots::take(&database, schema).unwrap();
    }
    assert_eq!(schemas(dir.path()), [5, 4, 3]);
}

#[test]
fn a_file_of_somebody_elses_is_no_snapshot() {
    let dir = tempfile::tempdir().unwrap();
    let database = database(dir.path());
    snapshots::take(&database, 2).unwrap();
    for name in ["before-schema-3.db", "left-schema-4.db", "20261340T000000.000Z-schema-5.db", "x-schema-6.db"] {
        fs::copy(&database, dir.path().join("snapshots").join(name)).unwrap();
    }
    assert_eq!(schemas(dir.path()), [2]);
}

#[tokio::test]
async fn a_rollback_is_in_the_audit_and_leaves_one_that_stands() {
    let home = Home::new().await;
    let data = home.path();
    let schema = schema(&data);
    snapshots::take(&dir::database(&data), schema).unwrap();
    let memory = r#"{"content": "The mill opens at seven", "category": "general"}"#;
    assert_eq!(home.run(&["call", "save_memory", memory, "--yes"]).await.code, 0);
    let anchor = home.json(&["audit", "anchor"]).await;
    let told = home.run(&["rollback", "--yes"]).await;
    assert!(told.code == 0 && told.out.contains("were set aside"), "{told:?}");
    let aside = fs::read_to_string(data.join("anchors.left.jsonl")).unwrap();
    assert!(aside.contains(anchor["hash"].as_str().unwrap()), "{aside}");
    assert_eq!(home.run(&["tools"]).await.code, 0);
    let verified = home.run(&["audit", "verify"]).await;
    assert!(verified.code == 0 && verified.out.starts_with("The chain stands"), "{verified:?}");
    let c = Connection::open(dir::database(&data)).unwrap();
    let sql = "SELECT count(*), max(arguments) FROM audit WHERE action = 'rollback' AND person = 'command line'";
    let (rows, told): (i64, String) = c.query_row(sql, (), |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!((rows, &told["from_schema"]), (1, &json!(schema)));
    assert!(told["left"]["seq"].as_i64() >= anchor["seq"].as_i64(), "{told}");
    assert!(!data.join("unrecorded.jsonl").exists());
}

#[tokio::test]
async fn no_way_back_lets_in_who_was_shut_out_since() {
    let home = Home::new().await;
    let data = home.path();
    let make = async |name: &str| {
        let told = home.run(&["key", "create", "--user", "owner", "--name", name]).await;
        assert_eq!(told.code, 0, "{told:?}");
    };
    let keys = || {
        let c = Connection::open(dir::database(&data)).unwrap();
        let mut names = c.prepare("SELECT name FROM api_keys ORDER BY name").unwrap();
        let names = names.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect::<Vec<String>>();
        let sessions: i64 = c.query_row("SELECT count(*) FROM sessions", (), |row| row.get(0)).unwrap();
        (names, sessions)
    };
    make("kept").await;
    make("lost").await;
    let session = "INSERT INTO sessions (id, hash, person, user_agent, address, created_at, expires_at, last_seen_at)
                   SELECT '01900000-0000-7000-8000-0000000000aa', x'00', id, '', '', 1, 9e15, 1 FROM users";
    let c = Connection::open(dir::database(&data)).unwrap();
    c.execute(session, ()).unwrap();
    snapshots::take(&dir::database(&data), schema(&data)).unwrap();
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("x.age");
    assert_eq!(home.run(&["backup", file.to_str().unwrap()]).await.code, 0);
    c.execute("DELETE FROM api_keys WHERE name = 'lost'", ()).unwrap();
    drop(c);
    make("later").await;
    let told = home.run(&["rollback", "--yes"]).await;
    assert!(told.code == 0 && told.out.contains("1 API key that had been revoked since stays so"), "{told:?}");
    assert_eq!(keys(), (vec!["kept".to_owned()], 0));
    fs::remove_dir_all(&data).unwrap();
    let told = home.run(&["restore", file.to_str().unwrap()]).await;
    assert!(told.code == 0 && told.out.contains("2 API keys are good again"), "{told:?}");
    assert_eq!(keys(), (vec!["kept".to_owned(), "lost".to_owned()], 0));
}

#[tokio::test]
async fn without_a_database_nothing_is_gone_back_from_and_none_is_made() {
    let home = Home::new().await;
    let database = dir::database(&home.path());
    let schema = schema(&home.path());
    snapshots::take(&database, schema).unwrap();
    fs::remove_file(&database).unwrap();
    let told = home.run(&["rollback", "--yes"]).await;
    assert!(told.code == 1 && told.err.contains("There is no database"), "{told:?}");
    assert!(!database.exists());
    assert_eq!(schemas(&home.path()), [schema]);
}

#[tokio::test]
async fn a_snapshot_that_is_empty_or_cut_is_passed_over() {
    let (home, taken) = (Home::new().await, "20260101T000000.000Z");
    let (data, schema) = (home.path(), schema(&home.path()));
    let folder = data.join("snapshots");
    snapshots::take(&dir::database(&data), schema).unwrap();
    let whole = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let older = folder.join(format!("{taken}-schema-{schema}.db"));
    fs::rename(&whole, &older).unwrap();
    let bytes = fs::read(&older).unwrap();
    // As a kill left them that came while they were taken: their names are later ones.
    fs::write(folder.join(format!("20270101T000000.000Z-schema-{schema}.db")), &bytes[..bytes.len() / 2]).unwrap();
    fs::write(folder.join(format!("20280101T000000.000Z-schema-{schema}.db")), "").unwrap();
    let told = home.run(&["rollback", "--yes"]).await;
    assert!(told.code == 0 && !older.exists(), "{told:?}");
    assert_eq!(fs::read(dir::database(&data)).unwrap(), bytes);
    let told = home.run(&["rollback", "--yes"]).await;
    assert!(told.code == 1 && told.err.contains("None of the 2 snapshots"), "{told:?}");
    assert_eq!(fs::read(dir::database(&data)).unwrap(), bytes);
}

#[test]
fn what_a_kill_left_of_a_snapshot_is_none_and_goes_with_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let database = database(dir.path());
    fs::create_dir(dir.path().join("snapshots")).unwrap();
    let part = dir.path().join("snapshots/20260101T000000.000Z-schema-4.db.part");
    fs::write(&part, "half").unwrap();
    assert_eq!(schemas(dir.path()), Vec::<usize>::new());
    snapshots::take(&database, 5).unwrap();
    assert_eq!(schemas(dir.path()), [5]);
    assert!(!part.exists());
}
