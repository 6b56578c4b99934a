//! Which tools fit a need: BM25 over what each says of itself, with the reason for every result.
//!
//! Ranking after Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), k1 = 1.2, b = 0.75,
//! each field's term frequencies weighted before they are joined (BM25F).

use std::{collections::HashMap, sync::Arc};

use rust_stemmers::{Algorithm, Stemmer};
use serde::Serialize;
use serde_json::Value;

use super::{authorise, registry::Registry, tool::Tool};
use crate::model::{caller::Caller, settings::Settings, spec::Risk};

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// A word in the name says more than one in the parameters.
const NAME: f64 = 3.0;
const ALIASES: f64 = 2.0;
const TEXT: f64 = 1.0;
const PARAMETERS: f64 = 0.4;
/// Words that say nothing of a need.
const STOP: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "for", "from", "get", "how", "i", "in", "into", "is",
    "it", "me", "my", "of", "on", "or", "please", "some", "that", "the", "their", "them", "this", "to", "want", "what",
    "which", "with", "you", "your",
];

/// A tool that fits, and why.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Hit {
    /// Canonical id.
    pub id: String,
    /// Bare name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// How well it fits: 1 is the best of this search.
    pub score: f64,
    /// Each word that matched, and where.
    pub why: Vec<String>,
    /// How risky a call is.
    pub risk: Risk,
    /// Its parameters.
    pub parameters: Value,
}

/// The best tools for a need, among those this caller may call now: others are not even scored.
pub fn find(registry: &Registry, caller: &Caller, settings: &Settings, need: &str, limit: usize) -> Vec<Hit> {
    let profiles: Vec<Profile> =
        registry.tools().iter().filter(|tool| authorise::may_call(tool, caller, settings)).map(Profile::of).collect();
    let words = words(need);
    let mut hits: Vec<(f64, &Profile, Vec<String>)> = score(&profiles, &words);
    hits.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.tool.spec().name.cmp(&b.1.tool.spec().name)));
    let best = hits.first().map_or(1.0, |hit| hit.0);
    hits.into_iter().take(limit).map(|(score, profile, why)| hit(profile, score / best, why)).collect()
}

fn hit(profile: &Profile, score: f64, why: Vec<String>) -> Hit {
    let spec = profile.tool.spec();
    Hit {
        id: spec.id(),
        name: spec.name.clone(),
        description: spec.description.clone(),
        score: (score * 1_000.0).round() / 1_000.0,
        why,
        risk: spec.risk,
        parameters: spec.parameters.clone(),
    }
}

/// A tool's words: stem to weighted frequency and the fields it stands in.
struct Profile {
    tool: Arc<Tool>,
    terms: HashMap<String, (f64, Vec<&'static str>)>,
    length: f64,
}

impl Profile {
    fn of(tool: &Arc<Tool>) -> Self {
        let spec = tool.spec();
        let mut profile = Self { tool: Arc::clone(tool), terms: HashMap::new(), length: 0.0 };
        profile.add(&spec.name, NAME, "name");
        for alias in tool.aliases() {
            profile.add(alias.name(), ALIASES, "alias");
            profile.add(alias.description().unwrap_or_default(), PARAMETERS, "alias");
        }
        profile.add(&spec.description, TEXT, "description");
        profile.add(&spec.when_to_use, TEXT, "when to use");
        let parameters = spec.parameters.get("properties").and_then(Value::as_object);
        for (name, schema) in parameters.into_iter().flatten() {
            profile.add(name, PARAMETERS, "parameters");
            profile.add(
                schema.get("description").and_then(Value::as_str).unwrap_or_default(),
                PARAMETERS,
                "parameters",
            );
        }
        profile
    }

    fn add(&mut self, text: &str, weight: f64, field: &'static str) {
        for (_, stem) in words(text) {
            let (frequency, fields) = self.terms.entry(stem).or_default();
            *frequency += weight;
            if !fields.contains(&field) {
                fields.push(field);
            }
            self.length += weight;
        }
    }
}

fn score<'a>(profiles: &'a [Profile], words: &[(String, String)]) -> Vec<(f64, &'a Profile, Vec<String>)> {
    let count = profiles.len() as f64;
    let mean = (profiles.iter().map(|p| p.length).sum::<f64>() / count.max(1.0)).max(1.0);
    let mut scored = Vec::new();
    for profile in profiles {
        let (mut total, mut why) = (0.0, Vec::new());
        for (word, stem) in words {
            let Some((frequency, fields)) = profile.terms.get(stem) else { continue };
            let holding = profiles.iter().filter(|p| p.terms.contains_key(stem)).count() as f64;
            let rarity = (1.0 + (count - holding + 0.5) / (holding + 0.5)).ln();
            let norm = K1 * (1.0 - B + B * profile.length / mean);
            total += rarity * frequency * (K1 + 1.0) / (frequency + norm);
            why.push(format!("'{word}' in its {}", fields.join(", ")));
        }
        if total > 0.0 {
            scored.push((total, profile, why));
        }
    }
    scored
}

/// The words of a text with their stems: identifiers split at case, `_`, `-`, `.` and `:`; stop words left out.
fn words(text: &str) -> Vec<(String, String)> {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut split = String::with_capacity(text.len() + 8);
    let mut before_lower = false;
    for c in text.chars() {
        if c.is_uppercase() && before_lower {
            split.push(' ');
        }
        before_lower = c.is_lowercase();
        split.extend(c.to_lowercase());
    }
    split
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !STOP.contains(word))
        .map(|word| (word.to_owned(), stemmer.stem(word).into_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_split_and_words_stemmed() {
        let stems: Vec<String> = words("callRestEndpoint fs-read the FILES").into_iter().map(|(_, s)| s).collect();
        assert_eq!(stems, ["call", "rest", "endpoint", "fs", "read", "file"]);
    }
}
