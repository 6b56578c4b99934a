//! The services that run as long as the server does, as boot hands them to a door.

use std::sync::Arc;

use super::{backups::service::Backups, find::finder::Finder, jobs::service::Jobs, scripts::Library};

/// Cheap to clone: every clone is the same services.
#[derive(Clone)]
pub struct Services {
    /// The tool finder, which learns from use.
    pub finder: Finder,
    /// The scripts.
    pub scripts: Library,
    /// Backups.
    pub backups: Arc<Backups>,
    /// Scheduled and triggered jobs.
    pub jobs: Jobs,
}
