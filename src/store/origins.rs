//! What is kept from outside, for people to see, and to vouch for once they have read it.

use rusqlite::{Connection, Row};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    db::Db,
    origin,
    people::Actor,
    rows::{all, first, run, time},
};
use crate::model::{
    caller::Caller,
    error::{Error, Result},
    origin::Origin,
    time::Time,
    user::UserId,
};

/// Most of one kind that are listed.
const LISTED: i64 = 200;
/// How much of a text is listed, in characters.
const SHOWN: usize = 4_000;

/// What kind of thing is kept.
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
    /// What kind of thing it is.
    pub kind: Kind,
    /// Which of its kind.
    pub id: String,
    /// What it is called, or where it stands; empty where it has no name.
    pub name: String,
    /// What it says, 4,000 characters at most.
    pub text: String,
    /// Whether it says more than that.
    pub cut: bool,
    /// Where it came from, and when.
    pub origin: Origin,
    /// When it was last changed: a vouch names it, so that nobody vouches for what they have not read.
    pub updated_at: Time,
}

/// What somebody vouches for: they have read it, and it may be used as their own.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Vouch {
    /// What kind of thing it is.
    pub kind: Kind,
    /// Which of its kind.
    pub id: String,
    /// When it was last changed, as it was read.
    pub updated_at: Time,
}

/// What of one database is from outside. Cheap to clone.
#[derive(Clone)]
pub struct Origins {
    db: Db,
}

impl Origins {
    /// Of this database.
    pub fn of(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// What this person may see of it and nobody has vouched for, the latest first: up to 200 of each kind.
    pub async fn list(&self, caller: &Caller) -> Result<Vec<FromOutside>> {
        let (user, reads_index) = (caller.user, caller.permissions.grants("index:read"));
        self.db
            .read(move |c| {
                let mut found = Vec::new();
                for kind in Kind::ALL.into_iter().filter(|kind| reads_index || !kind.is_everybodys()) {
                    found.extend(kind.list(c, user)?);
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
            by.caller.demand("index:write")?;
        }
        let by = by.clone();
        self.db
            .write(move |c| {
                let user = by.caller.user;
                let found = vouch.kind.find(c, user, &vouch.id)?;
                let found =
                    found.ok_or_else(|| Error::not_found("It is gone, or somebody has vouched for it already."))?;
                if found.updated_at != vouch.updated_at {
                    return Err(Error::conflict("It has changed since you read it: read it again, then vouch for it."));
                }
                vouch.kind.clear(c, user, &vouch.id)?;
                // What it says may be private: the row says where it came from.
                let told = json!({"kind": vouch.kind, "source": found.origin.source, "at": found.origin.at});
                by.record(c, "origin.vouch", told)
            })
            .await
    }
}

/// How one kind stands in the database. In all of it `?1` is the person.
struct Stored {
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

    fn list(self, c: &Connection, user: UserId) -> Result<Vec<FromOutside>> {
        let sql = format!("SELECT * FROM ({}) ORDER BY updated_at DESC LIMIT ?2", self.stored().rows);
        all(c, &sql, (user.to_string(), LISTED), |row| self.read(row))
    }

    fn find(self, c: &Connection, user: UserId, id: &str) -> Result<Option<FromOutside>> {
        let sql = format!("SELECT * FROM ({}) WHERE id = ?2", self.stored().rows);
        first(c, &sql, (user.to_string(), id), |row| self.read(row))
    }

    fn clear(self, c: &Connection, user: UserId, id: &str) -> Result<()> {
        run(c, self.stored().clear, (user.to_string(), id)).map(drop)
    }

    fn read(self, row: &Row<'_>) -> Result<FromOutside> {
        let origin = origin::read(row, 3)?.ok_or_else(|| Error::internal("a row without an origin was found"))?;
        let text: String = row.get(2)?;
        Ok(FromOutside {
            kind: self,
            id: row.get(0)?,
            name: row.get(1)?,
            cut: text.chars().nth(SHOWN).is_some(),
            text: text.chars().take(SHOWN).collect(),
            origin,
            updated_at: time(row, 4)?,
        })
    }

    fn stored(self) -> Stored {
        match self {
            Self::Memory => Stored {
                rows:
                    "SELECT m.id, m.key AS name, m.content || coalesce((SELECT group_concat(char(10) || v.content, '')
                         FROM memory_versions v WHERE v.memory = m.number), '') AS text, m.origin, m.updated_at
                       FROM memories m WHERE m.user = ?1 AND m.origin IS NOT NULL",
                clear: "UPDATE memories SET origin = NULL WHERE user = ?1 AND id = ?2",
            },
            Self::List => Stored {
                rows: "SELECT CAST(id AS TEXT) AS id, name, '' AS text, origin, updated_at
                       FROM lists WHERE user = ?1 AND origin IS NOT NULL",
                clear: "UPDATE lists SET origin = NULL WHERE user = ?1 AND CAST(id AS TEXT) = ?2",
            },
            Self::ListItem => Stored {
                rows: "SELECT i.list || '/' || i.position AS id, l.name, i.text, i.origin, l.updated_at
                       FROM list_items i JOIN lists l ON l.id = i.list WHERE l.user = ?1 AND i.origin IS NOT NULL",
                clear: "UPDATE list_items SET origin = NULL
                        WHERE list || '/' || position = ?2 AND list IN (SELECT id FROM lists WHERE user = ?1)",
            },
            Self::Clipboard => Stored {
                rows: "SELECT 'clipboard' AS id, '' AS name, text, origin, updated_at
                       FROM clipboards WHERE user = ?1 AND origin IS NOT NULL",
                clear: "UPDATE clipboards SET origin = NULL WHERE user = ?1 AND ?2 = 'clipboard'",
            },
            Self::IndexEntry => Stored {
                rows: "SELECT name AS id, name, coalesce(text || char(10), '') || metadata AS text, origin, updated_at
                       FROM index_entries WHERE ?1 <> '' AND origin IS NOT NULL",
                clear: "UPDATE index_entries SET origin = NULL WHERE ?1 <> '' AND name = ?2",
            },
            Self::GraphNode => Stored {
                rows: "SELECT id, name, labels || ' ' || props AS text, origin, updated_at
                       FROM graph_nodes WHERE ?1 <> '' AND origin IS NOT NULL",
                clear: "UPDATE graph_nodes SET origin = NULL WHERE ?1 <> '' AND id = ?2",
            },
            Self::GraphEdge => Stored {
                rows: "SELECT CAST(e.number AS TEXT) AS id, e.rel AS name,
                         s.id || ' ' || e.rel || ' ' || d.id || ' ' || e.props AS text, e.origin, e.updated_at
                       FROM graph_edges e JOIN graph_nodes s ON s.number = e.src JOIN graph_nodes d ON d.number = e.dst
                       WHERE ?1 <> '' AND e.origin IS NOT NULL",
                clear: "UPDATE graph_edges SET origin = NULL WHERE ?1 <> '' AND CAST(number AS TEXT) = ?2",
            },
            Self::ScriptValue => Stored {
                rows:
                    "SELECT script || '/' || key AS id, script AS name, key || ': ' || value AS text, origin, updated_at
                       FROM script_values WHERE user = ?1 AND origin IS NOT NULL",
                clear: "UPDATE script_values SET origin = NULL WHERE user = ?1 AND script || '/' || key = ?2",
            },
        }
    }
}
