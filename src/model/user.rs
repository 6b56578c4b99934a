//! People, their roles and their keys.

use serde::{Deserialize, Serialize};
use unicode_security::{GeneralSecurityProfile, MixedScript, skeleton};

use super::{
    caller::{Permission, Permissions},
    error::{Error, Result},
    id::{Id, Noun},
    settings::Exposure,
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
    /// The time at which the account was made.
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
    /// The permissions it grants.
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
    /// The name its owner calls it by.
    pub name: String,
    /// The key's own grant; what it may do is this and its owner's role, now.
    #[schema(value_type = Vec<Permission>)]
    pub permissions: Permissions,
    /// Opens what belongs to its owner: conversations, memories, lists, clipboard, files and questions.
    pub personal: bool,
    /// What it lets the program do that holds it.
    #[serde(flatten)]
    pub terms: KeyTerms,
    /// The time at which it was made.
    pub created_at: Time,
    /// Last use, to the minute.
    pub last_used_at: Option<Time>,
    /// The first call it was used for; null before that, and where nobody noted it.
    pub first_call: Option<FirstCall>,
}

/// The first call that a program made with its key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FirstCall {
    /// The tool, by the name the program called it by, or the model that it asked.
    pub name: String,
    /// The time.
    pub at: Time,
}

/// What a key lets the program do that holds it, beside its permissions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct KeyTerms {
    /// The program may answer questions for the key's owner, where its protocol can ask them. That counts as the owner's
    /// decision.
    pub approves: bool,
    /// The tools that an MCP client is shown; null as the settings have it. It may call those it is not shown as well.
    pub exposure: Option<Exposure>,
    /// The tools that `selected` shows, by name.
    pub selected: Vec<String>,
}

/// Most tools a key may select.
const SELECTED: usize = 500;

impl KeyTerms {
    /// The same, if a key may have them.
    ///
    /// # Errors
    ///
    /// Where the names are too many or too long, or are given without being asked for.
    pub fn checked(self) -> Result<Self> {
        if self.selected.len() > SELECTED || self.selected.iter().any(|name| name.is_empty() || name.len() > 200) {
            return Err(Error::invalid(format!(
                "'selected' names at most {SELECTED} tools, each in 200 bytes at most."
            )));
        }
        if !self.selected.is_empty() && self.exposure != Some(Exposure::Selected) {
            return Err(Error::invalid("'selected' goes with `exposure: \"selected\"`: give both, or neither."));
        }
        Ok(self)
    }
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

/// A user name: 1 to 64 letters, digits and `. _ - @`, the letters of one script (Unicode TS 39), so that no name passes
/// for another.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Username(String);

impl Username {
    /// The name as typed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true where people could take this name for the other: both look the same, whatever their letters.
    pub fn looks_like(&self, other: &str) -> bool {
        look_alike(&self.0, other)
    }
}

/// Returns whether people could take one name for the other: both look the same, whatever their letters.
pub fn look_alike(one: &str, other: &str) -> bool {
    let others = looks(other);
    looks(one).iter().any(|look| others.contains(look))
}

/// A name as people see it: a capital I passes for an l where it is written so, and for an i where case is of no account.
fn looks(name: &str) -> [String; 2] {
    let look = |name: &str| {
        let small = skeleton(name).collect::<String>().to_lowercase();
        skeleton(&small).collect::<String>().replace("vv", "w")
    };
    [look(name), look(&name.to_lowercase())]
}

impl TryFrom<String> for Username {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        let allowed = |c: char| (c.is_alphanumeric() && c.identifier_allowed()) || "._-@".contains(c);
        if !(1..=64).contains(&text.chars().count()) || !text.chars().all(allowed) {
            return Err(Error::invalid("A user name is 1 to 64 letters, digits, '.', '_', '-' or '@'."));
        }
        if !text.as_str().is_single_script() {
            return Err(Error::invalid(
                "A user name has letters of one script, say Latin or Greek: mixed ones pass for other people's names.",
            ));
        }
        Ok(Self(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Result<Username> {
        text.to_owned().try_into()
    }

    #[test]
    fn a_name_has_letters_of_one_script() {
        for text in [
            "ada",
            "ada.lovelace@example.com",
            "O_1-2",
            "Zoë",
            "Ωmega".trim_start_matches('Ω'),
            "Юлия",
            "漢字かな",
            "이름",
        ] {
            assert!(name(text).is_ok(), "{text}");
        }
        for text in ["аda", "adа", "Ωmega", "ada\u{200d}", "a da", "", "ﬁona", "ａda", "ada\u{301}\u{301}"] {
            assert!(name(text).is_err(), "{text}");
        }
    }

    #[test]
    fn names_that_look_the_same_are_the_same_to_people() {
        for (new, known) in [
            ("рос", "poc"),
            ("OWNER", "owner"),
            ("0wner", "owner"),
            ("ow\u{438}er", "owиer"),
            ("bi11", "bill"),
            ("rnara", "mara"),
            ("pIain", "plain"),
            ("plain", "pIain"),
            ("lI", "Il"),
            ("vvalter", "walter"),
        ] {
            assert!(name(new).is_err() || name(new).unwrap().looks_like(known), "{new} {known}");
        }
        for (new, known) in [
            ("ada", "adb"),
            ("mara", "maria"),
            ("user1", "user2"),
            ("role10", "role1"),
            ("Clara", "Dara"),
            ("Ivan", "Evan"),
        ] {
            assert!(!name(new).unwrap().looks_like(known), "{new} {known}");
        }
    }
}
