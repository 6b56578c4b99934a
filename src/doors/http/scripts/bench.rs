//! The workbench of a request, and a script as its routes answer it.

use super::view::ScriptView;
use crate::http::{json::Json, state::State};
use satchel_model::{
    error::{Error, Result},
    id::shorten,
};
use satchel_services::scripts::{Library, Workbench};

pub(super) fn bench(state: &State) -> Workbench {
    Workbench::new(&state.scripts)
}

/// The answer that shows a script.
///
/// # Errors
///
/// If there is none of this name.
pub(super) async fn shown(library: &Library, name: &str) -> Result<Json<ScriptView>> {
    let missing = || Error::not_found(format!("There is no script '{}'.", shorten(name)));
    let script = library.one(name).ok_or_else(missing)?;
    let versions = Workbench::new(library).versions(name).await?;
    ScriptView::new(library, &script, versions).map(Json).ok_or_else(missing)
}
