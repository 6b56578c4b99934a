//! Background processes: each in a sandbox of its own, kept until it ends, is stopped, or the server ends.

mod places;

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use serde::Serialize;
use tokio::{
    sync::watch,
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use self::places::Places;
use super::{
    clock::Clock,
    files::Rooted,
    sandbox::{
        Action, Command, Ended, Limit, Limits, Running, Sandbox,
        tape::{Keep, SharedTape, Tape, record},
    },
};
use satchel_model::{
    error::{Error, Result},
    origin::Origin,
    time::Time,
    user::UserId,
};

/// Ended ones that are remembered for each user.
const REMEMBERED: usize = 16;

/// The last bytes of output that are kept of each.
const OUTPUT: usize = 64 * 1024;

/// The time a process asked to end may take before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// The time stopping may take altogether.
const STOPPING: Duration = Duration::from_secs(20);

/// Wall time after which a process is stopped, and the processor time it may use.
const LIFETIME: Duration = Duration::from_secs(24 * 3600);

/// The state of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It runs.
    Running,
    /// It ended, by itself or because it was stopped.
    Exited,
}

/// A background process as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Status {
    /// Its id, `proc_…`.
    pub session_id: String,
    /// The command line.
    pub command: String,
    /// Its state.
    pub state: State,
    /// Its exit code; `None` while it runs and if a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The reason it was ended, where it went over a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// The time at which it was started.
    pub started_at: Time,
    /// The time at which it ended.
    pub ended_at: Option<Time>,
    /// The end of what it wrote, output and errors as they came.
    pub output: String,
    /// All bytes it wrote.
    pub output_bytes: u64,
    /// The origin of what it had read, if from outside: its line and its output may say what stood there.
    #[serde(skip)]
    pub origin: Option<Origin>,
}

/// All background processes. Copies share them.
#[derive(Debug, Clone)]
pub struct Processes {
    sandbox: Sandbox,
    clock: Clock,
    places: Places,
    sessions: Arc<Mutex<HashMap<UserId, Vec<Session>>>>,
    commands: Arc<Mutex<Vec<UserId>>>,
    watched: Arc<Mutex<Vec<UserId>>>,
}

/// Counts its user among those something runs for, until it is dropped.
#[derive(Debug)]
pub struct CommandMark {
    user: UserId,
    commands: Arc<Mutex<Vec<UserId>>>,
}

impl CommandMark {
    fn new(user: UserId, commands: &Arc<Mutex<Vec<UserId>>>) -> Self {
        commands.lock().push(user);
        Self { user, commands: Arc::clone(commands) }
    }
}

impl Drop for CommandMark {
    fn drop(&mut self) {
        let mut commands = self.commands.lock();
        if let Some(at) = commands.iter().position(|user| *user == self.user) {
            commands.swap_remove(at);
        }
    }
}

/// One user's background processes.
#[derive(Debug, Clone)]
pub struct OwnProcesses {
    all: Processes,
    user: UserId,
    files: Rooted,
}

#[derive(Debug, Clone)]
struct Session {
    id: String,
    command: String,
    started_at: Time,
    tape: SharedTape,
    origin: Option<Origin>,
    stop: CancellationToken,
    end: watch::Receiver<Option<End>>,
}

#[derive(Debug, Clone, Copy)]
struct End {
    how: Ended,
    at: Time,
}

impl Processes {
    /// None yet.
    pub fn new(sandbox: Sandbox, clock: Clock) -> Self {
        Self {
            sandbox,
            clock,
            places: Places::of_machine(),
            sessions: Arc::default(),
            commands: Arc::default(),
            watched: Arc::default(),
        }
    }

    /// One user's.
    pub fn for_user(&self, user: UserId, files: Rooted) -> OwnProcesses {
        OwnProcesses { all: self.clone(), user, files }
    }

    /// Marks that a command of this user's runs, which is no background process.
    pub fn mark_command(&self, user: UserId) -> CommandMark {
        CommandMark::new(user, &self.commands)
    }

    /// Marks the same of a command whose changes are looked for, and are known to be from outside.
    pub fn mark_watched(&self, user: UserId) -> CommandMark {
        CommandMark::new(user, &self.watched)
    }

    /// The users something runs for; some may be named more than once.
    pub fn running(&self) -> Vec<UserId> {
        let mut users = self.unwatched();
        users.extend(self.watched.lock().iter());
        users
    }

    /// The users a background process runs for, or a command whose changes nobody looks for.
    pub fn unwatched(&self) -> Vec<UserId> {
        let mut users = self.commands.lock().clone();
        let sessions = self.sessions.lock();
        users.extend(sessions.iter().filter(|(_, own)| own.iter().any(Session::is_running)).map(|(user, _)| *user));
        users
    }

    /// Content with this origin came to where all of a user's that run may read it.
    pub fn note(&self, user: UserId, origin: &Origin) {
        let mut sessions = self.sessions.lock();
        for session in sessions.get_mut(&user).into_iter().flatten().filter(|session| session.is_running()) {
            session.origin = Origin::joined(session.origin.take(), Some(origin.clone()));
        }
    }

    async fn start(
        &self,
        own: &OwnProcesses,
        line: &str,
        blocked: &[String],
        origin: Option<Origin>,
    ) -> Result<Status> {
        let OwnProcesses { user, files, .. } = own;
        let place = self.places.take(*user)?;
        let mut command = Command { blocked: blocked.to_vec(), ..background(line, files) };
        command.limits.memory = place.memory;
        let (running, stdout, stderr) = self.sandbox.start(files, &command).await?;
        let tape = SharedTape::new(Mutex::new(Tape::new(OUTPUT, Keep::Last)));
        let copying = [record(stdout, &tape), record(stderr, &tape)];
        let (ended, end) = watch::channel(None);
        let session = Session {
            id: format!("proc_{}", &uuid::Uuid::new_v4().simple().to_string().get(..12).unwrap_or_default()),
            command: line.to_owned(),
            started_at: self.clock.now(),
            tape,
            origin,
            stop: CancellationToken::new(),
            end,
        };
        let (stop, clock) = (session.stop.clone(), self.clock.clone());
        tokio::spawn(async move {
            let how = follow(running, copying, stop).await;
            // Before anybody hears of the end: then there is a place again.
            drop(place);
            ended.send_replace(Some(End { how, at: clock.now() }));
        });
        let status = session.status();
        self.remember(*user, session);
        Ok(status)
    }

    /// Ends all processes of all users: the server ends.
    pub async fn shutdown(&self) {
        let all = self.sessions.lock().drain().flat_map(|(_, sessions)| sessions).collect();
        // What is still there then dies with the server's end of its socket.
        end(all).await;
    }

    /// The users who have a process, running or remembered.
    pub fn owners(&self) -> Vec<UserId> {
        self.sessions.lock().keys().copied().collect()
    }

    /// Ends all processes of a user and forgets them.
    pub async fn end_all(&self, user: UserId) {
        let own = self.sessions.lock().remove(&user).unwrap_or_default();
        end(own).await;
    }

    fn find(&self, user: UserId, id: &str) -> Result<Session> {
        let sessions = self.sessions.lock();
        let found = sessions.get(&user).and_then(|own| own.iter().find(|session| session.id == id));
        found.cloned().ok_or_else(|| {
            Error::not_found(format!("There is no process '{id}'. The action `list` shows those there are."))
        })
    }

    /// Keeps the session.
    fn remember(&self, user: UserId, session: Session) {
        let mut sessions = self.sessions.lock();
        let own = sessions.entry(user).or_default();
        let surplus = own.iter().filter(|old| !old.is_running()).count().saturating_sub(REMEMBERED - 1);
        let mut forget = surplus;
        own.retain(|old| {
            let gone = forget > 0 && !old.is_running();
            forget -= usize::from(gone);
            !gone
        });
        own.push(session);
    }
}

impl OwnProcesses {
    /// Checks that this line can be started now.
    ///
    /// # Errors
    ///
    /// If it cannot.
    pub fn ensure_startable(&self, line: &str) -> Result<()> {
        self.all.places.take(self.user)?;
        background(line, &self.files).ensure_possible()
    }

    /// Starts a shell line in the workspace, where the `blocked` programs do not run, by a call that has read from this
    /// origin.
    pub async fn start(&self, line: &str, blocked: &[String], origin: Option<Origin>) -> Result<Status> {
        self.all.start(self, line, blocked, origin).await
    }

    /// Asks a process to end, kills it and all it started where it does not, and tells how it ended.
    pub async fn stop(&self, id: &str) -> Result<Status> {
        let mut session = self.all.find(self.user, id)?;
        session.stop.cancel();
        let ended = timeout(STOPPING, session.end.wait_for(Option::is_some)).await.is_ok_and(|end| end.is_ok());
        if ended { self.status(id) } else { Err(Error::internal("a process did not end in time")) }
    }

    /// All that run, and the last that ended; the newest comes last.
    pub fn list(&self) -> Vec<Status> {
        self.all.sessions.lock().get(&self.user).into_iter().flatten().map(Session::status).collect()
    }

    /// One of them.
    pub fn status(&self, id: &str) -> Result<Status> {
        self.all.find(self.user, id).map(|session| session.status())
    }
}

impl Session {
    fn is_running(&self) -> bool {
        self.end.borrow().is_none()
    }

    fn status(&self) -> Status {
        let end = *self.end.borrow();
        let tape = self.tape.lock();
        Status {
            session_id: self.id.clone(),
            command: self.command.clone(),
            state: if end.is_some() { State::Exited } else { State::Running },
            exit_code: end.and_then(|end| end.how.code),
            signal: end.and_then(|end| end.how.signal),
            reason: end.and_then(|end| end.how.limit).map(Limit::message),
            started_at: self.started_at,
            ended_at: end.map(|end| end.at),
            output: tape.text(),
            output_bytes: tape.total(),
            origin: self.origin.clone(),
        }
    }
}

async fn end(mut sessions: Vec<Session>) {
    sessions.iter().for_each(|session| session.stop.cancel());
    let ended = async {
        for session in &mut sessions {
            // A sender that is gone has nothing left to end.
            let _ = session.end.wait_for(Option::is_some).await;
        }
    };
    let _ = timeout(STOPPING, ended).await;
}

/// A shell line that goes on in the workspace for as long as a process may.
fn background(line: &str, files: &Rooted) -> Command {
    let limits = Limits { cpu_seconds: LIFETIME.as_secs(), ..Limits::default() };
    let action = Action::Shell(line.to_owned());
    Command { limits, ..Command::new(action, files.workspace().to_owned(), LIFETIME) }
}

async fn follow(mut running: Running, copying: [JoinHandle<()>; 2], stop: CancellationToken) -> Ended {
    let by_itself = tokio::select! {
        ended = running.ended() => Some(ended),
        () = stop.cancelled() => None,
        () = sleep(LIFETIME) => None,
    };
    let ended = match by_itself {
        Some(ended) => ended,
        None => {
            running.terminate().await;
            let killed = Ended { code: None, signal: Some(libc::SIGKILL), limit: None };
            timeout(GRACE, running.ended()).await.unwrap_or(killed)
        }
    };
    running.close().await;
    for copy in copying {
        // The pipes have no writer any more.
        let _ = timeout(Duration::from_secs(2), copy).await;
    }
    ended
}
