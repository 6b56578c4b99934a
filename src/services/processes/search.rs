//! Finding business processes: by their names first, then by everything else they say, by words and by meaning.

use std::{cmp::Ordering, collections::BTreeSet, time::Duration};

use serde::Serialize;

use crate::find::views;
use satchel_app::App;
use satchel_engine::context::Context;
use satchel_model::{
    business_process::Process,
    error::{Error, Result},
    launch,
    vector::cosine,
    words,
};
use satchel_store::processes::Processes;

/// Longest question, in characters.
const LONGEST: usize = 1_000;
/// Nearness in meaning below which a process is about something else.
const NEAR: f32 = 0.45;
/// The time by which reading processes for their meaning may hold up a search.
const READING: Duration = Duration::from_secs(3);
/// Names that are offered where nothing was found.
const NEAREST: usize = 5;
/// Words that every question about a process may hold.
const HOLLOW: &[&str] = &["process", "workflow", "procedur", "step", "work", "done", "show", "find", "explain", "busi"];

/// The part that speaks most for a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ProcessMatch)]
pub enum MatchedBy {
    /// Its name. Comes before all else.
    Name,
    /// Its category, tags, description or steps.
    Text,
    /// The meaning, in other words.
    Meaning,
}

/// A process that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The process.
    pub process: Process,
    /// The reason.
    pub by: MatchedBy,
}

/// The answer of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The best first.
    pub found: Vec<Found>,
    /// The nearest names, where nothing was found.
    pub nearest: Vec<String>,
    /// Every category there is.
    pub categories: BTreeSet<String>,
    /// Every process that was looked through, by name.
    pub all: Vec<Process>,
}

/// The published processes that fit a question, the best first.
pub async fn published(cx: &Context, query: &str) -> Result<Answer> {
    let all = Processes::new(&cx.app().db).all().await?;
    search(cx.app(), query, all.into_iter().filter(Process::is_published).collect()).await
}

/// Those of these processes that fit a question, the best first.
pub async fn search(app: &App, query: &str, all: Vec<Process>) -> Result<Answer> {
    let query = query.trim();
    if query.is_empty() {
        return Err(Error::invalid("Say what is to be found: a process, a task, or a part of its name."));
    }
    if query.chars().count() > LONGEST {
        return Err(Error::invalid(format!("The question has more than {LONGEST} characters: ask in fewer.")));
    }
    let near = nearness(app, query, &all).await;
    let categories = all.iter().map(|one| one.content.category.clone()).filter(|name| !name.is_empty()).collect();
    let answer = Answer { categories, ..rank(query, all, &near) };
    Ok(if answer.found.is_empty() { offered(query, answer, &near) } else { answer })
}

/// Returns how near each is in meaning; empty without a model, or where it is not ready.
async fn nearness(app: &App, query: &str, all: &[Process]) -> Vec<f32> {
    let texts: Vec<String> = all.iter().map(|one| one.content.text()).collect();
    let embedder = app.search.embedder.steady();
    let reading = async {
        let Some(vectors) = views::embedded(&app.db, &embedder, &texts).await? else { return Ok(Vec::new()) };
        let Some(asked) = embedder.query(query).await? else { return Ok(Vec::new()) };
        Ok::<_, Error>(vectors.iter().map(|one| cosine(one, &asked)).collect())
    };
    match tokio::time::timeout(READING, reading).await {
        Ok(Ok(near)) => near,
        Ok(Err(error)) => {
            tracing::warn!(?error, "processes could not be read for their meaning");
            Vec::new()
        }
        // What was read meanwhile is kept: the next search is nearer.
        Err(_) => Vec::new(),
    }
}

/// The evidence for a process: its name counts before all else.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rank {
    /// 3 the same, 2 one in the other, 1 words in common, 0 none.
    name: u8,
    /// The share of the question's words in the name.
    named: f32,
    /// The share of them in the rest, and how near it is.
    rest: f32,
}

fn rank(query: &str, all: Vec<Process>, near: &[f32]) -> Answer {
    let asked = telling(query);
    let phrase = words::split(query).join(" ");
    let mut ranked: Vec<(Rank, Found)> = Vec::new();
    for (at, process) in all.iter().enumerate() {
        let near = near.get(at).copied().unwrap_or(0.0);
        let (name, named) = name_fit(&process.content.name, &phrase, &asked);
        let text = text_fit(process, &phrase, &asked);
        let by = match (name, text > 0.0, near >= NEAR) {
            (1.., ..) => MatchedBy::Name,
            (0, true, _) => MatchedBy::Text,
            (0, false, true) => MatchedBy::Meaning,
            (0, false, false) => continue,
        };
        let rank = Rank { name, named, rest: text + near.max(0.0) };
        ranked.push((rank, Found { process: process.clone(), by }));
    }
    // Of equals, the order of their names, in which they came.
    ranked.sort_by(|(a, _), (b, _)| better(b, a));
    Answer { found: ranked.into_iter().map(|(_, found)| found).collect(), all, ..Answer::default() }
}

fn better(a: &Rank, b: &Rank) -> Ordering {
    a.name.cmp(&b.name).then(a.named.total_cmp(&b.named)).then(a.rest.total_cmp(&b.rest))
}

/// The words of a question that tell one process from another; all of them where none does.
fn telling(query: &str) -> BTreeSet<String> {
    let all = words::topics(query);
    let telling: BTreeSet<String> = all.iter().filter(|word| !HOLLOW.contains(&word.as_str())).cloned().collect();
    if telling.is_empty() { all } else { telling }
}

fn name_fit(name: &str, phrase: &str, asked: &BTreeSet<String>) -> (u8, f32) {
    let plain = words::split(name).join(" ");
    if plain == *phrase {
        return (3, 1.0);
    }
    let share = share(asked, &words::topics(name));
    let within =
        !phrase.is_empty() && (plain.contains(phrase) || format!(" {phrase} ").contains(&format!(" {plain} ")));
    match (within, share > 0.0) {
        (true, _) => (2, share),
        (false, true) => (1, share),
        (false, false) => (0, 0.0),
    }
}

fn text_fit(process: &Process, phrase: &str, asked: &BTreeSet<String>) -> f32 {
    let content = &process.content;
    let head =
        format!("{} {} {}", content.category, content.tags.join(" "), content.owner.as_deref().unwrap_or_default());
    let mut steps = String::new();
    for step in &content.steps {
        let more = [step.who.as_deref(), step.system.as_deref()].map(Option::unwrap_or_default).join(" ");
        steps.push_str(&format!("{} {} {more} ", step.name, step.description));
    }
    let held = |text: &str| share(asked, &words::topics(text));
    let said = words::split(&format!("{head} {} {steps}", content.description)).join(" ");
    let whole = if !phrase.is_empty() && said.contains(phrase) { 0.5 } else { 0.0 };
    whole + held(&head).max(held(&content.description)).max(0.8 * held(&steps))
}

/// Returns the share of what was asked that is there.
fn share(asked: &BTreeSet<String>, there: &BTreeSet<String>) -> f32 {
    asked.intersection(there).count() as f32 / asked.len().max(1) as f32
}

/// Adds what the asker may have meant, where nothing was found.
fn offered(query: &str, answer: Answer, near: &[f32]) -> Answer {
    let fit = |at: usize, process: &Process| {
        let letters = launch::fit(query, &process.content.name) as f32;
        letters + near.get(at).copied().unwrap_or(0.0).max(0.0)
    };
    let mut all: Vec<(f32, &Process)> = answer.all.iter().enumerate().map(|(at, one)| (fit(at, one), one)).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let nearest = all.iter().take(NEAREST).map(|(_, one)| one.content.name.clone()).collect();
    Answer { nearest, ..answer }
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::{
        business_process::{
            ProcessSource,
            draft::{ProcessDraft, Step},
        },
        time::Time,
    };

    fn process(name: &str, description: &str, step: &str) -> Process {
        let steps = vec![Step { id: "a".to_owned(), name: step.to_owned(), ..Step::default() }];
        let (name, description) = (name.to_owned(), description.to_owned());
        let draft = ProcessDraft { name, description, steps, ..ProcessDraft::default() };
        draft.into_new(ProcessSource::Written, None, Time::from_millis(0))
    }

    fn found(query: &str, all: &[Process], near: &[f32]) -> Vec<(String, MatchedBy)> {
        let answer = rank(query, all.to_vec(), near);
        answer.found.into_iter().map(|one| (one.process.content.name, one.by)).collect()
    }

    #[test]
    fn a_match_in_the_name_comes_before_any_other() {
        let all = [
            process(
                "Account care",
                "Customer onboarding, customer onboarding steps, onboarding of a customer.",
                "Customer onboarding",
            ),
            process("Onboarding", "", "Call"),
            process("Supplier onboarding", "", "Sign"),
        ];
        // Even where the other is nearer in meaning and holds every word.
        let names = found("how does the customer onboarding process work?", &all, &[0.99, 0.0, 0.0]);
        assert_eq!(names.len(), 3);
        assert_eq!(names[0].0, "Onboarding", "its name is in the question as it is");
        assert_eq!(names[2], ("Account care".to_owned(), MatchedBy::Text));
        assert_eq!(found("onboard", &all, &[])[..2].iter().filter(|(_, by)| *by == MatchedBy::Name).count(), 2);
    }

    #[test]
    fn the_same_name_comes_first_then_more_words_of_it() {
        let all = [
            process("Customer care", "", "x"),
            process("Customer onboarding EU", "", "x"),
            process("Customer onboarding", "", "x"),
        ];
        let names: Vec<String> = found("Customer Onboarding", &all, &[]).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["Customer onboarding", "Customer onboarding EU", "Customer care"]);
    }

    #[test]
    fn steps_and_meaning_find_what_the_name_does_not_say() {
        let all = [process("Order to cash", "", "Check the credit limit"), process("Hiring", "", "Interview")];
        assert_eq!(found("credit limit", &all, &[]), [("Order to cash".to_owned(), MatchedBy::Text)]);
        assert_eq!(found("recruiting new people", &all, &[0.1, 0.6]), [("Hiring".to_owned(), MatchedBy::Meaning)]);
        assert_eq!(found("recruiting new people", &all, &[]), []);
    }

    #[test]
    fn where_nothing_fits_the_nearest_names_are_offered() {
        let all = vec![process("Hiring", "", "Interview"), process("Invoice approval", "", "Approve")];
        let answer = offered("invioce", rank("invioce", all, &[]), &[]);
        assert_eq!(answer.nearest.first().map(String::as_str), Some("Invoice approval"));
    }
}
