//! The caller: a person, the door they come through, and their permissions.

use std::{collections::BTreeSet, fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{
    agent::ActingAgent,
    error::{Error, Result},
    id::Id,
    reader::Reader,
    user::{ApiKey, UserId},
};

/// One permission, `area:verb`; `*` grants all, `area:*` all of an area.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Permission(String);

/// Every permission a tool or a route asks for, with what it opens. The console offers these.
pub const PERMISSIONS: &[(&str, &str)] = &[
    ("*", "Everything, and high-write tools without asking"),
    ("knowledge:read", "Search and read documents"),
    ("knowledge:write", "Create and change documents"),
    ("catalog:read", "See and call connected systems"),
    ("catalog:write", "Register systems and endpoints"),
    ("processes:read", "Search business processes"),
    ("processes:write", "Write, import and publish business processes"),
    ("index:read", "Query the text, vector and graph indexes"),
    ("index:write", "Change the text, vector and graph indexes"),
    ("audit:read", "Read the audit"),
    ("scripts:write", "Write, test and publish scripts"),
    ("jobs:manage", "Schedule tasks"),
    ("agents:run", "Start sub-agents and specialists"),
    ("channel:send", "Send messages to channels"),
    ("host:fs.read", "Read files of the workspace"),
    ("host:fs.write", "Change files of the workspace"),
    ("host:exec", "Run commands in the sandbox"),
    ("gateway:call", "Call configured gateways"),
    ("web:browse", "Drive the configured browser"),
    ("users:manage", "Manage users, roles and their keys"),
    ("settings:manage", "Change settings and tool configuration"),
];

impl Permission {
    /// The text, for instance `knowledge:read`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Permission {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let plain = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c))
        };
        let known = match text.split_once(':') {
            None => text == "*",
            Some((area, verb)) => plain(area) && (verb == "*" || plain(verb)),
        };
        if known {
            Ok(Self(text.to_owned()))
        } else {
            Err(Error::invalid(format!("'{text}' is not a permission: write `area:verb`, `area:*` or `*`.")))
        }
    }
}

impl utoipa::PartialSchema for Permission {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        use utoipa::openapi::{ObjectBuilder, Type};
        let pattern = r"^(\*|[a-z0-9._-]+:(\*|[a-z0-9._-]+))$";
        ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern)).into()
    }
}
impl utoipa::ToSchema for Permission {}

impl TryFrom<String> for Permission {
    type Error = Error;
    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Permission> for String {
    fn from(permission: Permission) -> Self {
        permission.0
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A set of permissions, patterns included.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Permissions(BTreeSet<Permission>);

impl Permissions {
    /// Everything: `*`.
    pub fn all() -> Self {
        Self(BTreeSet::from([Permission("*".to_owned())]))
    }

    /// Parses each; the first wrong one is the error.
    pub fn parse<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Result<Self> {
        texts.into_iter().map(|text| text.as_ref().parse()).collect::<Result<BTreeSet<_>>>().map(Self)
    }

    /// Returns whether `*` is held: it also waives the confirmation of high-write tools.
    pub fn is_all(&self) -> bool {
        self.0.iter().any(|p| p.0 == "*")
    }

    /// Returns whether this set grants `wanted`, itself possibly a pattern: a pattern is granted only by one as wide.
    pub fn grants(&self, wanted: &str) -> bool {
        let area = wanted.split_once(':').map(|(area, _)| area);
        self.0.iter().any(|held| {
            held.0 == "*" || held.0 == wanted || held.0.strip_suffix(":*").is_some_and(|held| Some(held) == area)
        })
    }

    /// Returns true where this set grants all of `other`.
    pub fn covers(&self, other: &Self) -> bool {
        other.iter().all(|permission| self.grants(permission))
    }

    /// Returns the permissions both sets grant: an API key is never wider than its owner.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        let of_self = self.0.iter().filter(|p| other.grants(&p.0));
        let of_other = other.0.iter().filter(|p| self.grants(&p.0));
        Self(of_self.chain(of_other).cloned().collect())
    }

    /// Each, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(Permission::as_str)
    }
}

/// The way a call came in; audit rows carry it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Door {
    /// REST, with a session or an API key.
    Api,
    /// A chat turn: the model proposed the call.
    Chat,
    /// The command line on the data directory's machine.
    Cli,
    /// An MCP client.
    Mcp,
    /// A job.
    Job,
    /// A Rhai script.
    Script,
    /// An OpenAI client, over `/v1`.
    Openai,
    /// An Anthropic client, over `/v1`.
    Anthropic,
}

impl Door {
    /// Returns whether programs ask agents through it, whose calls then come through it too.
    pub fn is_for_programs(self) -> bool {
        matches!(self, Self::Openai | Self::Anthropic)
    }

    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Chat => "chat",
            Self::Cli => "cli",
            Self::Mcp => "mcp",
            Self::Job => "job",
            Self::Script => "script",
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
        }
    }
}

/// Proof of who the caller is; only a person decides tickets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Credential {
    /// A browser session: a person is there.
    Session,
    /// An API key.
    Key(Id<ApiKey>),
    /// The command line, by the token file only the data directory's owner can read.
    Local,
}

impl Credential {
    /// The key, if it is one.
    pub fn key(self) -> Option<Id<ApiKey>> {
        match self {
            Self::Key(key) => Some(key),
            Self::Session | Self::Local => None,
        }
    }
}

/// An authenticated caller and what they may do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The user whose data and budgets are used.
    pub user: UserId,
    /// For audit rows and pages.
    pub username: String,
    /// Already narrowed: role, and key where one was used.
    pub permissions: Permissions,
    /// The door they came through.
    pub door: Door,
    /// The credential they showed at it.
    pub credential: Credential,
    /// Opens what belongs to the person: their session does, a key only if they said so when they made it.
    pub personal: bool,
    /// The agent that acts for them, whose bounds narrow what it may do. `None` if they act themselves.
    pub agent: Option<Arc<ActingAgent>>,
}

impl Caller {
    /// The same person through another door, for instance the chat turn they started.
    #[must_use]
    pub fn through(&self, door: Door) -> Self {
        Self { door, ..self.clone() }
    }

    /// Returns true where a person is there: in a session, or at the command line of this machine.
    pub fn is_person(&self) -> bool {
        self.credential.key().is_none()
    }

    /// Checks that the caller is a person.
    ///
    /// # Errors
    ///
    /// If it is a program with a key.
    pub fn ensure_person(&self) -> Result<()> {
        if self.is_person() {
            return Ok(());
        }
        Err(Error::denied("Only a person can do this, signed in with a password: not a program with a key."))
    }

    /// Checks that this caller may have models asked, which costs their person tokens.
    ///
    /// # Errors
    ///
    /// If it is a key that opens neither what is its owner's nor runs agents.
    pub fn ensure_may_ask_models(&self) -> Result<()> {
        if self.personal || self.permissions.grants("agents:run") {
            return Ok(());
        }
        Err(Error::denied(
            "This key may not ask models, which is counted to its owner: they can make one that is `personal`, or one with \
             the permission agents:run.",
        ))
    }

    /// Checks that the credential opens what belongs to the person. Routes and tools declare that they touch such
    /// things; this is the one place that decides.
    ///
    /// # Errors
    ///
    /// If it does not.
    pub fn ensure_personal(&self) -> Result<()> {
        if self.personal {
            return Ok(());
        }
        Err(Error::denied(
            "This key does not open what belongs to its owner: conversations, memories, lists, clipboard, files and \
             questions. Its owner can make one that does: a key with `personal`.",
        ))
    }

    /// The reader of collections that this is.
    pub fn reader(&self) -> Reader {
        Reader::new(self)
    }

    /// Checks that a permission is granted.
    ///
    /// # Errors
    ///
    /// With its name, if it is not.
    pub fn require(&self, permission: &str) -> Result<()> {
        if self.permissions.grants(permission) {
            return Ok(());
        }
        Err(Error::denied(format!(
            "This needs the permission '{permission}'. An administrator can grant it with a role."
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(texts: &[&str]) -> Permissions {
        Permissions::parse(texts).unwrap()
    }

    #[test]
    fn a_pattern_grants_its_area_only() {
        assert!(set(&["host:*"]).grants("host:exec"));
        assert!(!set(&["host:*"]).grants("hosts:exec"));
        assert!(!set(&["host:exec"]).grants("host:*"));
        assert!(set(&["*"]).grants("host:*"));
    }

    #[test]
    fn an_intersection_is_never_wider_than_either() {
        assert_eq!(set(&["*"]).intersect(&set(&["audit:read"])), set(&["audit:read"]));
        assert_eq!(set(&["host:*", "audit:read"]).intersect(&set(&["host:exec", "index:read"])), set(&["host:exec"]));
    }

    #[test]
    fn every_listed_permission_parses() {
        for (name, _) in PERMISSIONS {
            assert!(name.parse::<Permission>().is_ok(), "{name}");
        }
        assert!("Host:Exec".parse::<Permission>().is_err());
        assert!("".parse::<Permission>().is_err());
    }
}
