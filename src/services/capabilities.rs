//! The handles a tool gets from its context: each bound to the caller, so that nothing wider can be reached.

use super::{
    entries::{self, FoundEntry, NewEntry, Putter, Query},
    knowledge::search::{self as knowledge_search, Hit as Passage, Question},
    reading::Reader,
    remembering::Remembering,
};
use crate::{
    engine::{
        context::Context,
        find::finder::{Asker, Found},
    },
    host::fonts,
    model::{audit::Entry, error::Result, knowledge::Citation},
    store::{
        audit::Filter,
        clipboard::{self, Clip},
        conversations::Conversations,
        graph::{Graph, Sight},
        knowledge::Knowledge,
        lists::Lists,
        passages,
        people::Actor,
        promotions,
        results::{Results, StoredText},
    },
};

pub use crate::store::passages::Page;

impl Context {
    /// The best tools for a need, among those the caller may call. The need is one the conversation learns by.
    pub async fn find_tools(&self, need: &str, limit: usize) -> Result<Found> {
        let (registry, settings) = (self.registry(), self.platform());
        if let Some(topic) = self.topic() {
            self.finder().learner().searched(topic, need);
        }
        let asker = Asker { registry: &registry, caller: self.caller(), settings: &settings };
        self.finder().find(asker, need, limit).await
    }

    /// Keeps tools in this conversation's context; does nothing outside one.
    pub async fn promote(&self, tools: Vec<String>) -> Result<()> {
        match self.topic() {
            Some(topic) if !tools.is_empty() => promotions::promote(&self.app().db, topic, tools).await,
            _ => Ok(()),
        }
    }

    /// Does heavy work beside the async threads, when it is the caller's turn.
    pub async fn work<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        self.app().work.run(Some(self.caller().user), work).await
    }

    /// Does heavy work on something of so many bytes: on large things one after the other.
    pub async fn work_on<T, F>(&self, bytes: u64, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        self.app().work.run_on(Some(self.caller().user), bytes, work).await
    }

    /// Reads what comes from outside, in a turn at heavy work.
    pub fn reader(&self) -> Reader {
        Reader::new(&self.app().readers)
    }

    /// The first font of this machine that suits.
    pub async fn font(&self, suits: impl Fn(&[u8]) -> bool + Send + 'static) -> Result<Option<Vec<u8>>> {
        self.work(move || Ok(fonts::find(suits))).await
    }

    /// The text on the desktop's clipboard where there is one, else on the caller's own.
    ///
    /// Text that somebody else put on the desktop's is from outside: it may have been copied from anywhere.
    pub async fn read_clipboard(&self) -> Result<String> {
        let own = clipboard::read(&self.app().db, self.caller().user).await?;
        let Some(desktop) = &self.app().desktop else {
            self.note(own.origin);
            return Ok(own.text);
        };
        let text = desktop.read().await?;
        if text == own.text {
            self.note(own.origin);
        } else {
            self.note_outside("the desktop's clipboard".to_owned());
        }
        Ok(text)
    }

    /// Replaces what that clipboard holds.
    pub async fn write_clipboard(&self, text: String) -> Result<()> {
        if let Some(desktop) = &self.app().desktop {
            desktop.write(text.clone()).await?;
        }
        // Of a desktop's clipboard, this tells what was written here from what was copied there.
        let clip = Clip { text, origin: self.origin_to_keep() };
        clipboard::write(&self.app().db, self.caller().user, clip, self.now()).await
    }

    /// What is remembered of the caller.
    pub fn memories(&self) -> Remembering {
        Remembering::of(self.app(), self.caller().user)
    }

    /// The graph, and what of it the caller sees.
    pub fn graph(&self) -> (Graph, Sight) {
        (Graph::of(&self.app().db), Sight::of(self.caller()))
    }

    /// Puts an entry into the index everybody shares. Fails where the caller may not.
    pub async fn put_entry(&self, new: NewEntry) -> Result<()> {
        self.caller().demand("index:write")?;
        let by = Putter { user: self.caller().user, origin: self.origin_for_all() };
        entries::put(self.app(), new, by, self.now()).await
    }

    /// Takes an entry out of that index. Fails where the caller may not.
    pub async fn remove_entry(&self, name: String) -> Result<()> {
        self.caller().demand("index:write")?;
        entries::remove(self.app(), name).await
    }

    /// The best entries of that index. Fails where the caller may not read it.
    pub async fn query_entries(&self, query: Query) -> Result<Vec<FoundEntry>> {
        self.caller().demand("index:read")?;
        let found = entries::query(self.app(), query).await?;
        self.note(found.iter().filter_map(|entry| entry.origin.clone()));
        self.note_authors(found.iter().filter_map(|entry| entry.author.as_ref()));
        Ok(found)
    }

    /// The caller's lists.
    pub fn lists(&self) -> Lists {
        Lists::of(&self.app().db, self.caller().user)
    }

    /// The passages of documents that answer best, among those the caller may see.
    pub async fn search_knowledge(&self, question: &Question) -> Result<Vec<Passage>> {
        knowledge_search::search(self.app(), self.caller().reader(), question).await
    }

    /// The numbers under which this conversation cites these passages; outside one, their places.
    pub async fn number_passages(&self, passages: &[Passage]) -> Result<Vec<u32>> {
        let citations: Vec<Citation> = passages.iter().map(Passage::citation).collect();
        match self.topic() {
            Some(topic) => {
                let numbered = passages::number(&self.app().db, self.caller().user, topic, citations).await?;
                Ok(numbered.into_iter().map(|citation| citation.number).collect())
            }
            None => Ok((1..).take(citations.len()).collect()),
        }
    }

    /// The number under which this conversation cites a page that was fetched; none outside one.
    pub async fn number_page(&self, page: Page) -> Result<Option<u32>> {
        let Some(topic) = self.topic() else { return Ok(None) };
        passages::number_page(&self.app().db, self.caller().user, topic, page).await
    }

    /// Documents; each call names who asks, and shows what he may see.
    pub fn knowledge(&self) -> &Knowledge {
        &self.app().knowledge
    }

    /// The caller, now: who changes something.
    pub fn actor(&self) -> Actor {
        Actor { caller: self.caller().clone(), session: None, now: self.now() }
    }

    /// The whole of a long result of this conversation, by its handle. What gives it back is from where it came from.
    pub async fn result(&self, handle: &str) -> Result<String> {
        let results = Results::of(&self.app().db, self.caller().user, self.topic());
        self.take_room(results.bytes(handle).await?).await?;
        let StoredText { text, origin } = results.get(handle, self.now()).await?;
        self.note(origin);
        Ok(text)
    }

    /// What happened on the platform. Fails where the caller may not read the audit.
    pub fn audit_log(&self) -> Result<AuditLog> {
        self.caller().demand("audit:read")?;
        Ok(AuditLog { cx: self.clone() })
    }
}

/// The audit for reading, in the hands of somebody who may.
pub struct AuditLog {
    cx: Context,
}

impl AuditLog {
    /// The newest rows that pass, newest first. Only the caller's own words, said in a clean conversation, are not from
    /// outside: a name at a failed sign-in, an argument of somebody else's, a stranger's refusal may be an order.
    pub async fn find(&self, filter: Filter, limit: u32) -> Result<Vec<Entry>> {
        let app = self.cx.app();
        let entries = app.audit.find(filter, limit).await?;
        let moments = entries.iter().filter_map(|entry| Some((entry.topic?, entry.time))).collect();
        self.cx.note(Conversations::of(&app.db).origin_among(moments).await?);
        let is_own = |entry: &Entry| entry.own_words && entry.user_id == Some(self.cx.caller().user);
        if let Some(entry) = entries.iter().find(|entry| !is_own(entry)) {
            self.cx.note_outside(format!("entry {} of the audit", entry.seq));
        }
        Ok(entries)
    }
}
