//! Step 1: which tool a name means. Names are unique: a second registration is an error, never a replacement.

use std::{
    collections::{BTreeMap, HashMap, btree_map::Entry},
    sync::Arc,
};

use serde_json::Value;

use super::{
    authorise,
    context::{Context, Toolset},
    names::{Names, Place},
    policy::PolicySet,
    tool::{Alias, Tool},
};
use satchel_model::{
    caller::Caller,
    error::{Error, Result},
    reserved,
    spec::{Risk, Source},
    wire,
};
use satchel_store::policies::StoredPolicies;

/// A tool that could not be registered.
#[derive(Debug)]
pub struct Refused {
    /// Its id.
    pub id: String,
    /// Why, and what to do.
    pub reason: Error,
}

/// All tools, by every name they have. Cheap to clone.
#[derive(Default, Clone)]
pub struct Registry {
    set: Toolset,
    /// The caller who looks: tools that they may not use have no name here.
    seen_by: Option<Arc<Caller>>,
}

/// A tool, and the alias it was found by.
#[derive(Clone)]
pub struct Found {
    /// The tool.
    pub tool: Arc<Tool>,
    alias: Option<usize>,
}

impl Found {
    /// The alias it was found by, if by one.
    pub fn alias(&self) -> Option<&Alias> {
        self.alias.and_then(|n| self.tool.aliases().get(n))
    }

    /// The bare name it was found by.
    pub fn name(&self) -> &str {
        self.alias().map_or(&self.tool.spec().name, Alias::name)
    }

    /// The tool's own arguments: checked as the alias has them, translated, checked again as the tool has them.
    pub fn own_arguments(&self, given: Value) -> Result<Value> {
        let own = self.tool.schema();
        let Some(alias) = self.alias() else { return own.check(given) };
        let given = alias.schema().unwrap_or(own).check(given)?;
        own.check(alias.adapt(given)?)
    }
}

impl Registry {
    /// All of these tools. Fails where two share an id, a name or an alias.
    pub fn new(tools: Vec<Tool>) -> Result<Self> {
        let mut registry = Self::default();
        for tool in tools {
            registry.add(Arc::new(tool))?;
        }
        Ok(registry)
    }

    /// These tools instead of the ones `source` had. Other sources come first: one that would take a name of theirs, or
    /// of one before it, is left out, with the reason.
    pub fn with_source<T: Into<Arc<Tool>>>(&self, source: Source, tools: Vec<T>) -> (Self, Vec<Refused>) {
        let names = Names::only_broken(self.set.names.broken.clone());
        let mut registry = Self { set: Toolset { names: Arc::new(names), ..Toolset::default() }, seen_by: None };
        let others = self.set.tools.iter().filter(|tool| tool.spec().source != source).cloned();
        let all = others.chain(tools.into_iter().map(Into::into));
        let refused = all.filter_map(|tool| {
            let id = tool.spec().id();
            registry.add(tool).err().map(|reason| Refused { id, reason })
        });
        let refused = refused.collect();
        (registry, refused)
    }

    /// The same tools, and what is told of these names, which should mean tools and do not.
    #[must_use]
    pub fn with_broken(&self, broken: HashMap<String, String>) -> Self {
        let mut set = self.set.clone();
        Arc::make_mut(&mut set.names).broken = broken;
        Self { set, seen_by: self.seen_by.clone() }
    }

    fn add(&mut self, tool: Arc<Tool>) -> Result<()> {
        let at = self.set.tools.len();
        let id = tool.spec().id();
        let source = tool.spec().source;
        if source != Source::Builtin && reserved::is_reserved(&tool.spec().name) {
            return Err(Error::conflict(format!(
                "{id} cannot be registered: {}",
                reserved::message(&tool.spec().name)
            )));
        }
        let mut names = vec![(id.clone(), None), (tool.spec().name.clone(), None)];
        names.extend(wire::suffixed_name(&id).map(|name| (name, None)));
        for (n, alias) in tool.aliases().iter().enumerate() {
            names.extend([
                (alias.name().to_owned(), Some(n)),
                (format!("{}:{}", source.as_str(), alias.name()), Some(n)),
            ]);
        }
        for (name, alias) in names {
            if let Some(taken) = self.set.names.owner(&name).and_then(|tool| self.set.tools.get(tool)) {
                return Err(Error::conflict(format!(
                    "{id} cannot be registered: {} has the name '{name}'.",
                    taken.spec()
                )));
            }
            Arc::make_mut(&mut self.set.names).give(name, Place { tool: at, alias });
        }
        Arc::make_mut(&mut self.set.tools).push(tool);
        Ok(())
    }

    /// The same tools, as this caller may find them: what they may not use is answered as what there is not.
    #[must_use]
    pub fn as_seen_by(&self, caller: &Caller) -> Self {
        Self { seen_by: Some(Arc::new(caller.clone())), ..self.clone() }
    }

    /// The tools as they are now, by the names of those the caller of this run may use.
    pub fn around(cx: &Context) -> Arc<Self> {
        Arc::new(Self { set: cx.tools(), seen_by: Some(Arc::new(cx.caller().clone())) })
    }

    /// All tools.
    pub(super) fn set(&self) -> &Toolset {
        &self.set
    }

    /// Whether both have the same tools, whoever looks at them.
    pub fn has_same_tools(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.set.tools, &other.set.tools)
    }

    /// The tool a caller means by its id, name, alias, `functions.<name>` or wire name.
    pub fn find(&self, asked: &str) -> Result<Found> {
        let Some(found) = self.find_whoever_asks(asked) else {
            let told = self.set.names.why_broken(asked).map(Error::not_found);
            return Err(told.unwrap_or_else(|| unknown(asked)));
        };
        match &self.seen_by {
            Some(caller) if !authorise::may_see(&found.tool, caller) => Err(unknown(asked)),
            _ => Ok(found),
        }
    }

    fn find_whoever_asks(&self, asked: &str) -> Option<Found> {
        let Place { tool, alias } = self.set.names.find(asked)?;
        Some(Found { tool: Arc::clone(self.set.tools.get(tool)?), alias })
    }

    /// The highest of the own risks of these tools and of those they use: a person who approves what uses them approves what
    /// it is for. They are what a tool says it uses, not what a caller names, so it counts those that the caller may not
    /// use as well.
    pub fn highest_risk(&self, names: &[String]) -> Risk {
        self.reached_from(names).values().map(|tool| tool.spec().risk).max().unwrap_or(Risk::Read)
    }

    /// The tools that one calls whatever its arguments, and those they call: each once, in the order of their ids, those
    /// that the caller may not use as well. Names that mean no tool are left out.
    pub fn used_by(&self, tool: &Tool) -> Vec<Arc<Tool>> {
        let mut used = self.reached_from(tool.used());
        used.remove(&tool.spec().id());
        used.into_values().collect()
    }

    /// The least risk of a call of a tool: its own, or that of the tools it calls.
    pub fn least_risk(&self, tool: &Tool) -> Risk {
        tool.spec().risk.max(self.highest_risk(tool.used()))
    }

    /// The highest risk of a call of a tool, where its arguments, or those it calls others with, can raise it above the
    /// least.
    pub fn risk_up_to(&self, tool: &Tool) -> Option<Risk> {
        let within = self.used_by(tool).iter().filter_map(|used| used.can_rise_to()).max();
        // Nobody can be asked within a run: what is destructive there is refused, unless all of it is.
        let most = tool.can_rise_to().max(within.map(|most| most.min(Risk::HighWrite)));
        most.filter(|most| *most > self.least_risk(tool))
    }

    fn reached_from(&self, names: &[String]) -> BTreeMap<String, Arc<Tool>> {
        let (mut waiting, mut found) = (names.to_vec(), BTreeMap::new());
        while let Some(name) = waiting.pop() {
            let Some(next) = self.find_whoever_asks(&name) else { continue };
            if let Entry::Vacant(new) = found.entry(next.tool.spec().id()) {
                waiting.extend_from_slice(next.tool.used());
                new.insert(next.tool);
            }
        }
        found
    }

    /// These tools under policies that need not be in force.
    pub fn under(&self, policies: Arc<StoredPolicies>) -> Arc<PolicySet> {
        PolicySet::new(policies, self.set.tools.clone())
    }

    /// Every tool, in the order of registration.
    pub fn tools(&self) -> &[Arc<Tool>] {
        &self.set.tools
    }
}

/// The one answer for a tool that is not there and for one that the caller may not use: a name tells nothing.
pub fn unknown(asked: &str) -> Error {
    let shown: String = asked.chars().take(80).collect();
    Error::not_found(format!(
        "There is no tool '{shown}', or you may not use it. Search by need with find_tools, or see the list of tools."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::{
        output::Output,
        spec::{Category, Spec},
    };
    use schemars::JsonSchema;
    use serde::Deserialize;

    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}

    fn tool(name: &str) -> Tool {
        Tool::new(name, Category::Data, "Does.", "When.", |_, _: Nothing| async { Ok(Output::default()) })
    }

    #[test]
    fn every_spelling_finds_the_tool() {
        let registry = Registry::new(vec![tool("read").alias(Alias::same("fs-read"))]).unwrap();
        let spellings = ["read", "builtin:read", "fs-read", "functions.read", "functions.fs-read", "builtin__read"];
        for name in spellings.into_iter().chain(["builtin:fs-read", "builtin__fs-read"]) {
            assert_eq!(registry.find(name).unwrap().tool.spec().id(), "builtin:read", "{name}");
        }
        assert_eq!(registry.find("fs-read").unwrap().name(), "fs-read");
        assert!(registry.find("reads").is_err());
        assert!(registry.find("functions.functions.read").is_err());
    }

    #[test]
    fn a_tool_is_at_least_as_risky_as_those_it_uses() {
        let uses = |names: &[&str]| tool("uses").uses(names.iter().map(|name| (*name).to_owned()).collect());
        let tools = || vec![tool("read"), tool("write").risk(Risk::HighWrite)];
        for (names, risk) in [(&["read", "write", "gone"][..], Risk::HighWrite), (&["read"], Risk::Read)] {
            let registry = Registry::new([tools(), vec![uses(names)]].concat()).unwrap();
            let found = registry.find("uses").unwrap();
            assert_eq!((found.tool.spec().risk, registry.least_risk(&found.tool)), (Risk::Read, risk));
            assert_eq!(registry.risk_of(&found, serde_json::json!({})), risk);
        }
    }

    #[test]
    fn a_source_is_replaced_whole_and_takes_no_name_of_another() {
        let script = |name: &str| {
            let spec = Spec { source: Source::Script, ..tool(name).spec().clone() };
            Tool::of_spec(spec, |_, _| async { Ok(Output::default()) }).unwrap()
        };
        let builtin = Registry::new(vec![tool("read").alias(Alias::same("fs-read"))]).unwrap();
        let (first, refused) = builtin.with_source(Source::Script, vec![script("a"), script("fs-read"), script("b")]);
        assert_eq!(refused.iter().map(|r| r.id.as_str()).collect::<Vec<_>>(), ["script:fs-read"]);
        assert_eq!(first.find("script:b").unwrap().name(), "b");
        let (second, refused) = first.with_source(Source::Script, vec![script("c")]);
        assert!(refused.is_empty() && second.find("a").is_err());
        assert_eq!(second.tools().len(), 2);
    }

    #[test]
    fn a_tool_that_is_broken_is_not_just_missing() {
        let broken = ["mine", "script:mine"].map(|name| (name.to_owned(), "It is broken.".to_owned())).into();
        let registry = Registry::new(vec![tool("read")]).unwrap().with_broken(broken);
        let (registry, _) = registry.with_source(Source::Script, Vec::<Tool>::new());
        for name in ["mine", "script:mine", "script__mine", "functions.mine"] {
            let error = registry.find(name).err().unwrap();
            assert_eq!(error.message(), "It is broken.", "{name}");
        }
        assert!(registry.find("read").is_ok() && registry.find("yours").err().unwrap().message().contains("no tool"));
    }

    #[test]
    fn a_tool_that_one_may_not_use_has_no_name() {
        let secret = || tool("erase").risk(Risk::Destructive).permission("host:exec");
        let registry = Registry::new(vec![secret(), tool("mine").personal("your notes")]).unwrap();
        let caller = |personal: bool| Caller {
            user: satchel_model::id::Id::new(),
            username: "ada".to_owned(),
            permissions: Default::default(),
            door: satchel_model::caller::Door::Api,
            credential: satchel_model::caller::Credential::Session,
            personal,
            agent: None,
        };
        let seen = registry.as_seen_by(&caller(true));
        assert!(
            seen.has_same_tools(&registry.as_seen_by(&caller(false))),
            "what is known of the tools is known of both"
        );
        let (forbidden, missing) = (seen.find("erase").err().unwrap(), seen.find("erasf").err().unwrap());
        assert_eq!(forbidden.message().replace("erase", "erasf"), missing.message());
        assert_eq!(forbidden.kind(), missing.kind());
        assert!(seen.find("mine").is_ok() && registry.as_seen_by(&caller(false)).find("mine").is_err());
        assert!(registry.find("erase").is_ok(), "for nobody in particular everything has its name");
    }

    #[test]
    fn a_name_a_model_was_shown_finds_its_tool_wherever_it_is_used() {
        let name = format!("{}.{}", "a_very_long_name_of_a_system".repeat(2), "and_of_an_operation");
        for (name, source) in [(name.as_str(), Source::Catalog), ("x--y.z", Source::Catalog)] {
            let spec = Spec { source, ..tool(name).spec().clone() };
            let tool = Tool::of_spec(spec, |_, _| async { Ok(Output::default()) }).unwrap();
            let id = tool.spec().id();
            let registry = Registry::new(vec![tool]).unwrap();
            let shown = wire::name(&id);
            for spelling in [format!("functions.{shown}"), shown] {
                assert_eq!(registry.find(&spelling).unwrap().tool.spec().id(), id, "{spelling}");
            }
        }
    }

    #[test]
    fn names_of_tools_to_come_are_kept_for_them() {
        let script = |name: &str| {
            let spec = Spec { source: Source::Script, ..tool(name).spec().clone() };
            Tool::of_spec(spec, |_, _| async { Ok(Output::default()) }).unwrap()
        };
        let refused = Registry::new(vec![script("schedule")]).err().unwrap();
        assert!(refused.message().contains("'schedule' is kept for a tool of Satchel's own"), "{refused}");
        assert!(Registry::new(vec![tool("schedule"), script("schedules")]).is_ok());
    }

    #[test]
    fn a_taken_name_is_refused_and_named() {
        let twice = vec![tool("read"), tool("grep").alias(Alias::same("read"))];
        let error = Registry::new(twice).err().unwrap();
        assert_eq!(error.message(), "builtin:grep cannot be registered: builtin:read has the name 'read'.");
    }
}
