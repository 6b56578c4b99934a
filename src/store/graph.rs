//! The graph: nodes and edges put by tools or found in documents, each reader's own view of them.

mod findings;
mod look;

use serde_json::{Map, Value};

pub use self::findings::{Content, Unread};
use super::{
    author,
    db::Db,
    origin,
    sql::{Tx, params},
};
use satchel_model::{
    caller::Caller,
    error::Result,
    graph::{self, Finding, Neighbor, NewEdge, NewNode, Node, Overview, Part},
    origin::Origin,
    reader::Reader,
    time::Time,
};

/// The graph of one database. Cheap to clone.
#[derive(Clone)]
pub struct Graph {
    db: Db,
}

/// Who looks. What was found in a document is seen by who sees the document, and may read knowledge at all.
#[derive(Debug, Clone)]
pub struct Sight {
    /// Whose eyes.
    pub reader: Reader,
    /// Whether they may read knowledge.
    pub knowledge: bool,
}

impl Sight {
    /// This caller's.
    pub fn new(caller: &Caller) -> Self {
        Self { reader: caller.reader(), knowledge: caller.permissions.grants("knowledge:read") }
    }
}

/// Which nodes are wanted.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only whose id or name holds this.
    pub q: Option<String>,
    /// Only with this label.
    pub label: Option<String>,
    /// Most of them.
    pub limit: usize,
}

impl Graph {
    /// The graph of this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// Puts a node, or changes the one of this id: what is given is set, the rest stays.
    pub async fn put_node(&self, node: NewNode, now: Time) -> Result<()> {
        self.db.write(move |tx| put_node(tx, &node, now).map(drop)).await
    }

    /// Puts an edge, or changes the one between these two. A node that is not there yet is made, without labels; gives
    /// the ids of those.
    pub async fn put_edge(&self, edge: NewEdge, now: Time) -> Result<Vec<String>> {
        self.db.write(move |tx| put_edge(tx, &edge, now)).await
    }

    /// One node. Fails where the reader does not see it, as if it were not there.
    pub async fn node(&self, sight: Sight, id: &str) -> Result<Node> {
        let id = id.to_owned();
        self.db.read(move |tx| look::node(tx, &sight, &id)).await
    }

    /// The nodes that edges of this relation lead to from a node, in the order of the alphabet.
    pub async fn outbound(&self, sight: Sight, id: &str, rel: &str) -> Result<Vec<Neighbor>> {
        let (id, rel) = (id.to_owned(), rel.to_owned());
        self.db.read(move |tx| look::outbound(tx, &sight, &id, &rel)).await
    }

    /// The nodes that pass, those with the most edges first.
    pub async fn nodes(&self, sight: Sight, filter: Filter) -> Result<Vec<Node>> {
        self.db.read(move |tx| look::nodes(tx, &sight, &filter)).await
    }

    /// What lies around a node, up to `depth` edges away in either direction, over edges of one relation or all.
    pub async fn around(&self, sight: Sight, id: &str, rel: Option<String>, depth: u8) -> Result<Part> {
        let id = id.to_owned();
        self.db.read(move |tx| look::around(tx, &sight, &id, (rel, depth))).await
    }

    /// The whole at a glance.
    pub async fn overview(&self, sight: Sight) -> Result<Overview> {
        self.db.read(move |tx| look::overview(tx, &sight)).await
    }

    /// Documents whose present content has not been read for the graph, the oldest first.
    pub async fn unread(&self, limit: usize) -> Result<Vec<Unread>> {
        self.db.read(move |tx| findings::unread(tx, limit)).await
    }

    /// Documents that no model has read for the graph, the oldest first.
    pub async fn unread_by_model(&self, limit: usize) -> Result<Vec<Unread>> {
        self.db.read(move |tx| findings::unread_by_model(tx, limit)).await
    }

    /// The titles of all documents with their ids, to find mentions of them.
    pub async fn titles(&self) -> Result<Vec<(String, String)>> {
        self.db.read(findings::titles).await
    }

    /// What is read of a document, at most this many characters of it.
    pub async fn content(&self, document: &Unread, most: usize) -> Result<Content> {
        let number = document.number;
        self.db.read(move |tx| findings::content(tx, number, most)).await
    }

    /// Passages of other documents that hold the title of this one, each with its document, as far as looking for them
    /// takes a moment only.
    pub async fn holding_title(&self, of: &Unread, limit: usize) -> Result<Vec<(Unread, String)>> {
        let of = of.clone();
        self.db.read(move |tx| findings::holding_title(tx, &of, limit)).await
    }

    /// Keeps what was found in a document later, beside what was found before.
    pub async fn also_found(&self, document: Unread, findings: Vec<Finding>, now: Time) -> Result<()> {
        self.db.write(move |tx| findings::also(tx, &document, &findings, now)).await
    }

    /// Keeps what was found in a document by its form, in place of what was found in it before.
    pub async fn found(&self, document: Unread, findings: Vec<Finding>, now: Time) -> Result<()> {
        self.db.write(move |tx| findings::put(tx, &document, &findings, now)).await
    }

    /// Keeps what a model found in a document, beside what its form gave.
    pub async fn found_by_model(&self, document: Unread, findings: Vec<Finding>, now: Time) -> Result<()> {
        self.db.write(move |tx| findings::put_by_model(tx, &document, &findings, now)).await
    }

    /// Tokens that models took to read for the graph on the day of `now`.
    pub async fn spent(&self, now: Time) -> Result<u64> {
        self.db.read(move |tx| findings::spent(tx, now)).await
    }

    /// Adds to them.
    pub async fn spend(&self, tokens: u64, now: Time) -> Result<()> {
        self.db.write(move |tx| findings::spend(tx, tokens, now)).await
    }
}

/// A node as it stands before it is put; without a number where there is none.
#[derive(Default)]
struct Held {
    number: Option<i64>,
    labels: Vec<String>,
    props: Map<String, Value>,
    origin: Option<Origin>,
}

fn put_node(tx: &Tx, node: &NewNode, now: Time) -> Result<i64> {
    // What was found is seen by who sees the documents, and goes with them: nothing of it is put.
    let forget = "UPDATE graph_nodes SET labels = '[]', props = '{}', created_at = ?2 WHERE id = ?1 AND NOT put";
    tx.run(forget, (node.id(), now.millis()))?;
    let sql = "SELECT number, labels, props, origin FROM graph_nodes WHERE id = ?1";
    let old = tx.first(sql, [node.id()], |row| {
        Ok(Held {
            number: Some(row.get("number")?),
            labels: row.json("labels")?,
            props: row.json("props")?,
            origin: origin::read(row)?,
        })
    })?;
    let Held { number, mut labels, mut props, origin } = old.unwrap_or_default();
    let origin = origin::text(&Origin::joined(origin, node.origin().clone()));
    if let Some(new) = node.labels() {
        labels = new.to_vec();
    }
    if let Some(new) = node.props() {
        graph::set(&mut props, new);
        graph::check_props(&props)?;
    }
    let author = node.author().map(|author| author.to_string());
    let row =
        (graph::name_of(node.id(), &props), Value::from(labels.clone()).to_string(), Value::from(props).to_string());
    let number = match number {
        Some(number) => {
            let joined = author::joined("author", "?7");
            let sql = format!(
                "UPDATE graph_nodes SET name = ?2, labels = ?3, props = ?4, put = TRUE, updated_at = ?5, origin = ?6,
                   author = {joined} WHERE number = ?1"
            );
            tx.run(&sql, (number, row.0, row.1, row.2, now.millis(), origin, author))?;
            number
        }
        None => {
            let sql = "INSERT INTO graph_nodes (id, name, labels, props, put, created_at, updated_at, origin, author)
                       VALUES (?1, ?2, ?3, ?4, TRUE, ?5, ?5, ?6, ?7) RETURNING number";
            tx.one(sql, (node.id(), row.0, row.1, row.2, now.millis(), origin, author))?
        }
    };
    put_labels(tx, number, &labels)?;
    Ok(number)
}

/// Keeps the labels by which a node is found, in place of those before.
fn put_labels(tx: &Tx, node: i64, labels: &[String]) -> Result<()> {
    tx.run("DELETE FROM graph_labels WHERE node = ?1", [node])?;
    let sql = "INSERT INTO graph_labels (node, label) VALUES (?1, ?2) ON CONFLICT (node, label) DO NOTHING";
    tx.many(sql, labels.iter().map(|label| (node, label))).map(drop)
}

fn put_edge(tx: &Tx, edge: &NewEdge, now: Time) -> Result<Vec<String>> {
    let mut made = Vec::new();
    let mut ends = [0; 2];
    for (end, id) in ends.iter_mut().zip([edge.src(), edge.dst()]) {
        let sql = "SELECT number FROM graph_nodes WHERE id = ?1 AND put";
        *end = match tx.first(sql, [id], |row| row.get("number"))? {
            Some(number) => number,
            None => {
                made.push(id.to_owned());
                put_node(tx, &NewNode::new(id, None, None)?.with_origin(edge.origin().clone()).by(edge.author()), now)?
            }
        };
    }
    made.dedup();
    let [src, dst] = ends;
    let sql = "SELECT props, origin FROM graph_edges WHERE src = ?1 AND rel = ?2 AND dst = ?3 AND document IS NULL";
    let old = tx.first(sql, (src, edge.rel(), dst), |row| Ok((row.json("props")?, origin::read(row)?)))?;
    let (mut props, origin): (Map<String, Value>, _) = old.unwrap_or_default();
    let origin = Origin::joined(origin, edge.origin().clone());
    if let Some(new) = edge.props() {
        graph::set(&mut props, new);
        graph::check_props(&props)?;
    }
    let author = author::joined("graph_edges.author", "excluded.author");
    let sql = format!(
        "INSERT INTO graph_edges (src, rel, dst, props, created_at, updated_at, origin, author)
         VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7)
         ON CONFLICT (src, rel, dst, coalesce(document, 0)) DO UPDATE SET props = excluded.props,
           updated_at = excluded.updated_at, origin = excluded.origin, author = {author}"
    );
    tx.run(
        &sql,
        params![
            src,
            edge.rel(),
            dst,
            Value::from(props).to_string(),
            now.millis(),
            origin::text(&origin),
            edge.author().map(|author| author.to_string())
        ],
    )?;
    Ok(made)
}
