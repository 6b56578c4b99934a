//! Tries a catalogue out on needs whose tools are known, the way find_tools itself would answer them.

use std::time::Instant;

use serde::Serialize;

use super::{
    catalogue::Catalogue,
    past::Past,
    ranking::{self, Question},
};
use crate::{
    index::embed::embedder::Embedder,
    model::{
        error::Result,
        score::{self, DEPTH, Measures},
    },
};

/// A need whose tools are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Its name.
    pub id: String,
    /// The need.
    pub query: String,
    /// Each tool that is wanted, by every id that would do.
    pub groups: Vec<Vec<String>>,
}

/// What came of a case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The case's name.
    pub id: String,
    /// The tools, best first.
    pub ranked: Vec<String>,
    /// How long it took.
    pub ms: f64,
}

/// What a set of cases came to.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Summary {
    /// The set's name.
    pub set: String,
    /// How many tools were ranked.
    pub tools: usize,
    /// How many needs were asked.
    pub queries: usize,
    /// The means of all.
    #[serde(flatten)]
    pub measures: Measures,
    /// Half the needs took less.
    pub p50_ms: f64,
    /// 95 in 100 took less.
    pub p95_ms: f64,
}

/// A need whose tool did not come first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Missed {
    /// The need.
    pub query: String,
    /// The tools that met it.
    pub wanted: Vec<String>,
    /// The tools that came first instead.
    pub came: Vec<String>,
}

/// The cases whose first answer is none of the wanted ones.
pub(super) fn lost(cases: &[Case], answers: &[Answer]) -> impl Iterator<Item = Missed> {
    let wrong = |(case, answer): &(&Case, &Answer)| {
        !answer.ranked.first().is_some_and(|first| case.groups.iter().flatten().any(|id| id == first))
    };
    cases.iter().zip(answers).filter(wrong).map(|(case, answer)| Missed {
        query: case.query.clone(),
        wanted: case.groups.iter().flatten().cloned().collect(),
        came: answer.ranked.iter().take(3).cloned().collect(),
    })
}

/// Answers each case with the tools that are allowed.
pub async fn answer(
    catalogue: &Catalogue,
    past: &Past,
    embedder: &Embedder,
    allowed: &[bool],
    cases: &[Case],
) -> Result<Vec<Answer>> {
    let mut answers = Vec::with_capacity(cases.len());
    for case in cases {
        let started = Instant::now();
        let question = Question::of(embedder, &case.query).await?;
        let ranked = ranking::rank(catalogue, &question, allowed, past, DEPTH);
        let ms = started.elapsed().as_secs_f64() * 1_000.0;
        let ids = ranked.iter().filter_map(|one| Some(catalogue.profiles().get(one.tool)?.id.clone())).collect();
        answers.push(Answer { id: case.id.clone(), ranked: ids, ms });
    }
    Ok(answers)
}

/// Judges the answers of a set, which stand in the order of its cases.
pub fn summary(set: &str, tools: usize, cases: &[Case], answers: &[Answer]) -> Summary {
    let judged: Vec<Measures> =
        cases.iter().zip(answers).map(|(case, answer)| score::measure(&answer.ranked, &case.groups)).collect();
    let times: Vec<f64> = answers.iter().map(|answer| answer.ms).collect();
    Summary {
        set: set.to_owned(),
        tools,
        queries: cases.len(),
        measures: score::mean(&judged).unwrap_or_default(),
        p50_ms: score::percentile(&times, 0.5),
        p95_ms: score::percentile(&times, 0.95),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{engine::find::profile::Profile, index::embed::workers::Limits};

    #[tokio::test]
    async fn needs_are_answered_and_judged() {
        let tool = |id: &str, description: &str| Profile {
            id: id.into(),
            name: id.into(),
            description: description.into(),
            ..Profile::default()
        };
        let catalogue =
            Catalogue::of(vec![tool("read_file", "Reads a file."), tool("send_mail", "Sends a message by mail.")]);
        let case = |query: &str, wanted: &str| Case {
            id: query.into(),
            query: query.into(),
            groups: vec![vec![wanted.to_owned()]],
        };
        let cases = [case("read the file", "read_file"), case("write a mail", "send_mail")];
        let embedder = Embedder::new(None, Limits::default());
        let answers = answer(&catalogue, &Past::default(), &embedder, &[true; 2], &cases).await.unwrap();
        assert_eq!(answers[0].ranked, ["read_file"]);
        assert_eq!(answers[1].ranked, ["send_mail"]);
        let summary = summary("mine", 2, &cases, &answers);
        assert_eq!(lost(&cases, &answers).count(), 0);
        assert_eq!((summary.tools, summary.queries, summary.measures.ndcg_10), (2, 2, 1.0));
    }
}
