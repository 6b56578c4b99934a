//! The table an evaluation ends with: a row a set, and the mean of all.

use crate::cli::screen::table;
use satchel_model::score::{self, Measures};
use satchel_services::find::trial::Summary;

const HEAD: [&str; 10] = ["set", "n", "R@1", "R@5", "R@10", "nDCG@10", "MRR@10", "C@10", "p50 ms", "p95 ms"];

/// The table of all sets, measures in hundredths.
pub(super) fn render(summaries: &[Summary]) -> String {
    let mut rows: Vec<Vec<String>> = summaries
        .iter()
        .map(|s| row(&s.set, s.queries, &s.measures, [format!("{:.2}", s.p50_ms), format!("{:.2}", s.p95_ms)]))
        .collect();
    let all: Vec<Measures> = summaries.iter().map(|s| s.measures).collect();
    if let Some(mean) = score::mean(&all).filter(|_| summaries.len() > 1) {
        let queries = summaries.iter().map(|s| s.queries).sum();
        rows.push(row("mean of sets", queries, &mean, [String::new(), String::new()]));
    }
    table(&HEAD, &rows)
}

fn row(set: &str, queries: usize, m: &Measures, times: [String; 2]) -> Vec<String> {
    let measures = [m.recall_1, m.recall_5, m.recall_10, m.ndcg_10, m.mrr_10, m.complete_10];
    let cells = measures.into_iter().map(|share| format!("{:.1}", share * 100.0));
    [set.to_owned(), queries.to_string()].into_iter().chain(cells).chain(times).collect()
}
