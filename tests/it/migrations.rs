//! A database of each earlier schema, with rows in it, is opened by the whole program: nothing of it is lost, and there is a
//! way back.

#![expect(clippy::disallowed_methods, reason = "makes databases of earlier versions")]

mod rows;

use std::{collections::BTreeMap, fs, ops::RangeInclusive, path::Path};

use include_dir::{Dir, include_dir};
use rusqlite::{Connection, Row};
use rusqlite_migration::Migrations;
use satchel::{
    boot::Satchel,
    model::{
        audit::{Event, EventType},
        caller::Door,
        error::Kind,
        secret::Secret,
        time::Time,
    },
    store::{
        backup::{rollback::Rollback, snapshots},
        dir,
    },
};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::support::app::{TestApp, config};

static MIGRATIONS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/migrations");

/// Tables whose rows belong to people: an upgrade and a start leave them as many as they were.
const KEPT: [&str; 15] = [
    "users",
    "api_keys",
    "conversations",
    "messages",
    "former_answers",
    "steps",
    "memories",
    "lists",
    "list_items",
    "documents",
    "chunks",
    "systems",
    "endpoints",
    "script_versions",
    "processes",
];

/// Secrets from before the schema said which of them are plain settings: the second is one.
const SECRETS: [(&str, &str); 2] = [("backup", "passphrase"), ("tool:web_search", "base_url")];

/// The number of migrations there are.
pub fn newest() -> usize {
    MIGRATIONS.dirs().count()
}

/// A database as the version with `schema` migrations left it, which came to it migration by migration.
pub fn made(path: &Path, schema: usize) {
    let mut c = Connection::open(path).unwrap();
    c.pragma_update(None, "journal_mode", "WAL").unwrap();
    c.pragma_update(None, "foreign_keys", true).unwrap();
    let migrations = Migrations::from_directory(&MIGRATIONS).unwrap();
    for number in 1..=schema {
        migrations.to_version(&mut c, number).unwrap();
        for (at, sql) in rows::ROWS {
            if *at == number {
                c.execute_batch(&sql.replace("NOW", "1795000000000")).unwrap_or_else(|e| panic!("{number}: {e}"));
            }
        }
        match number {
            3 => audit(&c, 1..=3),
            23 => audit(&c, 4..=4),
            _ => {}
        }
    }
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
}

/// A secret as it was sealed before there was anything else: two rows of a vault and the key they are sealed with.
struct Vault {
    key: Vec<u8>,
    rows: Vec<Sealed>,
}

/// Owner, name, the id of the key, the wrapped key of its own, the secret.
type Sealed = (String, String, String, Vec<u8>, Vec<u8>);

/// Returns what the vault of a data directory has.
async fn vault() -> Vault {
    let app = TestApp::start().await;
    let handles = &app.satchel.app;
    for (owner, name) in SECRETS {
        handles
            .stores
            .vault
            .put(owner, name, Secret::new(format!("{owner} {name}")), handles.clock.now())
            .await
            .unwrap();
    }
    let c = Connection::open(dir::database(app.dir.path())).unwrap();
    let mut rows = c.prepare("SELECT owner, name, kek, wrapped, sealed FROM vault").unwrap();
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?));
    let rows: Vec<Sealed> = rows.query_map((), read).unwrap().map(|row| row.unwrap()).collect();
    Vault { key: fs::read(app.dir.path().join("secret.key")).unwrap(), rows }
}

impl Vault {
    /// Puts it into a database whose schema has one, and the key beside it.
    fn put(&self, database: &Path) {
        let c = Connection::open(database).unwrap();
        for row in &self.rows {
            let sql =
                "INSERT INTO vault (owner, name, kek, wrapped, sealed, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, 1)";
            c.execute(sql, row.clone()).unwrap();
        }
        let key = database.with_file_name("secret.key");
        fs::write(&key, &self.key).unwrap();
        fs::set_permissions(key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    }
}

/// Returns the part of a row that the hash covered before these were in it.
fn without(event: &Event, later: &[&str]) -> String {
    let mut body: Map<String, Value> = serde_json::from_str(&event.body().unwrap()).unwrap();
    for later in later {
        body.shift_remove(*later).unwrap();
    }
    Value::Object(body).to_string()
}

/// Entries of an audit that stands, in the format of their time: the first three came before approvals.
fn audit(c: &Connection, seqs: RangeInclusive<i64>) {
    let last = "SELECT hash FROM audit ORDER BY seq DESC LIMIT 1";
    let mut prev: Vec<u8> = c.query_row(last, (), |row| row.get(0)).unwrap_or_else(|_| vec![0; 32]);
    for seq in seqs {
        let is_first_format = seq <= 3;
        let event = Event {
            user: "mara".to_owned(),
            approved_by: (!is_first_format).then(|| "mara".to_owned()),
            ..Event::new(Time::from_millis(1_795_000_000_000 + seq), EventType::Auth, Door::Api, "login")
        };
        let mut digest = Sha256::new();
        digest.update(&prev);
        digest.update(seq.to_be_bytes());
        let later: &[&str] = &["agent", "situation", "approved_by", "edited"];
        digest.update(without(&event, if is_first_format { later } else { &later[..2] }));
        let hash = digest.finalize().to_vec();
        let (columns, values) = if is_first_format { ("", "") } else { (", format, approved_by", ", 2, 'mara'") };
        let sql = format!(
            "INSERT INTO audit (seq, time, event_type, user, door, action, arguments, outcome, prev_hash, hash{columns})
             VALUES (?1, ?2, 'auth', 'mara', 'api', 'login', '{{}}', 'success', ?3, ?4{values})"
        );
        c.execute(&sql, (seq, event.time.millis(), &prev, &hash)).unwrap();
        prev = hash;
    }
}

fn counts(path: &Path) -> BTreeMap<String, i64> {
    let c = Connection::open(path).unwrap();
    let there = |table: &&str| {
        c.query_row("SELECT count(*) FROM sqlite_schema WHERE name = ?1", [table], |row| row.get::<_, i64>(0)).unwrap()
            > 0
    };
    let count = |table: &str| c.query_row(&format!("SELECT count(*) FROM {table}"), (), |row| row.get(0)).unwrap();
    KEPT.iter().filter(|table| there(table)).map(|table| ((*table).to_owned(), count(table))).collect()
}

/// The schema of a database.
pub fn schema(path: &Path) -> usize {
    let version: i64 =
        Connection::open(path).unwrap().pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    usize::try_from(version).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_earlier_schema_is_brought_up_to_date_with_everything_in_it() {
    let vault = vault().await;
    for number in 1..=newest() {
        let dir = tempfile::tempdir().unwrap();
        let database = dir::database(dir.path());
        made(&database, number);
        if (2..=20).contains(&number) {
            vault.put(&database);
        }
        let before = counts(&database);
        let app = TestApp::start_in(dir).await;
        let path = dir::database(app.dir.path());
        let after = counts(&path);
        for (table, rows) in &before {
            assert_eq!(after.get(table), Some(rows), "{table} of schema {number}");
        }
        let c = Connection::open(&path).unwrap();
        let whole: String = c.query_row("PRAGMA integrity_check", (), |row| row.get(0)).unwrap();
        assert_eq!(whole, "ok", "{number}");
        assert!(!c.prepare("PRAGMA foreign_key_check").unwrap().exists(()).unwrap(), "{number}");
        assert_eq!(schema(&path), newest());
        let handles = &app.satchel.app;
        let verified = handles.stores.audit.verify(Vec::new(), handles.clock.now()).await.unwrap();
        assert!(
            verified.ok && (number < 3 || verified.entries >= if number < 23 { 3 } else { 4 }),
            "{number}: {verified:?}"
        );
        let owner = app.owner().await.caller;
        if number >= 7 {
            let found = app.data(&owner, "recall_memories", json!({"query": "heron"})).await.unwrap();
            assert!(found.to_string().contains("stands at the weir"), "{number}: {found}");
        }
        if (2..=20).contains(&number) {
            for (owner, name) in SECRETS {
                let secret = handles.stores.vault.get(owner, name).await.unwrap().unwrap();
                assert_eq!(secret.expose(), format!("{owner} {name}"), "{number}");
            }
            let plain = "SELECT name FROM vault WHERE plain = 1";
            assert_eq!(c.query_row(plain, (), |row| row.get::<_, String>(0)).unwrap(), "base_url", "{number}");
        }
        let taken: Vec<usize> = snapshots::list(app.dir.path()).iter().map(|one| one.schema).collect();
        assert_eq!(taken, if number < newest() { vec![number] } else { Vec::new() });
        app.satchel.stop().await;
    }
}

#[test]
fn lists_within_a_column_become_rows() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("satchel.db");
    made(&path, 34);
    let mut c = Connection::open(&path).unwrap();
    let before = r#"INSERT INTO roles VALUES ('warden', '[]', 0);
        INSERT INTO collections (id, name, name_key, description, roles, created_at, updated_at)
        VALUES ('a', 'Open', 'open', '', NULL, 1, 1), ('b', 'Closed', 'closed', '', '[]', 1, 1),
               ('c', 'Some', 'some', '', '["warden", "administrator"]', 1, 1);
        UPDATE graph_nodes SET labels = '["Place", "Dam"]' WHERE number = 1;"#;
    c.execute_batch(before).unwrap();
    Migrations::from_directory(&MIGRATIONS).unwrap().to_latest(&mut c).unwrap();
    let rows = |sql: &str| -> Vec<String> {
        let mut statement = c.prepare(sql).unwrap();
        statement.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let collections = "SELECT k.name || ' ' || k.restricted || ' ' || coalesce((
                         SELECT string_agg(o.role, ',' ORDER BY o.position) FROM collection_roles o
                         WHERE o.collection = k.number), '') FROM collections k ORDER BY k.name";
    assert_eq!(rows(collections), ["Closed 1 ", "General 0 ", "Open 0 ", "Some 1 warden,administrator"]);
    assert_eq!(rows("SELECT word FROM memory_words WHERE memory = 1 ORDER BY word"), ["heron", "stand", "weir"]);
    assert_eq!(rows("SELECT label FROM graph_labels WHERE node = 1 ORDER BY label"), ["Dam", "Place"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_snapshot_is_gone_back_to_once_nothing_runs() {
    let number = newest() - 1;
    let dir = tempfile::tempdir().unwrap();
    let database = dir::database(dir.path());
    made(&database, number);
    let before = counts(&database);
    let app = TestApp::start_in(dir).await;
    let Err(running) = Rollback::open(app.dir.path()) else { panic!("went back under a running Satchel") };
    assert!(running.message().starts_with("Another Satchel is using"), "{running}");
    let owner = app.owner().await.caller;
    let memory = json!({"content": "written since", "category": "general"});
    app.data(&owner, "save_memory", memory).await.unwrap();
    app.satchel.stop().await;
    // What was said before may have become a memory of its own meanwhile.
    let since = counts(&dir::database(app.dir.path()))["memories"] - before["memories"];
    assert!(since >= 1, "{since}");
    let rollback = Rollback::open(app.dir.path()).unwrap();
    let lost = rollback.loss().rows.iter().find(|(table, _)| table == "memories").cloned();
    assert_eq!((lost, rollback.loss().schema), (Some(("memories".to_owned(), since)), newest()));
    let left = rollback.run().unwrap();
    let database = dir::database(app.dir.path());
    assert_eq!((schema(&database), counts(&database)), (number, before));
    assert_eq!(counts(&left.database)["memories"], 1 + since);
    let Err(none) = Rollback::open(app.dir.path()) else { panic!("went back twice") };
    assert!(none.message().contains("no snapshot"), "{none}");
    // And forward again.
    let app = TestApp::start_in(app.dir).await;
    assert_eq!(snapshots::list(app.dir.path()).len(), 1);
    app.satchel.stop().await;
}

#[tokio::test]
async fn three_snapshots_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let database = dir::database(dir.path());
    for number in 1..=5 {
        for part in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(dir.path().join(format!("satchel.db{part}")));
        }
        made(&database, number);
        snapshots::take(&database, number).unwrap();
    }
    let kept: Vec<usize> = snapshots::list(dir.path()).iter().map(|one| one.schema).collect();
    assert_eq!(kept, [5, 4, 3]);
}

#[tokio::test]
async fn a_newer_schema_is_refused_before_anything_is_done() {
    let dir = tempfile::tempdir().unwrap();
    let database = dir::database(dir.path());
    made(&database, newest());
    Connection::open(&database).unwrap().pragma_update(None, "user_version", 999).unwrap();
    let Err(error) = Satchel::start(config(&dir)).await else { panic!("started") };
    assert!(error.kind() == Kind::Conflict && error.message().contains("newer Satchel"), "{error}");
    assert!(snapshots::list(dir.path()).is_empty());
}
