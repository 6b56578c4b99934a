//! The ends of runs: done, tried again, failed, or uncertain; and who is told of them.

use std::time::Duration;

use super::{service::Jobs, tasks::TaskEnd};
use satchel_engine::sanitise;
use satchel_model::{
    call::Outcome,
    error::{Error, Kind, Result},
    id::Id,
    job::{JobName, Notify, firing::Notice},
    origin::Origin,
    output::Output,
    run::RunState,
    spec::Risk,
    text::clip,
    time::Time,
};
use satchel_store::{
    jobs::{Claimed, Ended, Next},
    notices::{self, NewNotice},
};

/// The pause before the second try; each further one is four times as long.
const FIRST_PAUSE: Duration = Duration::from_secs(30);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(3_600);
/// Most characters of a result that are kept.
const KEPT: usize = 4_000;
/// The pause before what became of a run is written again, where it could not be.
const AGAIN: Duration = Duration::from_secs(5);

/// A try of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Try {
    /// The risk of what it does.
    pub(super) risk: Risk,
    /// Its number.
    pub(super) attempt: u32,
    /// Tries there may be after the first.
    pub(super) retries: u32,
    /// The time now.
    pub(super) now: Time,
    /// The server is stopping.
    pub(super) is_ending: bool,
}

pub(super) fn done(told: String, output: Option<&Output>) -> (Next, Ended) {
    let origin = output.and_then(|output| Some(Origin::new(output.outside()?, output.outside_at()?)));
    let output = output.map(|output| clip(&sanitise::render(output), KEPT).into_owned());
    (Next::Stands(RunState::Done), Ended { error: None, output, origin, told })
}

pub(super) fn cancelled(told: &str) -> (Next, Ended) {
    let ended = Ended { error: Some(told.to_owned()), told: told.to_owned(), ..Ended::default() };
    (Next::Stands(RunState::Cancelled), ended)
}

/// The end of an agent's task, which is never tried again: another try would be another task.
pub(super) fn of_task(end: TaskEnd) -> (Next, Ended) {
    let TaskEnd { state, answer, error, origin } = end;
    let output = answer.map(|answer| clip(&answer, KEPT).into_owned());
    let told = match state {
        RunState::Done => "The agent has answered.".to_owned(),
        RunState::Uncertain => "A call of the agent may or may not have taken effect. Look, then run it.".to_owned(),
        RunState::Cancelled => "The agent's run was stopped.".to_owned(),
        _ => error.unwrap_or_else(|| "The agent's run failed.".to_owned()),
    };
    let error = (state != RunState::Done).then(|| told.clone());
    (Next::Stands(state), Ended { error, output, origin, told })
}

pub(super) fn of_call(outcome: &Result<Outcome>, this: Try) -> (Next, Ended) {
    match outcome {
        Ok(Outcome::Done(ran)) => done("It is done.".to_owned(), Some(&ran.output)),
        Ok(Outcome::Confirm(ticket)) => {
            let told = format!("It waits for your answer: {} {}", ticket.question, ticket.reason);
            (Next::Waits(ticket.id), Ended { told, ..Ended::default() })
        }
        Err(error) => of_failure(error, this),
    }
}

/// The end of a run that failed. A call that changes things and may have taken effect is uncertain, and is not tried again.
pub(super) fn of_failure(error: &Error, this: Try) -> (Next, Ended) {
    let Try { risk, attempt, retries, now, is_ending } = this;
    let message = error.message().to_owned();
    let ended = |told| Ended { error: Some(message.clone()), told, ..Ended::default() };
    if risk > Risk::Read && is_uncertain(error) {
        let told =
            format!("{message} It may or may not have taken effect, so it is not tried again: look, then run it.");
        return (Next::Stands(RunState::Uncertain), ended(told));
    }
    if error.kind() == Kind::Cancelled && is_ending {
        return (Next::Again(now, attempt), ended("The server stops: it goes on at the next start.".to_owned()));
    }
    if is_passing(error) && attempt <= retries {
        let pause = LONGEST_PAUSE.min(FIRST_PAUSE.saturating_mul(4_u32.saturating_pow(attempt - 1)));
        let at = now.after(pause);
        let told = format!("Try {attempt} failed: {message} The next one is at {at}.");
        return (Next::Again(at, attempt + 1), ended(told));
    }
    (Next::Stands(RunState::Failed), ended(format!("It failed: {message}")))
}

/// Returns whether a call that changes things and failed so may have taken effect. Another system that answered has said
/// what it did; one that did not may have done it.
fn is_uncertain(error: &Error) -> bool {
    match error.kind() {
        Kind::Internal => true,
        Kind::Timeout | Kind::Cancelled => error.is_tools_own(),
        Kind::Upstream => error.is_tools_own() && !error.is_answer(),
        _ => false,
    }
}

/// Returns whether it may go well a little later.
fn is_passing(error: &Error) -> bool {
    matches!(
        error.kind(),
        Kind::Upstream | Kind::Timeout | Kind::Busy | Kind::Exhausted | Kind::DiskFull | Kind::Conflict
    )
}

impl Jobs {
    /// Notes what became of a run of this process, however long the database takes, and tells the owner.
    pub(super) async fn settle(&self, run: &Claimed, next: Next, ended: Ended) {
        let told = ended.clone();
        loop {
            let now = self.app.clock.now();
            match self.app.stores.jobs.settle(run, next, ended.clone(), now).await {
                Ok(true) => return self.tell(run, next, &told).await,
                Ok(false) => return,
                Err(error) => tracing::error!(?error, "what became of a run of a job could not be kept yet"),
            }
            tokio::select! {
                // The next start finds it as it was left.
                () = self.app.lifecycle.shutdown.cancelled() => return,
                () = tokio::time::sleep(AGAIN) => {}
            }
        }
    }

    /// Tells the owner in their inbox what became of a run.
    pub(super) async fn tell(&self, run: &Claimed, next: Next, ended: &Ended) {
        let Next::Stands(state) = next else { return };
        let warns = matches!(state, RunState::Failed | RunState::Uncertain);
        let wants = run.job.notify.contains(&Notify::Inbox) && state == RunState::Done;
        if !warns && !wants {
            return;
        }
        let text = match (state, &ended.error, &ended.output) {
            (RunState::Uncertain, Some(error), _) if !error.contains("taken effect") => {
                format!("{error} It may or may not have taken effect: look before you run it again.")
            }
            (_, Some(error), _) => error.clone(),
            (_, None, Some(output)) => output.clone(),
            (_, None, None) => ended.told.clone(),
        };
        let job = JobName { id: run.job.id, name: run.job.name.clone() };
        let id = if warns { Id::new() } else { self.notice_id(run) };
        let notice = NewNotice { id, text, job, warns, origin: ended.origin.clone() };
        let sent = notices::send(&self.app.db, run.owner.user, notice, self.app.clock.now()).await;
        // There may be nobody any more.
        if let Err(error) = sent {
            tracing::debug!(?error, "the owner of a job could not be told of its run");
        }
    }

    /// The id of a run's notice: one of it is sent at most.
    pub(super) fn notice_id(&self, run: &Claimed) -> Id<Notice> {
        run.run.id.to_string().parse().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(error: &Error, risk: Risk, attempt: u32) -> Next {
        let this = Try { risk, attempt, retries: 2, now: Time::from_millis(0), is_ending: false };
        of_failure(error, this).0
    }

    #[test]
    fn a_write_that_may_have_happened_is_uncertain_and_never_tried_again() {
        let stands = Next::Stands;
        let timeout = Error::new(Kind::Timeout, "timed out after 9s").of_tool();
        assert_eq!(next(&timeout, Risk::LowWrite, 1), stands(RunState::Uncertain));
        assert_eq!(next(&timeout, Risk::Read, 1), Next::Again(Time::from_millis(30_000), 2));
        let upstream = Error::upstream("no answer").of_tool();
        assert_eq!(next(&upstream, Risk::HighWrite, 1), stands(RunState::Uncertain));
        assert_eq!(next(&upstream.as_answer(), Risk::HighWrite, 3), stands(RunState::Failed));
        // It was never let through.
        let busy = Error::new(Kind::Busy, "busy");
        assert_eq!(next(&busy, Risk::HighWrite, 2), Next::Again(Time::from_millis(120_000), 3));
        assert_eq!(next(&busy, Risk::HighWrite, 3), stands(RunState::Failed));
        assert_eq!(next(&Error::invalid("wrong"), Risk::HighWrite, 1), stands(RunState::Failed));
    }

    #[test]
    fn a_read_that_the_end_of_the_server_cut_goes_on_at_the_next_start() {
        let this = Try { risk: Risk::Read, attempt: 1, retries: 0, now: Time::from_millis(7), is_ending: true };
        let cut = Error::new(Kind::Cancelled, "stopped").of_tool();
        assert_eq!(of_failure(&cut, this).0, Next::Again(Time::from_millis(7), 1));
        let write = Try { risk: Risk::LowWrite, ..this };
        assert_eq!(of_failure(&cut, write).0, Next::Stands(RunState::Uncertain));
    }
}
