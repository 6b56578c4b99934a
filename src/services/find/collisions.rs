//! Tools that are mistaken for each other: each tool's own words for when to use it are asked as needs, and where
//! another tool answers better, the two collide. Two built-in tools are left out: whoever reads this cannot mend them.

use std::{collections::BTreeMap, sync::Arc};

use serde::Serialize;

use super::{finder::Finder, lexical::Lexical, profile::Profile};
use satchel_engine::registry::Registry;
use satchel_model::{error::Result, spec::Source, words};

/// Most tools whose needs are asked, in the order of registration.
const TOOLS: usize = 400;
/// Most needs of one tool that are asked.
const ASKED: usize = 6;
/// Most words that are named as shared.
const SHARED: usize = 6;

/// Two tools that are mistaken for each other.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Collision {
    /// The tool whose own needs were asked.
    pub tool: String,
    /// The tool that answered better.
    pub other: String,
    /// The needs where it did, each with the place the tool itself came to.
    pub needs: Vec<Lost>,
    /// The number of the tool's needs that were asked.
    pub asked: usize,
    /// Words both say of themselves, the rarest first.
    pub shared: Vec<String>,
    /// The advice on what to do about it.
    pub advice: String,
}

/// A need of a tool that another answered better.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Lost {
    /// The need.
    pub need: String,
    /// The place the tool itself came to; `null` if it was not among the first ten.
    pub place: Option<usize>,
}

/// Every pair among these tools but those of two built-in ones, those that collide most often first. `among` says which
/// tools count, in the registry's order.
pub async fn find(finder: &Finder, registry: &Arc<Registry>, among: &[bool]) -> Result<Vec<Collision>> {
    let profiles: Vec<Profile> = registry.tools().iter().map(|tool| Profile::new(tool)).collect();
    let lexical = Lexical::new(profiles.iter().map(Profile::fields));
    let mut found = Vec::new();
    let counting = profiles.iter().enumerate().filter(|(own, _)| among.get(*own).copied().unwrap_or_default());
    for (own, profile) in counting.take(TOOLS) {
        let needs: Vec<&str> = profile.needs().into_iter().take(ASKED).collect();
        let mut lost: BTreeMap<usize, Vec<Lost>> = BTreeMap::new();
        for need in &needs {
            let ranked = finder.places(registry, need, among).await?;
            let place = ranked.iter().position(|tool| *tool == own);
            let other = ranked.first().filter(|first| **first != own);
            if let Some(first) = other.filter(|other| can_be_mended(registry, own, **other)) {
                lost.entry(*first).or_default().push(Lost { need: (*need).to_owned(), place: place.map(|p| p + 1) });
            }
        }
        for (other, lost) in lost {
            if let Some(other) = profiles.get(other) {
                found.push(collision(&lexical, profile, other, lost, needs.len()));
            }
        }
    }
    found.sort_by(|a, b| b.needs.len().cmp(&a.needs.len()).then_with(|| a.tool.cmp(&b.tool)));
    Ok(found)
}

/// Returns whether one of two tools is of this place and not built in.
fn can_be_mended(registry: &Registry, tool: usize, other: usize) -> bool {
    let tools = registry.tools();
    [tool, other].iter().filter_map(|at| tools.get(*at)).any(|tool| tool.spec().source != Source::Builtin)
}

fn collision(lexical: &Lexical, tool: &Profile, other: &Profile, needs: Vec<Lost>, asked: usize) -> Collision {
    let shared = shared(lexical, tool, other);
    let said = match shared.as_slice() {
        [] => "They mean nearly the same to the model.".to_owned(),
        shared => format!("Both say {}.", shared.join(", ")),
    };
    let advice = format!(
        "{said} Say in when-to-use of {} what {} does not do, and take words out of {} that belong to it.",
        tool.name, other.name, other.name
    );
    Collision { tool: tool.id.clone(), other: other.id.clone(), needs, asked, shared, advice }
}

/// The words both profiles hold, the rarest of the catalogue first.
fn shared(lexical: &Lexical, a: &Profile, b: &Profile) -> Vec<String> {
    let stems = |profile: &Profile| -> BTreeMap<String, String> {
        let terms = profile.fields().into_iter().flat_map(|(_, text)| words::terms(text));
        terms.map(|term| (term.stem, term.word)).collect()
    };
    let others = stems(b);
    let mut both: Vec<(usize, String)> = stems(a)
        .into_iter()
        .filter(|(stem, _)| others.contains_key(stem))
        .map(|(stem, word)| (lexical.holding(&stem), word))
        .collect();
    both.sort();
    both.into_iter().take(SHARED).map(|(_, word)| word).collect()
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::*;
    use satchel_engine::tool::Tool;
    use satchel_model::{
        output::Output,
        spec::{Category, Spec},
    };

    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}

    #[test]
    fn two_built_in_tools_are_nobodys_to_mend() {
        let built_in = |name: &str| {
            Tool::new(name, Category::Data, "Does.", "When.", |_, _: Nothing| async { Ok(Output::default()) })
        };
        let spec = Spec { source: Source::Script, ..built_in("own").spec().clone() };
        let own = Tool::of_spec(spec, |_, _| async { Ok(Output::default()) }).unwrap();
        let registry = Registry::new(vec![built_in("one"), built_in("two")]).unwrap();
        let registry = registry.with_source(Source::Script, vec![own]).0;
        let at = |name: &str| registry.tools().iter().position(|tool| tool.spec().name == name).unwrap();
        assert!(!can_be_mended(&registry, at("one"), at("two")));
        assert!(can_be_mended(&registry, at("one"), at("own")) && can_be_mended(&registry, at("own"), at("two")));
    }
}
