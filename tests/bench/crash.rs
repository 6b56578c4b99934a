//! `kill -9` at random points under mixed writes: nothing acknowledged is lost. `KILLS=1000` asks for more.

#![expect(clippy::disallowed_methods, reason = "the number of kills and the seed are asked for on the command line")]

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;

use super::{
    kills,
    report::{Report, Target},
};

const KILLS: u64 = 200;

/// Kills, checks, reports.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let asked = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let clock = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let seed = asked("SEED").unwrap_or(clock);
    report.figure("seed (SEED=… repeats it)", seed as f64, Target::None);
    let summary = kills::rounds(asked("KILLS").unwrap_or(KILLS), seed).await?;
    report.figure("kills", summary.kills as f64, Target::None);
    report.figure("acknowledged writes", summary.acknowledged as f64, Target::None);
    report.figure("writes in flight at a kill that were kept, and audited", summary.kept as f64, Target::None);
    report.figure("calls found open after a kill, and closed", summary.closed as f64, Target::None);
    report.figure("backups verified after a kill", summary.verified as f64, Target::AtLeast(1.0));
    report.figure("acknowledged writes lost", summary.lost.len() as f64, Target::AtMost(0.0));
    for what in &summary.lost {
        report.note(what);
    }
    Ok(())
}
