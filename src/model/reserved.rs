//! Names kept for tools of Satchel's own, so that nobody's script breaks on the day they come.

/// The names, in order.
const NAMES: &[&str] = &[
    "agents_list",
    "browser",
    "cron",
    "describe_image",
    "functions",
    "gateway",
    "image",
    "llm_transform",
    "message",
    "multi_tool_use",
    "nodes",
    "schedule",
    "session_status",
    "sessions_history",
    "sessions_list",
    "sessions_send",
    "sessions_spawn",
    "specialists_infer",
    "tts",
];

/// Whether a name is kept.
pub fn is_reserved(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok()
}

/// What is said of one that is.
pub fn message(name: &str) -> String {
    format!("The name '{name}' is kept for a tool of Satchel's own. Choose another.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_in_order() {
        assert!(NAMES.is_sorted());
        assert!(is_reserved("cron") && is_reserved("tts") && !is_reserved("cronjob"));
    }
}
