//! Runs, as the person they act for sees them.

use super::chat::Agent;
use satchel_model::{
    caller::Caller,
    error::{Error, Result},
    run::{Run, RunId},
};
use satchel_store::{
    agents::sessions::Root,
    runs::{self, Filter, Sight},
};

impl Agent {
    /// The newest runs that pass, newest first.
    pub async fn runs(&self, caller: &Caller, filter: Filter, limit: u32) -> Result<Vec<Run>> {
        runs::find(&self.shared.app.db, Sight::new(caller), filter, limit).await
    }

    /// A run.
    ///
    /// # Errors
    ///
    /// If there is none that they see.
    pub async fn one_run(&self, caller: &Caller, id: RunId) -> Result<Run> {
        runs::get(&self.shared.app.db, Sight::new(caller), id).await
    }

    /// Stops a run and all that it began.
    ///
    /// # Errors
    ///
    /// If there is none that they see, it acts for somebody else, or it has not ended in time.
    pub async fn stop_run(&self, caller: &Caller, id: RunId) -> Result<Run> {
        let run = self.one_run(caller, id).await?;
        if run.user != caller.username {
            return Err(Error::denied(format!("This run acts for {}, who alone can stop it.", run.user)));
        }
        self.stop_tree(Root::Run(id)).await?;
        self.one_run(caller, id).await
    }
}
