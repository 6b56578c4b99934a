//! Every statement of the store prepares on PostgreSQL, too, on a schema that is this one but for the names of types. Nothing
//! of the program connects to one yet; what is written meanwhile stays fit for it.
//!
//! A statement that is one literal, with its constants, is read from the source. Of one that is put together as it runs, the
//! text is taken that the store traces while `deeds` does a little of everything; where none was seen, the test fails.
//!
//! It does not see other forms of a statement that is put together, nor triggers, nor that a statement means something
//! else there: how texts are ordered and divided, what `LIKE` takes for the same letter.

mod deeds;
mod schema;
mod server;
mod statements;
mod trace;

use std::collections::BTreeSet;

use satchel::store::dir;

use self::{server::Postgres, statements::Text};
use crate::support::app::TestApp;

/// Statements that are SQLite's alone on purpose: their file, a part of them, and why.
const OWN: [(&str, &str, &str); 1] =
    [("src/store/backup/snapshots.rs", "strftime(", "names a copy of SQLite's file after the time it is made")];

/// Types that the seam reads. Others do not fit what SQLite gives at the same place.
const READ: [&str; 7] = ["bigint", "integer", "boolean", "double precision", "text", "json", "bytea"];

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(not(has_postgres), ignore = "PostgreSQL is not installed: apt-get install postgresql")]
async fn every_statement_of_the_store_prepares_on_postgresql() {
    let traced = trace::begin();
    let app = TestApp::start().await;
    deeds::a_little_of_everything(&app).await;
    let traced = traced.statements();
    let schema = schema::translated(&dir::database(app.dir.path()));
    app.satchel.stop().await;

    let (written, composed): (Vec<Text>, Vec<Text>) = statements::written().into_iter().partition(Text::is_whole);
    let unseen: Vec<&Text> = composed.iter().filter(|text| !traced.iter().any(|sql| text.is_form_of(sql))).collect();
    assert!(unseen.is_empty(), "have 'deeds' run these, so that there is a text of them: {unseen:#?}");

    let is_own = |text: &Text| OWN.iter().any(|(file, part, _)| text.is_in(file) && text.holds(part));
    let needless: Vec<_> =
        OWN.iter().filter(|(file, part, _)| !written.iter().any(|t| t.is_in(file) && t.holds(part))).collect();
    assert!(needless.is_empty(), "these are gone: {needless:?}");
    let all: BTreeSet<String> = written.iter().filter(|text| !is_own(text)).map(Text::sql).chain(traced).collect();
    assert!(all.len() > 400, "only {} statements were found", all.len());

    let server = Postgres::start();
    let faults = server.run(&schema);
    assert!(faults.is_empty(), "the schema: {faults:#?}");
    let all: Vec<String> = all.iter().map(|sql| statements::translated(sql)).collect();
    let mut faults = Vec::new();
    for (sql, described) in all.iter().zip(server.describe(&all)) {
        match described {
            Err(fault) => faults.push(format!("{fault}\n    {sql}")),
            Ok(columns) => faults.extend(
                columns
                    .iter()
                    .filter(|(_, kind)| !READ.contains(&kind.as_str()))
                    .map(|(name, kind)| format!("'{name}' is {kind}: cast it\n    {sql}")),
            ),
        }
    }
    assert!(faults.is_empty(), "{} of {} statements:\n{}", faults.len(), all.len(), faults.join("\n"));
}
