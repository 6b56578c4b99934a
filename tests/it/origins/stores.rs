//! The lists: every table says where its rows came from, or why it need not, and every tool that changes something says
//! where.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;
use satchel::{
    model::spec::{Risk, Source},
    store::dir,
};

use crate::support::app::TestApp;

/// Columns that hold the origin of a row.
const ORIGINS: [&str; 3] = ["origin", "outside", "tainted_by"];

/// Tables that say nothing of where their rows came from, and why they need not.
const WITHOUT: &[(&str, &str)] = &[
    ("roles", PEOPLE),
    ("users", PEOPLE),
    ("sessions", PEOPLE),
    ("known_networks", PEOPLE),
    ("departures", PEOPLE),
    ("api_keys", PEOPLE),
    ("settings", PEOPLE),
    ("vault", PEOPLE),
    ("providers", PEOPLE),
    ("environment_provider", PEOPLE),
    ("folders", PEOPLE),
    ("script_grants", PEOPLE),
    ("script_consents", PEOPLE),
    ("audit", "whatever is not known to be the reader's own words counts as from outside"),
    ("audit_kinds", FIGURES),
    ("audit_unnamed", FIGURES),
    ("audit_counts", FIGURES),
    ("audit_totals", FIGURES),
    ("audit_uncounted", FIGURES),
    ("tool_outcomes", FIGURES),
    ("spending", FIGURES),
    ("tool_spending", FIGURES),
    ("prices", PEOPLE),
    ("program_calls", "its program has the origin"),
    ("skill_files", "its skill has the origin"),
    ("active_skills", CONVERSATION),
    ("graph_usage", FIGURES),
    ("graph_reads", FIGURES),
    ("uses", FIGURES),
    ("versions", FIGURES),
    ("agents", PEOPLE),
    ("agent_shares", PEOPLE),
    ("agent_usage", FIGURES),
    ("nodes", FIGURES),
    ("egress", FIGURES),
    ("open_calls", CONVERSATION),
    ("tickets", CONVERSATION),
    ("approvals", CONVERSATION),
    ("promotions", CONVERSATION),
    ("turns", CONVERSATION),
    ("messages", CONVERSATION),
    ("responses", CONVERSATION),
    ("repeatable_requests", "answers that go back to the program that asked, and to no model"),
    ("attachments", CONVERSATION),
    ("message_attachments", CONVERSATION),
    ("former_answers", CONVERSATION),
    ("queued_messages", CONVERSATION),
    ("hook_messages", "numbers of messages"),
    ("steps", CONVERSATION),
    ("passages", CONVERSATION),
    ("citations", CONVERSATION),
    ("needs", "what was asked for, compared by its meaning and told to no model"),
    ("need_tools", "which tools met a need, by name"),
    ("tool_texts", "hashes"),
    ("memory_words", "the words of memories"),
    ("memory_vectors", "the meaning of memories"),
    ("memory_versions", "earlier wordings: the memory has the origin of all of them"),
    ("index_metadata", "what its entry says, to filter by"),
    ("graph_labels", "what its node says, to find it by"),
    ("vector_models", "names of models"),
    ("vectors", "the meaning of texts that stand elsewhere"),
    ("outbox", "numbers of rows that changed"),
    ("outbox_trimmed", "numbers of rows that changed"),
    ("graph_sources", "which documents name a node: what they say counts as they do"),
    ("result_parts", "the row of their result says it"),
    ("collections", APART),
    ("collection_roles", PEOPLE),
    ("policies", PEOPLE),
    ("rules", PEOPLE),
    ("document_texts", APART),
    ("chunks", APART),
    ("scripts", APART),
    ("script_versions", APART),
];

const PEOPLE: &str = "only people change it, and no tool does";
const FIGURES: &str = "figures and names of the program's own";
const CONVERSATION: &str = "goes with its conversation, which says what tainted it";
const APART: &str = "people put it in, and no tool does";
/// A file lies on the disk, and its origin in the database.
const FILES: &[&str] = &["file_origins", "tree_origins"];

/// The place where a tool that changes something keeps what it is given.
enum Keeps {
    /// In these tables.
    In(&'static [&'static str]),
    /// Nowhere, or elsewhere.
    Not(&'static str),
}

/// Every built-in tool whose risk is, or can get, above read.
const TOOLS: &[(&str, Keeps)] = &[
    ("save_memory", Keeps::In(&["memories"])),
    ("list", Keeps::In(&["lists", "list_items", "list_history"])),
    ("schedule", Keeps::In(&["jobs"])),
    ("clipboard_write", Keeps::In(&["clipboards"])),
    ("index_put", Keeps::In(&["index_entries"])),
    ("index_remove", Keeps::Not("it takes away")),
    ("graph_upsert_node", Keeps::In(&["graph_nodes"])),
    ("graph_upsert_edge", Keeps::In(&["graph_edges", "graph_nodes"])),
    ("run_code", Keeps::In(&["programs"])),
    ("parallel", Keeps::Not("the tools it calls do")),
    ("sessions_spawn", Keeps::In(&["conversations"])),
    ("sessions_send", Keeps::In(&["conversations"])),
    ("specialists_infer", Keeps::Not("it asks a model")),
    ("web_fetch", Keeps::Not("it sends, and is asked about where that is new")),
    ("call_rest_endpoint", Keeps::Not("it sends")),
    ("call_graphql_endpoint", Keeps::Not("it sends")),
    ("call_soap_endpoint", Keeps::Not("it sends")),
    ("call_grpc_endpoint", Keeps::Not("it sends")),
    ("call_websocket", Keeps::Not("it sends")),
    ("llm_transform", Keeps::Not("it asks a model")),
    ("image", Keeps::In(FILES)),
    ("tts", Keeps::In(FILES)),
    ("write", Keeps::In(FILES)),
    ("edit", Keeps::In(FILES)),
    ("apply_patch", Keeps::In(FILES)),
    ("exec", Keeps::In(FILES)),
    ("process", Keeps::In(FILES)),
    ("document", Keeps::Not("it takes away, and gives back what was taken away")),
    ("document_create", Keeps::In(FILES)),
    ("document_modify", Keeps::In(FILES)),
    ("create_catalog_system", Keeps::In(&["systems"])),
    ("create_system_endpoint", Keeps::In(&["endpoints"])),
    ("update_catalog_system", Keeps::In(&["systems"])),
];

/// The tables of a new database, each with whether it says where its rows came from. Those that make up a full-text
/// table count as it.
fn tables(app: &TestApp) -> BTreeMap<String, bool> {
    let database = Connection::open(dir::database(app.dir.path())).unwrap();
    let sql = "SELECT t.name, max(c.name IN (?1, ?2, ?3))
               FROM pragma_table_list t JOIN pragma_table_info(t.name) c
               WHERE t.schema = 'main' AND t.type IN ('table', 'virtual') AND t.name NOT LIKE 'sqlite_%'
               GROUP BY t.name";
    let mut statement = database.prepare(sql).unwrap();
    let found = statement.query_map(ORIGINS, |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    found.collect::<Result<_, _>>().unwrap()
}

#[tokio::test]
async fn every_table_says_where_its_rows_came_from_or_why_it_need_not() {
    let app = TestApp::start().await;
    let tables = tables(&app);
    let reasons: BTreeMap<&str, &str> = WITHOUT.iter().copied().collect();
    assert_eq!(reasons.len(), WITHOUT.len(), "a table stands there twice");
    let silent: BTreeSet<&str> = tables.iter().filter(|(_, says)| !**says).map(|(name, _)| name.as_str()).collect();
    let reasoned: BTreeSet<&str> = reasons.keys().copied().collect();
    let unexplained: Vec<_> = silent.difference(&reasoned).collect();
    assert!(unexplained.is_empty(), "give these a column out of {ORIGINS:?}, or a reason above: {unexplained:?}");
    let needless: Vec<_> = reasoned.difference(&silent).collect();
    assert!(needless.is_empty(), "these are gone, or say it after all: take them out above: {needless:?}");
}

#[tokio::test]
async fn every_tool_that_changes_something_keeps_it_where_its_origin_stands_beside_it() {
    let app = TestApp::start().await;
    let tables = tables(&app);
    let registry = app.satchel.invoker.registry();
    let builtin = registry.tools().iter().filter(|tool| tool.spec().source == Source::Builtin);
    let writes = builtin.filter(|tool| registry.risk_up_to(tool).unwrap_or(tool.spec().risk) > Risk::Read);
    let names: BTreeSet<&str> = writes.map(|tool| tool.spec().name.as_str()).collect();
    let listed: BTreeSet<&str> = TOOLS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, listed, "say above where each keeps what it is given");
    for (tool, keeps) in TOOLS {
        match keeps {
            Keeps::In(stores) => {
                for store in *stores {
                    assert_eq!(tables.get(*store), Some(&true), "{tool} keeps things in {store}, which has no origin");
                }
            }
            Keeps::Not(reason) => assert!(!reason.is_empty(), "{tool}"),
        }
    }
}

#[tokio::test]
async fn a_tool_that_can_replace_what_a_file_holds_is_high_write_at_least() {
    let app = TestApp::start().await;
    let registry = app.satchel.invoker.registry();
    // These make a new file, whatever is there.
    let writes = TOOLS.iter().filter(|(name, _)| !["document_create", "image", "tts"].contains(name));
    for (name, _) in writes.filter(|(_, keeps)| matches!(keeps, Keeps::In(stores) if *stores == FILES)) {
        let tool = registry.find(name).unwrap().tool;
        assert!(registry.risk_up_to(&tool).unwrap_or(tool.spec().risk) >= Risk::HighWrite, "{name}");
    }
}
