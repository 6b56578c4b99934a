//! What somebody else put where everybody reads it is from outside, whoever reads it.

use serde_json::{Value, json};

use super::{RULE, read_anew};
use crate::support::app::TestApp;

type Call = (&'static str, Value);

fn stores() -> Vec<(Call, Call)> {
    vec![
        (("index_put", json!({"id": "rule", "text": RULE})), ("index_query", json!({"query": "quokka"}))),
        (
            ("graph_upsert_node", json!({"id": "rule", "props": {"name": RULE}})),
            ("graph_get_node", json!({"id": "rule"})),
        ),
        (
            ("graph_upsert_edge", json!({"src": "report", "rel": "goes_to", "dst": "pwn.example"})),
            ("graph_neighbors", json!({"id": "report", "rel": "goes_to"})),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_else_put_where_everybody_reads_is_from_outside() {
    let app = TestApp::start().await;
    let (writer, reader) = (app.caller(&["*"]).await, app.caller(&["*"]).await);
    for ((write, params), read) in stores() {
        app.data(&writer, write, params.clone()).await.unwrap();
        let own = read_anew(&app, &writer, &read).await;
        assert_eq!(own, (None, false), "{write} by the reader");
        let (origin, asks) = read_anew(&app, &reader, &read).await;
        let source = origin.map(|origin| origin.source);
        assert_eq!((source, asks), (Some(format!("{}: put by {}", read.0, writer.username)), true), "{write}");
        app.data(&reader, write, params).await.unwrap();
        let (origin, asks) = read_anew(&app, &writer, &read).await;
        let source = origin.map(|origin| origin.source);
        assert_eq!((source, asks), (Some(format!("{}: put by several people", read.0)), true), "{write}");
    }
    let from_before = "UPDATE index_entries SET author = NULL; UPDATE graph_nodes SET author = NULL;
                       UPDATE graph_edges SET author = NULL;";
    app.satchel.app.db.write(move |tx| tx.script(from_before)).await.unwrap();
    for (_, read) in stores() {
        assert_eq!(read_anew(&app, &reader, &read).await, (None, false), "{} of what is from before", read.0);
    }
}
