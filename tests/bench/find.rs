//! Finding tools among 15,000: the search by itself, and with the embedding of the need.

use std::time::Instant;

use anyhow::{Context, Result};
use satchel::{
    index::embed::{embedder::Embedder, model::Model, workers::Limits},
    model::score::percentile,
    services::find::{
        catalogue::Catalogue,
        past::Past,
        profile::Profile,
        ranking::{self, Question},
    },
};

use super::report::{Report, Target};

const TOOLS: usize = 15_000;
const NEEDS: usize = 400;
/// What is done.
pub(crate) const ACTIONS: &[&str] = &[
    "create",
    "list",
    "update",
    "delete",
    "search",
    "export",
    "import",
    "archive",
    "approve",
    "cancel",
    "schedule",
    "send",
    "read",
    "compare",
    "count",
    "merge",
    "rename",
    "share",
    "lock",
    "restore",
    "print",
    "forecast",
    "convert",
    "translate",
    "measure",
];
/// To which thing.
pub(crate) const THINGS: &[&str] = &[
    "invoice",
    "order",
    "customer",
    "ticket",
    "employee",
    "contract",
    "shipment",
    "payment",
    "report",
    "calendar",
    "message",
    "product",
    "warehouse",
    "budget",
    "meeting",
    "vehicle",
    "sensor",
    "lesson",
    "recipe",
    "flight",
];
/// At which place.
pub(crate) const PLACES: &[&str] = &[
    "sales",
    "billing",
    "support",
    "travel",
    "school",
    "clinic",
    "garage",
    "library",
    "farm",
    "harbour",
    "museum",
    "bakery",
    "theatre",
    "bank",
    "factory",
    "office",
    "hotel",
    "airport",
    "station",
    "market",
    "court",
    "studio",
    "laboratory",
    "kitchen",
    "garden",
    "stadium",
    "archive",
    "workshop",
    "gallery",
    "embassy",
];

/// Measures.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let embedder = Embedder::new(Model::embedded(), Limits::default());
    let width = embedder.model().context("this build has no embedding model")?.dimensions;
    let catalogue = Catalogue::new((0..TOOLS).map(tool).collect());
    let vectors: Vec<Vec<f32>> = (0..3 * TOOLS).map(|seed| direction(seed, width)).collect();
    catalogue.see(&vectors);
    let (allowed, past) = (vec![true; TOOLS], Past::default());
    // The model is loaded by the first.
    Question::new(&embedder, "warm up").await?;
    let (mut alone, mut whole) = (Vec::new(), Vec::new());
    for number in 0..NEEDS {
        let started = Instant::now();
        let question = Question::new(&embedder, &need(number)).await?;
        let embedded = Instant::now();
        let ranked = ranking::rank(&catalogue, &question, &allowed, &past, 10);
        anyhow::ensure!(ranked.len() == 10, "ten tools were asked for");
        alone.push(embedded.elapsed().as_secs_f64() * 1_000.0);
        whole.push(started.elapsed().as_secs_f64() * 1_000.0);
    }
    report.figure("find among 15,000 tools, without embedding, p50 ms", percentile(&alone, 0.5), Target::None);
    report.figure("find among 15,000 tools, without embedding, p95 ms", percentile(&alone, 0.95), Target::AtMost(1.0));
    report.figure("find among 15,000 tools, p50 ms", percentile(&whole, 0.5), Target::AtMost(5.0));
    report.figure("find among 15,000 tools, p95 ms", percentile(&whole, 0.95), Target::AtMost(10.0));
    Ok(())
}

/// A word of a list, which begins anew behind its last.
pub(crate) fn word<'a>(list: &[&'a str], number: usize) -> &'a str {
    list.get(number % list.len()).copied().unwrap_or_default()
}

fn tool(number: usize) -> Profile {
    let action = word(ACTIONS, number);
    let thing = word(THINGS, number / ACTIONS.len());
    let place = word(PLACES, number / (ACTIONS.len() * THINGS.len()));
    Profile {
        id: format!("catalog:{place}.{action}_{thing}"),
        name: format!("{action}_{thing}"),
        description: format!(
            "Lets you {action} one {thing} of the {place}, with its history and everything it refers to."
        ),
        category: place.to_owned(),
        parameters: vec![
            (format!("{thing}_id"), format!("Which {thing}")),
            ("reason".into(), "Why, in a sentence".into()),
        ],
        ..Profile::default()
    }
}

/// A need nobody has asked before; every fifth has two steps.
fn need(number: usize) -> String {
    let (action, thing, place) = (word(ACTIONS, number * 7), word(THINGS, number * 3), word(PLACES, number * 11));
    let first = format!("Could you please {action} the {thing} number {number} that the {place} gave us last week?");
    match number % 5 {
        0 => format!("{first} Then {} the {} as well.", word(ACTIONS, number + 3), word(THINGS, number + 5)),
        _ => first,
    }
}

/// A vector of length 1, always the same for a number.
fn direction(seed: usize, width: usize) -> Vec<f32> {
    let mut state = seed as u64 ^ 0x9e37_79b9_7f4a_7c15;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1_u64 << 24) as f32 - 0.5
    };
    let raw: Vec<f32> = (0..width).map(|_| next()).collect();
    let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
    raw.into_iter().map(|x| x / length).collect()
}
