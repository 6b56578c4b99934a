//! The result of a tool that has written an entry.

use satchel_engine::context::Context;
use satchel_model::output::Output;

/// A note on what a tool wrote.
pub(super) const WAITS: &str = "It waits: a person reviews it in the console, under Catalog, before it counts.";

/// A result that repeats what the call has written, which is ours unless something from outside was near.
pub(super) fn written(cx: &Context, output: Output) -> Output {
    match cx.taint().origin() {
        None => output.ours(),
        origin => output.kept_from(origin),
    }
}
