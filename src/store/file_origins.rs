//! The origins of files: kept by path, and for whole trees where a command may have written anything.

use serde_json::json;
use uuid::Uuid;

use super::{
    db::Db,
    origin,
    people::Actor,
    sql::{Row, Tx, params},
};
use satchel_model::{
    error::{Error, Result},
    origin::{LastChange, Origin},
    user::UserId,
};

/// Most files of one owner that are listed.
const LISTED: u32 = 1_000;

/// Nanoseconds that a row stays whose file is gone: until then it may be one that is just being written.
const JUST: i64 = 3_600_000_000_000;

/// A place among the files: of a person's workspace, or of another directory of the machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FilePlace {
    /// The person in whose workspace it lies; `None` for other directories.
    pub owner: Option<UserId>,
    /// Relative to the workspace, empty for the workspace itself; else absolute.
    pub path: String,
}

impl FilePlace {
    fn owner(&self) -> String {
        self.owner.map(|user| user.to_string()).unwrap_or_default()
    }

    /// Whether it is `tree` or lies below it.
    pub fn is_below(&self, tree: &Self) -> bool {
        let below = |rest: &str| rest.is_empty() || rest.starts_with('/') || tree.path.is_empty() || tree.path == "/";
        self.owner == tree.owner && self.path.strip_prefix(tree.path.as_str()).is_some_and(below)
    }
}

/// A tree whose files count as from outside, as far as they changed since.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// Names it.
    pub id: Uuid,
    /// The directory.
    pub place: FilePlace,
    /// The origin of what changed.
    pub origin: Origin,
    /// Nanoseconds since 1970.
    pub since: i64,
}

/// The rows that speak for one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileRecord {
    /// Its own row: an origin, or that it has none as long as its inode does not change.
    own: Option<(Option<Origin>, Option<i64>)>,
    trees: Vec<Tree>,
}

impl FileRecord {
    /// Whether nothing speaks for content from outside, whenever the file was changed.
    pub fn is_clean(&self) -> bool {
        self.trees.is_empty() && !matches!(self.own, Some((Some(_), _)))
    }

    /// Whether there is no row for it, nor one of a tree around it.
    pub fn is_unknown(&self) -> bool {
        self.trees.is_empty() && self.own.is_none()
    }

    /// The origin of the file that last changed then; `None` if there is no file, or nothing is known.
    pub fn origin(&self, changed: Option<LastChange>) -> Option<Origin> {
        let own = self.own.as_ref().and_then(|(origin, _)| origin.clone());
        let Some(changed) = changed else { return own };
        if matches!(self.own, Some((None, Some(vouched))) if vouched == changed.file) {
            return None;
        }
        let trees = self.trees.iter().filter(|tree| tree.since <= changed.path);
        trees.map(|tree| Some(tree.origin.clone())).fold(own, Origin::joined)
    }

    /// Whether the file lies in a tree that counts as from outside.
    pub fn is_in_tree(&self) -> bool {
        !self.trees.is_empty()
    }
}

/// Files and trees from outside that an owner's tools may reach.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Holdings {
    /// Files with an origin, by path.
    pub files: Vec<(FilePlace, Origin)>,
    /// Whether there are more.
    pub has_more: bool,
    /// Trees with one.
    pub trees: Vec<Tree>,
}

/// The origins of files. Cheap to clone.
#[derive(Clone)]
pub struct FileOrigins {
    db: Db,
}

impl FileOrigins {
    /// Those of this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// The rows that speak for a file.
    pub async fn known(&self, place: FilePlace) -> Result<FileRecord> {
        self.db.read(move |tx| known(tx, &place)).await
    }

    /// From now on, `at`, this file holds what came from there.
    pub async fn put(&self, place: FilePlace, origin: Origin, at: i64) -> Result<()> {
        self.db.write(move |tx| put(tx, &place, &origin, at)).await
    }

    /// From now on all that changes below a directory counts as from there, until [`Self::settle_tree`].
    pub async fn put_tree(&self, tree: Tree) -> Result<()> {
        self.db.write(move |tx| put_tree(tx, &tree, Lasting::No)).await
    }

    /// From now on all that changes below a directory counts as from there, until a person vouches for it. One that does
    /// already is enough. A tree that was put before becomes such a one.
    pub async fn keep_tree(&self, tree: Tree) -> Result<()> {
        let work = move |tx: &Tx| {
            forget_tree(tx, tree.id)?;
            let sql = "SELECT 1 FROM tree_origins WHERE owner = ?1 AND path = ?2 AND since <= ?3 AND lasting
                         AND (origin ->> 'program_of' IS NULL OR origin ->> 'program_of' IS NOT DISTINCT FROM ?4)";
            let program = tree.origin.program_of.map(|user| user.to_string());
            let place = (tree.place.owner(), &tree.place.path, tree.since, program);
            match tx.first(sql, place, |_| Ok(()))? {
                Some(()) => Ok(()),
                None => put_tree(tx, &tree, Lasting::Yes),
            }
        };
        self.db.write(work).await
    }

    /// A command has ended whose tree this was: only these files changed, and those named as gone are there no more. They
    /// were looked for from `at` on.
    pub async fn settle_tree(&self, tree: Tree, changed: Vec<FilePlace>, gone: Vec<FilePlace>, at: i64) -> Result<()> {
        let work = move |tx: &Tx| {
            changed.iter().try_for_each(|place| put(tx, place, &tree.origin, at))?;
            gone.iter().try_for_each(|place| forget_before(tx, place, at))?;
            forget_tree(tx, tree.id)
        };
        self.db.write(work).await
    }

    /// A file was written whole with nothing from outside near, by a call that began then. `changed` is when its inode last
    /// changed. An origin that was put since stays: another call wrote meanwhile.
    pub async fn clean(&self, place: FilePlace, changed: i64, began: i64) -> Result<()> {
        let work = move |tx: &Tx| {
            let sql = "SELECT 1 FROM file_origins
                       WHERE owner = ?1 AND path = ?2 AND origin IS NOT NULL AND put_at >= ?3";
            match tx.first(sql, (place.owner(), &place.path, began), |_| Ok(()))? {
                Some(()) => Ok(()),
                None => clean(tx, &place, changed),
            }
        };
        self.db.write(work).await
    }

    /// Forgets files that were not there at `now`, nor an hour before.
    pub async fn forget_gone(&self, places: Vec<FilePlace>, now: i64) -> Result<()> {
        let before = now.saturating_sub(JUST);
        self.db.write(move |tx| places.iter().try_for_each(|place| forget_before(tx, place, before))).await
    }

    /// Files and trees from outside in this person's workspace, and in other directories of the machine.
    pub async fn held(&self, user: UserId) -> Result<Holdings> {
        self.db.read(move |tx| held(tx, user)).await
    }

    /// A person has read a file and vouches for it as it is: last changed then.
    ///
    /// # Errors
    /// Where it has another origin by now than the person was shown.
    pub async fn vouch(&self, by: &Actor, place: FilePlace, shown: Origin, changed: LastChange) -> Result<()> {
        let by = by.clone();
        let work = move |tx: &Tx| {
            match known(tx, &place)?.origin(Some(changed)) {
                Some(origin) if origin == shown => {}
                Some(_) => return Err(Error::conflict(CHANGED)),
                None => return Err(Error::conflict("Nothing of this file is known to be from outside.")),
            }
            clean(tx, &place, changed.file)?;
            by.record(tx, "file.vouch", json!({"path": place.path, "origin": shown}))
        };
        self.db.write(work).await
    }

    /// A person vouches for what commands wrote into a tree.
    ///
    /// # Errors
    /// Where there is no such tree, or a command still runs: what it writes from now on has nobody read.
    pub async fn vouch_tree(
        &self,
        by: &Actor,
        id: Uuid,
        still_runs: impl FnOnce() -> bool + Send + 'static,
    ) -> Result<()> {
        let by = by.clone();
        let work = move |tx: &Tx| {
            let tree = tx.first(&format!("{TREE} WHERE id = ?1"), [id.to_string()], read_tree)?;
            let tree = tree.ok_or_else(|| Error::not_found("Nobody has to vouch for this any more."))?;
            // Within the transaction: what starts before it is seen here, what starts after it finds no tree and puts one.
            if still_runs() {
                return Err(Error::conflict(
                    "A command still runs that may write there: stop it, look at the files, then vouch for them.",
                ));
            }
            forget_tree(tx, id)?;
            by.record(tx, "file.vouch", json!({"tree": tree.place.path, "origin": tree.origin}))
        };
        self.db.write(work).await
    }

    /// A tree by its id; fails where there is none.
    pub async fn tree(&self, id: Uuid) -> Result<Tree> {
        let found =
            self.db.read(move |tx| tx.first(&format!("{TREE} WHERE id = ?1"), [id.to_string()], read_tree)).await?;
        found.ok_or_else(|| Error::not_found("Nobody has to vouch for this any more."))
    }
}

/// Said where a file is not as a person was shown it.
pub const CHANGED: &str = "The file has changed since you read it: read it again, then vouch for it.";

const TREE: &str = "SELECT id, owner, path, origin, since FROM tree_origins";

fn known(tx: &Tx, place: &FilePlace) -> Result<FileRecord> {
    let sql = "SELECT origin, changed FROM file_origins WHERE owner = ?1 AND path = ?2";
    let own = tx.first(sql, (place.owner(), &place.path), |row| Ok((origin::read(row)?, row.get("changed")?)))?;
    let trees = trees(tx, &place.owner())?.into_iter().filter(|tree| place.is_below(&tree.place)).collect();
    Ok(FileRecord { own, trees })
}

fn trees(tx: &Tx, owner: &str) -> Result<Vec<Tree>> {
    tx.all(&format!("{TREE} WHERE owner = ?1 ORDER BY since"), [owner], read_tree)
}

fn held(tx: &Tx, user: UserId) -> Result<Holdings> {
    let mut held = Holdings::default();
    for owner in [user.to_string(), String::new()] {
        let sql = "SELECT owner, path, origin FROM file_origins WHERE owner = ?1 AND origin IS NOT NULL
                   ORDER BY path LIMIT ?2";
        let files = tx.all(sql, params![owner, LISTED], |row| Ok((read_place(row)?, origin::read(row)?)))?;
        held.has_more |= files.len() >= LISTED as usize;
        held.files.extend(files.into_iter().filter_map(|(place, origin)| Some((place, origin?))));
        held.trees.extend(trees(tx, &owner)?);
    }
    Ok(held)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lasting {
    Yes,
    No,
}

fn put_tree(tx: &Tx, tree: &Tree, lasting: Lasting) -> Result<()> {
    let sql = "INSERT INTO tree_origins (id, owner, path, origin, since, lasting) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let Tree { id, place, origin, since } = tree;
    let origin = origin::text(&Some(seen_in(place, origin)));
    let row = params![id.to_string(), place.owner(), place.path, origin, since, lasting == Lasting::Yes];
    tx.run(sql, row).map(drop)
}

fn forget_tree(tx: &Tx, id: Uuid) -> Result<()> {
    tx.run("DELETE FROM tree_origins WHERE id = ?1", [id.to_string()]).map(drop)
}

fn put(tx: &Tx, place: &FilePlace, origin: &Origin, at: i64) -> Result<()> {
    let sql = "INSERT INTO file_origins (owner, path, origin, put_at) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (owner, path) DO UPDATE SET origin = excluded.origin, changed = NULL, put_at = excluded.put_at";
    tx.run(sql, params![place.owner(), place.path, origin::text(&Some(seen_in(place, origin))), at]).map(drop)
}

/// An origin as whoever reaches the place may read it: outside a workspace that may be others.
fn seen_in(place: &FilePlace, origin: &Origin) -> Origin {
    let origin = origin.clone();
    if place.owner.is_some() { origin } else { origin.for_all() }
}

/// A row that says so is kept only where the tree around it would say otherwise.
fn clean(tx: &Tx, place: &FilePlace, changed: i64) -> Result<()> {
    if !known(tx, place)?.is_in_tree() {
        return forget(tx, place);
    }
    let sql = "INSERT INTO file_origins (owner, path, changed, put_at) VALUES (?1, ?2, ?3, ?3)
               ON CONFLICT (owner, path) DO UPDATE SET origin = NULL, changed = excluded.changed, put_at = excluded.put_at";
    tx.run(sql, params![place.owner(), place.path, changed]).map(drop)
}

fn forget(tx: &Tx, place: &FilePlace) -> Result<()> {
    tx.run("DELETE FROM file_origins WHERE owner = ?1 AND path = ?2", (place.owner(), &place.path)).map(drop)
}

/// Forgets a file whose row was last written before.
fn forget_before(tx: &Tx, place: &FilePlace, at: i64) -> Result<()> {
    let sql = "DELETE FROM file_origins WHERE owner = ?1 AND path = ?2 AND put_at < ?3";
    tx.run(sql, params![place.owner(), place.path, at]).map(drop)
}

fn read_place(row: &Row<'_>) -> Result<FilePlace> {
    let owner: String = row.get("owner")?;
    let owner = if owner.is_empty() { None } else { Some(owner.parse()?) };
    Ok(FilePlace { owner, path: row.get("path")? })
}

fn read_tree(row: &Row<'_>) -> Result<Tree> {
    let id: String = row.get("id")?;
    let origin = origin::read(row)?.ok_or_else(|| Error::internal("a tree has no origin"))?;
    let id = Uuid::parse_str(&id).map_err(Error::internal)?;
    Ok(Tree { id, place: read_place(row)?, origin, since: row.get("since")? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::time::Time;

    fn place(owner: Option<UserId>, path: &str) -> FilePlace {
        FilePlace { owner, path: path.to_owned() }
    }

    #[test]
    fn a_place_is_below_a_tree_by_whole_names_and_of_the_same_owner() {
        let (ann, bob) = (Some(UserId::new()), Some(UserId::new()));
        for (own, tree, wanted) in [
            (place(ann, "a/b.txt"), place(ann, ""), true),
            (place(ann, "a/b.txt"), place(ann, "a"), true),
            (place(ann, "ab.txt"), place(ann, "a"), false),
            (place(ann, "a/b.txt"), place(bob, ""), false),
            (place(None, "/srv/x"), place(None, "/srv"), true),
            (place(None, "/srv/x"), place(None, "/"), true),
            (place(None, "/srvx"), place(None, "/srv"), false),
            (place(None, "/srv/x"), place(ann, ""), false),
        ] {
            assert_eq!(own.is_below(&tree), wanted, "{own:?} below {tree:?}");
        }
    }

    #[test]
    fn outside_a_workspace_nobody_reads_for_what_others_searched() {
        let origin = Origin::new("web_search: is ann ill: cancer", Time::from_millis(0));
        let seen = |owner| seen_in(&place(owner, "/srv/share"), &origin).source;
        assert_eq!(seen(None), "web_search");
        assert_eq!(seen(Some(UserId::new())), origin.source);
    }

    #[test]
    fn a_row_of_its_own_counts_before_the_tree_and_a_vouched_file_only_as_it_was() {
        let origin = |source: &str| Origin::new(source, Time::from_millis(0));
        let tree = Tree { id: Uuid::nil(), place: place(None, "/"), origin: origin("tree"), since: 10 };
        let known = |own, trees: &[Tree]| FileRecord { own, trees: trees.to_vec() };
        let moved =
            |known: &FileRecord, file, path| known.origin(Some(LastChange { file, path })).map(|origin| origin.source);
        let source = |known: &FileRecord, at| moved(known, at, at);
        let in_tree = known(None, std::slice::from_ref(&tree));
        assert_eq!([source(&in_tree, 9), source(&in_tree, 10)], [None, Some("tree".to_owned())]);
        assert_eq!(moved(&in_tree, 9, 10), Some("tree".to_owned()), "its directory was moved there");
        let vouched = known(Some((None, Some(12))), std::slice::from_ref(&tree));
        assert_eq!([source(&vouched, 12), source(&vouched, 13)], [None, Some("tree".to_owned())]);
        let own = known(Some((Some(origin("own")), None)), &[tree]);
        assert_eq!(source(&own, 5), Some("own".to_owned()));
        assert!(known(None, &[]).is_clean() && !own.is_clean() && !in_tree.is_clean());
    }
}
