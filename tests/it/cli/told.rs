//! What a command tells, and on which directories it is tried.

use crate::support::program::{Home, Told};

/// Holds on a data directory that nobody serves, and on one that a server does.
pub(super) async fn either_way(test: impl AsyncFn(&Home)) {
    let home = Home::new().await;
    test(&home).await;
    let home = Home::new().await;
    let server = home.serve(&[]).await;
    test(&home).await;
    assert_eq!(server.stop().await.code, 0);
}

/// Done, with this on standard output and nothing on standard error.
pub(super) fn done(out: &str) -> Told {
    Told { code: 0, out: out.to_owned(), err: String::new() }
}

/// Failed, with this on standard error alone.
pub(super) fn failed(err: &str) -> Told {
    Told { code: 1, out: String::new(), err: format!("satchel: {err}\n") }
}
