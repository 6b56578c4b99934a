//! The launcher: what can be opened, how well a few typed letters fit its name, and how often and lately it was opened.
//!
//! A score is `fit × (1 + ln(1 + frecency))`: what was never opened is ranked by its name alone, and habit raises a
//! thing above better-named ones but never finds what does not fit. Frecency is the count of uses, each halved for
//! every [`HALF_LIFE`] since (the decaying count Firefox's address bar ranks by, published as "Frecency" in Mozilla's
//! documentation of the URL bar's ranking): `f' = f · 2^(-age / half-life) + 1` at a use.

use serde::{Deserialize, Serialize};

use super::{origin::Origin, time::Time};

/// Days after which a use counts half.
pub const HALF_LIFE: f64 = 30.0;
const DAY: f64 = 86_400_000.0;

/// The kind of thing it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ThingKind)]
pub enum Kind {
    /// A tool.
    Tool,
    /// A page of the console.
    Page,
    /// A document of the knowledge base.
    Document,
    /// One of the person's conversations.
    Conversation,
    /// An agent.
    Agent,
}

impl Kind {
    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Page => "page",
            Self::Document => "document",
            Self::Conversation => "conversation",
            Self::Agent => "agent",
        }
    }
}

/// Something that can be opened.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Thing {
    /// A tool's, document's or conversation's id; a page's path.
    pub id: String,
    /// Its name or title.
    pub name: String,
    /// The kind.
    #[serde(rename = "type")]
    #[schema(rename = "type")]
    pub kind: Kind,
    /// The fit, times how often and lately it was opened; the best has the most.
    pub score: f64,
    /// The origin of its name, if from outside.
    #[serde(skip)]
    pub origin: Option<Origin>,
}

/// Uses of one thing, as a decaying count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frecency {
    /// The count when it was last used.
    pub count: f64,
    /// The time of that.
    pub used_at: Time,
}

impl Frecency {
    /// A first use.
    pub fn first(now: Time) -> Self {
        Self { count: 1.0, used_at: now }
    }

    /// The count now.
    pub fn at(self, now: Time) -> f64 {
        let age = now.millis().saturating_sub(self.used_at.millis()).max(0) as f64 / DAY;
        self.count * (-age / HALF_LIFE).exp2()
    }

    /// After one more use.
    #[must_use]
    pub fn used(self, now: Time) -> Self {
        Self { count: self.at(now) + 1.0, used_at: now.max(self.used_at) }
    }
}

/// A fit, raised by how often and lately the thing was used.
pub fn score(fit: f64, frecency: f64) -> f64 {
    fit * (1.0 + frecency.max(0.0).ln_1p())
}

/// Returns how well typed text fits a name: 1 the same, 0 not at all. Case and the signs between words do not matter; a
/// word may be begun only, be mistyped in one letter (two from eight letters on), or stand for its initials.
pub fn fit(typed: &str, name: &str) -> f64 {
    let (typed, name) = (plain(typed), plain(name));
    let grade = grade(&typed, &name);
    let part = typed.chars().count() as f64 / name.chars().count().max(1) as f64;
    // Of two names that fit alike, the shorter holds less that was not typed.
    grade * (0.95 + 0.05 * part.min(1.0))
}

fn grade(typed: &str, name: &str) -> f64 {
    if typed.is_empty() || name.is_empty() {
        return 0.0;
    }
    let joined = |text: &str| text.replace(' ', "");
    if joined(typed) == joined(name) {
        return 1.0;
    }
    if name.starts_with(typed) {
        return 0.9;
    }
    let words: Vec<&str> = name.split(' ').collect();
    let every = |fits: &dyn Fn(&str, &str) -> bool| typed.split(' ').all(|t| words.iter().any(|word| fits(t, word)));
    if every(&|t, word| word.starts_with(t)) {
        return 0.8;
    }
    if name.contains(typed) || joined(name).contains(&joined(typed)) {
        return 0.7;
    }
    let initials: String = words.iter().filter_map(|word| word.chars().next()).collect();
    if joined(typed).chars().count() > 1 && initials.starts_with(&joined(typed)) {
        return 0.6;
    }
    if every(&|t, word| word.starts_with(t) || mistyped(t, word)) {
        return 0.5;
    }
    scattered(&joined(typed), name)
}

/// The letters in their order with others between: the closer together, the better. The first begins a word.
fn scattered(typed: &str, name: &str) -> f64 {
    let letters: Vec<char> = typed.chars().collect();
    if letters.len() < 3 {
        return 0.0;
    }
    let name: Vec<char> = name.chars().collect();
    let begins = |at: usize| at == 0 || name.get(at - 1) == Some(&' ');
    let spans = (0..name.len()).filter(|at| begins(*at)).filter_map(|start| {
        let mut rest = letters.iter().peekable();
        let end = name.iter().enumerate().skip(start).find_map(|(at, c)| {
            if rest.peek() == Some(&c) {
                rest.next();
            } else if at == start {
                return Some(None);
            }
            rest.peek().is_none().then_some(Some(at))
        })?;
        end.map(|end| end + 1 - start)
    });
    let share = spans.min().map_or(0.0, |span| letters.len() as f64 / span as f64);
    // Letters strewn over a whole title fit nothing anybody meant.
    if share < 0.35 { 0.0 } else { 0.4 * share }
}

/// Returns whether a word, as far as it was typed, has a slip or two.
fn mistyped(typed: &str, word: &str) -> bool {
    let typed: Vec<char> = typed.chars().collect();
    let allowed = match typed.len() {
        0..=3 => return false,
        4..=7 => 1,
        _ => 2,
    };
    let word: Vec<char> = word.chars().collect();
    let ends = typed.len().saturating_sub(allowed)..=(typed.len() + allowed).min(word.len());
    ends.filter_map(|end| word.get(..end)).chain([word.as_slice()]).any(|begun| slips(&typed, begun) <= allowed)
}

/// Letters to add, drop, change or swap with their neighbour to make one from the other (optimal string alignment).
fn slips(a: &[char], b: &[char]) -> usize {
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    let at = |rows: &[Vec<usize>], i: usize, j: usize| {
        rows.get(i).and_then(|row| row.get(j)).copied().unwrap_or(usize::MAX / 2)
    };
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = usize::from(a.get(i - 1) != b.get(j - 1));
            let left = row.last().copied().unwrap_or(0) + 1;
            let mut least = left.min(at(&rows, i - 1, j) + 1).min(at(&rows, i - 1, j - 1) + changed);
            let swapped = i > 1 && j > 1 && a.get(i - 1) == b.get(j - 2) && a.get(i - 2) == b.get(j - 1);
            if swapped {
                least = least.min(at(&rows, i - 2, j - 2) + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    at(&rows, a.len(), b.len())
}

/// Lower case, one space for all that stands between words; camelCase is two words.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut before_lower = false;
    for c in text.chars().take(300) {
        let gap = !c.is_alphanumeric();
        if (gap || (c.is_uppercase() && before_lower)) && !plain.is_empty() && !plain.ends_with(' ') {
            plain.push(' ');
        }
        if !gap {
            plain.extend(c.to_lowercase());
        }
        before_lower = c.is_lowercase();
    }
    plain.truncate(plain.trim_end().len());
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best<'a>(typed: &str, names: &[&'a str]) -> Vec<&'a str> {
        let mut found: Vec<(f64, &str)> =
            names.iter().map(|name| (fit(typed, name), *name)).filter(|(fit, _)| *fit > 0.0).collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn the_same_name_comes_before_a_beginning_and_that_before_a_part() {
        let names = ["web_search", "search", "search_knowledge", "Research notes", "calculator"];
        assert_eq!(best("search", &names), ["search", "search_knowledge", "web_search", "Research notes"]);
    }

    #[test]
    fn case_signs_and_order_of_words_do_not_matter() {
        for typed in ["fs-read", "FS Read", "read fs", "fsRead", "fsread"] {
            assert!(fit(typed, "fs_read") >= 0.7, "{typed}");
        }
    }

    #[test]
    fn a_slip_is_forgiven_and_another_word_is_not() {
        for (typed, name) in
            [("calcualtor", "calculator"), ("clacu", "calculator"), ("memroy", "Memory"), ("setings", "Settings")]
        {
            assert!(fit(typed, name) > 0.45, "{typed} {name}: {}", fit(typed, name));
        }
        for (typed, name) in [("cat", "car"), ("memory", "audit"), ("xyz", "search"), ("reed", "write"), ("", "a")] {
            assert_eq!(fit(typed, name), 0.0, "{typed} {name}");
        }
    }

    #[test]
    fn initials_and_scattered_letters_fit_a_little() {
        assert!(fit("gps", "get_platform_status") > 0.5);
        let few = fit("clc", "calculator");
        assert!(few > 0.1 && few < 0.45, "{few}");
        assert_eq!(fit("ctr", "conversation about the quarterly report"), 0.0);
    }

    #[test]
    fn a_use_counts_half_after_a_half_life_and_raises_the_score() {
        let at = |days: f64| Time::from_millis((days * DAY) as i64);
        let once = Frecency::first(at(0.0));
        assert_eq!((once.at(at(0.0)), once.at(at(30.0)), once.at(at(60.0))), (1.0, 0.5, 0.25));
        assert_eq!(once.used(at(30.0)), Frecency { count: 1.5, used_at: at(30.0) });
        assert_eq!(score(0.9, 0.0), 0.9);
        assert!(score(0.7, 10.0) > score(0.9, 1.0) && score(0.0, 100.0) == 0.0);
    }
}
