//! `/api/scripts/reference`: everything a script can be made of.

use super::view::{HelperView, LimitsView, ScriptReference, TagView};
use crate::http::error::HttpResult;
use crate::http::json::Json;
use satchel_script::{header, helpers, limits, outside::OUTSIDE, testing::TESTING};
use satchel_services::scripts;

/// Lists everything a script can be made of: functions, tags of the header, templates, limits.
#[utoipa::path(get, path = "/api/scripts/reference",
    tag = "scripts", responses((status = 200, body = ScriptReference)))]
pub(super) async fn reference() -> HttpResult<Json<ScriptReference>> {
    let mut functions = Vec::new();
    for (group, all) in [("outside", OUTSIDE), ("tests", TESTING)] {
        functions.extend(all.iter().map(|(name, signature, description)| HelperView {
            name,
            signature,
            group,
            description,
            example: "",
            result: "",
        }));
    }
    for group in helpers::all() {
        functions.extend(group.helpers.iter().map(|helper| HelperView {
            name: helper.name,
            signature: helper.signature,
            group: group.name,
            description: helper.what,
            example: helper.example,
            result: helper.result,
        }));
    }
    let tags = header::TAGS.iter().map(|tag| TagView { tag: tag.name, syntax: tag.syntax, description: tag.what });
    Ok(Json(ScriptReference {
        helpers: functions,
        tags: tags.collect(),
        templates: scripts::templates().to_vec(),
        limits: LimitsView {
            source_bytes: limits::MAX_SOURCE,
            operations: limits::MAX_OPERATIONS,
            memory_bytes: limits::MAX_MEMORY,
            depth: limits::MAX_CALLS,
        },
    }))
}
