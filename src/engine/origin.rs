//! Where what came of a call came from, if from outside: by the tool's kind, because the tool says so in `meta.outside`, or
//! because something it called brought it in.

use serde_json::Value;

use super::{taint::named, tool::Tool};
use satchel_model::{
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
