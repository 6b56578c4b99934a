//! Every name of a tool that a policy may call it by.

/// The names of one tool, in lower case: its own, its id, its aliases, its wire name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolNames {
    id: String,
    all: Vec<String>,
}

impl ToolNames {
    /// The names of the tool with this id.
    pub fn new<'a>(id: &str, others: impl IntoIterator<Item = &'a str>) -> Self {
        let (id, bare) = (id.to_lowercase(), id.split_once(':').map_or(id, |(_, name)| name));
        let wire = crate::wire::name(&id);
        let all = [bare, id.as_str(), wire.as_str()].into_iter().map(str::to_lowercase);
        let mut all: Vec<String> = all.chain(others.into_iter().map(str::to_lowercase)).collect();
        let mut seen = std::collections::HashSet::new();
        all.retain(|name| seen.insert(name.clone()));
        Self { id, all }
    }

    /// The names.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(String::as_str)
    }

    /// Returns whether it is the tool of this id, which is in lower case.
    pub fn is(&self, id: &str) -> bool {
        self.id == id
    }
}

/// A pattern or a name as names are compared: in lower case, without `functions.` and white space around it.
pub fn normal(pattern: &str) -> String {
    let lower = pattern.trim().to_lowercase();
    lower.strip_prefix("functions.").map_or_else(|| lower.clone(), str::to_owned)
}

/// Returns whether a name fits a pattern in which `*` stands for any characters, or none.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut middle: Vec<&str> = parts.collect();
    let Some(last) = middle.pop() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}
