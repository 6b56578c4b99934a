//! Layers made ready to judge tools by: exact names in a table, patterns in a list.

use std::collections::{HashMap, HashSet};

use super::{
    Layer,
    groups::{GROUPS, PROFILES},
    names::{ToolNames, fits, normal},
};

/// The tool whose permission brings that of `apply_patch`, and whose denial denies starting processes.
pub const EXEC: &str = "builtin:exec";
const APPLY_PATCH: &str = "builtin:apply_patch";

/// A list of patterns.
#[derive(Debug, Clone, Default)]
pub struct Patterns {
    written: Vec<String>,
    /// Names without `*`, each with the number of the pattern it is of.
    exact: HashMap<String, usize>,
    globs: Vec<(String, usize)>,
    /// Names that stand there by themselves, in no group and without `*`.
    named: HashSet<String>,
}

impl Patterns {
    /// These patterns; `group:<name>` stands for its members.
    pub fn new<S: AsRef<str>>(patterns: &[S]) -> Self {
        let mut list = Self::default();
        for (number, pattern) in patterns.iter().map(AsRef::as_ref).enumerate() {
            list.written.push(pattern.to_owned());
            let pattern = normal(pattern);
            match pattern.strip_prefix("group:") {
                Some(group) => {
                    let members =
                        GROUPS.iter().find(|(name, _)| *name == group).map_or(&[][..], |(_, members)| members);
                    members.iter().for_each(|member| list.add((*member).to_owned(), number));
                }
                None => {
                    if !pattern.contains('*') {
                        list.named.insert(pattern.clone());
                    }
                    list.add(pattern, number);
                }
            }
        }
        list
    }

    fn add(&mut self, pattern: String, number: usize) {
        if pattern.contains('*') {
            self.globs.push((pattern, number));
        } else {
            self.exact.entry(pattern).or_insert(number);
        }
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.written.is_empty()
    }

    /// The first pattern that fits a tool, as it is written.
    pub fn find(&self, tool: &ToolNames) -> Option<&str> {
        let exact = tool.iter().filter_map(|name| self.exact.get(name)).copied();
        let globs = self.globs.iter().filter(|(pattern, _)| tool.iter().any(|name| fits(pattern, name)));
        let number = exact.chain(globs.map(|(_, number)| *number)).min()?;
        self.written.get(number).map(String::as_str)
    }

    /// Returns whether it names the tool by itself, in no group and without `*`.
    fn names(&self, tool: &ToolNames) -> bool {
        tool.iter().any(|name| self.named.contains(name))
    }
}

/// The judgement of one layer on one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// `true` if it passes.
    pub allowed: bool,
    /// The part of the layer that decides, in words: `deny: group:web`. `None` where nothing is said of the tool.
    pub rule: Option<String>,
    /// The pattern by which a person is asked about its calls.
    pub asks: Option<String>,
}

/// A layer made ready to judge tools by.
#[derive(Debug, Clone)]
pub struct CompiledLayer {
    profile: Option<(String, Option<Patterns>)>,
    allow: Patterns,
    deny: Patterns,
    ask: Patterns,
    /// `true` if `exec` passes.
    exec: bool,
}

impl CompiledLayer {
    /// The layer, among tools of which `exec` has these names.
    pub fn new(layer: &Layer, exec: &ToolNames) -> Self {
        let profile = layer.profile.as_ref().map(|written| {
            let name = normal(written);
            let known = PROFILES.iter().find(|(known, _)| *known == name);
            (written.clone(), known.map(|(_, allowed)| Patterns::new(allowed)))
        });
        let (allow, deny, ask) = (Patterns::new(&layer.allow), Patterns::new(&layer.deny), Patterns::new(&layer.ask));
        let mut compiled = Self { profile, allow, deny, ask, exec: false };
        compiled.exec = compiled.alone(exec).0;
        compiled
    }

    /// Judges a tool.
    pub fn judge(&self, tool: &ToolNames) -> Judgement {
        let (mut allowed, mut rule) = self.alone(tool);
        if !allowed && self.exec && tool.is(APPLY_PATCH) && !self.deny.names(tool) {
            (allowed, rule) = (true, Some("exec is allowed".to_owned()));
        }
        let asks = self.ask.find(tool).map(str::to_owned);
        Judgement { allowed, rule, asks }
    }

    /// Returns whether `exec` passes: without it no process is started, here and on other nodes.
    pub fn allows_exec(&self) -> bool {
        self.exec
    }

    /// Returns whether the layer denies by name a tool that passes all the same, because `exec` does.
    pub fn overrides(&self, tool: &ToolNames) -> bool {
        self.judge(tool).allowed && !self.alone(tool).0
    }

    fn alone(&self, tool: &ToolNames) -> (bool, Option<String>) {
        if let Some(pattern) = self.deny.find(tool) {
            return (false, Some(format!("deny: {pattern}")));
        }
        let mut rule = None;
        match &self.profile {
            Some((name, None)) => return (false, Some(format!("profile: '{name}' is unknown and allows nothing"))),
            Some((name, Some(patterns))) => {
                if patterns.find(tool).is_none() {
                    return (false, Some(format!("profile: {name}")));
                }
                rule = Some(format!("profile: {name}"));
            }
            None => {}
        }
        if self.allow.is_empty() {
            return (true, rule);
        }
        match self.allow.find(tool) {
            Some(pattern) => (true, Some(format!("allow: {pattern}"))),
            None => (false, Some("allow: nothing there fits it".to_owned())),
        }
    }
}

/// The names of `exec` where there is no such tool.
impl Default for ToolNames {
    fn default() -> Self {
        Self::new(EXEC, [])
    }
}
