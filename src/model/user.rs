//! People, their roles and their keys.

use serde::{Deserialize, Serialize};

use super::{
    caller::{Permission, Permissions},
    error::{Error, Result},
    id::{Id, Noun},
    time::Time,
};

/// A person's id.
pub type UserId = Id<User>;

/// A person who may sign in.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct User {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: UserId,
    /// Unique, as typed at sign-in; compared without case.
    pub username: String,
    /// The role's name.
    pub role: String,
    /// A disabled user can neither sign in nor use keys.
    pub disabled: bool,
    /// When the account was made.
    pub created_at: Time,
    /// The last successful sign-in.
    pub last_login_at: Option<Time>,
}

impl Noun for User {
    const NAME: &'static str = "user";
}

/// A named set of permissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Role {
    /// Unique, lower case.
    pub name: String,
    /// What it grants.
    #[schema(value_type = Vec<Permission>)]
    pub permissions: Permissions,
    /// Built-in roles cannot be changed.
    pub built_in: bool,
}

/// A key for programs; the key itself is shown once and kept as a hash.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ApiKey {
    /// Stable id.
    #[schema(value_type = String)]
    pub id: Id<ApiKey>,
    /// The owner's id: the key acts for them.
    #[schema(value_type = String, format = "uuid")]
    pub user: UserId,
    /// What the owner calls it.
    pub name: String,
    /// The key's own grant; what it may do is this and its owner's role, now.
    #[schema(value_type = Vec<Permission>)]
    pub permissions: Permissions,
    /// When it was made.
    pub created_at: Time,
    /// Last use, to the minute.
    pub last_used_at: Option<Time>,
}

impl Noun for ApiKey {
    const NAME: &'static str = "key";
}

/// The roles every installation has (R2a).
pub const BUILT_IN_ROLES: &[(&str, &[&str])] = &[
    ("administrator", &["*"]),
    (
        "operator",
        &[
            "knowledge:read",
            "catalog:read",
            "catalog:write",
            "audit:read",
            "processes:read",
            "index:read",
            "index:write",
            "jobs:manage",
            "agents:run",
            "channel:send",
        ],
    ),
    ("viewer", &["knowledge:read", "catalog:read", "processes:read", "index:read"]),
];

/// A user name: 1 to 64 letters, digits and `. _ - @`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Username(String);

impl Username {
    /// The name as typed.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Username {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        let allowed = |c: char| c.is_alphanumeric() || "._-@".contains(c);
        if (1..=64).contains(&text.chars().count()) && text.chars().all(allowed) {
            Ok(Self(text))
        } else {
            Err(Error::invalid("A user name is 1 to 64 letters, digits, '.', '_', '-' or '@'."))
        }
    }
}
