//! Tries a catalogue out on needs whose tools are known, the way find_tools itself would answer them.

use std::time::Instant;

use serde::Serialize;

use super::{
    catalogue::Catalogue,
    past::Past,
    ranking::{self, Question},
};
use satchel_index::embed::embedder::Embedder;
use satchel_model::{
    error::Result,
    score::{self, DEPTH, Measures},
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

/// The result of a case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The case's name.
    pub id: String,
    /// The tools, best first.
    pub ranked: Vec<String>,
    /// The duration in milliseconds.
    pub ms: f64,
}

/// The result of a set of cases.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Summary {
    /// The set's name.
    pub set: String,
    /// The number of tools that were ranked.
    pub tools: usize,
    /// The number of needs that were asked.
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
        let question = Question::new(embedder, &case.query).await?;
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
    use crate::find::{past::PRIOR, profile::Profile};
    use satchel_index::embed::workers::Limits;

    /// Tools with a need each; some are near to others.
    const SET: [(&str, &str, &str); 12] = [
        ("read_file", "Reads a text file of the workspace.", "show me what the text file says"),
        ("write_file", "Writes a text file into the workspace.", "write this into a file of the workspace"),
        ("list_files", "Lists the files in a folder.", "which files lie in this folder"),
        ("send_mail", "Sends a message by mail to somebody.", "send somebody a message by mail"),
        ("read_mail", "Reads the messages of a mailbox.", "what do the messages in my mailbox say"),
        ("search_web", "Searches the web and lists addresses of pages.", "search the web for herons"),
        ("fetch_page", "Fetches a page of the web by its address.", "fetch the page at this address"),
        ("calculate", "Works out an arithmetic expression.", "work out this expression"),
        ("convert_unit", "Converts a number from one unit to another.", "convert twelve miles to the unit kilometre"),
        ("plan_meeting", "Puts a meeting into the calendar.", "put a meeting into my calendar"),
        ("list_meetings", "Lists the meetings of a day in the calendar.", "list the meetings of that day"),
        ("translate", "Translates a text into another language.", "translate the text into another language"),
    ];

    fn tool(id: &str, description: &str) -> Profile {
        Profile { id: id.into(), name: id.into(), description: description.into(), ..Profile::default() }
    }

    fn case(query: &str, wanted: &str) -> Case {
        Case { id: query.into(), query: query.into(), groups: vec![vec![wanted.to_owned()]] }
    }

    /// The worst that learning can do: the tool that is wanted always failed, and every other one always worked.
    #[tokio::test]
    async fn nothing_that_was_learned_of_the_tools_makes_a_set_fall_far() {
        let catalogue = Catalogue::new(SET.iter().map(|(id, description, _)| tool(id, description)).collect());
        let embedder = Embedder::new(None, Limits::default());
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (wanted, _, query) in SET {
            let cases = [case(query, wanted)];
            let mut past = Past::default();
            for ndcg in [&mut before, &mut after] {
                let answers = answer(&catalogue, &past, &embedder, &[true; SET.len()], &cases).await.unwrap();
                ndcg.push(summary("small", SET.len(), &cases, &answers).measures.ndcg_10);
                let weight = |id: &str| if id == wanted { 0.1 } else { 5.0 };
                past.weigh(SET.iter().map(|(id, ..)| ((*id).to_owned(), weight(id))).collect());
                assert!(
                    past.prior(wanted) == -PRIOR && SET.iter().all(|(id, ..)| *id == wanted || past.prior(id) == PRIOR)
                );
            }
        }
        let mean = |ndcg: &[f64]| ndcg.iter().sum::<f64>() / ndcg.len() as f64;
        let (before, after) = (mean(&before), mean(&after));
        assert!(before > 0.9, "{before}");
        assert!(before - after <= 0.2, "from {before} to {after}");
    }

    #[tokio::test]
    async fn needs_are_answered_and_judged() {
        let catalogue =
            Catalogue::new(vec![tool("read_file", "Reads a file."), tool("send_mail", "Sends a message by mail.")]);
        let cases = [case("read the file", "read_file"), case("send my mail", "send_mail")];
        let embedder = Embedder::new(None, Limits::default());
        let answers = answer(&catalogue, &Past::default(), &embedder, &[true; 2], &cases).await.unwrap();
        assert_eq!(answers[0].ranked, ["read_file"]);
        assert_eq!(answers[1].ranked, ["send_mail"]);
        let summary = summary("mine", 2, &cases, &answers);
        assert_eq!(lost(&cases, &answers).count(), 0);
        assert_eq!((summary.tools, summary.queries, summary.measures.ndcg_10), (2, 2, 1.0));
    }
}
