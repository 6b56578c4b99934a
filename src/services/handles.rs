//! The handles that some tools are built with.

use std::sync::{Arc, OnceLock};

use super::{agents::sessions::Sessions, find::finder::Finder};
use satchel_model::{
    catalog::directory::Directory,
    error::{Error, Result},
};
use satchel_store::catalog::Catalog;

/// The handles that tools stand on and do not find in their context. Without a server there is none: then the tools can
/// be read, and no system is connected. Cheap to clone.
#[derive(Clone, Default)]
pub struct Handles {
    running: Option<(Catalog, Finder)>,
    /// Those who hold sessions: they stand above the tools, and join once both are there.
    sessions: Arc<OnceLock<Arc<dyn Sessions>>>,
}

impl Handles {
    /// The handles of a server.
    pub fn new(catalog: &Catalog, finder: &Finder) -> Self {
        Self { running: Some((catalog.clone(), finder.clone())), sessions: Arc::default() }
    }

    /// Lets those in who hold sessions; only the first who come are taken.
    pub fn join(&self, sessions: Arc<dyn Sessions>) {
        drop(self.sessions.set(sessions));
    }

    /// Those who hold sessions.
    ///
    /// # Errors
    ///
    /// Without a server.
    pub fn sessions(&self) -> Result<&Arc<dyn Sessions>> {
        self.sessions.get().ok_or_else(|| Error::internal("sessions are held by a server alone"))
    }

    /// The connected systems as they are now.
    pub fn directory(&self) -> Arc<Directory> {
        self.running.as_ref().map(|(catalog, _)| catalog.get()).unwrap_or_default()
    }

    /// The tool finder.
    ///
    /// # Errors
    ///
    /// Without a server.
    pub fn finder(&self) -> Result<&Finder> {
        let (_, finder) = self.running.as_ref().ok_or_else(|| Error::internal("tools are found by a server alone"))?;
        Ok(finder)
    }
}
