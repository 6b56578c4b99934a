//! A system: somewhere outside that can be called.

use serde::Serialize;
use url::Url;

use super::{auth::Auth, pace::RateLimit, status::SystemStatus, waiting::Waiting};
use crate::{
    destination::Destination,
    error::{Error, Kind, Result},
    id::{Id, Noun},
    origin::Origin,
    time::Time,
};

/// Names a system.
pub type SystemId = Id<System>;

/// A connected system.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct System {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: SystemId,
    /// The name people call it by; no two systems share one.
    pub name: String,
    /// The name as the tools of its endpoints carry it: `catalog:<slug>.<endpoint>`.
    pub slug: String,
    /// A description.
    pub description: String,
    /// The address every path is put under.
    #[schema(value_type = Option<String>)]
    pub base_url: Option<Url>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The status: whether it may be called.
    pub status: SystemStatus,
    /// The way it wants to be asked.
    pub auth: Auth,
    /// The limit on how often it may be asked, all callers together.
    pub rate_limit: Option<RateLimit>,
    /// The number of times a call that may be repeated is tried again.
    pub retries: u8,
    /// Seconds it has to answer.
    pub timeout_s: u16,
    /// The part of it that a tool wrote and no person has reviewed: of a draft, it as a whole.
    pub waiting: Option<Waiting>,
    /// The origin of what waits, if from outside.
    pub origin: Option<Origin>,
    /// The time at which it was registered.
    pub created_at: Time,
    /// The time of its last change.
    pub updated_at: Time,
}

impl Noun for System {
    const NAME: &'static str = "system";
}

impl System {
    /// Returns its address.
    ///
    /// # Errors
    ///
    /// If nobody has said where it is, with what to do.
    pub fn base_url(&self) -> Result<&Url> {
        self.base_url.as_ref().ok_or_else(|| {
            let told = format!(
                "The system '{}' has no base_url: set it with update_catalog_system or in the console.",
                self.name
            );
            Error::new(Kind::Unconfigured, told)
        })
    }

    /// The host and port it is at, where somebody has said.
    pub fn destination(&self) -> Option<Destination> {
        Destination::from_url(self.base_url.as_ref()?)
    }

    /// Checks that it may be called now.
    ///
    /// # Errors
    ///
    /// If its status forbids it, or nobody has said where it is.
    pub fn require_callable(&self) -> Result<()> {
        self.status.require_callable(&self.name)?;
        self.base_url().map(drop)
    }

    /// Returns the address its secrets are bound to: they are found only while it is asked, and its tokens are fetched,
    /// where they were given for.
    pub fn binding(&self) -> String {
        let origin = |url: Option<&Url>| url.map_or_else(|| "-".to_owned(), |url| url.origin().ascii_serialization());
        format!("system:{} {} {}", self.id, origin(self.base_url.as_ref()), origin(self.auth.token_url()))
    }
}
