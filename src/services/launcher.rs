//! The launcher: finds what the caller may open, by name and habit. Tool and door ask the same.

mod pages;

use self::pages::PAGES;
use satchel_app::App;
use satchel_engine::{authorise, context::Context, policy::View, registry::Registry, tool::Tool};
use satchel_model::{
    caller::Caller,
    error::{Error, Result},
    knowledge::DocumentId,
    launch::{self, Kind, Thing},
    words,
};
use satchel_store::{
    conversations::Conversations,
    excerpts::Authorship,
    uses::{self, Habits},
};

/// A page of the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// The path of its page.
    pub path: &'static str,
    /// Its name.
    pub name: &'static str,
    /// The permission without which it is not shown.
    pub needs: Option<&'static str>,
}

/// The fit of something that holds the words in its text, not in its name.
const IN_TEXT: f64 = 0.35;
/// Documents looked through, the newest.
const DOCUMENTS: usize = 2_000;
/// Characters of what is looked for that are compared: no name is longer.
const LONGEST: usize = 200;
/// The weight of another name beside the name.
const ALIAS: f64 = 0.9;

/// The person who looks, and the tools to look through.
#[derive(Clone, Copy)]
pub struct Launcher<'a> {
    app: &'a App,
    registry: &'a Registry,
    caller: &'a Caller,
    policy: &'a View,
}

/// Returns what the caller may open that fits this, best first; without words, what they open most.
pub async fn search(cx: &Context, query: &str, limit: usize) -> Result<Vec<Thing>> {
    let registry = Registry::around(cx);
    let policy = cx.policy();
    let found = Launcher::new(cx.app(), &registry, cx.caller(), &policy).search(query, limit).await?;
    cx.taint().note(found.iter().filter_map(|thing| thing.origin.clone()));
    // A title is the first words of whoever began the conversation.
    let of_conversation = |thing: &Thing| (thing.kind == Kind::Conversation).then(|| thing.id.parse().ok())?;
    let conversations = found.iter().filter_map(of_conversation).collect();
    cx.taint().note(Conversations::new(&cx.app().db).programs(cx.caller().user, conversations).await?);
    Ok(found)
}

impl<'a> Launcher<'a> {
    /// For this caller, in the situation that the policies are looked at for.
    pub fn new(app: &'a App, registry: &'a Registry, caller: &'a Caller, policy: &'a View) -> Self {
        Self { app, registry, caller, policy }
    }

    /// Returns what fits, best first; without words, what the caller opens most.
    pub async fn search(self, query: &str, limit: usize) -> Result<Vec<Thing>> {
        let query: String = query.trim().chars().take(LONGEST).collect();
        let query = query.as_str();
        let habits = match self.caller.personal {
            true => uses::habits(&self.app.db, self.caller.user).await?,
            false => Habits::new(),
        };
        let mut found = self.tools(query);
        found.extend(self.pages(query));
        found.extend(self.conversations(query).await?);
        found.extend(self.documents(query).await?);
        let mut found = self.ranked(found, &habits, query.is_empty());
        found.truncate(limit);
        Ok(found)
    }

    /// Notes that the caller opened something.
    ///
    /// # Errors
    ///
    /// If they may not see it, as if it were not there.
    pub async fn used(self, kind: Kind, id: &str) -> Result<()> {
        let none = || {
            Error::not_found(format!("There is no {} '{}'.", kind.as_str(), id.chars().take(80).collect::<String>()))
        };
        let id = match kind {
            Kind::Tool => {
                let found = self.registry.find(id).map_err(|_| none())?.tool;
                Some(found.spec().id()).filter(|_| authorise::may_use(&found, self.caller, self.policy))
            }
            Kind::Page => self.open_pages().find(|page| page.path == id).map(|page| page.path.to_owned()),
            Kind::Conversation => {
                let conversation = id.parse().map_err(|_| none())?;
                Some(Conversations::new(&self.app.db).get(self.caller.user, conversation).await?.id.to_string())
            }
            Kind::Document if self.reads() => {
                let document = id.parse().map_err(|_| none())?;
                Some(self.app.stores.knowledge.documents.get(self.caller.reader(), document).await?.id.to_string())
            }
            Kind::Document | Kind::Agent => None,
        };
        let id = id.ok_or_else(none)?;
        uses::used(&self.app.db, self.caller.user, (kind, id), self.app.clock.now()).await
    }

    fn ranked(self, found: Vec<Thing>, habits: &Habits, by_habit_alone: bool) -> Vec<Thing> {
        let now = self.app.clock.now();
        let mut ranked: Vec<Thing> = found
            .into_iter()
            .filter_map(|mut thing| {
                let habit = habits.get(&(thing.kind.as_str().to_owned(), thing.id.clone()));
                if by_habit_alone && habit.is_none() {
                    return None;
                }
                let raised = launch::score(thing.score, habit.map_or(0.0, |habit| habit.at(now)));
                thing.score = (raised * 10_000.0).round() / 10_000.0;
                Some(thing)
            })
            .filter(|thing| thing.score > 0.0)
            .collect();
        ranked.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then_with(|| a.name.cmp(&b.name)).then_with(|| a.id.cmp(&b.id))
        });
        ranked
    }

    fn tools(self, query: &str) -> Vec<Thing> {
        let seen = self.registry.tools().iter().filter(|tool| authorise::may_use(tool, self.caller, self.policy));
        seen.map(|tool| Thing {
            id: tool.spec().id(),
            name: tool.spec().name.clone(),
            kind: Kind::Tool,
            score: tool_fit(query, tool),
            origin: None,
        })
        .collect()
    }

    fn reads(self) -> bool {
        self.caller.permissions.grants("knowledge:read")
    }

    async fn documents(self, query: &str) -> Result<Vec<Thing>> {
        if !self.reads() {
            return Ok(Vec::new());
        }
        let documents = uses::documents(&self.app.db, self.caller.reader(), DOCUMENTS).await?;
        let (user, now) = (self.caller.user, self.app.clock.now());
        let thing = |(id, title, authorship): (DocumentId, String, Authorship)| {
            let origin = authorship.outside(user, &title, now);
            let (name, score) = document_fit(query, title, authorship.uri());
            Thing { score, id: id.to_string(), name, kind: Kind::Document, origin }
        };
        Ok(documents.into_iter().map(thing).collect())
    }

    fn open_pages(self) -> impl Iterator<Item = &'static Page> {
        PAGES.iter().filter(move |page| page.needs.is_none_or(|needs| self.caller.permissions.grants(needs)))
    }

    fn pages(self, query: &str) -> Vec<Thing> {
        let page = |page: &Page| Thing {
            id: page.path.to_owned(),
            name: page.name.to_owned(),
            kind: Kind::Page,
            score: fit(query, page.name),
            origin: None,
        };
        self.open_pages().map(page).collect()
    }

    async fn conversations(self, query: &str) -> Result<Vec<Thing>> {
        if !self.caller.personal {
            return Ok(Vec::new());
        }
        let conversations = Conversations::new(&self.app.db);
        let all = conversations.list(self.caller.user, None).await?;
        let holding = match query {
            "" => Vec::new(),
            query => conversations.list(self.caller.user, Some(query.to_owned())).await?,
        };
        let in_text = |id| if holding.iter().any(|one| one.id == id) { IN_TEXT } else { 0.0 };
        let thing = |one: satchel_model::conversation::Conversation| Thing {
            score: fit(query, &one.title).max(in_text(one.id)),
            id: one.id.to_string(),
            name: one.title,
            kind: Kind::Conversation,
            origin: None,
        };
        Ok(all.into_iter().map(thing).collect())
    }
}

/// Without words everything fits, and habit decides.
fn fit(query: &str, name: &str) -> f64 {
    if query.is_empty() { 1.0 } else { launch::fit(query, name) }
}

/// A document is found by its title and by its file's name, and goes by that where its title is no more than a part of it.
fn document_fit(query: &str, title: String, uri: Option<&str>) -> (String, f64) {
    let file = uri.and_then(|uri| uri.rsplit('/').next()).filter(|file| !file.is_empty());
    let by_file = file.map_or(0.0, |file| ALIAS * fit(query, file));
    let score = fit(query, &title).max(by_file);
    let whole = file.filter(|file| file.rsplit_once('.').is_some_and(|(stem, _)| stem == title));
    (whole.map_or(title, str::to_owned), score)
}

fn tool_fit(query: &str, tool: &Tool) -> f64 {
    let spec = tool.spec();
    let aliases = tool.aliases().iter().map(|alias| ALIAS * fit(query, alias.name()));
    let by_name = aliases.fold(fit(query, &spec.name), f64::max);
    if by_name >= IN_TEXT {
        return by_name;
    }
    let text = words::split(&format!("{} {}", spec.description, spec.when_to_use));
    let wanted = words::split(query);
    let begins = |word: &String| word.chars().count() > 2 && text.iter().any(|said| said.starts_with(word.as_str()));
    if !wanted.is_empty() && wanted.iter().all(begins) { IN_TEXT } else { by_name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_found_by_its_files_name_and_told_from_one_of_the_same_title() {
        let found = |query: &str, uri: &str| document_fit(query, "broken".to_owned(), Some(uri));
        assert_eq!(found("broken", "broken.pdf"), ("broken.pdf".to_owned(), 1.0));
        assert!(found("broken.pdf", "broken.pdf").1 > found("broken.pdf", "broken.docx").1);
        let (name, score) = document_fit("ledger.xlsx", "Accounts".to_owned(), Some("/srv/papers/ledger.xlsx"));
        assert_eq!((name.as_str(), score), ("Accounts", ALIAS));
        assert_eq!(document_fit("Notes", "Notes".to_owned(), None), ("Notes".to_owned(), 1.0));
    }
}
