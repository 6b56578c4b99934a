//! Verifying a backup: it is restored beside, opened as a start opens it, asked questions, and thrown away.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::time::{Instant, sleep};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use satchel_app::indexing::{Indexing, State};
use satchel_config::GraphKind;
use satchel_host::clock::Clock;
use satchel_index::text::words::words;
use satchel_model::{
    backup::{Drill, Part},
    error::{Error, Kind, Result},
    index::{Ask, Space},
};
use satchel_store::{
    backup::{
        drill::{Candidate, Copy, candidates},
        seal::Opener,
        watch::Watch,
    },
    db::Db,
};

/// The time the copy's index may take to be made.
const INDEXING: Duration = Duration::from_secs(15 * 60);
/// The pause between two looks at it meanwhile.
const LOOK: Duration = Duration::from_millis(100);
/// Questions that are asked.
const QUESTIONS: usize = 3;
/// Words of a question.
const WORDS: usize = 12;

/// A backup to verify, and where.
pub struct Verification {
    /// The backup.
    pub file: PathBuf,
    /// Its key or passphrase.
    pub opener: Opener,
    /// A directory to be made for the copy, which is removed in the end.
    pub work: PathBuf,
    /// The clock.
    pub clock: Clock,
    /// Its progress.
    pub watch: Watch,
}

impl Verification {
    /// Does the whole drill. A backup that cannot be relied on is no error: the drill says so.
    ///
    /// # Errors
    ///
    /// If it could not be done: the disk is full, or it was stopped.
    pub async fn run(self) -> Result<Drill> {
        let clock = self.clock.clone();
        let mut steps = Vec::new();
        let problem = match self.steps(&mut steps).await {
            Ok(()) => None,
            Err(error) if matches!(error.kind(), Kind::DiskFull | Kind::Cancelled) => return Err(error),
            Err(error) => Some(error.message().to_owned()),
        };
        Ok(Drill { at: clock.now(), ok: problem.is_none(), steps, problem })
    }

    async fn steps(self, steps: &mut Vec<String>) -> Result<()> {
        let Self { file, opener, work, clock, watch } = self;
        let (now, looking) = (clock.now(), watch.clone());
        let looked = tokio::task::spawn_blocking(move || {
            let copy = Copy::open(&file, &opener, work, &looking)?;
            let found = copy.look_through(now)?;
            let db = copy.start()?;
            Ok::<_, Error>((copy, found, db))
        });
        let (copy, found, db) = looked.await.map_err(Error::internal)??;
        steps.extend(found);
        watch.begin(Part::Asking, 0);
        let asked = ask(&db, copy.path(), &watch).await;
        // Nothing may write into the copy while it is removed.
        drop(db);
        tokio::task::spawn_blocking(move || drop(copy)).await.map_err(Error::internal)?;
        steps.push(asked?);
        steps.push("The copy was thrown away.".to_owned());
        Ok(())
    }
}

/// Words of a chunk, which must lead back to it.
struct Question {
    words: String,
    chunk: i64,
    title: String,
}

impl Question {
    /// The first words the index has of a chunk. `None` if it has none: nothing but emoji, say, or words every text has.
    fn new(candidate: Candidate) -> Option<Self> {
        let Candidate { chunk, text, title } = candidate;
        let first: Vec<&str> = words(&text).into_iter().take(WORDS).filter_map(|word| text.get(word.at)).collect();
        (!first.is_empty()).then(|| Self { words: first.join(" "), chunk, title })
    }
}

/// Makes the index of words from the copy, and looks for documents by their words.
async fn ask(db: &Db, data: &Path, watch: &Watch) -> Result<String> {
    let questions: Vec<Question> =
        candidates(db).await?.into_iter().filter_map(Question::new).take(QUESTIONS).collect();
    if questions.is_empty() {
        return Ok("It starts. There are no documents with words to ask for.".to_owned());
    }
    let (tracker, stop) = (TaskTracker::new(), CancellationToken::new());
    let indexes = Indexing::open(db, data, GraphKind::default());
    indexes.use_model(None);
    indexes.start(&tracker, &stop);
    let answered = answers(&indexes, &questions, watch).await;
    stop.cancel();
    tracker.close();
    tracker.wait().await;
    answered?;
    let titles: Vec<&str> = questions.iter().map(|question| question.title.as_str()).collect();
    Ok(format!("It starts, and search finds what was asked for: {}.", titles.join(", ")))
}

async fn answers(indexes: &Indexing, questions: &[Question], watch: &Watch) -> Result<()> {
    let end = Instant::now() + INDEXING;
    while !indexes.status().await?.iter().any(|one| one.space == Space::Knowledge && one.text.state == State::Ready) {
        watch.check()?;
        if Instant::now() > end {
            return Err(Error::conflict("The index of the copy was not made in time."));
        }
        sleep(LOOK).await;
    }
    indexes.settled().await?;
    for question in questions {
        // Of this chunk alone: that others fit the same words better says nothing of the backup.
        let only = HashSet::from([question.chunk]);
        let ask = Ask { text: &question.words, ids: Some(&only), limit: 1, ..Ask::default() };
        if indexes.search(Space::Knowledge, &ask).await?.is_empty() {
            return Err(Error::conflict(format!(
                "Search in the copy does not find '{}' by its own words.",
                question.title
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Option<String> {
        let candidate = Candidate { chunk: 1, text: text.to_owned(), title: String::new() };
        Question::new(candidate).map(|question| question.words)
    }

    #[test]
    fn only_words_that_the_index_has_are_asked_for() {
        assert_eq!(asked("To be, or not to be").as_deref(), None);
        assert_eq!(asked("🎉🎉 — …").as_deref(), None);
        assert_eq!(asked("The heron is at the weir 🎉.").as_deref(), Some("heron weir"));
    }
}
