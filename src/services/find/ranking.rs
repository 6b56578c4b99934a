//! The order of tools for a need.
//!
//! A tool's fit is its nearness by meaning plus what its words are worth: both as they are, not stretched to the best
//! of this search, so that a chance word does not weigh as much as a name that is called. Of a need of several steps
//! the step a tool fits best counts too, past successes add a bounded vote, and what was learned of a tool adds
//! a smaller bounded prior.

use std::{cmp::Ordering, collections::HashSet};

use super::{
    catalogue::Catalogue,
    parts,
    past::{BOUND, Past, Vote},
    views::Views,
};
use satchel_index::{embed::embedder::Embedder, flat::Row};
use satchel_model::{
    error::Result,
    words::{self, Term},
};

/// The weight of a tool's words beside its nearness: BM25 of a good match is about 25, nearness about 0.5.
const WORDS: f32 = 0.02;
/// The weight of the best part of a need.
const PART: f32 = 0.3;
/// Nearness below which a tool without a word of the need has nothing to do with it.
const FAR: f32 = 0.25;
/// The nearness that counts for a tool that is not embedded yet, as long as others are: that of a chance tool.
const UNSEEN: f32 = 0.15;
/// Tools that are looked at closely: those that fit best at first sight.
const LOOKED_AT: usize = 500;

/// A need, or a part of one, ready to be compared.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// As it was told.
    pub text: String,
    /// Its distinct words.
    pub terms: Vec<Term>,
    /// Its meaning; `None` without a model.
    pub vector: Option<Row>,
}

/// A need with its parts.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The whole.
    pub whole: Asked,
    /// Its steps; none where it is one step.
    pub parts: Vec<Asked>,
}

/// A tool's place in the order, and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// Its place in the catalogue.
    pub tool: usize,
    /// The fit.
    pub score: f32,
    /// The nearness by meaning; `None` if only words were compared.
    pub nearness: Option<f32>,
    /// The score of its words.
    pub bm25: f32,
    /// The part it fits better than the whole need, by number.
    pub part: Option<usize>,
    /// The vote of past successes.
    pub vote: Option<Vote>,
}

impl Ranked {
    /// Returns whether neither words nor meaning nor past successes speak for it: it only came before what fits even
    /// less.
    pub fn is_far(&self) -> bool {
        let near = self.nearness.is_none_or(|nearness| nearness >= FAR);
        !near && self.bm25 <= 0.0 && self.part.is_none() && self.vote.is_none()
    }
}

impl Question {
    /// Reads a need; its parts are embedded together with it.
    pub async fn new(embedder: &Embedder, need: &str) -> Result<Self> {
        let (whole, parts) = (parts::beginning(need), parts::split(need));
        let vectors = std::iter::once(whole).chain(parts.iter().copied()).map(|text| embedder.query(text));
        let vectors = futures_util::future::try_join_all(vectors).await?;
        let mut asked = std::iter::once(whole).chain(parts).zip(vectors).map(|(text, vector)| Asked {
            text: text.to_owned(),
            terms: distinct(text),
            vector: vector.as_deref().map(Row::new),
        });
        Ok(Self { whole: asked.next().unwrap_or_default(), parts: asked.collect() })
    }

    /// Reads a need by its words alone.
    pub fn of_words(need: &str) -> Self {
        let asked = |text: &str| Asked { text: text.to_owned(), terms: distinct(text), vector: None };
        Self { whole: asked(parts::beginning(need)), parts: parts::split(need).into_iter().map(asked).collect() }
    }
}

fn distinct(text: &str) -> Vec<Term> {
    let mut seen = HashSet::new();
    words::terms(text).into_iter().filter(|term| seen.insert(term.stem.clone())).collect()
}

/// The best tools for a question among those allowed, best first; of equals the first of the catalogue.
/// By words alone, only tools that hold one.
pub fn rank(catalogue: &Catalogue, question: &Question, allowed: &[bool], past: &Past, limit: usize) -> Vec<Ranked> {
    let views = catalogue.views();
    let mut ranked = fits(catalogue, views.as_deref(), &question.whole, allowed);
    if !question.parts.is_empty() {
        weigh_parts(catalogue, views.as_deref(), question, allowed, &mut ranked);
    }
    if let Some(vector) = &question.whole.vector {
        let votes = past.votes(vector);
        for one in &mut ranked {
            let id = catalogue.profiles().get(one.tool).map(|profile| profile.id.as_str());
            one.vote = id.and_then(|id| votes.get(id).copied());
            one.score += one.vote.map_or(0.0, |vote| BOUND * vote.strength.min(1.0));
        }
    }
    for one in &mut ranked {
        let id = catalogue.profiles().get(one.tool).map(|profile| profile.id.as_str());
        one.score += id.map_or(0.0, |id| past.prior(id));
    }
    best_of(ranked, limit)
}

/// The tools that may fit, with their fit: all that are allowed, of very many those that fit at first sight.
fn fits(catalogue: &Catalogue, views: Option<&Views>, asked: &Asked, allowed: &[bool]) -> Vec<Ranked> {
    let words = catalogue.lexical().score(asked.terms.iter().map(|term| term.stem.as_str()), allowed);
    let by_meaning = views.zip(asked.vector.as_ref());
    let near = by_meaning.map(|(views, vector)| views.at_first_sight(vector));
    let seen = |tool: usize| views.is_some_and(|views| views.is_seen(tool));
    let nearness = |tool: usize| near.as_ref().filter(|_| seen(tool)).and_then(|near| near.get(tool).copied());
    let unseen = near.is_some().then_some(UNSEEN);
    let tools = words.iter().enumerate().filter(|(tool, _)| allowed.get(*tool).copied().unwrap_or_default());
    let found = tools.filter(|(tool, bm25)| (near.is_some() && seen(*tool)) || **bm25 > 0.0);
    let first_sight = found.map(|(tool, bm25)| (fit(nearness(tool).or(unseen), *bm25), tool)).collect();
    let closer = first(first_sight, LOOKED_AT, |one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let closer = closer.into_iter().map(|(_, tool)| {
        let nearness = by_meaning.and_then(|(views, vector)| near_to(views, tool, vector));
        let bm25 = words.get(tool).copied().unwrap_or_default();
        Ranked { tool, score: fit(nearness.or(unseen), bm25), nearness, bm25, part: None, vote: None }
    });
    closer.collect()
}

/// The nearness of a tool; `None` where it is not embedded yet.
fn near_to(views: &Views, tool: usize, vector: &Row) -> Option<f32> {
    views.is_seen(tool).then(|| views.nearness(tool, vector))
}

fn fit(nearness: Option<f32>, bm25: f32) -> f32 {
    nearness.unwrap_or_default() + WORDS * bm25
}

/// Lets the part that fits a tool best count.
fn weigh_parts(
    catalogue: &Catalogue,
    views: Option<&Views>,
    question: &Question,
    allowed: &[bool],
    ranked: &mut [Ranked],
) {
    let mut best = vec![(0.0_f32, None); ranked.len()];
    for (part, asked) in question.parts.iter().enumerate() {
        let words = catalogue.lexical().score(asked.terms.iter().map(|term| term.stem.as_str()), allowed);
        for (one, best) in ranked.iter().zip(&mut best) {
            let by_meaning = views.zip(asked.vector.as_ref());
            let nearness = by_meaning.map(|(views, vector)| near_to(views, one.tool, vector).unwrap_or(UNSEEN));
            let score = fit(nearness, words.get(one.tool).copied().unwrap_or_default());
            if best.1.is_none() || score > best.0 {
                *best = (score, Some(part));
            }
        }
    }
    for (one, (score, part)) in ranked.iter_mut().zip(best) {
        one.part = part.filter(|_| score > one.score);
        one.score = (1.0 - PART) * one.score + PART * score;
    }
}

fn best_of(ranked: Vec<Ranked>, limit: usize) -> Vec<Ranked> {
    let mut best = first(ranked, limit, order);
    best.sort_unstable_by(order);
    best
}

/// The best, in no order.
fn first<T>(mut all: Vec<T>, limit: usize, order: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    if all.len() > limit {
        if limit > 0 {
            all.select_nth_unstable_by(limit - 1, order);
        }
        all.truncate(limit);
    }
    all
}

fn order(a: &Ranked, b: &Ranked) -> Ordering {
    b.score.total_cmp(&a.score).then(a.tool.cmp(&b.tool))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::profile::Profile;
    use satchel_model::{learning::Used, user::UserId};

    fn catalogue() -> Catalogue {
        let tool = |name: &str, description: &str| Profile {
            id: name.into(),
            name: name.into(),
            description: description.into(),
            ..Profile::default()
        };
        let catalogue = Catalogue::new(vec![tool("forecast", "Weather of a place."), tool("mail", "Sends a letter.")]);
        let (weather, letter) = (vec![1.0, 0.0], vec![0.0, 1.0]);
        catalogue.see(&[weather.clone(), weather.clone(), weather, letter.clone(), letter.clone(), letter]);
        catalogue
    }

    fn question(text: &str, vector: [f32; 2]) -> Question {
        let asked = |text: &str| Asked { text: text.into(), terms: distinct(text), vector: Some(Row::new(&vector)) };
        Question { whole: asked(text), parts: parts::split(text).into_iter().map(asked).collect() }
    }

    fn order_of(question: &Question, past: &Past) -> Vec<usize> {
        rank(&catalogue(), question, &[true, true], past, 10).into_iter().map(|one| one.tool).collect()
    }

    #[test]
    fn meaning_finds_what_words_do_not() {
        assert_eq!(order_of(&question("umbrella", [0.9, 0.1]), &Past::default()), [0, 1]);
        assert_eq!(order_of(&question("umbrella", [0.1, 0.9]), &Past::default()), [1, 0]);
        assert_eq!(order_of(&Question::of_words("umbrella"), &Past::default()), Vec::<usize>::new());
        assert_eq!(order_of(&Question::of_words("a letter, please"), &Past::default()), [1]);
    }

    #[test]
    fn what_shares_no_word_and_is_not_near_is_far() {
        let first = |question: &Question| rank(&catalogue(), question, &[true, true], &Past::default(), 10)[0];
        assert!(first(&question("umbrella", [0.2, -0.98])).is_far());
        assert!(!first(&question("letter", [-0.7, -0.7])).is_far());
        assert!(!first(&question("umbrella", [0.9, 0.1])).is_far());
        assert!(!first(&Question::of_words("letter")).is_far());
    }

    #[test]
    fn past_success_raises_a_tool_by_no_more_than_the_bound() {
        let mut past = Past::default();
        for n in 0..50 {
            let used = Used { tool: "mail".into(), successes: 3, failures: 0 };
            past.note(UserId::new(), &format!("umbrella {n}"), &[0.8, 0.6], used);
        }
        let question = question("umbrella", [0.8, 0.6]);
        let score = |past: &Past, tool: usize| {
            let ranked = rank(&catalogue(), &question, &[true, true], past, 10);
            ranked.into_iter().find(|one| one.tool == tool).unwrap().score
        };
        let (before, after) = (score(&Past::default(), 1), score(&past, 1));
        assert!(after > before + 0.3 * BOUND && after <= before + BOUND, "{before} {after}");
        assert_eq!(score(&Past::default(), 0), score(&past, 0));
    }

    #[test]
    fn what_is_not_allowed_is_not_ranked() {
        let ranked = rank(&catalogue(), &question("weather", [1.0, 0.0]), &[false, true], &Past::default(), 10);
        assert_eq!(ranked.iter().map(|one| one.tool).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn a_step_that_fits_better_than_the_whole_is_named() {
        let asked = question("tell me the weather there, then post this letter", [0.5, 0.5]);
        let ranked = rank(&catalogue(), &asked, &[true, true], &Past::default(), 10);
        assert_eq!(ranked.len(), 2);
        assert!(ranked.iter().all(|one| one.part.is_none() || one.part.is_some_and(|part| part < asked.parts.len())));
    }
}
