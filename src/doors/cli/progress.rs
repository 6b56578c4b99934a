//! The progress that commands print which take their time.

use std::{pin::pin, time::Duration};

use tokio::time::timeout;

use super::screen::Screen;
use satchel_model::backup::{Part, Progress};
use satchel_store::backup::watch::Watch;

/// The pause between two looks how far it is.
pub(super) const LOOK: Duration = Duration::from_millis(150);
/// With fewer bytes than this it is done before anybody wonders.
const WORTH_TELLING: u64 = 16 << 20;
/// Hundredths between two lines.
const STEP: u64 = 20;

/// The state that was printed last.
#[derive(Default)]
pub(super) struct Telling {
    part: Part,
    percent: u64,
    is_large: bool,
}

impl Telling {
    /// A line that says how far it is. `None` if that is no news.
    pub(super) fn line(&mut self, now: Progress) -> Option<String> {
        let is_new = now.part != self.part;
        if is_new {
            (self.part, self.percent) = (now.part, 0);
        }
        self.is_large |= now.total >= WORTH_TELLING;
        match now.part {
            _ if !self.is_large => None,
            Part::Writing => self.share("Writing", now),
            Part::Reading => self.share("Reading", now),
            Part::Checking => is_new.then(|| "Looking through what was read.".to_owned()),
            Part::Asking => is_new.then(|| "Asking the copy.".to_owned()),
            Part::Preparing | Part::Database => None,
        }
    }

    fn share(&mut self, doing: &str, now: Progress) -> Option<String> {
        let percent = now.done.saturating_mul(100).checked_div(now.total)?;
        if percent < self.percent + STEP {
            return None;
        }
        self.percent = percent;
        Some(format!("{doing}: {percent} % of {} MB.", now.total.div_ceil(1 << 20)))
    }
}

/// Waits for work to end, and says meanwhile how far it is.
pub(super) async fn with_progress<T>(work: impl Future<Output = T>, watch: &Watch, screen: &Screen) -> T {
    let (mut work, mut telling) = (pin!(work), Telling::default());
    loop {
        match timeout(LOOK, &mut work).await {
            Ok(done) => return done,
            Err(_) => {
                if let Some(line) = telling.line(watch.progress()) {
                    screen.note(&line);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(seen: &[(Part, u64, u64)]) -> Vec<String> {
        let mut telling = Telling::default();
        seen.iter()
            .filter_map(|(part, done, total)| telling.line(Progress { part: *part, done: *done, total: *total }))
            .collect()
    }

    #[test]
    fn each_fifth_and_each_part_of_a_large_one_is_told_once() {
        const ALL: u64 = 100 << 20;
        let percent = |share: u64| ALL / 100 * share;
        let seen = [
            (Part::Reading, percent(10), ALL),
            (Part::Reading, percent(25), ALL),
            (Part::Reading, percent(30), ALL),
            (Part::Reading, percent(60), ALL),
            (Part::Checking, 0, 0),
            (Part::Checking, 0, 0),
            (Part::Asking, 0, 0),
        ];
        let lines = [
            "Reading: 25 % of 100 MB.",
            "Reading: 60 % of 100 MB.",
            "Looking through what was read.",
            "Asking the copy.",
        ];
        assert_eq!(printed(&seen), lines);
    }

    #[test]
    fn nothing_is_told_of_a_small_one() {
        assert_eq!(printed(&[(Part::Writing, 900, 1_000), (Part::Checking, 0, 0)]), Vec::<String>::new());
    }
}
