//! Where a result came from, if from outside: by the tool's kind, because the tool says so in `meta.outside`, or because
//! something it called brought it in.

use parking_lot::Mutex;
use serde_json::Value;

use super::{context::Context, tool::Tool};
use crate::model::{
    author::Author,
    call::Outcome,
    error::{Error, Kind, Result},
    origin::Origin,
    output::Output,
    spec::{Category, Source},
    time::Time,
};

/// Where what came of a call came from, if from outside.
pub(super) fn of_outcome(tool: &Tool, arguments: &Value, outcome: &Result<Outcome>, now: Time) -> Option<Origin> {
    match outcome {
        Ok(Outcome::Done(done)) => of_output(tool, arguments, &done.output, now),
        Ok(Outcome::Confirm(_)) => None,
        Err(error) => of_error(tool, arguments, error, now),
    }
}

/// Where a result came from, if from outside. A built-in tool may say that it did not.
pub(super) fn of_output(tool: &Tool, arguments: &Value, output: &Output, now: Time) -> Option<Origin> {
    let spec = tool.spec();
    let outward = matches!(spec.category, Category::Web | Category::Catalog | Category::Outside | Category::Knowledge);
    if spec.source == Source::Builtin && output.is_ours() {
        return None;
    }
    match (output.outside(), output.outside_at()) {
        // What was kept is from where it came in first, not from what gives it back.
        (Some(source), Some(at)) => Some(Origin::new(source, at)),
        (Some(place), None) => Some(Origin::new(named(&spec.name, place), now)),
        (None, _) if is_foreign(tool) || outward => Some(Origin::new(place(tool, arguments), now)),
        (None, _) => None,
    }
}

/// Where the words of a failure came from: a refusal may carry as much of a stranger's as an answer.
fn of_error(tool: &Tool, arguments: &Value, error: &Error, now: Time) -> Option<Origin> {
    match error.outside() {
        Some((source, Some(at))) => return Some(Origin::new(source, at)),
        Some((place, None)) => return Some(Origin::new(named(&tool.spec().name, place), now)),
        None => {}
    }
    let heard = match error.kind() {
        Kind::Denied | Kind::Cancelled | Kind::Internal => false,
        // Nobody has set where it sends.
        Kind::Unconfigured => is_foreign(tool) || tool.reaches_out(),
        _ => true,
    };
    let from = is_foreign(tool) || (tool.spec().source == Source::Builtin && tool.sends_out());
    (error.is_tools_own() && heard && from).then(|| Origin::new(place(tool, arguments), now))
}

fn is_foreign(tool: &Tool) -> bool {
    matches!(tool.spec().source, Source::Mcp | Source::Catalog | Source::Interface)
}

fn place(tool: &Tool, arguments: &Value) -> String {
    let given = ["url", "query", "path"].iter().find_map(|key| arguments.get(key).and_then(Value::as_str));
    let name = &tool.spec().name;
    given.map_or_else(|| name.clone(), |place| named(name, place))
}

fn named(tool: &str, place: &str) -> String {
    format!("{tool}: {place}")
}

/// The taint of a run: content from outside that has come into it.
#[derive(Clone, Copy)]
pub struct Taint<'a> {
    cx: &'a Context,
    /// The origin of what its conversation, or the call around it, had read from outside when it began.
    around: Option<&'a Origin>,
    read: &'a Mutex<Option<Origin>>,
}

impl<'a> Taint<'a> {
    pub(super) fn new(cx: &'a Context, around: Option<&'a Origin>, read: &'a Mutex<Option<Origin>>) -> Self {
        Self { cx, around, read }
    }

    /// Remembers that something from this place outside came into the run; what it gives back is from there too.
    pub fn note_place(self, place: &str) {
        self.note([Origin::new(named(self.cx.tool(), place), self.cx.now())]);
    }

    /// Remembers that things kept came into the run with these origins, as far as they are outside for its caller.
    pub fn note(self, origins: impl IntoIterator<Item = Origin>) {
        let mut outside = origins.into_iter().filter(|origin| origin.is_outside_for(self.cx.caller()));
        if let Some(origin) = outside.next() {
            self.read.lock().get_or_insert(origin);
        }
    }

    /// Remembers that things came into the run that these people put where everybody reads them.
    pub fn note_authors<'b>(self, authors: impl IntoIterator<Item = &'b Author>) {
        let reader = self.cx.caller().user;
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
        Origin::of_program(self.cx.caller(), self.cx.tool(), self.cx.now())
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
