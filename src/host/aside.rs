//! Threads for work that takes long: everything else goes first.

use std::{
    pin::Pin,
    task::{Context, Poll},
    thread,
};

use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::oneshot,
    task::block_in_place,
};

use satchel_model::error::{Error, Result};
use satchel_share::boxed::{Boxed, boxed, unboxed};

/// Their niceness.
const NICENESS: i32 = 10;

/// Does work on a thread of its own that gives way to all others, and waits for what comes of it. Where nobody waits any
/// more, it goes on to its end.
///
/// # Errors
///
/// `None` if it panicked; an error if there is no thread for it.
pub async fn run<T, F>(work: F) -> Result<Option<T>>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    run_boxed(Box::new(move || boxed(work()))).await?.map(unboxed).transpose()
}

async fn run_boxed(work: Box<dyn FnOnce() -> Boxed + Send>) -> Result<Option<Boxed>> {
    let (tell, told) = oneshot::channel();
    let thread = thread::Builder::new().name("aside".to_owned());
    let started = thread.spawn(move || {
        give_way();
        // Nobody may wait any more: nothing is lost.
        let _ = tell.send(work());
    });
    started.map_err(Error::internal)?;
    Ok(told.await.ok())
}

/// A future each step of which may take long: the runtime's other tasks go on with other threads meanwhile. On a runtime of
/// one thread it is as any other.
pub struct Heavy<F>(Pin<Box<F>>);

impl<F> Heavy<F> {
    /// A future that does as this one does.
    pub fn new(future: F) -> Self {
        Self(Box::pin(future))
    }
}

impl<F: Future> Future for Heavy<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        in_place(|| self.0.as_mut().poll(cx))
    }
}

/// Does what may take long: the runtime's other tasks go on with other threads meanwhile. On a runtime of one thread it is as
/// any other step.
pub fn in_place<T>(step: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(step),
        _ => step(),
    }
}

/// Lets everything else go first: requests above all. What the thread starts inherits it.
fn give_way() {
    let thread = rustix::thread::gettid();
    if let Err(error) = rustix::process::setpriority_process(Some(thread), NICENESS) {
        tracing::debug!(%error, "a thread keeps its priority");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_done_aside_gives_way_and_a_panic_is_told() {
        let niceness = || rustix::process::getpriority_process(Some(rustix::thread::gettid())).unwrap();
        let own = niceness();
        assert_eq!(run(niceness).await.unwrap(), Some(NICENESS));
        assert_eq!(niceness(), own);
        assert_eq!(run(|| panic!("on purpose")).await.unwrap(), None::<()>);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn while_a_heavy_step_lasts_the_only_thread_of_a_runtime_goes_on() {
        let (tell, told) = std::sync::mpsc::channel();
        let heavy = tokio::spawn(Heavy::new(async move { told.recv().unwrap() }));
        // It blocks its thread until this task, which needs one as well, has told it.
        tokio::spawn(async move { tell.send(7).unwrap() }).await.unwrap();
        assert_eq!(heavy.await.unwrap(), 7);
    }
}
