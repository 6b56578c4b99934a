//! CPU time and memory, as the kernel counts them.

#![expect(clippy::disallowed_methods, reason = "reads /proc")]

use std::{fs, path::Path};

use anyhow::{Context, Result};

/// Linux reports CPU time to programs in hundredths of a second, whatever its own tick.
const TICKS: f64 = 100.0;

/// CPU seconds a process has used, its living and its dead threads.
pub(crate) fn cpu_seconds(pid: u32) -> Result<f64> {
    Ok(fields(&format!("/proc/{pid}/stat"))?.iter().skip(11).take(2).sum::<f64>() / TICKS)
}

/// CPU seconds of the thread that asks.
pub(crate) fn thread_seconds() -> Result<f64> {
    Ok(fields("/proc/thread-self/stat")?.iter().skip(11).take(2).sum::<f64>() / TICKS)
}

/// Resident memory of a process in MB.
pub(crate) fn resident_mb(pid: u32) -> Result<f64> {
    memory_mb(&format!("/proc/{pid}/status"), "VmRSS:")
}

/// Memory of a process that is no part of a file, in MB: what it has allocated.
pub(crate) fn anonymous_mb(pid: u32) -> Result<f64> {
    memory_mb(&format!("/proc/{pid}/status"), "RssAnon:")
}

/// The most memory this program has had, in MB.
pub(crate) fn peak_mb() -> Result<f64> {
    memory_mb("/proc/self/status", "VmHWM:")
}

/// The most memory a process has had since [`forget_peak`], in MB.
pub(crate) fn peak_mb_of(pid: u32) -> Result<f64> {
    memory_mb(&format!("/proc/{pid}/status"), "VmHWM:")
}

/// From now on the peak of a process is counted anew.
pub(crate) fn forget_peak(pid: u32) -> Result<()> {
    Ok(fs::write(format!("/proc/{pid}/clear_refs"), "5")?)
}

fn memory_mb(file: &str, name: &str) -> Result<f64> {
    let status = fs::read_to_string(file)?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).with_context(|| format!("no {name}"))?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes * 1024.0 / 1e6)
}

/// CPU seconds of this program and of those it waited for.
pub(crate) fn own_seconds() -> f64 {
    fields("/proc/self/stat").map_or(0.0, |fields| fields.iter().skip(11).take(4).sum::<f64>() / TICKS)
}

/// CPU seconds the whole machine was busy.
pub(crate) fn machine_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    let line = stat.lines().next().unwrap_or_default();
    let all: Vec<f64> = line.split_whitespace().skip(1).filter_map(|field| field.parse().ok()).collect();
    // user, nice, system, idle, iowait, irq, softirq, steal
    all.iter().enumerate().filter(|(index, _)| ![3, 4].contains(index)).take(6).map(|(_, ticks)| ticks).sum::<f64>()
        / TICKS
}

/// The load average of the last minute.
pub(crate) fn load_average() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split_whitespace().next().unwrap_or("unknown").to_owned()
}

/// Returns the cost of flushing one small write to the disk under `directory`, in milliseconds: the median of 50.
pub(crate) fn flush_ms(directory: &Path) -> Result<f64> {
    use std::io::Write;
    let mut file = tempfile::tempfile_in(directory)?;
    let mut times: Vec<f64> = (0..50)
        .map(|_| {
            let begun = std::time::Instant::now();
            file.write_all(&[7; 4096])?;
            file.sync_data()?;
            Ok(begun.elapsed().as_secs_f64() * 1e3)
        })
        .collect::<Result<_>>()?;
    times.sort_by(f64::total_cmp);
    times.get(25).copied().context("no flush was timed")
}

/// The numbers of a stat line after the program's name, which may hold spaces.
fn fields(path: &str) -> Result<Vec<f64>> {
    let stat = fs::read_to_string(path)?;
    let (_, rest) = stat.rsplit_once(')').context("no program name")?;
    Ok(rest.split_whitespace().map(|field| field.parse().unwrap_or(0.0)).collect())
}
