//! Runs under way, and those that failed since the start: the folder knows only what is there.

use parking_lot::Mutex;

use satchel_model::backup::{Backup, State};
use satchel_store::backup::watch::Watch;

/// Most that are remembered once they ended.
const REMEMBERED: usize = 20;

struct Run {
    backup: Backup,
    /// While it is under way: how far it is.
    watch: Option<Watch>,
}

/// Backups and verifications of this process.
#[derive(Default)]
pub(super) struct Runs(Mutex<Vec<Run>>);

impl Runs {
    /// Begins one, in place of an earlier one of the same id.
    pub(super) fn begin(&self, backup: Backup, watch: &Watch) {
        let mut runs = self.0.lock();
        runs.retain(|run| run.backup.id != backup.id);
        runs.insert(0, Run { backup, watch: Some(watch.clone()) });
        runs.truncate(REMEMBERED);
    }

    /// Ends one: it stands as `backup` says from now on.
    pub(super) fn end(&self, backup: Backup) {
        let mut runs = self.0.lock();
        if let Some(run) = runs.iter_mut().find(|run| run.backup.id == backup.id) {
            *run = Run { backup, watch: None };
        }
    }

    /// Forgets one.
    pub(super) fn forget(&self, id: &str) {
        self.0.lock().retain(|run| run.backup.id != id);
    }

    /// One as it is now.
    pub(super) fn get(&self, id: &str) -> Option<Backup> {
        self.0.lock().iter().find(|run| run.backup.id == id).map(Run::now)
    }

    /// Adds what the folder does not know: what is under way, what failed, what went elsewhere.
    pub(super) fn over(&self, kept: Vec<Backup>) -> Vec<Backup> {
        let runs: Vec<(Backup, bool)> = self.0.lock().iter().map(|run| (run.now(), run.watch.is_some())).collect();
        let mut all: Vec<Backup> = kept
            .into_iter()
            .map(|one| match runs.iter().find(|(run, running)| *running && run.id == one.id) {
                Some((run, _)) => run.clone(),
                None => one,
            })
            .collect();
        let unknown = runs.into_iter().filter(|(run, running)| {
            (*running || run.state == State::Failed) && !all.iter().any(|one| one.id == run.id)
        });
        let unknown: Vec<Backup> = unknown.map(|(run, _)| run).collect();
        all.extend(unknown);
        all.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
        all
    }
}

impl Run {
    fn now(&self) -> Backup {
        Backup { progress: self.watch.as_ref().map(Watch::progress), ..self.backup.clone() }
    }
}
