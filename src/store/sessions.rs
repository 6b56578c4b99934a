//! Sessions: signing in with a password, and what keeps a browser signed in.

use std::time::Duration;

use serde::Serialize;
use serde_json::json;

use super::{
    audit,
    lockout::{Blocked, Subject, network},
    people::{Actor, People},
    sql::{Row, Tx},
    token, users,
};
use satchel_model::{
    audit::{AuditOutcome, Event, EventType},
    caller::{Caller, Credential, Door},
    error::{Error, Kind, Result},
    id::{Id, Noun},
    secret::Secret,
    time::Time,
    user::{User, UserId},
};

/// A session lasts this long at most.
pub const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);
/// A session nobody uses for this long ends.
pub const IDLE: Duration = Duration::from_secs(7 * 24 * 3600);
/// A network that somebody has signed in from is known for this long.
const KNOWN: Duration = Duration::from_secs(90 * 24 * 3600);
/// Sessions, and known networks, one user may have; the oldest makes way.
const PER_USER: i64 = 50;

/// A session's id; not the credential.
pub type SessionId = Id<Session>;

/// A signed-in browser.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Session {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: SessionId,
    /// Whose.
    #[schema(value_type = String, format = "uuid")]
    pub user: UserId,
    /// What the browser called itself.
    pub user_agent: String,
    /// Where it signed in from.
    pub address: String,
    /// When it signed in.
    pub created_at: Time,
    /// When it ends, in use or not.
    pub expires_at: Time,
    /// Last use, to the minute.
    pub last_seen_at: Time,
    /// Whether it is the one that asks.
    pub current: bool,
}

impl Noun for Session {
    const NAME: &'static str = "session";
}

/// Where somebody signs in from, and when.
#[derive(Debug, Clone)]
pub struct Visit {
    /// Network address.
    pub address: String,
    /// What the browser calls itself.
    pub user_agent: String,
    /// When.
    pub now: Time,
}

/// Somebody who just signed in.
#[derive(Debug)]
pub struct SignedIn {
    /// Who.
    pub user: User,
    /// The cookie's value.
    pub token: Secret,
}

impl People {
    /// Signs in with a password. The same error, after the same time, for a wrong password, an unknown name and
    /// a disabled account.
    pub async fn sign_in(&self, username: &str, password: Secret, visit: Visit) -> Result<SignedIn> {
        let (account, known_here) = self.account(username, &visit.address).await?;
        let subjects = subjects(username, &visit.address, known_here);
        let attempt = match self.lockout.attempt(&subjects, visit.now).await {
            Ok(attempt) => attempt,
            Err(blocked) => return Err(self.refuse(username, &visit, blocked).await),
        };
        let hash = account.as_ref().map(|account| account.password.clone());
        let is_right = match self.hasher.verify(password, hash).await {
            Ok(is_right) => is_right,
            Err(error) => {
                attempt.undecided();
                return Err(error);
            }
        };
        match account {
            Some(account) if is_right && !account.user.disabled => {
                attempt.succeed();
                self.start_session(account, visit).await
            }
            _ => {
                drop(attempt);
                let error = wrong();
                self.note_failure(username, &visit, AuditOutcome::Failure, &error).await?;
                Err(error)
            }
        }
    }

    /// Starts a session for somebody who has proved who they are: their password is still the one that was looked at.
    pub(super) async fn start_session(&self, account: Account, visit: Visit) -> Result<SignedIn> {
        let Account { user, password } = account;
        let token = token::issue("");
        let hash = token::digest(token.expose());
        let caller = Caller {
            user: user.id,
            username: user.username.clone(),
            permissions: Default::default(),
            door: Door::Api,
            credential: Credential::Session,
            personal: true,
            agent: None,
        };
        let by = Actor { caller, session: None, now: visit.now };
        let user = self
            .change(move |tx| {
                let sql = "SELECT 1 FROM users WHERE id = ?1 AND password = ?2 AND NOT disabled";
                tx.first(sql, (user.id.to_string(), password), |_| Ok(()))?.ok_or_else(wrong)?;
                insert(tx, user.id, hash, &visit)?;
                tx.run("UPDATE users SET last_login_at = ?2 WHERE id = ?1", (user.id.to_string(), visit.now.millis()))?;
                by.record_auth(tx, "login", json!({"address": visit.address}))?;
                users::require(tx, user.id)
            })
            .await?;
        Ok(SignedIn { user, token })
    }

    /// Ends the session that asks.
    pub async fn sign_out(&self, by: &Actor, session: SessionId) -> Result<()> {
        let by = by.clone();
        self.change(move |tx| {
            tx.run("DELETE FROM sessions WHERE id = ?1", [session.to_string()])?;
            by.record_auth(tx, "logout", json!({}))
        })
        .await
    }

    /// The live sessions of a user, the last used first.
    pub async fn sessions(&self, user: UserId, current: Option<SessionId>, now: Time) -> Result<Vec<Session>> {
        let sql = "SELECT id, person, user_agent, address, created_at, expires_at, last_seen_at FROM sessions \
             WHERE person = ?1 AND expires_at > ?2 AND last_seen_at > ?3 ORDER BY last_seen_at DESC, id DESC";
        let idle = now.millis().saturating_sub_unsigned(IDLE.as_millis() as u64);
        self.db.read(move |tx| tx.all(sql, (user.to_string(), now.millis(), idle), |row| read(row, current))).await
    }

    /// Ends a session: one's own, or that of a user whose role is not above one's own permissions.
    pub async fn end_session(&self, by: &Actor, id: SessionId) -> Result<()> {
        self.change_by(by, move |tx, by| {
            let sql = "SELECT person FROM sessions WHERE id = ?1";
            let owner: Option<UserId> = tx.first(sql, [id.to_string()], |row| row.parsed("person"))?;
            let unknown = Error::not_found(format!("There is no session '{id}'."));
            let owner = require_reach(tx, by, owner.ok_or_else(|| unknown.clone())?, &unknown)?;
            tx.run("DELETE FROM sessions WHERE id = ?1", [id.to_string()])?;
            by.record_auth(tx, "session.end", json!({"session": id, "user": owner.username}))
        })
        .await
    }

    async fn account(&self, username: &str, address: &str) -> Result<(Option<Account>, bool)> {
        let (key, address) = (users::key(username), network(address));
        self.db
            .read(move |tx| {
                let found = tx.first("SELECT id, password FROM users WHERE username_key = ?1", [key], |row| {
                    Ok((row.parsed("id")?, row.get("password")?))
                })?;
                let Some((id, password)) = found else { return Ok((None, false)) };
                let sql = "SELECT network FROM known_networks WHERE person = ?1";
                let from: Vec<String> = tx.all(sql, [UserId::to_string(&id)], |row| row.get("network"))?;
                // Of those from before, whole addresses are kept.
                let known = from.iter().any(|before| network(before) == address);
                Ok((Some(Account { user: users::require(tx, id)?, password }), known))
            })
            .await
    }

    async fn refuse(&self, username: &str, visit: &Visit, blocked: Blocked) -> Error {
        let error = blocked.error(visit.now);
        // Who hammers at a closed door gets one row a wait: the audit is not theirs to fill.
        let noted = match blocked {
            Blocked::Failed { first: true, .. } => {
                self.note_failure(username, visit, AuditOutcome::Refused, &error).await
            }
            Blocked::Failed { first: false, .. } | Blocked::Busy => Ok(()),
        };
        noted.err().unwrap_or(error)
    }

    async fn note_failure(&self, username: &str, visit: &Visit, outcome: AuditOutcome, error: &Error) -> Result<()> {
        let event = Event {
            user: username.chars().take(64).collect(),
            arguments: json!({"address": visit.address}),
            outcome,
            error: Some(error.message().to_owned()),
            ..Event::new(visit.now, EventType::Auth, Door::Api, "login")
        };
        self.db.write(move |tx| audit::append(tx, &event).map(drop)).await
    }
}

/// An account, and its password as it is kept.
pub(super) struct Account {
    pub(super) user: User,
    pub(super) password: String,
}

fn wrong() -> Error {
    Error::new(Kind::Unauthenticated, "The user name or the password is wrong.")
}

/// Whose failures a try counts for. Strangers cannot keep out somebody who comes from where they signed in before.
fn subjects(username: &str, address: &str, known_here: bool) -> [Subject; 2] {
    let key: String = users::key(username).chars().take(64).collect();
    let name = match known_here {
        true => Subject::NameAt(key, network(address)),
        false => Subject::Name(key),
    };
    [name, Subject::Address(network(address))]
}

/// The owner of a thing, if it is `by` themselves or they may manage that user. A key that may do less than its owner
/// does not manage its owner's credentials either. Somebody else's thing that is out of reach is `unknown`.
pub(super) fn require_reach(tx: &Tx, by: &Actor, owner: UserId, unknown: &Error) -> Result<User> {
    if owner == by.caller.user {
        return match by.caller.credential {
            Credential::Key(_) => users::require_within(tx, owner, by),
            Credential::Session | Credential::Local => users::require(tx, owner),
        };
    }
    let within = by.caller.require("users:manage").and_then(|()| users::require_within(tx, owner, by));
    within.map_err(|_| unknown.clone())
}

/// Ends all sessions of a user.
pub(super) fn end_all(tx: &Tx, user: UserId) -> Result<()> {
    end_others(tx, user, None)
}

/// Ends all sessions of a user but one.
pub(super) fn end_others(tx: &Tx, user: UserId, keep: Option<SessionId>) -> Result<()> {
    let keep = keep.map(|id| id.to_string());
    tx.run("DELETE FROM sessions WHERE person = ?1 AND id IS DISTINCT FROM ?2", (user.to_string(), keep)).map(drop)
}

fn insert(tx: &Tx, user: UserId, hash: token::Hash, visit: &Visit) -> Result<()> {
    let ends = visit.now.after(LONGEST).millis();
    let agent: String = visit.user_agent.chars().take(200).collect();
    tx.run("DELETE FROM sessions WHERE expires_at <= ?1", [visit.now.millis()])?;
    let sql = "INSERT INTO sessions (id, hash, person, user_agent, address, created_at, expires_at, last_seen_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?6)";
    let id = SessionId::new().to_string();
    tx.run(sql, (id, hash, user.to_string(), agent, &visit.address, visit.now.millis(), ends))?;
    let spare = "DELETE FROM sessions WHERE person = ?1 AND id NOT IN \
         (SELECT id FROM sessions WHERE person = ?1 ORDER BY last_seen_at DESC, id DESC LIMIT ?2)";
    tx.run(spare, (user.to_string(), PER_USER))?;
    remember_network(tx, user, visit)
}

/// Keeps the network somebody has signed in from: it outlives their sessions, and is forgotten a while later.
fn remember_network(tx: &Tx, user: UserId, visit: &Visit) -> Result<()> {
    let sql = "INSERT INTO known_networks (person, network, last_at) VALUES (?1, ?2, ?3) \
         ON CONFLICT (person, network) DO UPDATE SET last_at = excluded.last_at";
    tx.run(sql, (user.to_string(), network(&visit.address), visit.now.millis()))?;
    let known_since = visit.now.millis().saturating_sub_unsigned(KNOWN.as_millis() as u64);
    let spare = "DELETE FROM known_networks WHERE person = ?1 AND (last_at < ?2 OR network NOT IN \
         (SELECT network FROM known_networks WHERE person = ?1 ORDER BY last_at DESC LIMIT ?3))";
    tx.run(spare, (user.to_string(), known_since, PER_USER)).map(drop)
}

fn read(row: &Row<'_>, current: Option<SessionId>) -> Result<Session> {
    let id = row.parsed("id")?;
    Ok(Session {
        id,
        user: row.parsed("person")?,
        user_agent: row.get("user_agent")?,
        address: row.get("address")?,
        created_at: row.time("created_at")?,
        expires_at: row.time("expires_at")?,
        last_seen_at: row.time("last_seen_at")?,
        current: current == Some(id),
    })
}
