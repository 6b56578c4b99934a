//! Tools that use a model: texts, pictures, speech.

mod image;
mod llm_transform;
mod tts;

use satchel_engine::tool::Tool;

/// The tools of this category.
pub fn tools() -> Vec<Tool> {
    vec![llm_transform::tool(), image::tool(), tts::tool()]
}
