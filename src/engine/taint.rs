//! The taint of a run: content from outside that has come into it, which what it gives back and what it writes carry on.

use parking_lot::Mutex;

use satchel_app::App;
use satchel_model::{author::Author, caller::Caller, error::Result, origin::Origin, output::Output};

/// The taint of a run: content from outside that has come into it.
#[derive(Clone, Copy)]
pub struct Taint<'a> {
    pub(super) app: &'a App,
    pub(super) caller: &'a Caller,
    /// The name of the running tool.
    pub(super) tool: &'a str,
    /// The origin of what its conversation, or the call around it, had read from outside when it began.
    pub(super) around: Option<&'a Origin>,
    pub(super) read: &'a Mutex<Option<Origin>>,
}

impl Taint<'_> {
    /// Remembers that something from this place outside came into the run; what it gives back is from there too.
    pub fn note_place(self, place: &str) {
        self.note([Origin::new(named(self.tool, place), self.app.clock.now())]);
    }

    /// Remembers that things kept came into the run with these origins, as far as they are outside for its caller.
    pub fn note(self, origins: impl IntoIterator<Item = Origin>) {
        let mut outside = origins.into_iter().filter(|origin| origin.is_outside_for(self.caller));
        if let Some(origin) = outside.next() {
            self.read.lock().get_or_insert(origin);
        }
    }

    /// Remembers that things came into the run that these people put where everybody reads them.
    pub fn note_authors<'b>(self, authors: impl IntoIterator<Item = &'b Author>) {
        let reader = self.caller.user;
        if let Some(other) = authors.into_iter().find(|author| author.is_another_than(reader)) {
            self.note_place(&format!("put by {}", other.name));
        }
    }

    /// The origin of what the run writes: of what it has read from outside itself, else of what was around it.
    pub fn origin(self) -> Option<Origin> {
        let own = self.read.lock().clone();
        own.or_else(|| self.around.cloned())
    }

    /// The origin of what the run writes where everybody reads it.
    pub fn origin_for_all(self) -> Option<Origin> {
        self.origin().map(Origin::for_all).or_else(|| self.of_program())
    }

    /// The origin of what the run keeps for its caller.
    pub fn origin_to_keep(self) -> Option<Origin> {
        self.origin().or_else(|| self.of_program())
    }

    /// In a turn of the server's own agent as well: a program that has begun it says what is kept.
    fn of_program(self) -> Option<Origin> {
        Origin::of_program(self.caller, self.tool, self.app.clock.now())
    }

    /// An outcome of the run, which says where it came from where something it called was from outside.
    pub(super) fn mark(self, outcome: Result<Output>) -> Result<Output> {
        let Some(origin) = self.read.lock().clone() else { return outcome };
        match outcome {
            Ok(output) if output.outside().is_some() => Ok(output),
            Ok(output) => Ok(output.kept_from(Some(origin))),
            Err(error) => Err(error.kept_from(origin)),
        }
    }
}

/// A place outside, as an origin names it.
pub(super) fn named(tool: &str, place: &str) -> String {
    format!("{tool}: {place}")
}
