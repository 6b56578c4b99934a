//! The past successes: each success of a tool after a need votes for it where a need is like that one.
//!
//! The nearest past needs vote, each as strongly as it is near, and a vote is bounded: a tool that was never used is
//! pushed back by what others gain, and by no more.

use std::collections::HashMap;

use super::trial::Case;
use satchel_index::flat::{Row, Rows};
use satchel_model::{learning::Used, user::UserId};

/// Past needs that vote.
const NEAREST: usize = 15;
/// Cosine from which on two needs have anything to do with each other.
const ALIKE: f32 = 0.4;
/// The doubt a past need is compared with: one voice alone that says the very same has two thirds.
const DOUBT: f32 = 0.5 * (1.0 - ALIKE) * (1.0 - ALIKE);
/// The most a tool gains by votes; a good match of words and meaning is worth about 1.
pub const BOUND: f32 = 0.35;
/// The most a tool gains or loses by what was learned of it, whatever the need: it decides between equals.
pub const PRIOR: f32 = 0.02;
/// The least and the most that can be learned of a tool, around 1.
const WEIGHT: (f64, f64) = (0.1, 5.0);

/// One past need, with the tools called for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The person whose it was; only they are shown the text.
    pub user: UserId,
    /// The text that was asked for.
    pub text: String,
    /// The outcome of the tools that were used.
    pub used: Vec<Used>,
}

/// The vote of past successes for a tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vote {
    /// From 0 to 1.
    pub strength: f32,
    /// The nearest need it helped with.
    pub need: usize,
    /// The nearness of that need.
    pub similarity: f32,
}

/// All past needs.
#[derive(Debug, Default)]
pub struct Past {
    needs: Vec<Need>,
    rows: Rows,
    known: HashMap<(UserId, String), usize>,
    /// The weight learned of each tool, by id; 1 where nothing was.
    weights: HashMap<String, f64>,
}

impl Past {
    /// Remembers what became of a tool after a need.
    pub fn note(&mut self, user: UserId, text: &str, vector: &[f32], used: Used) {
        let key = (user, text.to_owned());
        let at = *self.known.entry(key).or_insert_with(|| {
            self.rows.push(vector);
            self.needs.push(Need { user, text: text.to_owned(), used: Vec::new() });
            self.needs.len() - 1
        });
        let Some(need) = self.needs.get_mut(at) else { return };
        match need.used.iter_mut().find(|known| known.tool == used.tool) {
            Some(known) => {
                known.successes += used.successes;
                known.failures += used.failures;
            }
            None => need.used.push(used),
        }
    }

    /// Takes over what was learned of the tools, in place of what was known.
    pub fn weigh(&mut self, weights: HashMap<String, f64>) {
        self.weights = weights;
    }

    /// The part of a tool's fit that was learned: from -[`PRIOR`] to [`PRIOR`], 0 where nothing was.
    #[expect(clippy::cast_possible_truncation, reason = "a share of 1")]
    pub fn prior(&self, tool: &str) -> f32 {
        let (least, most) = WEIGHT;
        let weight = self.weights.get(tool).copied().unwrap_or(1.0).clamp(least, most);
        let share = if weight >= 1.0 { weight.ln() / most.ln() } else { -weight.ln() / least.ln() };
        PRIOR * share as f32
    }

    /// A past need.
    pub fn need(&self, at: usize) -> Option<&Need> {
        self.needs.get(at)
    }

    /// Every past need.
    pub fn needs(&self) -> &[Need] {
        &self.needs
    }

    /// A person's own needs with the tools that met them, the newest first.
    pub(super) fn cases(&self, user: UserId) -> impl Iterator<Item = Case> {
        let own = self.needs.iter().enumerate().rev().filter(move |(_, need)| need.user == user);
        own.filter_map(|(number, need)| {
            let met = need.used.iter().filter(|used| used.successes > used.failures);
            let groups: Vec<Vec<String>> = met.map(|used| vec![used.tool.clone()]).collect();
            (!groups.is_empty()).then(|| Case { id: number.to_string(), query: need.text.clone(), groups })
        })
    }

    /// Returns the votes of the nearest past needs for tools, by id.
    pub fn votes(&self, question: &Row) -> HashMap<&str, Vote> {
        let mut near: Vec<(usize, f32)> = (0..self.rows.len())
            .map(|at| (at, self.rows.cosine(at, question)))
            .filter(|(_, similarity)| *similarity > ALIKE)
            .collect();
        near.sort_by(|a, b| b.1.total_cmp(&a.1));
        near.truncate(NEAREST);
        let weight = |similarity: f32| (similarity - ALIKE).powi(2);
        let all = near.iter().map(|(_, similarity)| weight(*similarity)).sum::<f32>() + DOUBT;
        let mut votes: HashMap<&str, Vote> = HashMap::new();
        for (need, similarity) in near {
            for used in self.needs.get(need).map(|need| need.used.as_slice()).unwrap_or_default() {
                let calls = (used.successes + used.failures).max(1);
                let voice = weight(similarity) / all * used.successes as f32 / calls as f32;
                let vote = votes.entry(&used.tool).or_insert(Vote { strength: 0.0, need, similarity });
                vote.strength += voice;
            }
        }
        votes.retain(|_, vote| vote.strength > 0.0);
        votes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(tool: &str, successes: u32, failures: u32) -> Used {
        Used { tool: tool.into(), successes, failures }
    }

    fn past() -> (Past, UserId) {
        let mut past = Past::default();
        let (ann, bob) = (UserId::new(), UserId::new());
        past.note(ann, "send a mail", &[1.0, 0.0], used("mail", 1, 0));
        past.note(bob, "write to somebody", &[0.8, 0.6], used("mail", 1, 1));
        past.note(bob, "the weather", &[0.0, 1.0], used("weather", 1, 0));
        (past, ann)
    }

    #[test]
    fn near_needs_vote_and_far_ones_do_not() {
        let (past, ann) = past();
        let votes = past.votes(&Row::new(&[1.0, 0.0]));
        assert_eq!(votes.keys().copied().collect::<Vec<_>>(), ["mail"]);
        let vote = votes["mail"];
        assert_eq!((vote.need, past.need(vote.need).unwrap().user), (0, ann));
        assert!(vote.strength > 0.5 && vote.strength < 1.0, "{vote:?}");
    }

    #[test]
    fn a_failure_weakens_the_voice() {
        let (mut past, ann) = past();
        let before = past.votes(&Row::new(&[1.0, 0.0]))["mail"].strength;
        past.note(ann, "send a mail", &[1.0, 0.0], used("mail", 0, 2));
        let after = past.votes(&Row::new(&[1.0, 0.0]))["mail"].strength;
        assert!(after < before);
        assert_eq!(past.needs().len(), 3);
    }

    #[test]
    fn what_was_learned_of_a_tool_is_a_bounded_prior() {
        let mut past = Past::default();
        let weights = [("best", 5.0), ("good", 2.0), ("plain", 1.0), ("bad", 0.5), ("worst", 0.1), ("broken", -9.0)];
        past.weigh(weights.map(|(tool, weight)| (tool.to_owned(), weight)).into());
        let priors = ["best", "good", "plain", "new", "bad", "worst"].map(|tool| past.prior(tool));
        assert!(priors.is_sorted_by(|a, b| a >= b), "{priors:?}");
        assert_eq!((priors[0], priors[2], priors[3], priors[5]), (PRIOR, 0.0, 0.0, -PRIOR));
        assert_eq!(past.prior("broken"), -PRIOR);
    }

    #[test]
    fn one_voice_alone_is_in_doubt() {
        let mut past = Past::default();
        past.note(UserId::new(), "send a mail", &[1.0, 0.0], used("mail", 1, 0));
        let strength = past.votes(&Row::new(&[1.0, 0.0]))["mail"].strength;
        assert!((strength - 2.0 / 3.0).abs() < 0.01, "{strength}");
        assert!(past.votes(&Row::new(&[0.0, 1.0])).is_empty());
    }
}
