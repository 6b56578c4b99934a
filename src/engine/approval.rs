//! Approvals: a person's yes to one call or to the call around it, and the part of it that covers calls within.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use satchel_model::{call::Edit, definition::Definition, destination::Destination, spec::Risk};
use satchel_store::consents::ScriptText;

/// A person's yes to this very call, or to the call around it.
pub(super) struct Approval {
    /// Whose name the audit row carries.
    pub by: String,
    /// Changes that person made to what was asked for.
    pub edited: Vec<Edit>,
    /// The highest risk it covers.
    pub up_to: Risk,
    /// The call it was given to.
    pub to: To,
}

/// The call an approval was given to.
pub(super) enum To {
    /// This very call.
    This {
        /// The digest of what it did when it was asked about.
        definition: Definition,
        /// Scripts of others that the question named.
        scripts: Vec<ScriptText>,
    },
    /// The call this one is within.
    Within(Coverage),
}

/// The part of a person's yes that an approved call passes on to the calls within it.
#[derive(Clone)]
pub(super) struct Coverage {
    /// The highest risk they may have.
    pub risk: Risk,
    /// Places that the conversation has not reached yet to which they may send something.
    pub places: Arc<[Destination]>,
    /// Reasons, told to the person, that ask whatever the risk.
    pub reasons: Arc<[String]>,
    /// The tools they may run, by id, as they were when the person said yes.
    pub parts: Arc<BTreeMap<String, Part>>,
}

/// A tool that a call runs, as it was when its extent was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The digest of what it is, and of its configuration.
    pub(super) definition: Definition,
    /// Whatever else decides what its calls do, one for each of them; empty where nothing does, or nobody knows yet.
    pub(super) relied_on: BTreeSet<String>,
}

impl Part {
    /// Whether this one was told: it is what it was then, and so is what its calls rely on, as far as that was known.
    pub(super) fn is_told_by(&self, told: &Self) -> bool {
        let is_known = |text: &String| told.relied_on.contains(text) || told.relied_on.contains("");
        self.definition == told.definition && self.relied_on.iter().all(is_known)
    }
}
