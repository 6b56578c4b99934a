//! Scripts as tools: where they come from, how one is run, how one is published.

mod answers;
mod archive;
mod builtin;
mod drafting;
mod library;
mod loaded;
mod naming;
mod publishing;
mod requests;
mod run;
mod secrets;
mod trial;
mod watch;
mod wider;
mod worker;

pub use archive::unpack;
pub use builtin::shipped;
pub use drafting::{CallMade, Template, of_calls, templates};
pub use library::{Library, Shown, State};
pub use loaded::{Capability, CapabilityKind, Loaded};
pub use publishing::{Accepted, Drafts, Taken, Workbench};
pub use trial::try_out;
pub use worker::{Text, check, converse_with, ended, evaluate, test};
