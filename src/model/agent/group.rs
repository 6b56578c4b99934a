//! Groups of tools and profiles made of them, by which agents and policies name many tools at once.

use crate::spec::{Category, Spec};

/// A group: its name, the category whose tools it has, and names of further ones.
struct Group {
    name: &'static str,
    category: Option<Category>,
    names: &'static [&'static str],
}

const GROUPS: &[Group] = &[
    Group { name: "fs", category: Some(Category::Files), names: &[] },
    Group { name: "runtime", category: Some(Category::Processes), names: &["exec", "process"] },
    Group { name: "web", category: Some(Category::Web), names: &[] },
    Group { name: "memory", category: Some(Category::Memory), names: &[] },
    Group { name: "knowledge", category: Some(Category::Knowledge), names: &[] },
    Group {
        name: "sessions",
        category: None,
        names: &[
            "sessions_list",
            "sessions_history",
            "sessions_send",
            "sessions_spawn",
            "session_status",
            "agents_list",
            "specialists_infer",
        ],
    },
    Group { name: "automation", category: None, names: &["schedule", "cron", "gateway"] },
    Group { name: "messaging", category: None, names: &["message"] },
    Group { name: "nodes", category: None, names: &["nodes"] },
    Group { name: "media", category: Some(Category::Media), names: &[] },
    Group { name: "data", category: Some(Category::Data), names: &[] },
    Group { name: "catalog", category: Some(Category::Catalog), names: &["catalog:*"] },
];

/// The profiles, each with what it allows; empty means everything.
const PROFILES: &[(&str, &[&str])] = &[
    ("minimal", &["session_status"]),
    ("coding", &["group:fs", "group:runtime", "group:sessions", "group:memory", "image"]),
    ("messaging", &["group:messaging", "sessions_list", "sessions_history", "sessions_send", "session_status"]),
    ("full", &["*"]),
];

/// The names of all groups.
pub fn groups() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().map(|group| group.name)
}

/// The names of all profiles.
pub fn profiles() -> impl Iterator<Item = &'static str> {
    PROFILES.iter().map(|(name, _)| *name)
}

/// What a profile allows. `None` if there is none of that name.
pub fn profile(name: &str) -> Option<&'static [&'static str]> {
    PROFILES.iter().find(|(known, _)| *known == name).map(|(_, allowed)| *allowed)
}

/// Returns whether a rule means a tool: by a group, `group:fs`, or by a pattern, in which `*` stands for any text, of its
/// name, its id or one of its other names.
pub fn means<'a>(rule: &str, spec: &Spec, others: impl IntoIterator<Item = &'a str>) -> bool {
    let rule = rule.trim().to_lowercase();
    match rule.strip_prefix("group:") {
        Some(name) => GROUPS.iter().any(|group| group.name == name && is_in(group, spec)),
        None => is_named(&rule, spec) || others.into_iter().any(|name| fits(&rule, &name.to_lowercase())),
    }
}

fn is_in(group: &Group, spec: &Spec) -> bool {
    group.category == Some(spec.category) || group.names.iter().any(|name| is_named(name, spec))
}

fn is_named(pattern: &str, spec: &Spec) -> bool {
    fits(pattern, &spec.name.to_lowercase()) || fits(pattern, &spec.id().to_lowercase())
}

/// Returns whether a text has the form of a pattern in which `*` stands for any text.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(head) else { return false };
    let Some((middle, tail)) = rest.rsplit_once('*') else { return text.ends_with(rest) };
    let mut left = text;
    for part in middle.split('*') {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    left.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, text) in [("*", ""), ("*", "read"), ("re*", "read"), ("*ad", "read"), ("r*d", "read")] {
            assert!(fits(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a*b*c", "axxbyyc"), ("catalog:*.get*", "catalog:crm.getuser"), ("a**b", "ab")] {
            assert!(fits(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("re", "read"), ("r*x", "read"), ("a*b*c", "acb"), ("ab*ba", "aba"), ("a*b*b", "ab")] {
            assert!(!fits(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn a_profile_is_made_of_groups_that_there_are() {
        for allowed in profiles().filter_map(profile) {
            for rule in allowed.iter().filter_map(|rule| rule.strip_prefix("group:")) {
                assert!(groups().any(|group| group == rule), "{rule}");
            }
        }
        assert!(profile("everything").is_none());
    }
}
