//! A tool that fits, and why, as every door shows it.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::{catalogue::Catalogue, lexical::Field, past::Past, ranking::Question, ranking::Ranked};
use satchel_engine::{registry::Registry, tool::Tool};
use satchel_model::{spec::Risk, user::UserId};

/// A tool that fits, and why.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Hit {
    /// Canonical id.
    pub id: String,
    /// Bare name.
    pub name: String,
    /// A description of what it does.
    pub description: String,
    /// Its fit, of meaning, words and past successes together: 1 is the best of this search. It gives the order.
    pub score: f64,
    /// The reasons it fits.
    pub why: Why,
    /// The risk of a call.
    pub risk: Risk,
    /// Its parameters.
    #[schema(value_type = Value)]
    pub parameters: Arc<Value>,
}

/// The reason a tool fits a need.
#[derive(Debug, Clone, Default, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Why {
    /// Words of the need that the tool's profile holds, the most telling first.
    pub words: Vec<String>,
    /// The part of the profile where the most telling word stands.
    pub field: Option<String>,
    /// The step of the need it fits, where that is closer than the whole need.
    pub clause: Option<String>,
    /// The nearness by meaning, 1 at most; `null` without an embedding model.
    pub cosine: Option<f64>,
    /// The score of the words.
    pub bm25: f64,
    /// The past success that speaks for it most.
    pub past: Option<PastSuccess>,
}

/// A need it was used for with success.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct PastSuccess {
    /// The need, where it was the caller's own; those of others are not shown, and none to a key that is not personal.
    pub query: Option<String>,
    /// The nearness to this one.
    pub similarity: f64,
}

/// The parts of a search, to explain its results.
pub(super) struct Search<'a> {
    pub catalogue: &'a Catalogue,
    pub question: &'a Question,
    pub past: &'a Past,
    /// The person whose past needs are shown.
    pub person: Option<UserId>,
    pub registry: &'a Registry,
}

impl Search<'_> {
    /// A ranked tool as a result; `best` is the first one's score.
    pub(super) fn hit(&self, tool: &Tool, ranked: &Ranked, best: f32) -> Hit {
        let spec = tool.spec();
        let score = if best > 0.0 { ranked.score / best } else { 0.0 };
        Hit {
            id: spec.id(),
            name: spec.name.clone(),
            description: spec.description.clone(),
            score: rounded(score),
            why: self.why(ranked),
            risk: self.registry.least_risk(tool),
            parameters: spec.parameters.document(),
        }
    }

    pub(super) fn why(&self, ranked: &Ranked) -> Why {
        let (words, field) = self.words(ranked.tool);
        let past = ranked.vote.and_then(|vote| {
            let need = self.past.need(vote.need)?;
            let query = (Some(need.user) == self.person).then(|| need.text.clone());
            Some(PastSuccess { query, similarity: rounded(vote.similarity) })
        });
        Why {
            words,
            field: field.map(|field| field.as_str().to_owned()),
            clause: ranked.part.and_then(|part| Some(self.question.parts.get(part)?.text.clone())),
            cosine: ranked.nearness.map(rounded),
            bm25: rounded(ranked.bm25),
            past,
        }
    }

    /// The words that match, the most telling first, and the field the first stands in.
    fn words(&self, tool: usize) -> (Vec<String>, Option<Field>) {
        let mut found: Vec<(f32, &str, Option<Field>)> = Vec::new();
        for term in &self.question.whole.terms {
            if let Some((fields, worth)) = self.catalogue.lexical().stands(&term.stem, tool) {
                found.push((worth, &term.word, fields.first().copied()));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let field = found.first().and_then(|(_, _, field)| *field);
        (found.into_iter().map(|(_, word, _)| word.to_owned()).collect(), field)
    }
}

fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1_000.0).round() / 1_000.0
}
