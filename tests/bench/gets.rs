//! An authenticated GET: requests for each CPU second of the server.

use std::time::Duration;

use anyhow::Result;

use super::{
    http, load,
    report::{Report, Target},
    server::{Home, Server},
};

const CONNECTIONS: usize = 32;
const TIME: Duration = Duration::from_secs(10);

/// Measures.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let home = Home::new()?;
    let server = Server::start(&home, &[]).await?;
    let key = home.key().await?;
    let measured = load::run(&server, http::request("GET", "/api/auth/me", &key, None), CONNECTIONS, TIME).await?;
    report.figure("GET /api/auth/me with a key, per CPU second", measured.per_cpu_second, Target::AtLeast(15_000.0));
    report.figure("GET /api/auth/me with a key, per second", measured.per_second, Target::None);
    report.figure("99 of 100 answered within, ms", measured.p99_ms, Target::None);
    server.kill().await
}
