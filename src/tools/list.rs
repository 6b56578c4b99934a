//! All built-in tools.

use super::{
    agents, callers, catalog, data, desktop, documents, files, knowledge, media, memory, operations, processes, web,
};
use satchel_engine::tool::Tool;
use satchel_services::handles::Handles;

/// Every built-in tool, by category, over these handles.
pub fn all(handles: &Handles) -> Vec<Tool> {
    let mut all = data::tools();
    all.extend(files::tools());
    all.extend(processes::tools());
    all.extend(desktop::tools());
    all.extend(knowledge::tools());
    all.extend(media::tools());
    all.extend(memory::tools());
    all.extend(operations::tools());
    all.extend(documents::tools());
    all.extend(web::tools());
    all.extend(catalog::tools(handles));
    all.extend(callers::tools(handles));
    all.extend(agents::tools(handles));
    all
}
