//! Shaping what other tools returned.

mod calculator;
mod filter_rows;
mod grep_result;
mod number;
mod parse_json;
mod source;
mod transform_data;

use satchel_engine::tool::Tool;

/// The tools of this category.
pub fn tools() -> Vec<Tool> {
    vec![grep_result::tool(), parse_json::tool(), filter_rows::tool(), transform_data::tool(), calculator::tool()]
}
