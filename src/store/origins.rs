//! Things kept from outside, for people to see, and to vouch for once they have read it.

use std::cell::Cell;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    db::Db,
    origin,
    people::Actor,
    sql::{Row, Tx},
};
use satchel_model::{
    caller::Caller,
    error::{Error, Result},
    origin::Origin,
    time::Time,
    user::UserId,
};

/// Most of one kind that are listed.
const LISTED: i64 = 200;
/// Bytes of texts that are listed whole. Of what has no more room, the beginning is, in characters.
const WHOLE: usize = 4 << 20;
const BEGINNING: usize = 1_000;

/// The kind of a thing that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = KeptKind)]
pub enum Kind {
    /// A memory, with its earlier wordings.
    Memory,
    /// The name of a list.
    List,
    /// An item of a list.
    ListItem,
    /// The clipboard.
    Clipboard,
    /// An entry of the index that everybody shares.
    IndexEntry,
    /// A node of the graph.
    GraphNode,
    /// An edge of the graph.
    GraphEdge,
    /// A value that a script keeps for its caller.
    ScriptValue,
}

/// Something kept that is from outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FromOutside {
    /// Its kind.
    pub kind: Kind,
    /// Its id among its kind.
    pub id: String,
    /// Its name, or the place where it stands; empty where it has none.
    pub name: String,
    /// Its text, whole so that it can be vouched for, or 1,000 characters where the list has no room for more.
    pub text: String,
    /// Whether it says more than that. Once others are vouched for, or gone, there is room for it.
    pub cut: bool,
    /// Its origin.
    pub origin: Origin,
    /// When it was last changed: a vouch names it, so that nobody vouches for what they have not read.
    pub updated_at: Time,
}

/// A thing that somebody vouches for: they have read it, and it may be used as their own.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Vouch {
    /// Its kind.
    pub kind: Kind,
    /// Its id among its kind.
    pub id: String,
    /// When it was last changed, as it was read.
    pub updated_at: Time,
}

/// The things of one database that are from outside. Cheap to clone.
#[derive(Clone)]
pub struct Origins {
    db: Db,
}

impl Origins {
    /// Those of this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// The things this person may see and nobody has vouched for, the latest first: up to 200 of each kind.
    pub async fn list(&self, caller: &Caller) -> Result<Vec<FromOutside>> {
        let (user, reads_index) = (caller.user, caller.permissions.grants("index:read"));
        self.db
            .read(move |tx| {
                let (mut found, room) = (Vec::new(), Cell::new(WHOLE));
                for kind in Kind::ALL.into_iter().filter(|kind| reads_index || !kind.is_everybodys()) {
                    found.extend(kind.list(tx, user, &room)?);
                }
                found.sort_by_key(|one| std::cmp::Reverse(one.origin.at));
                Ok(found)
            })
            .await
    }

    /// Takes its origin from something: from now on it counts as this person's own.
    ///
    /// # Errors
    ///
    /// It has changed since it was read, is gone, or is everybody's and this person may not change it.
    pub async fn vouch(&self, by: &Actor, vouch: Vouch) -> Result<()> {
        if vouch.kind.is_everybodys() {
            by.caller.require("index:write")?;
        }
        let by = by.clone();
        self.db
            .write(move |tx| {
                let user = by.caller.user;
                let found = vouch.kind.find(tx, user, &vouch.id)?;
                let found =
                    found.ok_or_else(|| Error::not_found("It is gone, or somebody has vouched for it already."))?;
                if found.updated_at != vouch.updated_at {
                    return Err(Error::conflict("It has changed since you read it: read it again, then vouch for it."));
                }
                vouch.kind.clear(tx, user, &vouch.id)?;
                // What it says may be private: the row says where it came from.
                let told = json!({"kind": vouch.kind, "source": found.origin.source, "at": found.origin.at});
                by.record(tx, "origin.vouch", told)
            })
            .await
    }
}

/// The statements for one kind. In all of them `?1` is the person.
struct KindSql {
    /// A query of id, name, text, origin and time of change.
    rows: &'static str,
    /// The statement that takes the origin from the one whose id is `?2`.
    clear: &'static str,
}

impl Kind {
    const ALL: [Self; 8] = [
        Self::Memory,
        Self::List,
        Self::ListItem,
        Self::Clipboard,
        Self::IndexEntry,
        Self::GraphNode,
        Self::GraphEdge,
        Self::ScriptValue,
    ];

    fn is_everybodys(self) -> bool {
        matches!(self, Self::IndexEntry | Self::GraphNode | Self::GraphEdge)
    }

    fn list(self, tx: &Tx, user: UserId, room: &Cell<usize>) -> Result<Vec<FromOutside>> {
        let sql = format!("SELECT * FROM ({}) found ORDER BY updated_at DESC LIMIT ?2", self.sql().rows);
        tx.all(&sql, (user.to_string(), LISTED), |row| self.read(row, room))
    }

    fn find(self, tx: &Tx, user: UserId, id: &str) -> Result<Option<FromOutside>> {
        let sql = format!("SELECT * FROM ({}) found WHERE id = ?2", self.sql().rows);
        tx.first(&sql, (user.to_string(), id), |row| self.read(row, &Cell::new(0)))
    }

    fn clear(self, tx: &Tx, user: UserId, id: &str) -> Result<()> {
        tx.run(self.sql().clear, (user.to_string(), id)).map(drop)
    }

    fn read(self, row: &Row<'_>, room: &Cell<usize>) -> Result<FromOutside> {
        let origin = origin::read(row)?.ok_or_else(|| Error::internal("a row without an origin was found"))?;
        let text: String = row.get("text")?;
        let left = room.get().checked_sub(text.len());
        room.set(left.unwrap_or(room.get()));
        let is_short = text.chars().nth(BEGINNING).is_none();
        let cut = left.is_none() && !is_short;
        Ok(FromOutside {
            kind: self,
            id: row.get("id")?,
            name: row.get("name")?,
            cut,
            text: if cut { text.chars().take(BEGINNING).collect() } else { text },
            origin,
            updated_at: row.time("updated_at")?,
        })
    }

    fn sql(self) -> KindSql {
        match self {
            Self::Memory => KindSql {
                rows: "SELECT m.id, m.key AS name, m.content || coalesce((SELECT string_agg('\n' || v.content, '')
                         FROM memory_versions v WHERE v.memory = m.number), '') AS text, m.origin, m.updated_at
                       FROM memories m WHERE m.person = ?1 AND m.origin IS NOT NULL",
                clear: "UPDATE memories SET origin = NULL WHERE person = ?1 AND id = ?2",
            },
            Self::List => KindSql {
                rows: "SELECT CAST(id AS TEXT) AS id, name, '' AS text, origin, updated_at
                       FROM lists WHERE person = ?1 AND origin IS NOT NULL",
                clear: "UPDATE lists SET origin = NULL WHERE person = ?1 AND CAST(id AS TEXT) = ?2",
            },
            Self::ListItem => KindSql {
                rows: "SELECT i.list || '/' || i.position AS id, l.name, i.text, i.origin, l.updated_at
                       FROM list_items i JOIN lists l ON l.id = i.list WHERE l.person = ?1 AND i.origin IS NOT NULL",
                clear: "UPDATE list_items SET origin = NULL
                        WHERE list || '/' || position = ?2 AND list IN (SELECT id FROM lists WHERE person = ?1)",
            },
            Self::Clipboard => KindSql {
                rows: "SELECT 'clipboard' AS id, '' AS name, text, origin, updated_at
                       FROM clipboards WHERE person = ?1 AND origin IS NOT NULL",
                clear: "UPDATE clipboards SET origin = NULL WHERE person = ?1 AND ?2 = 'clipboard'",
            },
            Self::IndexEntry => KindSql {
                rows: "SELECT name AS id, name, coalesce(text || '\n', '') || metadata AS text, origin, updated_at
                       FROM index_entries WHERE ?1 <> '' AND origin IS NOT NULL",
                clear: "UPDATE index_entries SET origin = NULL WHERE ?1 <> '' AND name = ?2",
            },
            Self::GraphNode => KindSql {
                rows: "SELECT id, name, labels || ' ' || props AS text, origin, updated_at
                       FROM graph_nodes WHERE ?1 <> '' AND origin IS NOT NULL",
                clear: "UPDATE graph_nodes SET origin = NULL WHERE ?1 <> '' AND id = ?2",
            },
            Self::GraphEdge => KindSql {
                rows: "SELECT CAST(e.number AS TEXT) AS id, e.rel AS name,
                         s.id || ' ' || e.rel || ' ' || d.id || ' ' || e.props AS text, e.origin, e.updated_at
                       FROM graph_edges e JOIN graph_nodes s ON s.number = e.src JOIN graph_nodes d ON d.number = e.dst
                       WHERE ?1 <> '' AND e.origin IS NOT NULL",
                clear: "UPDATE graph_edges SET origin = NULL WHERE ?1 <> '' AND CAST(number AS TEXT) = ?2",
            },
            Self::ScriptValue => KindSql {
                rows:
                    "SELECT script || '/' || key AS id, script AS name, key || ': ' || value AS text, origin, updated_at
                       FROM script_values WHERE person = ?1 AND origin IS NOT NULL",
                clear: "UPDATE script_values SET origin = NULL WHERE person = ?1 AND script || '/' || key = ?2",
            },
        }
    }
}
