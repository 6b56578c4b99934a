//! Commands and files: one sees all its user's files and may write to any, so what it says and what it changed is of all
//! that they hold.

use std::path::PathBuf;

use uuid::Uuid;

use super::{OwnFiles, is_seen, path_of, place_of};
use satchel_app::App;
use satchel_engine::context::Context;
use satchel_host::{
    files::{Rooted, Survey, before_now},
    process::{OwnProcesses, Status},
    sandbox::{Command, Finished},
};
use satchel_model::{
    error::{Error, Kind, Result},
    origin::Origin,
    user::UserId,
};
use satchel_store::file_origins::{FileOrigins, FilePlace, Holdings, Tree};

/// Most names that are looked at to tell what a command has changed. Where there are more, all that changed since it began
/// counts.
const SURVEYED: usize = 20_000;

/// The state before a command that has an origin, to tell what it wrote.
struct Watch {
    trees: Vec<Tree>,
    before: Option<Survey>,
}

/// Runs a command in the sandbox; it ends with the call. It has read what the files hold, and what it changes is from
/// there.
pub async fn run(cx: &Context, command: Command) -> Result<Finished> {
    let files = OwnFiles::new(cx)?;
    // Before it looks: what is written later from outside is said to count for all that such a command writes.
    let mark = cx.app().host.processes.mark_command(cx.caller().user);
    files.note_held().await?;
    let Some(origin) = cx.taint().origin_to_keep() else {
        let (ran, _mark) = in_sandbox(cx, &files.files, command, mark).await?;
        // It may have read what came while it ran.
        files.note_held().await?;
        return ran;
    };
    // Its own changes are looked for when it has ended, which nobody vouches for before; those of others that run are not.
    let watched = cx.app().host.processes.mark_watched(cx.caller().user);
    drop(mark);
    let watch = files.watch(&origin).await?;
    // Of a program nothing from outside need have been near, and some may come while it runs.
    let mark = origin.program_of.map(|_| cx.app().host.processes.mark_command(cx.caller().user));
    // Given up before its end, the trees stay: nobody knows what it wrote.
    let (ran, _marks) = in_sandbox(cx, &files.files, command, (watched, mark)).await?;
    files.note_held().await?;
    files.settle(watch, cx.taint().origin()).await?;
    ran
}

/// Runs a command in a task of its own, and gives its marks back. Where nobody waits any more for the call, which has
/// ended, the command is ended, and its marks stay until nothing of it is left.
async fn in_sandbox<M>(cx: &Context, files: &Rooted, command: Command, marks: M) -> Result<(Result<Finished>, M)>
where
    M: Send + 'static,
{
    let (sandbox, files, cancel) = (cx.app().host.sandbox.clone(), files.clone(), cx.cancelled().clone());
    let run = async move { (sandbox.run(&files, command, &cancel).await, marks) };
    cx.app().lifecycle.tracker.spawn_on(run, &cx.app().lifecycle.runtime).await.map_err(Error::internal)
}

/// The caller's background processes; what they wrote is of what the files hold.
pub async fn processes(cx: &Context) -> Result<OwnProcesses> {
    let files = OwnFiles::new(cx)?;
    files.note_held().await?;
    Ok(cx.app().host.processes.for_user(cx.caller().user, files.files))
}

/// Starts a command in the background: whatever it changes from now on counts as from where this call has read.
pub async fn start(cx: &Context, line: &str, blocked: &[String]) -> Result<Status> {
    // Until it is started and counts as running it.
    let _mark = cx.app().host.processes.mark_command(cx.caller().user);
    let own = processes(cx).await?;
    let origin = cx.taint().origin_to_keep();
    if let Some(origin) = &origin {
        let places = keep_trees(cx.app(), &OwnFiles::new(cx)?.files, origin).await?;
        guard_against_running(cx.app(), &places, origin).await?;
    }
    let started = own.start(line, blocked, origin).await?;
    // What came before it counted as running it may have read as well.
    OwnFiles::new(cx)?.note_held().await?;
    if let Some(origin) = cx.taint().origin() {
        cx.app().host.processes.note(cx.caller().user, &origin);
    }
    Ok(started)
}

impl OwnFiles {
    /// Notes where the first file came from that a command could read and nobody vouched for.
    async fn note_held(&self) -> Result<()> {
        let held = FileOrigins::new(&self.cx.app().db).held(self.files.user()).await?;
        self.cx.taint().note(self.first_held(held).await?);
        Ok(())
    }

    async fn first_held(&self, held: Holdings) -> Result<Option<Origin>> {
        let is_outside = |origin: &Origin| origin.is_outside_for(self.cx.caller());
        let counts = |tree: &Tree| is_seen(&self.files, &tree.place) && is_outside(&tree.origin);
        if let Some(tree) = held.trees.into_iter().find(counts) {
            return Ok(Some(tree.origin.of_workspace("files that a command changed")));
        }
        let last = held.files.last().filter(|_| held.has_more).map(|(place, _)| place.clone());
        for (place, origin) in held.files {
            // One that is gone or out of reach is no way in. Where there are more than are looked for, some may be there.
            let is_there = match self.files.changed(&path_of(&self.files, &place)).await {
                Ok(changed) => changed.is_some(),
                Err(error) => error.kind() != Kind::Denied,
            };
            if (is_there && is_outside(&origin)) || last.as_ref() == Some(&place) {
                return Ok(Some(origin.of_workspace(&place.path)));
            }
        }
        Ok(None)
    }

    /// Makes all count as from there from now on that the command could write to.
    async fn watch(&self, origin: &Origin) -> Result<Watch> {
        let app = self.cx.app();
        let trees = trees(&self.files, origin);
        for tree in &trees {
            FileOrigins::new(&app.db).put_tree(tree.clone()).await?;
        }
        let places: Vec<FilePlace> = trees.iter().map(|tree| tree.place.clone()).collect();
        guard_against_running(app, &places, origin).await?;
        Ok(Watch { trees, before: self.files.survey(SURVEYED).await? })
    }

    /// Puts what a command has changed in place of all it could have changed, as far as that can be told.
    /// `near` is the origin of what was read besides.
    async fn settle(&self, watch: Watch, near: Option<Origin>) -> Result<()> {
        let Watch { mut trees, before } = watch;
        for tree in &mut trees {
            tree.origin =
                Origin::joined(Some(tree.origin.clone()), near.clone()).unwrap_or_else(|| tree.origin.clone());
        }
        let (at, origins) = (before_now(), FileOrigins::new(&self.cx.app().db));
        let (Some(before), Some(after)) = (before, self.files.survey(SURVEYED).await?) else {
            for tree in trees {
                origins.keep_tree(tree).await?;
            }
            return Ok(());
        };
        let place = |path: &PathBuf| place_of(&self.files, path);
        let changed: Vec<FilePlace> = after
            .iter()
            .filter(|(path, stamp)| before.get(*path) != Some(*stamp))
            .map(|(path, _)| place(path))
            .collect();
        let gone: Vec<FilePlace> = before.keys().filter(|path| !after.contains_key(*path)).map(place).collect();
        for tree in trees {
            let of_tree = |places: &[FilePlace]| -> Vec<FilePlace> {
                places.iter().filter(|place| place.is_below(&tree.place)).cloned().collect()
            };
            let (changed, gone) = (of_tree(&changed), of_tree(&gone));
            origins.settle_tree(tree, changed, gone, at).await?;
        }
        Ok(())
    }
}

/// Makes all count as from there that commands write from now on which run already and may read one of these places: they
/// started with nothing from outside near. Those of others hear no more of it than everybody may.
pub(super) async fn guard_against_running(app: &App, places: &[FilePlace], origin: &Origin) -> Result<()> {
    for user in app.host.processes.unwatched() {
        let lies_with = |owner: Option<UserId>| places.iter().any(|place| place.owner == owner);
        let origin = match (lies_with(Some(user)), lies_with(None)) {
            (true, _) => origin.clone(),
            (false, true) => origin.clone().for_all(),
            (false, false) => continue,
        };
        app.host.processes.note(user, &origin);
        keep_trees(app, &app.files_of(user)?, &origin).await?;
    }
    Ok(())
}

/// Makes all of these files that change from now on count as from there, until somebody vouches for them. Returns where
/// they lie.
async fn keep_trees(app: &App, files: &Rooted, origin: &Origin) -> Result<Vec<FilePlace>> {
    let trees = trees(files, origin);
    let places = trees.iter().map(|tree| tree.place.clone()).collect();
    for tree in trees {
        FileOrigins::new(&app.db).keep_tree(tree).await?;
    }
    Ok(places)
}

/// The roots, as trees from there since now.
fn trees(files: &Rooted, origin: &Origin) -> Vec<Tree> {
    let since = before_now();
    let tree =
        |root: &PathBuf| Tree { id: Uuid::now_v7(), place: place_of(files, root), origin: origin.clone(), since };
    files.roots().iter().map(tree).collect()
}
