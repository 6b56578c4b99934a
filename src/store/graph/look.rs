//! Looking at the graph. What was found in documents a reader does not see is not there for them: no node, no edge, no
//! count.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::{Filter, Sight};
use crate::{
    author,
    collections::VISIBLE,
    origin,
    sql::{Row, Tx, like, params},
};
use satchel_model::{
    error::{Error, Result},
    graph::{Count, Edge, MAX_DEPTH, Neighbor, Node, Overview, Part},
    origin::Origin,
};

/// Most nodes and edges of one answer.
const MOST_NODES: usize = 200;
const MOST_EDGES: usize = 1_000;
/// Most kinds counted, and hubs shown, at a glance.
const KINDS: i64 = 50;
const HUBS: usize = 60;
/// Most documents named of one node.
const DOCUMENTS: i64 = 20;

/// The part that this reader sees, as SQL: `?1` is the reader and `?2` whether they may read knowledge.
struct Seen {
    /// Condition for a node `n`.
    node: String,
    /// Condition for an edge `e`.
    edge: String,
    /// Condition that a document they see names the node `n`.
    named: String,
    /// The name of a node `n`: where nobody has put one, what a document that they see calls it.
    name: String,
    /// The label of a node `n` that has none of its own: what a document that they see calls it.
    label: String,
}

fn seen() -> Seen {
    let document = format!(
        "documents d JOIN collections k ON k.number = d.collection WHERE d.deleted_at IS NULL AND {VISIBLE} AND d.number"
    );
    let sources =
        format!("graph_sources s WHERE ?2 AND s.node = n.number AND EXISTS (SELECT 1 FROM {document} = s.document)");
    let named = format!("EXISTS (SELECT 1 FROM {sources})");
    let found = |of: &str| format!("(SELECT {of} FROM {sources} AND s.label <> '' ORDER BY s.document DESC LIMIT 1)");
    Seen {
        node: format!("(n.put OR {named})"),
        edge: format!("(e.document IS NULL OR (?2 AND EXISTS (SELECT 1 FROM {document} = e.document)))"),
        name: format!("CASE WHEN n.put AND n.name = n.id THEN coalesce({}, n.name) ELSE n.name END", found("s.name")),
        label: format!("CASE WHEN n.labels = '[]' THEN {} END", found("s.label")),
        named,
    }
}

pub(super) fn node(tx: &Tx, sight: &Sight, id: &str) -> Result<Node> {
    let number = number(tx, sight, id)?;
    let mut found = read_nodes(tx, sight, &[number])?;
    found.pop().ok_or_else(|| none(id))
}

pub(super) fn outbound(tx: &Tx, sight: &Sight, id: &str, rel: &str) -> Result<Vec<Neighbor>> {
    let from = number(tx, sight, id)?;
    let Seen { node, edge, named, .. } = seen();
    let authors = author::columns(&author::joined("n.author", "e.author"));
    // One edge at most was put, and has an author; the others were found.
    let sql = format!(
        "SELECT {authors}, n.id, (e.document IS NOT NULL OR {named}) AS found, n.origin, e.origin AS edge_origin
         FROM graph_edges e JOIN graph_nodes n ON n.number = e.dst
         WHERE e.src = ?3 AND e.rel = ?4 AND {edge} AND {node} ORDER BY n.id, e.author IS NULL, e.number"
    );
    let mut all: Vec<Neighbor> = Vec::new();
    tx.find(&sql, params![sight.reader.to_string(), sight.knowledge, from, rel], |row| {
        let (author, id, found) = (author::read(row)?, row.get("id")?, row.get("found")?);
        let (own, edge) = (origin::read(row)?, row.optional_json("edge_origin")?);
        match all.last_mut().filter(|last| last.id == id) {
            Some(last) => {
                last.found |= found;
                last.origin = Origin::joined(last.origin.take(), edge);
            }
            None => all.push(Neighbor { id, found, origin: Origin::joined(own, edge), author }),
        }
        Ok(None::<()>)
    })?;
    Ok(all)
}

pub(super) fn nodes(tx: &Tx, sight: &Sight, filter: &Filter) -> Result<Vec<Node>> {
    let Seen { node, edge, name, label, .. } = seen();
    let sql = format!(
        "SELECT n.number FROM graph_nodes n WHERE {node}
           AND (CAST(?3 AS TEXT) IS NULL OR lower(n.id) LIKE lower(?3) ESCAPE '\\' OR lower({name}) LIKE lower(?3) ESCAPE '\\')
           AND (CAST(?4 AS TEXT) IS NULL OR {label} = ?4
                OR EXISTS (SELECT 1 FROM graph_labels l WHERE l.node = n.number AND l.label = ?4))
         ORDER BY (SELECT count(*) FROM graph_edges e WHERE (e.src = n.number OR e.dst = n.number) AND {edge}) DESC,
           lower(n.name)
         LIMIT ?5"
    );
    let q = filter.q.as_deref().map(str::trim).filter(|q| !q.is_empty()).map(like);
    let limit = i64::try_from(filter.limit.min(MOST_NODES)).unwrap_or(i64::MAX);
    let wanted = params![sight.reader.to_string(), sight.knowledge, q, filter.label, limit];
    let numbers = tx.all(&sql, wanted, |row| row.get("number"))?;
    read_nodes(tx, sight, &numbers)
}

pub(super) fn around(tx: &Tx, sight: &Sight, id: &str, (rel, depth): (Option<String>, u8)) -> Result<Part> {
    if depth == 0 || depth > MAX_DEPTH {
        return Err(Error::invalid(format!("'depth' is 1 to {MAX_DEPTH}.")));
    }
    let moment = tx.moment()?;
    let middle = number(&moment, sight, id)?;
    let (mut order, mut known) = (vec![middle], HashSet::from([middle]));
    let mut frontier = vec![middle];
    let mut truncated = false;
    for _ in 0..depth {
        let mut next = Vec::new();
        for from in frontier {
            for near in nearby(&moment, sight, from, rel.as_deref())? {
                if known.contains(&near) {
                    continue;
                }
                if known.len() >= MOST_NODES {
                    truncated = true;
                    break;
                }
                known.insert(near);
                order.push(near);
                next.push(near);
            }
        }
        frontier = next;
    }
    let mut part = between(&moment, sight, &order, rel.as_deref())?;
    part.truncated |= truncated;
    Ok(part)
}

pub(super) fn overview(tx: &Tx, sight: &Sight) -> Result<Overview> {
    let moment = tx.moment()?;
    let who = (sight.reader.to_string(), sight.knowledge);
    let Seen { node, edge, label, .. } = seen();
    let both = format!(
        "graph_edges e WHERE {edge} AND EXISTS (SELECT 1 FROM graph_nodes n WHERE n.number = e.src AND {node})
         AND EXISTS (SELECT 1 FROM graph_nodes n WHERE n.number = e.dst AND {node})"
    );
    let one = |sql: String| -> Result<u64> { moment.one::<i64>(&sql, who.clone()).map(i64::unsigned_abs) };
    let kinds = |sql: String| moment.all(&sql, (who.0.clone(), who.1, KINDS), count);
    let hubs = format!(
        "SELECT number FROM (SELECT e.src AS number FROM {both} UNION ALL SELECT e.dst FROM {both}) ends
         GROUP BY number ORDER BY count(*) DESC, number LIMIT ?3"
    );
    let most = i64::try_from(HUBS).unwrap_or(i64::MAX);
    let hubs = moment.all(&hubs, (who.0.clone(), who.1, most), |row| row.get("number"))?;
    Ok(Overview {
        nodes: one(format!("SELECT count(*) FROM graph_nodes n WHERE {node}"))?,
        edges: one(format!("SELECT count(*) FROM {both}"))?,
        labels: kinds(format!(
            "SELECT name, count(*) AS count FROM (
               SELECT l.label AS name FROM graph_labels l JOIN graph_nodes n ON n.number = l.node WHERE {node}
               UNION ALL SELECT {label} FROM graph_nodes n WHERE {node}) labels
             WHERE name IS NOT NULL GROUP BY name ORDER BY 2 DESC, 1 LIMIT ?3"
        ))?,
        relations: kinds(format!(
            "SELECT e.rel AS name, count(*) AS count FROM {both} GROUP BY e.rel ORDER BY 2 DESC, 1 LIMIT ?3"
        ))?,
        hubs: between(&moment, sight, &hubs, None)?,
    })
}

/// The nodes and the edges between them.
fn between(tx: &Tx, sight: &Sight, numbers: &[i64], rel: Option<&str>) -> Result<Part> {
    // Of several edges of one relation between two nodes, the one that somebody put says what there is to say.
    let sql = format!(
        "SELECT e.dst, e.rel, e.props, e.origin FROM graph_edges e
         WHERE e.src = ?3 AND (CAST(?4 AS TEXT) IS NULL OR e.rel = ?4) AND {}
         ORDER BY e.dst, e.rel, e.document IS NOT NULL, e.number",
        seen().edge
    );
    let nodes = read_nodes(tx, sight, numbers)?;
    let ids: HashMap<i64, &str> = numbers.iter().copied().zip(nodes.iter().map(|node| node.id.as_str())).collect();
    let mut edges = Vec::new();
    let mut truncated = false;
    for from in numbers {
        let found = tx.all(&sql, params![sight.reader.to_string(), sight.knowledge, from, rel], |row| {
            Ok((row.get::<i64>("dst")?, row.get::<String>("rel")?, row.json("props")?, origin::read(row)?))
        })?;
        for (to, rel, props, origin) in once_each(found) {
            let (Some(src), Some(dst)) = (ids.get(from), ids.get(&to)) else { continue };
            if edges.len() >= MOST_EDGES {
                truncated = true;
                break;
            }
            edges.push(Edge { src: (*src).to_owned(), rel, dst: (*dst).to_owned(), props, origin });
        }
    }
    Ok(Part { nodes, edges, truncated })
}

/// An edge as it is read: where it leads, its relation, what it says, its origin.
type EdgeRow = (i64, String, Map<String, Value>, Option<Origin>);

/// The edges, which are in order, with those of one relation to one node taken together.
fn once_each(edges: Vec<EdgeRow>) -> Vec<EdgeRow> {
    let mut all: Vec<EdgeRow> = Vec::with_capacity(edges.len());
    for (to, rel, props, origin) in edges {
        match all.last_mut().filter(|last| (last.0, &last.1) == (to, &rel)) {
            Some(last) => last.3 = Origin::joined(last.3.take(), origin),
            None => all.push((to, rel, props, origin)),
        }
    }
    all
}

/// Nodes one edge away, in either direction.
fn nearby(tx: &Tx, sight: &Sight, from: i64, rel: Option<&str>) -> Result<Vec<i64>> {
    let Seen { node, edge, .. } = seen();
    let sql = format!(
        "SELECT n.number FROM graph_nodes n WHERE {node} AND n.number IN (
           SELECT CASE WHEN e.src = ?3 THEN e.dst ELSE e.src END FROM graph_edges e
           WHERE (e.src = ?3 OR e.dst = ?3) AND (CAST(?4 AS TEXT) IS NULL OR e.rel = ?4) AND {edge})
         ORDER BY lower(n.name), n.number LIMIT ?5"
    );
    let most = i64::try_from(MOST_NODES + 1).unwrap_or(i64::MAX);
    tx.all(&sql, params![sight.reader.to_string(), sight.knowledge, from, rel, most], |row| row.get("number"))
}

/// Nodes by number, in this order; all of them are seen.
fn read_nodes(tx: &Tx, sight: &Sight, numbers: &[i64]) -> Result<Vec<Node>> {
    let Seen { node, edge, name, label, .. } = seen();
    let author = author::columns("n.author");
    let sql = format!(
        "SELECT n.id, {name} AS name, n.labels, {label} AS label, n.props, n.created_at, n.updated_at,
                (SELECT count(*) FROM graph_edges e JOIN graph_nodes n ON n.number = e.dst WHERE e.src = ?3 AND {edge} AND {node})
              + (SELECT count(*) FROM graph_edges e JOIN graph_nodes n ON n.number = e.src WHERE e.dst = ?3 AND {edge} AND {node}) AS degree,
                n.origin, {author} FROM graph_nodes n WHERE n.number = ?3"
    );
    let documents = format!(
        "SELECT d.id FROM graph_sources s JOIN documents d ON d.number = s.document JOIN collections k ON k.number = d.collection
         WHERE ?2 AND s.node = ?3 AND d.deleted_at IS NULL AND {VISIBLE} ORDER BY d.number DESC LIMIT ?4"
    );
    let mut nodes = Vec::with_capacity(numbers.len());
    for number in numbers {
        let who = (sight.reader.to_string(), sight.knowledge, number);
        if let Some(mut node) = tx.first(&sql, who.clone(), read)? {
            node.documents = tx.all(&documents, (who.0, who.1, number, DOCUMENTS), |row| row.get("id"))?;
            nodes.push(node);
        }
    }
    Ok(nodes)
}

fn read(row: &Row<'_>) -> Result<Node> {
    let (id, name, labels) = (row.get("id")?, row.get("name")?, row.json("labels")?);
    Ok(Node {
        id,
        name,
        labels: row.get::<Option<String>>("label")?.map_or(labels, |label| vec![label]),
        props: row.json("props")?,
        degree: row.get::<i64>("degree")?.unsigned_abs(),
        documents: Vec::new(),
        created_at: row.time("created_at")?,
        updated_at: row.time("updated_at")?,
        origin: origin::read(row)?,
        author: author::read(row)?,
    })
}

fn number(tx: &Tx, sight: &Sight, id: &str) -> Result<i64> {
    let sql = format!("SELECT n.number FROM graph_nodes n WHERE n.id = ?3 AND {}", seen().node);
    tx.first(&sql, (sight.reader.to_string(), sight.knowledge, id), |row| row.get("number"))?.ok_or_else(|| none(id))
}

fn count(row: &Row<'_>) -> Result<Count> {
    Ok(Count { name: row.get("name")?, count: row.get::<i64>("count")?.unsigned_abs() })
}

fn none(id: &str) -> Error {
    let shown: String = id.chars().take(80).collect();
    Error::not_found(format!("There is no node '{shown}' in the graph."))
}
