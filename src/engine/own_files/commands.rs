//! Commands and files: one sees all its user's files and may write to any, so what it says and what it changed is of all
//! that they hold.

use std::path::PathBuf;

use uuid::Uuid;

use super::{OwnFiles, path_of, place_of};
use crate::{
    engine::context::Context,
    host::{
        files::{Survey, before_now},
        process::{OwnProcesses, State, Status},
        sandbox::{Command, Finished},
    },
    model::{
        error::{Kind, Result},
        origin::Origin,
    },
    store::file_origins::{FileOrigins, FilePlace, Held, Tree},
};

/// What the origin of a command's output says that could read such a file.
pub const HELD: &str = "the workspace holds ";

/// Most names that are looked at to tell what a command has changed. Where there are more, all that changed since it began
/// counts.
const SURVEYED: usize = 20_000;

/// What was there before a command, where what it writes has an origin.
struct Watched {
    trees: Vec<Tree>,
    before: Option<Survey>,
}

impl Context {
    /// Runs a command in the sandbox; it ends with the call. It has read what the files hold, and what it changes is from
    /// there.
    pub async fn run_command(&self, command: Command) -> Result<Finished> {
        let files = self.files()?;
        files.note_held().await?;
        let watched = files.watch().await?;
        // Given up before its end, the trees stay: nobody knows what it wrote.
        let ran = self.app().sandbox.run(&files.files, command, self.cancelled()).await;
        if let Some(watched) = watched {
            files.settle(watched).await?;
        }
        ran
    }

    /// The caller's background processes; what they wrote is of what the files hold.
    pub async fn processes(&self) -> Result<OwnProcesses> {
        let files = self.files()?;
        files.note_held().await?;
        Ok(self.app().processes.of(self.caller().user, files.files))
    }

    /// Starts a command in the background: whatever it changes from now on counts as from where this call has read.
    pub async fn start_process(&self, line: &str, blocked: &[String]) -> Result<Status> {
        let own = self.processes().await?;
        if let Some(origin) = self.origin() {
            self.files()?.put_trees(&origin).await?;
        }
        own.start(line, blocked).await
    }
}

impl OwnFiles {
    /// Notes where the first file came from that a command could read and nobody vouched for.
    async fn note_held(&self) -> Result<()> {
        let held = FileOrigins::of(&self.cx.app().db).held(self.user()).await?;
        if let Some(origin) = self.first_held(held).await? {
            self.cx.note_origin(origin);
        }
        Ok(())
    }

    async fn first_held(&self, held: Held) -> Result<Option<Origin>> {
        if let Some(tree) = held.trees.into_iter().find(|tree| self.is_seen(&tree.place)) {
            return Ok(Some(told("files that a command changed", &tree.origin)));
        }
        let last = held.files.last().filter(|_| held.has_more).map(|(place, _)| place.clone());
        for (place, origin) in held.files {
            // One that is gone or out of reach is no way in. Where there are more than are looked for, some may be there.
            let is_there = match self.files.changed(&path_of(&self.files, &place)).await {
                Ok(changed) => changed.is_some(),
                Err(error) => error.kind() != Kind::Denied,
            };
            if is_there || last.as_ref() == Some(&place) {
                return Ok(Some(told(&place.path, &origin)));
            }
        }
        Ok(None)
    }

    /// Whether a command of this user could see it.
    fn is_seen(&self, place: &FilePlace) -> bool {
        self.files.locate(&path_of(&self.files, place)).is_ok()
    }

    /// What the roots are, as places.
    fn tree_places(&self) -> Vec<FilePlace> {
        self.files.roots().iter().map(|root| place_of(&self.files, self.user(), root)).collect()
    }

    /// Where what the call writes has an origin: the trees that count as from there from now on.
    async fn put_trees(&self, origin: &Origin) -> Result<Vec<Tree>> {
        let (since, origins) = (before_now(), FileOrigins::of(&self.cx.app().db));
        let mut trees = Vec::new();
        for place in self.tree_places() {
            let tree = Tree { id: Uuid::now_v7(), place, origin: origin.clone(), since };
            origins.put_tree(tree.clone()).await?;
            trees.push(tree);
        }
        Ok(trees)
    }

    async fn watch(&self) -> Result<Option<Watched>> {
        let Some(origin) = self.cx.origin() else { return Ok(None) };
        let trees = self.put_trees(&origin).await?;
        Ok(Some(Watched { trees, before: self.files.survey(SURVEYED).await? }))
    }

    /// Puts what a command has changed in place of all it could have changed, as far as that can be told.
    async fn settle(&self, watched: Watched) -> Result<()> {
        let Watched { trees, before } = watched;
        let at = before_now();
        let (Some(before), Some(after)) = (before, self.files.survey(SURVEYED).await?) else { return Ok(()) };
        let place = |path: &PathBuf| place_of(&self.files, self.user(), path);
        let changed: Vec<FilePlace> = after
            .iter()
            .filter(|(path, stamp)| before.get(*path) != Some(*stamp))
            .map(|(path, _)| place(path))
            .collect();
        let gone: Vec<FilePlace> = before.keys().filter(|path| !after.contains_key(*path)).map(place).collect();
        let origins = FileOrigins::of(&self.cx.app().db);
        for tree in trees {
            let of_tree = |places: &[FilePlace]| -> Vec<FilePlace> {
                places.iter().filter(|place| place.is_below(&tree.place)).cloned().collect()
            };
            let (changed, gone) = (of_tree(&changed), of_tree(&gone));
            origins.settle_tree(tree, changed, gone, at).await?;
        }
        Ok(())
    }

    /// A process that was started with nothing from outside near sees it from now on.
    pub(super) async fn guard_against_processes(&self, origin: &Origin) -> Result<()> {
        let own = self.cx.app().processes.of(self.user(), self.files.clone());
        if own.list().iter().all(|process| process.state != State::Running) {
            return Ok(());
        }
        let held = FileOrigins::of(&self.cx.app().db).held(self.user()).await?;
        let covered = |place: &FilePlace| held.trees.iter().any(|tree| place.is_below(&tree.place));
        if self.tree_places().iter().all(covered) { Ok(()) } else { self.put_trees(origin).await.map(drop) }
    }
}

/// The origin of a command's output. What is of such an output already says so once.
fn told(what: &str, origin: &Origin) -> Origin {
    if origin.source.contains(HELD) {
        return origin.clone();
    }
    Origin::new(format!("{HELD}{what} from {}", origin.source), origin.at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::Time;

    #[test]
    fn what_the_workspace_holds_is_said_once() {
        let page = Origin::new("web_fetch: https://invoices.example/may", Time::from_millis(7));
        let first = told("invoices.csv", &page);
        assert_eq!(first.source, "the workspace holds invoices.csv from web_fetch: https://invoices.example/may");
        assert_eq!(told("copy.csv", &first), first);
    }
}
