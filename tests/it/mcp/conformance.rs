//! The protocol's official conformance suite, against this server: `make conformance`. Its fixtures are tools of this test
//! alone.

#![expect(clippy::disallowed_methods, reason = "runs the official suite, where `make conformance` says it is")]

mod answers;
mod fixtures;
mod inputs;
mod proxy;

use std::{env, sync::Arc};

use tokio::process::Command;

use self::{fixtures::Fixtures, proxy::Proxy};
use super::owned;

/// Runs the suite for a revision; everything it requires must pass.
async fn requires(revision: &str) {
    let dir = env::var("CONFORMANCE").expect("`make conformance` says where the suite is");
    let (server, key) = owned().await;
    let satchel = &server.app.satchel;
    satchel.fixtures.serve(Arc::new(Fixtures::new(satchel.invoker.clone())));
    let proxy = Proxy::start(server.address, key).await;
    let mut suite = Command::new(format!("{dir}/node_modules/node/bin/node"));
    suite.arg(format!("{dir}/node_modules/@modelcontextprotocol/conformance/dist/index.js"));
    suite.args(["server", "--url", &format!("http://{}/mcp", proxy.address), "--requirements", revision]);
    let results = tempfile::tempdir().unwrap();
    let ended = suite.current_dir(results.path()).output().await.unwrap();
    let told = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{told}\n{}", String::from_utf8_lossy(&ended.stderr));
    eprintln!("{told}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the suite, which `make conformance` fetches"]
async fn the_official_suite_passes_at_2025_11_25() {
    requires("2025-11-25").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the suite, which `make conformance` fetches"]
async fn the_official_suite_passes_at_2026_07_28() {
    requires("2026-07-28").await;
}
