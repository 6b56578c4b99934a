//! Icons of tools, by what they are about: small drawings that a client shows beside a name.

use base64::{Engine, engine::general_purpose::STANDARD};
use rmcp::model::Icon;

use satchel_model::spec::Category;

/// The icon of a category.
pub(super) fn icon(category: Category) -> Icon {
    let drawing = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='#808080' stroke-width='2'>\
         <path d='{}'/></svg>",
        path(category)
    );
    let drawing = format!("data:image/svg+xml;base64,{}", STANDARD.encode(drawing));
    Icon::new(drawing).with_mime_type("image/svg+xml").with_sizes(vec!["any".to_owned()])
}

/// Its line.
fn path(category: Category) -> &'static str {
    match category {
        Category::Data => "M4 20V10M10 20V4M16 20v-8M20 20H3",
        Category::Files => "M6 3h8l4 4v14H6zM14 3v4h4",
        Category::Processes => "M4 6l6 6-6 6M12 18h8",
        Category::Desktop => "M3 4h18v12H3zM8 20h8M12 16v4",
        Category::Memory => "M6 3h12v18l-6-4-6 4z",
        Category::Operations => "M3 12h4l3 8 4-16 3 8h4",
        Category::Agents => "M5 8h14v11H5zM12 4v4M9 13v1M15 13v1",
        Category::Knowledge => "M12 6c-2-2-5-2-8-2v14c3 0 6 0 8 2 2-2 5-2 8-2V4c-3 0-6 0-8 2zM12 6v14",
        Category::Catalog => "M9 3v6M15 3v6M6 9h12v3a6 6 0 0 1-12 0zM12 18v3",
        Category::Web => "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c-5 5-5 13 0 18M12 3c5 5 5 13 0 18",
        Category::Media => "M3 4h18v16H3zM3 16l5-5 5 5 3-3 5 5",
        Category::Outside => "M21 3L3 10l7 3 3 7zM21 3L10 13",
    }
}
