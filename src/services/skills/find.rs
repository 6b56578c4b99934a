//! Skills that fit a need, by their meaning, or by words where no model is in use.

use std::{collections::BTreeSet, time::Duration};

use serde::Serialize;

use crate::find::views;
use satchel_app::App;
use satchel_engine::{authorise, context::Context, registry::Registry};
use satchel_model::{
    error::{Error, Result},
    origin::Origin,
    skill::Skill,
    vector::cosine,
    words,
};
use satchel_store::skills::{Skills, found_by};

/// The tool that reads skills.
pub const READER: &str = "builtin:skill";
/// Nearest that a skill is in meaning which does not fit.
const NEAR: f32 = 0.25;
/// Most that are named.
const MOST: usize = 3;
/// Longest wait for their meaning.
const READING: Duration = Duration::from_secs(2);

/// A skill that fits a need.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundSkill {
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub description: String,
    /// The degree to which it fits, up to 1.
    pub score: f32,
    /// Its origin, if from outside.
    #[serde(skip)]
    pub origin: Option<Origin>,
}

/// The skills that fit a need, the best first: those that are trusted, those that the agent has, and the caller's own. A
/// stranger's that nobody trusts is not offered to others.
///
/// # Errors
///
/// If they cannot be read.
pub async fn for_need(cx: &Context, need: &str) -> Result<Vec<FoundSkill>> {
    let (caller, user) = (cx.caller(), cx.caller().user);
    let reader = Registry::around(cx).find(READER)?.tool;
    if !authorise::may_call(&reader, caller, &cx.platform(), &cx.policy()) {
        return Ok(Vec::new());
    }
    let of_agent = caller.agent.as_ref().map(|agent| agent.skills.as_slice()).unwrap_or_default();
    let is_offered =
        |skill: &Skill| skill.trusted_by.is_some() || skill.owner == Some(user) || of_agent.contains(&skill.head.name);
    let mut all = Skills::new(&cx.app().db).list().await?;
    all.retain(is_offered);
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let near = nearness(cx.app(), need, &all).await;
    let asked = words::topics(need);
    let mut found: Vec<FoundSkill> = all
        .into_iter()
        .enumerate()
        .filter_map(|(at, skill)| {
            let score = near.get(at).copied().unwrap_or_else(|| shared(&asked, &skill));
            let Skill { head, origin, .. } = skill;
            (score >= NEAR).then_some(FoundSkill { name: head.name, description: head.description, score, origin })
        })
        .collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found.truncate(MOST);
    Ok(found)
}

/// The share of the need's words that the skill says.
fn shared(asked: &BTreeSet<String>, skill: &Skill) -> f32 {
    let said = words::topics(&found_by(&skill.head.name, &skill.head.description));
    let both = asked.intersection(&said).count();
    if asked.is_empty() { 0.0 } else { both as f32 / asked.len() as f32 }
}

/// The nearness of each in meaning; empty without a model, or where it is not ready.
async fn nearness(app: &App, need: &str, all: &[Skill]) -> Vec<f32> {
    let texts: Vec<String> = all.iter().map(|one| found_by(&one.head.name, &one.head.description)).collect();
    let embedder = app.search.embedder.steady();
    let reading = async {
        let Some(vectors) = views::embedded(&app.db, &embedder, &texts).await? else { return Ok(Vec::new()) };
        let Some(asked) = embedder.query(need).await? else { return Ok(Vec::new()) };
        Ok::<_, Error>(vectors.iter().map(|one| cosine(one, &asked)).collect())
    };
    match tokio::time::timeout(READING, reading).await {
        Ok(Ok(near)) => near,
        Ok(Err(error)) => {
            tracing::warn!(?error, "skills could not be read for their meaning");
            Vec::new()
        }
        Err(_) => Vec::new(),
    }
}
