//! Jobs: what is done by itself, at which moments, and what came of it each time.

pub mod authority;
pub mod cron;
pub mod deed;
pub mod firing;
pub mod recurrence;
pub mod when;
pub mod zone;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use self::{
    authority::Authority,
    deed::{Deed, Do},
    firing::{Cause, Firing, FiringId, LogLine},
    when::{Trigger, When},
};
use super::{
    error::{Error, Result},
    id::{Id, Noun},
    origin::Origin,
    run::RunState,
    text::clip,
    time::Time,
    unseen::is_unseen,
    user::UserId,
};

/// A job's id.
pub type JobId = Id<Job>;

/// Most characters of a name.
pub const MAX_NAME: usize = 100;
/// Most tries after the first one.
pub const MAX_RETRIES: u32 = 10;
/// Most jobs of one person.
pub const MAX_JOBS: i64 = 10_000;

/// Something that is done by itself.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Job {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: JobId,
    /// The person it belongs to: what it may do is what they may do at that moment.
    #[schema(value_type = String, format = "uuid")]
    pub owner: UserId,
    /// The owner's name when it was made.
    pub owner_name: String,
    /// Its name.
    pub name: String,
    /// The moments at which it runs.
    pub when: When,
    /// The same in words, with the zone.
    pub when_words: String,
    /// The thing it does.
    #[serde(rename = "do")]
    pub deed: Do,
    /// The runs it makes up for that were due while nothing ran.
    pub catch_up: CatchUp,
    /// Tries after the first one, where that failed and nothing can have happened.
    pub retries: u32,
    /// Places where its owner is told of every run that ends; of one that fails the inbox is told in any case.
    pub notify: Vec<Notify>,
    /// `false` while it is paused.
    pub enabled: bool,
    /// The reason for which it was paused by itself.
    pub paused_because: Option<String>,
    /// The next moment it is due; `null` while it is paused, waits for a webhook, or is over.
    pub next_at: Option<Time>,
    /// The last run.
    pub last_run: Option<LastRun>,
    /// The time at which it was made.
    pub created_at: Time,
    /// The time of its last change.
    pub updated_at: Time,
    /// The origin of what it does, if from outside.
    pub origin: Option<Origin>,
    /// Whoever wrote it down, beside its owner: its runs do no more than each of them may.
    pub authority: Authority,
}

impl Noun for Job {
    const NAME: &'static str = "job";
    const LISTED_AT: &'static str = "/api/jobs";
}

/// The outcome of a job's last run.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct LastRun {
    /// Its state.
    pub state: RunState,
    /// The time at which it was due or asked for.
    pub due_at: Time,
    /// The reason why it did not do its work.
    pub error: Option<String>,
}

/// A job's id and name, as other things tell of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct JobName {
    /// The id.
    #[schema(value_type = String, format = "uuid")]
    pub id: JobId,
    /// The name.
    pub name: String,
}

/// The runs that a job makes up for which were due while nothing ran.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CatchUp {
    /// None of them.
    None,
    /// The last one.
    #[default]
    Last,
    /// All of them, 100 at most.
    All,
}

/// A place where a job's owner is told of its runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Notify {
    /// The inbox.
    Inbox,
}

/// A job as somebody wants it.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewJob)]
pub struct Draft {
    /// Its name; made of what it does where this is left out.
    #[schema(min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// The moments at which it runs: exactly one kind.
    pub when: When,
    /// The thing it does: exactly one kind.
    #[serde(rename = "do")]
    pub deed: Do,
    /// The runs it makes up for that were due while nothing ran.
    #[serde(default)]
    pub catch_up: CatchUp,
    /// Tries after the first one, where that failed and nothing can have happened.
    #[serde(default)]
    #[schema(maximum = 10)]
    pub retries: u32,
    /// Places where its owner is told of every run that ends.
    #[serde(default)]
    pub notify: Vec<Notify>,
    /// `false` to make it paused.
    #[serde(default = "enabled")]
    pub enabled: bool,
}

fn enabled() -> bool {
    true
}

/// A draft that was found to be in order.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Its name.
    pub name: String,
    /// The moments, written one way.
    pub when: When,
    /// The first moment from now on.
    pub next_at: Option<Time>,
    /// The thing it does.
    pub deed: Deed,
    /// The runs it makes up for.
    pub catch_up: CatchUp,
    /// Tries after the first one.
    pub retries: u32,
    /// Places where its owner is told of every run.
    pub notify: Vec<Notify>,
    /// `false` while it is paused.
    pub enabled: bool,
    /// The origin of what it does, if from outside.
    pub origin: Option<Origin>,
}

impl Draft {
    /// A draft with everything optional left out.
    pub fn new(when: When, deed: Do) -> Self {
        let (catch_up, notify) = (CatchUp::default(), Vec::new());
        Self { name: None, when, deed, catch_up, retries: 0, notify, enabled: true }
    }

    /// The plan it makes.
    ///
    /// # Errors
    ///
    /// With the first thing that is wrong: no kind or two of them, a moment that never comes or is over, a name too long.
    pub fn plan(self, now: Time) -> Result<Plan> {
        let Self { name, when, deed, catch_up, retries, notify, enabled } = self;
        let deed = deed.check()?;
        let name = match name {
            Some(name) => own_name(&name)?,
            None => deed.name(),
        };
        if retries > MAX_RETRIES {
            return Err(Error::invalid(format!("'retries' is a number from 0 to {MAX_RETRIES}.")));
        }
        let (when, trigger) = when.check(now)?;
        if deed.reads_webhook() && !matches!(trigger, Trigger::Webhook) {
            return Err(Error::invalid(
                "'$webhook' in the params takes a value of what a webhook carries, and this job is not run by one.",
            ));
        }
        let next_at = trigger.after(now);
        Ok(Plan { name, when, next_at, deed, catch_up, retries, notify, enabled, origin: None })
    }
}

fn own_name(name: &str) -> Result<String> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > MAX_NAME || name.contains(is_unseen) {
        return Err(Error::invalid(format!(
            "The name of a job is 1 to {MAX_NAME} characters on one line, and each of them can be seen."
        )));
    }
    Ok(name.to_owned())
}

/// A name from a text: its first line, cut.
fn name_from(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("Job");
    let line: String = line.chars().filter(|c| !is_unseen(*c)).collect();
    clip(&line, 60).into_owned()
}

/// The moments of a job that are due by now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// The moments to run for, oldest first.
    pub run: Vec<Time>,
    /// Number of moments that were missed and are not made up for, as far as they were counted.
    pub missed: usize,
    /// `true` if more were missed than were counted.
    pub more: bool,
    /// The next moment.
    pub next: Option<Time>,
}

/// Later than this, a run was missed: the server did not run, or slept.
const LATE: Duration = Duration::from_secs(60);
/// Most moments that are made up for; of those that were missed no more are counted.
const MADE_UP: usize = 100;

/// Says what is due of a job whose next moment was `first`.
pub fn due(trigger: &Trigger, first: Time, now: Time, catch_up: CatchUp) -> Due {
    let mut times = vec![first];
    times.extend(until(trigger, first, now).take(MADE_UP));
    let next = trigger.after(now);
    let more = times.len() > MADE_UP;
    times.truncate(MADE_UP);
    let last = if more { last_before(trigger, first, now) } else { times.last().copied().unwrap_or(first) };
    let run = match catch_up {
        CatchUp::All => times.clone(),
        CatchUp::Last => vec![last],
        CatchUp::None if last.after(LATE) >= now => vec![last],
        CatchUp::None => Vec::new(),
    };
    let missed = times.iter().filter(|time| !run.contains(time)).count();
    Due { run, missed, more, next }
}

/// The moments after one, up to now.
fn until(trigger: &Trigger, mut time: Time, now: Time) -> impl Iterator<Item = Time> {
    std::iter::from_fn(move || {
        time = trigger.after(time).filter(|next| *next <= now)?;
        Some(time)
    })
}

/// The last moment up to now of many: looked for from ever further back, so that few are looked at.
fn last_before(trigger: &Trigger, first: Time, now: Time) -> Time {
    let back = [1, 24, 24 * 32, 24 * 400].map(|hours| now.before(Duration::from_secs(hours * 3_600)).max(first));
    back.into_iter().find_map(|from| until(trigger, from, now).take(10 * MADE_UP).last()).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minutes(number: i64) -> Time {
        Time::from_millis(number * 60_000)
    }

    #[test]
    fn what_was_missed_is_made_up_for_as_the_job_says() {
        let when = When { every_seconds: Some(60), ..When::default() };
        let trigger = Trigger::read(&when, minutes(0)).unwrap();
        let told = |catch_up| due(&trigger, minutes(1), minutes(5), catch_up);
        let all = (1..=5).map(minutes).collect();
        assert_eq!(told(CatchUp::All), Due { run: all, missed: 0, more: false, next: Some(minutes(6)) });
        assert_eq!(told(CatchUp::Last), Due { run: vec![minutes(5)], missed: 4, more: false, next: Some(minutes(6)) });
        // The one that is due now is not missed.
        assert_eq!(told(CatchUp::None), Due { run: vec![minutes(5)], missed: 4, more: false, next: Some(minutes(6)) });
        let long = due(&trigger, minutes(1), minutes(600_000), CatchUp::Last);
        assert_eq!((long.run, long.missed, long.more), (vec![minutes(600_000)], 100, true));
        let all = due(&trigger, minutes(1), minutes(600_000), CatchUp::All);
        assert_eq!((all.run.len(), all.missed, all.more), (100, 0, true));
        let once = Trigger::Once(minutes(1));
        let late = due(&once, minutes(1), minutes(9), CatchUp::None);
        assert_eq!(late, Due { run: vec![], missed: 1, more: false, next: None });
    }

    #[test]
    fn a_job_that_is_wrong_says_what_is_wrong() {
        let now = minutes(0);
        let message = || Do { message: Some("Tea".to_owned()), ..Do::default() };
        let every = |seconds| When { every_seconds: Some(seconds), ..When::default() };
        let refused = |draft: Draft| draft.plan(now).unwrap_err().message().to_owned();
        let no_name = Draft { name: Some(" ".to_owned()), ..Draft::new(every(60), message()) };
        assert_eq!(
            refused(no_name),
            "The name of a job is 1 to 100 characters on one line, and each of them can be seen."
        );
        assert_eq!(refused(Draft::new(every(59), message())), "'every_seconds' is a number from 60 on.");
        let two = Do { backup: Some(deed::Backup {}), ..message() };
        assert!(refused(Draft::new(every(60), two)).starts_with("'do' has exactly one kind"));
        let both = When { cron: Some("* * * * *".to_owned()), ..every(60) };
        assert!(refused(Draft::new(both, message())).starts_with("'when' has exactly one kind"));
        assert!(refused(Draft::new(When::default(), message())).starts_with("'when' has exactly one kind"));
        let plan = Draft::new(every(60), message()).plan(now).unwrap();
        assert_eq!((plan.name.as_str(), plan.next_at), ("Tea", Some(minutes(1))));
    }
}
