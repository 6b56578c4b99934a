//! A circuit breaker for each provider, shared by everything in the process that asks models: the first failure opens
//! it, and from then on nobody waits for that provider until a probe in the background has had an answer.
//!
//! Written here and not taken from a library: those count failures and let a caller's own request be the probe, while
//! here one failure is enough (a hanging provider costs minutes), the cause is told in answers, `Retry-After` counts,
//! and the probe is made by nobody's request.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::{
    runtime::Handle,
    sync::{Notify, watch},
    time::Instant,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::failure::{Failure, Unanswered};
use satchel_model::{
    error::Error,
    figure,
    llm::{Provider, ProviderId},
    provider::{
        failure::{ProviderFailure, named},
        health::{ProviderHealth, ProviderState},
    },
};

/// A failure that took this long is not waited for again by a person.
const QUICK: Duration = Duration::from_secs(2);
/// Longest time a provider can ask to be left alone.
const LONGEST_REST: Duration = Duration::from_secs(3_600);

/// After this long without anybody who wants it, a provider that fails is probed no more.
const UNWANTED: Duration = Duration::from_secs(3_600);

/// The pace at which a provider that failed is probed: the pause doubles with each probe, with some jitter.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Before the first probe.
    pub first: Duration,
    /// The pause grows to this.
    pub longest: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { first: Duration::from_secs(5), longest: Duration::from_secs(600) }
    }
}

/// The place where probes run, and their end.
#[derive(Debug, Clone)]
pub struct Background {
    /// The runtime.
    pub runtime: Handle,
    /// Tasks that must end before the process does.
    pub tracker: TaskTracker,
    /// Fires when it is to end.
    pub shutdown: CancellationToken,
}

/// The breakers of one process. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Breakers {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    background: Background,
    pace: Pace,
    opened: Mutex<HashMap<ProviderId, Opened>>,
    /// Fires when one opens, fails anew, or closes.
    changes: watch::Sender<()>,
}

/// A breaker that is not closed.
#[derive(Debug)]
struct Opened {
    /// The provider that failed: one that was changed since is another.
    of: Provider,
    error: Error,
    told: Box<ProviderFailure>,
    /// `true` if asking it again would make somebody wait.
    slow: bool,
    /// It asked to be left alone until then.
    rest_until: Option<Instant>,
    since: Instant,
    /// The last time somebody wanted an answer of it.
    wanted: Instant,
    failures: u64,
    probing: bool,
    /// Makes the next probe due at once.
    wake: Arc<Notify>,
}

/// The reason a provider is passed over.
#[derive(Debug, Clone)]
pub(super) struct Skip {
    pub(super) why: Unanswered,
    /// `true` if it may be asked all the same where nobody else can: it fails at once, if it still does.
    pub(super) last_resort: bool,
}

/// One open breaker, as its probe sees it.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    pub(super) provider: Provider,
    pub(super) wake: Arc<Notify>,
}

impl Breakers {
    /// All closed.
    pub fn new(background: Background, pace: Pace) -> Self {
        Self {
            shared: Arc::new(Shared { background, pace, opened: Mutex::default(), changes: watch::Sender::new(()) }),
        }
    }

    /// Returns whether a provider answers.
    pub fn health(&self, provider: &Provider) -> ProviderHealth {
        let opened = self.shared.opened.lock();
        match opened.get(&provider.id).filter(|one| is_same(&one.of, provider)) {
            None => ProviderHealth::default(),
            Some(one) => ProviderHealth {
                state: if one.probing { ProviderState::HalfOpen } else { ProviderState::Open },
                cause: Some(one.told.cause.clone()),
                failing_for: Some(one.since.elapsed().as_secs()),
                failures: one.failures,
            },
        }
    }

    /// Forgets what is known of a provider that was removed.
    pub fn forget(&self, id: ProviderId) {
        self.shared.close(&mut self.shared.opened.lock(), id);
    }

    /// Forgets what is known of a provider that was changed, where it is asked in another way now or not at all.
    pub fn forget_unless_same(&self, provider: &Provider) {
        let mut opened = self.shared.opened.lock();
        if opened.get(&provider.id).is_some_and(|one| !provider.enabled || !is_same(&one.of, provider)) {
            self.shared.close(&mut opened, provider.id);
        }
    }

    pub(super) fn background(&self) -> &Background {
        &self.shared.background
    }

    pub(super) fn pace(&self) -> Pace {
        self.shared.pace
    }

    /// Returns why a provider is passed over; `None` if it is asked.
    pub(super) fn skip(&self, provider: &Provider) -> Option<Skip> {
        let mut opened = self.shared.opened.lock();
        if opened.get(&provider.id).is_some_and(|one| !is_same(&one.of, provider)) {
            // A request that was under way while the provider was changed has failed: that tells nothing of it now.
            self.shared.close(&mut opened, provider.id);
        }
        let one = opened.get_mut(&provider.id)?;
        one.wanted = Instant::now();
        Some(Skip { why: one.why(provider), last_resort: one.is_last_resort() })
    }

    /// The first of these whose breaker is closed.
    pub(super) fn first_closed<'a>(&self, providers: &'a [Provider]) -> Option<&'a Provider> {
        providers.iter().find(|provider| self.skip(provider).is_none())
    }

    /// Waits until a provider is found to make people wait in vain while one of these can answer. A failure that came
    /// at once is none of this: the provider may still be answering others.
    pub(super) async fn hangs(&self, provider: &Provider, stand_ins: &[Provider]) -> Unanswered {
        let mut changes = self.shared.changes.subscribe();
        loop {
            if let Some(why) = self.vain_wait(provider, stand_ins) {
                return why;
            }
            if changes.changed().await.is_err() {
                // Only where the breakers are gone, which this holds.
                std::future::pending::<()>().await;
            }
        }
    }

    fn vain_wait(&self, provider: &Provider, stand_ins: &[Provider]) -> Option<Unanswered> {
        let opened = self.shared.opened.lock();
        let find = |provider: &Provider| opened.get(&provider.id).filter(|one| is_same(&one.of, provider));
        let hanging = find(provider).filter(|one| one.slow)?;
        stand_ins.iter().any(|one| find(one).is_none()).then(|| hanging.why(provider))
    }

    /// Makes the next probe of a provider due at once: somebody would have liked to ask it.
    pub(super) fn hurry(&self, provider: &Provider) {
        if let Some(one) = self.shared.opened.lock().get(&provider.id) {
            one.wake.notify_one();
        }
    }

    /// Takes down a failure. Gives what is to be watched where the breaker was closed until now.
    pub(super) fn failed(&self, provider: &Provider, failure: &Failure) -> Option<Watch> {
        if !failure.fault {
            return None;
        }
        let now = Instant::now();
        let rest_until = failure.after.and_then(|after| now.checked_add(after.min(LONGEST_REST)));
        let mut opened = self.shared.opened.lock();
        let earlier = opened.get_mut(&provider.id).filter(|one| is_same(&one.of, provider));
        if let Some(one) = earlier {
            one.error = failure.error.clone();
            one.told = failure.told.clone();
            one.slow = failure.took > QUICK;
            one.rest_until = rest_until;
            one.failures = one.failures.saturating_add(1);
            self.shared.changes.send_replace(());
            return None;
        }
        let wake = Arc::new(Notify::new());
        let one = Opened {
            of: provider.clone(),
            error: failure.error.clone(),
            told: failure.told.clone(),
            slow: failure.took > QUICK,
            rest_until,
            since: now,
            wanted: now,
            failures: 1,
            probing: false,
            wake: Arc::clone(&wake),
        };
        if let Some(old) = opened.insert(provider.id, one) {
            old.wake.notify_one();
        }
        self.shared.changes.send_replace(());
        Some(Watch { provider: provider.clone(), wake })
    }

    /// Takes down that a provider has answered.
    pub(super) fn answered(&self, provider: &Provider) {
        let mut opened = self.shared.opened.lock();
        if opened.get(&provider.id).is_some_and(|one| is_same(&one.of, provider)) {
            self.shared.close(&mut opened, provider.id);
        }
    }

    /// Returns how much longer the watched provider wants to be left alone. `None` where it is not watched any more, or
    /// nobody has wanted it for long: then it is forgotten, and asked when somebody does.
    pub(super) fn rest(&self, watch: &Watch) -> Option<Duration> {
        let mut opened = self.shared.opened.lock();
        let one = opened.get(&watch.provider.id).filter(|one| Arc::ptr_eq(&one.wake, &watch.wake))?;
        if one.wanted.elapsed() > UNWANTED {
            self.shared.close(&mut opened, watch.provider.id);
            return None;
        }
        Some(one.rest_until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now())))
    }

    /// Takes down that a probe begins or ends. False where nobody waits for it any more.
    pub(super) fn set_probing(&self, watch: &Watch, probing: bool) -> bool {
        let mut opened = self.shared.opened.lock();
        let one = opened.get_mut(&watch.provider.id).filter(|one| Arc::ptr_eq(&one.wake, &watch.wake));
        one.map(|one| one.probing = probing).is_some()
    }
}

impl Shared {
    fn close(&self, opened: &mut HashMap<ProviderId, Opened>, id: ProviderId) {
        if let Some(one) = opened.remove(&id) {
            // Its probe sees that there is nothing left to do, and lets the key go.
            one.wake.notify_one();
            self.changes.send_replace(());
        }
    }
}

impl Opened {
    /// Returns whether it may be asked where nobody else can answer: without a wait, and without its having asked for a
    /// rest.
    fn is_last_resort(&self) -> bool {
        !self.slow && self.rest_until.is_none_or(|until| until <= Instant::now())
    }

    /// Returns why it does not answer, for somebody who wants it by the name it has now.
    fn why(&self, provider: &Provider) -> Unanswered {
        let told = ProviderFailure { provider: provider.name.clone(), ..(*self.told).clone() };
        let mut message = format!("{} did not answer. {}", named(provider), told.cause);
        if !self.is_last_resort() {
            let since = figure::duration(self.since.elapsed());
            message.push_str(&format!(
                " It began to fail {since} ago and is asked again in the background; to ask it now, test it under \
                 Settings, Models."
            ));
        }
        Unanswered { error: told.attach_to(Error::new(self.error.kind(), message)), told: Box::new(told) }
    }
}

/// Returns whether two are asked in the same way: name, place and switch make no difference.
fn is_same(a: &Provider, b: &Provider) -> bool {
    (a.kind, &a.base_url, &a.model, &a.api_key) == (b.kind, &b.base_url, &b.model, &b.api_key)
}
