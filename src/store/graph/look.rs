//! Looking at the graph. What was found in documents a reader does not see is not there for him: no node, no edge, no
//! count.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, Row, params};

use super::{Filter, Sight};
use crate::{
    model::{
        error::{Error, Result},
        graph::{Count, Edge, MAX_DEPTH, Neighbor, Node, Overview, Part},
    },
    store::{
        author,
        collections::VISIBLE,
        origin,
        rows::{all, first, json, like, time},
    },
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
    /// The labels of a node `n`, likewise.
    labels: String,
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
        name: format!("iif(n.put AND n.name = n.id, coalesce({}, n.name), n.name)", found("s.name")),
        labels: format!("iif(n.labels = '[]', coalesce({}, '[]'), n.labels)", found("json_array(s.label)")),
        named,
    }
}

pub(super) fn node(c: &Connection, sight: Sight, id: &str) -> Result<Node> {
    let number = number(c, sight, id)?;
    let mut found = read_nodes(c, sight, &[number])?;
    found.pop().ok_or_else(|| none(id))
}

pub(super) fn outbound(c: &Connection, sight: Sight, id: &str, rel: &str) -> Result<Vec<Neighbor>> {
    let from = number(c, sight, id)?;
    let Seen { node, edge, named, .. } = seen();
    let origin = origin::joined("n.origin", &origin::of_group("e.origin"));
    // One edge at most was put, the others were found.
    let (author, authors) = (author::joined("n.author", "max(e.author)"), author::columns("author"));
    let sql = format!(
        "SELECT {authors}, id, found, origin FROM (
           SELECT n.id, max(e.document IS NOT NULL OR {named}) AS found, {origin} AS origin, {author} AS author
           FROM graph_edges e JOIN graph_nodes n ON n.number = e.dst
           WHERE e.src = ?3 AND e.rel = ?4 AND {edge} AND {node} GROUP BY n.id) ORDER BY id"
    );
    all(c, &sql, params![sight.reader.to_string(), sight.knowledge, from, rel], |row| {
        let (id, found, origin) = (row.get(2)?, row.get(3)?, origin::read(row, 4)?);
        Ok(Neighbor { id, found, origin, author: author::read(row, 0)? })
    })
}

pub(super) fn nodes(c: &Connection, sight: Sight, filter: &Filter) -> Result<Vec<Node>> {
    let Seen { node, edge, name, labels, .. } = seen();
    let sql = format!(
        "SELECT n.number FROM graph_nodes n WHERE {node}
           AND (?3 IS NULL OR n.id LIKE ?3 ESCAPE '\\' OR {name} LIKE ?3 ESCAPE '\\')
           AND (?4 IS NULL OR EXISTS (SELECT 1 FROM json_each({labels}) l WHERE l.value = ?4))
         ORDER BY (SELECT count(*) FROM graph_edges e WHERE (e.src = n.number OR e.dst = n.number) AND {edge}) DESC, n.name COLLATE NOCASE
         LIMIT ?5"
    );
    let q = filter.q.as_deref().map(str::trim).filter(|q| !q.is_empty()).map(like);
    let limit = i64::try_from(filter.limit.min(MOST_NODES)).unwrap_or(i64::MAX);
    let wanted = params![sight.reader.to_string(), sight.knowledge, q, filter.label, limit];
    let numbers = all(c, &sql, wanted, |row| Ok(row.get(0)?))?;
    read_nodes(c, sight, &numbers)
}

pub(super) fn around(c: &Connection, sight: Sight, id: &str, (rel, depth): (Option<String>, u8)) -> Result<Part> {
    if depth == 0 || depth > MAX_DEPTH {
        return Err(Error::invalid(format!("'depth' is 1 to {MAX_DEPTH}.")));
    }
    let moment = c.unchecked_transaction()?;
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

pub(super) fn overview(c: &Connection, sight: Sight) -> Result<Overview> {
    let moment = c.unchecked_transaction()?;
    let who = (sight.reader.to_string(), sight.knowledge);
    let Seen { node, edge, labels, .. } = seen();
    let both = format!(
        "graph_edges e WHERE {edge} AND EXISTS (SELECT 1 FROM graph_nodes n WHERE n.number = e.src AND {node})
         AND EXISTS (SELECT 1 FROM graph_nodes n WHERE n.number = e.dst AND {node})"
    );
    let one = |sql: String| -> Result<u64> {
        Ok(first(&moment, &sql, who.clone(), |row| Ok(row.get::<_, i64>(0)?))?.unwrap_or(0).unsigned_abs())
    };
    let kinds = |sql: String| all(&moment, &sql, (who.0.clone(), who.1, KINDS), count);
    let hubs = format!(
        "SELECT number FROM (SELECT e.src AS number FROM {both} UNION ALL SELECT e.dst FROM {both})
         GROUP BY number ORDER BY count(*) DESC, number LIMIT ?3"
    );
    let most = i64::try_from(HUBS).unwrap_or(i64::MAX);
    let hubs = all(&moment, &hubs, (who.0.clone(), who.1, most), |row| Ok(row.get(0)?))?;
    Ok(Overview {
        nodes: one(format!("SELECT count(*) FROM graph_nodes n WHERE {node}"))?,
        edges: one(format!("SELECT count(*) FROM {both}"))?,
        labels: kinds(format!(
            "SELECT l.value, count(*) FROM graph_nodes n, json_each({labels}) l WHERE {node}
             GROUP BY l.value ORDER BY 2 DESC, 1 LIMIT ?3"
        ))?,
        relations: kinds(format!("SELECT e.rel, count(*) FROM {both} GROUP BY e.rel ORDER BY 2 DESC, 1 LIMIT ?3"))?,
        hubs: between(&moment, sight, &hubs, None)?,
    })
}

/// The nodes and the edges between them.
fn between(c: &Connection, sight: Sight, numbers: &[i64], rel: Option<&str>) -> Result<Part> {
    let sql = format!(
        "SELECT e.dst, e.rel, e.props, {} FROM graph_edges e WHERE e.src = ?3 AND (?4 IS NULL OR e.rel = ?4) AND {}
         GROUP BY e.dst, e.rel ORDER BY e.dst, e.rel",
        origin::of_group("e.origin"),
        seen().edge
    );
    let nodes = read_nodes(c, sight, numbers)?;
    let ids: HashMap<i64, &str> = numbers.iter().copied().zip(nodes.iter().map(|node| node.id.as_str())).collect();
    let mut edges = Vec::new();
    let mut truncated = false;
    for from in numbers {
        let found = all(c, &sql, params![sight.reader.to_string(), sight.knowledge, from, rel], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, json(row, 2)?, origin::read(row, 3)?))
        })?;
        for (to, rel, props, origin) in found {
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

/// Nodes one edge away, in either direction.
fn nearby(c: &Connection, sight: Sight, from: i64, rel: Option<&str>) -> Result<Vec<i64>> {
    let Seen { node, edge, .. } = seen();
    let sql = format!(
        "SELECT DISTINCT n.number FROM graph_edges e
         JOIN graph_nodes n ON n.number = iif(e.src = ?3, e.dst, e.src)
         WHERE (e.src = ?3 OR e.dst = ?3) AND (?4 IS NULL OR e.rel = ?4) AND {edge} AND {node}
         ORDER BY n.name COLLATE NOCASE, n.number LIMIT ?5"
    );
    let most = i64::try_from(MOST_NODES + 1).unwrap_or(i64::MAX);
    all(c, &sql, params![sight.reader.to_string(), sight.knowledge, from, rel, most], |row| Ok(row.get(0)?))
}

/// Nodes by number, in this order; all of them are seen.
fn read_nodes(c: &Connection, sight: Sight, numbers: &[i64]) -> Result<Vec<Node>> {
    let Seen { node, edge, name, labels, .. } = seen();
    let author = author::columns("n.author");
    let sql = format!(
        "SELECT n.id, {name}, {labels}, n.props, n.created_at, n.updated_at,
                (SELECT count(*) FROM graph_edges e JOIN graph_nodes n ON n.number = e.dst WHERE e.src = ?3 AND {edge} AND {node})
              + (SELECT count(*) FROM graph_edges e JOIN graph_nodes n ON n.number = e.src WHERE e.dst = ?3 AND {edge} AND {node})
         , n.origin, {author} FROM graph_nodes n WHERE n.number = ?3"
    );
    let documents = format!(
        "SELECT d.id FROM graph_sources s JOIN documents d ON d.number = s.document JOIN collections k ON k.number = d.collection
         WHERE ?2 AND s.node = ?3 AND d.deleted_at IS NULL AND {VISIBLE} ORDER BY d.number DESC LIMIT ?4"
    );
    let mut nodes = Vec::with_capacity(numbers.len());
    for number in numbers {
        let who = (sight.reader.to_string(), sight.knowledge, number);
        if let Some(mut node) = first(c, &sql, who.clone(), read)? {
            node.documents = all(c, &documents, (who.0, who.1, number, DOCUMENTS), |row| Ok(row.get(0)?))?;
            nodes.push(node);
        }
    }
    Ok(nodes)
}

fn read(row: &Row<'_>) -> Result<Node> {
    Ok(Node {
        id: row.get(0)?,
        name: row.get(1)?,
        labels: json(row, 2)?,
        props: json(row, 3)?,
        degree: row.get::<_, i64>(6)?.unsigned_abs(),
        documents: Vec::new(),
        created_at: time(row, 4)?,
        updated_at: time(row, 5)?,
        origin: origin::read(row, 7)?,
        author: author::read(row, 8)?,
    })
}

fn number(c: &Connection, sight: Sight, id: &str) -> Result<i64> {
    let sql = format!("SELECT n.number FROM graph_nodes n WHERE n.id = ?3 AND {}", seen().node);
    first(c, &sql, (sight.reader.to_string(), sight.knowledge, id), |row| Ok(row.get(0)?))?.ok_or_else(|| none(id))
}

fn count(row: &Row<'_>) -> Result<Count> {
    Ok(Count { name: row.get(0)?, count: row.get::<_, i64>(1)?.unsigned_abs() })
}

fn none(id: &str) -> Error {
    let shown: String = id.chars().take(80).collect();
    Error::not_found(format!("There is no node '{shown}' in the graph."))
}
