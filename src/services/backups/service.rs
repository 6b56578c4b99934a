//! Backups of a running server: one is made or verified at a time, everybody can see how far it is.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Value, json};
use tokio::{
    sync::{Mutex as Turn, OwnedMutexGuard},
    task::JoinHandle,
};

use super::{drill::Verification, first_run::FirstRun, keys::Given, runs::Runs, schedule};
use crate::embeddings::offered;
use satchel_app::App;
use satchel_model::{
    backup::{Backup, Drill, Manifest, Progress, Reason, State},
    error::{Error, Kind, Result},
    secret::Secret,
    time::Time,
};
use satchel_store::{
    backup::{
        contents::Extras,
        drill::sweep as sweep_drill,
        exchange::{Exchange, Received},
        instance::Instance,
        log::{self, By},
        restore::Restored,
        shelf::{self, Shelf},
        watch::Watch,
        write::{self, Job},
    },
    people::Actor,
};

/// The turn of whoever makes, verifies or restores a backup.
pub(super) type OwnTurn = OwnedMutexGuard<()>;

/// Backups of a data directory.
pub struct Backups {
    pub(super) app: Arc<App>,
    pub(super) data: PathBuf,
    pub(super) runs: Runs,
    instance: Instance,
    turn: Arc<Turn<()>>,
    first_run: Arc<FirstRun>,
}

/// The finding of a verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It can be relied on.
    Whole,
    /// It cannot.
    Unreliable,
    /// It was not looked at, or not to the end.
    Unknown,
}

/// Wishes for a backup; where nothing is said, it is as the settings have it.
#[derive(Debug, Default)]
pub struct Wish {
    /// The file, elsewhere than in the folder of backups.
    pub to: Option<PathBuf>,
    /// An age recipient to seal it to.
    pub recipient: Option<String>,
    /// A passphrase to seal it with.
    pub passphrase: Option<Secret>,
    /// `true` if the vault's key goes in.
    pub with_key: Option<bool>,
}

impl Backups {
    /// Removes what the last process left half-done. `exchange` is how this start began.
    pub fn start(app: Arc<App>, data: &Path, exchange: &Exchange) -> Arc<Self> {
        let backups = Arc::new(Self {
            data: data.to_owned(),
            instance: Instance::open(data),
            runs: Runs::default(),
            turn: Arc::default(),
            first_run: Arc::new(FirstRun::begun(exchange)),
            app,
        });
        shelf::sweep_work(data);
        sweep_drill(data);
        backups.shelf().sweep();
        backups
    }

    /// Makes backups as the schedule says, for as long as the server runs.
    pub fn follow_schedule(self: &Arc<Self>) {
        self.app.lifecycle.tracker.spawn(schedule::run(Arc::clone(self)));
    }

    pub(super) fn shelf(&self) -> Shelf {
        Shelf::new(&self.data, self.app.settings.get().backups.folder.as_deref(), &self.instance)
    }

    /// All there are, the latest first, with what is under way and what failed since the start.
    pub fn list(&self) -> Result<Vec<Backup>> {
        Ok(self.runs.over(self.shelf().list()?))
    }

    /// One of them.
    pub fn get(&self, id: &str) -> Result<Backup> {
        match self.runs.get(id) {
            Some(run) if run.progress.is_some() || run.state == State::Failed => Ok(run),
            Some(elsewhere) => Ok(self.shelf().get(id).unwrap_or(elsewhere)),
            None => self.shelf().get(id),
        }
    }

    /// Returns when the schedule makes the next one.
    pub fn next(&self) -> Option<Time> {
        let settings = self.app.settings.get();
        schedule::due(&settings.backups, &schedule::local(self.app.clock.now())).map(|(_, next)| next)
    }

    /// Begins one. What is returned besides says, when it ended, whether it was made.
    ///
    /// # Errors
    ///
    /// If another is under way, or what is wished cannot be.
    pub fn make(self: &Arc<Self>, by: By, wish: Wish) -> Result<(Backup, JoinHandle<bool>)> {
        let turn = self.take_turn()?;
        self.begin(turn, by, wish)
    }

    /// As [`Backups::make`], in a turn that was taken.
    pub(super) fn begin(self: &Arc<Self>, turn: OwnTurn, by: By, wish: Wish) -> Result<(Backup, JoinHandle<bool>)> {
        let shelf = self.shelf();
        let backup = self.running(&by, &shelf);
        let target = match &wish.to {
            Some(to) => to.clone(),
            None => {
                shelf.ensure()?;
                shelf.file(&backup.id)?
            }
        };
        let backup = Backup { path: target.display().to_string(), ..backup };
        let watch = Watch::new(self.app.lifecycle.shutdown.clone());
        self.runs.begin(backup.clone(), &watch);
        let (this, begun, kept) = (Arc::clone(self), self.get(&backup.id)?, wish.to.is_none());
        let ended = self.app.lifecycle.tracker.spawn(async move {
            let made = this.write(&target, wish, backup.created_at, &watch).await;
            let ended = this.ended(by, backup, made, kept.then_some(shelf)).await;
            // Whoever reads that it ended may begin the next one.
            drop(turn);
            let is_done = ended.state == State::Done;
            this.runs.end(ended);
            is_done
        });
        Ok((begun, ended))
    }

    /// One that begins now.
    pub(super) fn running(&self, by: &By, shelf: &Shelf) -> Backup {
        let now = self.app.clock.now();
        let reason = if matches!(by, By::Schedule) { Reason::Schedule } else { Reason::Asked };
        Backup {
            id: shelf.name(now, reason),
            state: State::Running,
            path: shelf.folder().display().to_string(),
            created_at: now,
            bytes: 0,
            reason: Some(reason),
            sealed_to: None,
            vault_key: None,
            progress: None,
            verified: None,
            problem: None,
        }
    }

    async fn write(&self, target: &Path, wish: Wish, now: Time, watch: &Watch) -> Result<Manifest> {
        let vault_key = wish.with_key.unwrap_or(self.app.settings.get().backups.with_key);
        let seal = self.seal(wish).await?;
        let (data, target, watch) = (self.data.clone(), target.to_owned(), watch.clone());
        let made = tokio::task::spawn_blocking(move || {
            let work = shelf::work(&data).join("backup");
            let extras = Extras { fetched_models: offered::fetched(), vault_key };
            write::make(&Job { work, target, seal, extras, now, data }, &watch)
        });
        made.await.map_err(Error::internal)?
    }

    /// Writes down how one ended, and says how it stands from now on.
    pub(super) async fn ended(&self, by: By, backup: Backup, made: Result<Manifest>, shelf: Option<Shelf>) -> Backup {
        let (path, failure) = (backup.path.clone(), made.as_ref().err().cloned());
        let ended = match made {
            Ok(manifest) => {
                let bytes = std::fs::metadata(&path).map_or(0, |found| found.len());
                let (sealed_to, vault_key) = (Some(manifest.sealed_to), Some(manifest.vault_key));
                Backup { state: State::Done, bytes, sealed_to, vault_key, ..backup }
            }
            Err(error) => {
                match error.kind() {
                    // Whoever asked for it is told what is wrong.
                    Kind::Invalid => tracing::warn!(?error, path, "a backup was not made"),
                    _ => tracing::error!(?error, path, "a backup was not made"),
                }
                Backup { state: State::Failed, problem: Some(error.message().to_owned()), ..backup }
            }
        };
        if let (Some(shelf), State::Done) = (shelf, ended.state)
            && let Err(error) = shelf.keep(&ended)
        {
            tracing::warn!(?error, "what is known of a backup could not be kept beside it");
        }
        let told = json!({
            "path": path, "bytes": ended.bytes, "sealed_to": ended.sealed_to, "with_key": ended.vault_key,
        });
        self.record(&by, "backup.create", told, failure.as_ref()).await;
        ended
    }

    /// Begins to verify one. What is returned besides says, when it ended, what was found.
    pub async fn verify(self: &Arc<Self>, by: By, id: &str, given: Given) -> Result<(Backup, JoinHandle<Verdict>)> {
        let turn = self.take_turn()?;
        let (file, backup) = (self.shelf().existing(id)?, self.shelf().get(id)?);
        let opener = self.opener(&backup, given).await?;
        let watch = Watch::new(self.app.lifecycle.shutdown.clone());
        self.runs.begin(backup.clone(), &watch);
        let (this, begun) = (Arc::clone(self), self.get(id)?);
        let ended = self.app.lifecycle.tracker.spawn(async move {
            let work = shelf::work(&this.data).join("verify");
            let clock = this.app.clock.clone();
            let drill = Verification { file, opener, work, clock, watch }.run().await;
            let id = backup.id.clone();
            let verdict = match &drill {
                Ok(drill) if drill.ok => Verdict::Whole,
                Ok(_) => Verdict::Unreliable,
                Err(_) => Verdict::Unknown,
            };
            this.verified(by, backup, drill).await;
            // Whoever reads that it ended may begin the next one.
            drop(turn);
            this.runs.forget(&id);
            verdict
        });
        Ok((begun, ended))
    }

    async fn verified(&self, by: By, backup: Backup, drill: Result<Drill>) {
        let drill = drill.unwrap_or_else(|error| Drill {
            at: self.app.clock.now(),
            ok: false,
            steps: Vec::new(),
            problem: Some(format!("It could not be verified. {}", error.message())),
        });
        let failure = drill.problem.as_ref().map(Error::conflict);
        let told = json!({"path": backup.path, "ok": drill.ok});
        let ended = Backup { verified: Some(drill), ..backup };
        if let Err(error) = self.shelf().keep(&ended) {
            tracing::warn!(?error, "what a verification found could not be kept beside the backup");
        }
        self.record(&by, "backup.verify", told, failure.as_ref()).await;
    }

    /// Removes one.
    pub async fn remove(&self, by: &Actor, id: &str) -> Result<()> {
        if self.runs.get(id).is_some_and(|run| run.progress.is_some()) {
            return Err(Error::conflict("It is under way: wait until it has ended."));
        }
        match self.shelf().remove(id) {
            // One that failed is only a line of the list.
            Err(_) if self.runs.get(id).is_some() => self.runs.forget(id),
            Err(error) => return Err(error),
            Ok(()) => {
                self.runs.forget(id);
                self.record(&By::Person(Box::new(by.clone())), "backup.delete", json!({"id": id}), None).await;
            }
        }
        Ok(())
    }

    /// The file of one, for who fetches it.
    pub async fn fetch(&self, by: &Actor, id: &str) -> Result<std::fs::File> {
        let file = self.shelf().open(id)?;
        self.record(&By::Person(Box::new(by.clone())), "backup.fetch", json!({"id": id}), None).await;
        Ok(file)
    }

    /// Unpacks a backup that takes the place of what this server runs on, which nobody owns yet. The process is asked to
    /// start on it once this returns.
    ///
    /// # Errors
    ///
    /// If the backup cannot be restored, or somebody became the owner meanwhile.
    pub async fn restore(&self, received: Received) -> Result<Restored> {
        let turn = self.take_turn()?;
        self.first_run.restore(&self.app, self.data.clone(), turn, received).await
    }

    /// Progress of a restoring, while one runs.
    pub fn restoring(&self) -> Option<Progress> {
        self.first_run.progress()
    }

    /// Returns whether this start was to be on a restored backup, and is on what was there before.
    pub fn is_undone(&self) -> bool {
        self.first_run.is_undone()
    }

    /// Returns once a backup waits to take the place of what this server runs on.
    pub async fn restored(&self) {
        self.first_run.done().await;
    }

    /// Returns the folder where what is sent is kept until it was restored.
    pub fn incoming(&self) -> PathBuf {
        shelf::work(&self.data).join("incoming")
    }

    /// Takes the turn of whoever works on backups.
    ///
    /// # Errors
    ///
    /// If somebody else has it.
    pub(super) fn take_turn(&self) -> Result<OwnTurn> {
        self.first_run.require_pending()?;
        Arc::clone(&self.turn).try_lock_owned().map_err(|_| {
            Error::conflict("A backup or a verification is under way: wait until it has ended, GET /api/backups says how far it is.")
        })
    }

    pub(super) async fn record(&self, by: &By, action: &str, told: Value, failure: Option<&Error>) {
        let now = self.app.clock.now();
        if let Err(error) = log::record(&self.app.stores.audit, by, (action, told), failure, now).await {
            tracing::error!(?error, action, "a backup is not in the audit");
        }
    }
}
