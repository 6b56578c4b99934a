//! Threads for work that takes long: everything else goes first.

use std::thread;

use tokio::sync::oneshot;

use crate::model::error::{Error, Result};

/// Their niceness.
const NICENESS: i32 = 10;

/// Does work on a thread of its own that gives way to all others, and waits for what comes of it. Where nobody waits any
/// more, it goes on to its end.
///
/// # Errors
/// `None` where it panicked; an error where there is no thread for it.
pub async fn run<T, F>(work: F) -> Result<Option<T>>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
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
}
