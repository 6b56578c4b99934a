//! The handles that some tools are built with.

use std::sync::Arc;

use super::find::finder::Finder;
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
}

impl Handles {
    /// The handles of a server.
    pub fn new(catalog: &Catalog, finder: &Finder) -> Self {
        Self { running: Some((catalog.clone(), finder.clone())) }
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
