//! The vector index beside exact search, the crate `hnsw_rs` and Python's hnswlib, on the same vectors in the same run.

#![expect(clippy::disallowed_methods, reason = "reads the vectors it is given, runs Python")]

use std::{
    collections::HashSet,
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use satchel::{
    config::GraphKind,
    index::vectors::index::{Nearest, Vectors},
};
use serde_json::Value;

use super::{
    report::{Report, Target},
    usage,
};

const NEAREST: usize = 10;
const RECALL: f64 = 0.998;
/// Measured again and again for about this long: the kernel counts CPU time in hundredths.
const LONG_ENOUGH: f64 = 2.0;

/// Measures.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let set = Set::get(report)?;
    let truth = set.truth();
    let peer = hnswlib(&set)?;
    let own = graph(report, &set, &truth, GraphKind::Own);
    filters(report, &set, &own.1);
    let library = graph(report, &set, &truth, GraphKind::Library);
    let Some((build, per_second)) = peer else {
        report.note("Python's hnswlib cannot be imported: PYTHON names the interpreter that can");
        return Ok(());
    };
    report.figure("hnswlib: CPU seconds to build", build, Target::None);
    report.figure("hnswlib: searches a CPU second at recall >= .998", per_second, Target::None);
    report.figure("own: build beside hnswlib's", own.0.build / build, Target::AtMost(1.0));
    report.figure("own: searches beside hnswlib's", own.0.per_second / per_second, Target::AtLeast(1.5));
    report.figure("hnsw_rs: searches beside hnswlib's", library.0.per_second / per_second, Target::None);
    Ok(())
}

struct Measured {
    build: f64,
    per_second: f64,
}

fn graph(report: &mut Report, set: &Set, truth: &[f32], kind: GraphKind) -> (Measured, Vectors) {
    let name = if kind == GraphKind::Own { "own" } else { "hnsw_rs" };
    let held = kind == GraphKind::Own;
    let memory = usage::resident_mb(std::process::id()).unwrap_or_default();
    let mut vectors = Vectors::new(set.dimensions, kind);
    for (id, vector) in (0..).zip(set.base.chunks(set.dimensions)) {
        vectors.put(id, id % 100, vector);
    }
    let exact = held.then(|| searched(set, &vectors));
    let put = usage::own_seconds();
    while vectors.work(Duration::from_secs(1)) {}
    let build = usage::own_seconds() - put;
    let memory = usage::resident_mb(std::process::id()).unwrap_or_default() - memory;
    if let Some((per_second, found)) = exact {
        report.figure("exact: searches a CPU second", per_second, Target::None);
        report.figure("exact: recall@10", set.recall(truth, &found), Target::AtLeast(0.9999));
    }
    let (per_second, found) = searched(set, &vectors);
    let recall = set.recall(truth, &found);
    report.figure(&format!("{name}: CPU seconds to build"), build, Target::None);
    report.figure(
        &format!("{name}: memory with the graph, MB"),
        memory,
        if held { Target::AtMost(120.0) } else { Target::None },
    );
    report.figure(&format!("{name}: searches a CPU second"), per_second, Target::None);
    report.figure(&format!("{name}: recall@10"), recall, if held { Target::AtLeast(RECALL) } else { Target::None });
    (Measured { build, per_second }, vectors)
}

/// Searches a CPU second, and what the last round found.
fn searched(set: &Set, vectors: &Vectors) -> (f64, Vec<Vec<i64>>) {
    let begun = usage::own_seconds();
    let (mut count, mut found) = (0, Vec::new());
    while usage::own_seconds() - begun < LONG_ENOUGH {
        found = set.queries.chunks(set.dimensions).map(|vector| ids(vectors, vector, None)).collect();
        count += found.len();
    }
    (count as f64 / (usage::own_seconds() - begun), found)
}

fn ids(vectors: &Vectors, vector: &[f32], tags: Option<&HashSet<i64>>) -> Vec<i64> {
    let ask = Nearest { vector, tags, ids: None, limit: NEAREST };
    vectors.nearest(&ask).into_iter().map(|(id, _)| id).collect()
}

/// One of a hundred tags.
fn filters(report: &mut Report, set: &Set, vectors: &Vectors) {
    let (mut worst, mut hits, mut all) = (Duration::ZERO, 0, 0);
    let mut times = Vec::new();
    for (tag, vector) in (0..).map(|n| n % 100).zip(set.queries.chunks(set.dimensions)) {
        let begun = Instant::now();
        let found = ids(vectors, vector, Some(&HashSet::from([tag])));
        times.push(begun.elapsed());
        let wanted = set.nearest_of(vector, |id| id % 100 == tag);
        hits += found.iter().filter(|id| set.cosine(vector, **id) >= wanted - 1e-6).count();
        all += NEAREST;
        worst = worst.max(begun.elapsed());
    }
    times.sort_unstable();
    let p95 = times.get(times.len() * 95 / 100).copied().unwrap_or_default();
    report.figure("filter at 1 %: recall@10", hits as f64 / all as f64, Target::AtLeast(1.0));
    report.figure("filter at 1 %: ms, 95 of 100 within", p95.as_secs_f64() * 1e3, Target::AtMost(1.0));
}

/// The vectors that are searched, and those to search for.
struct Set {
    dimensions: usize,
    base: Vec<f32>,
    queries: Vec<f32>,
}

impl Set {
    /// The files `VECTORS` and `QUERIES` name, 32-bit floats, 384 to a vector; else vectors made here.
    fn get(report: &Report) -> Result<Self> {
        let dimensions = 384;
        let count: usize = std::env::var("COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(100_000);
        let given = (std::env::var("VECTORS"), std::env::var("QUERIES"));
        let (Ok(base), Ok(queries)) = given else {
            report.note(&format!("{count} vectors made here: VECTORS and QUERIES name files of real ones"));
            let mut made = super::made::Made::new(dimensions);
            return Ok(Self { dimensions, base: made.vectors(count), queries: made.vectors(1_000) });
        };
        let mut base = floats(&base)?;
        base.truncate(count * dimensions);
        let mut queries = floats(&queries)?;
        queries.truncate(1_000 * dimensions);
        report.note(&format!("{} vectors of the file", base.len() / dimensions));
        Ok(Self { dimensions, base, queries })
    }

    fn cosine(&self, vector: &[f32], id: i64) -> f32 {
        let at = usize::try_from(id).unwrap_or_default() * self.dimensions;
        let row = self.base.get(at..at + self.dimensions).unwrap_or_default();
        let (row, _) = row.as_chunks::<8>();
        let (vector, _) = vector.as_chunks::<8>();
        let mut sums = [0f32; 8];
        for (row, vector) in row.iter().zip(vector) {
            for ((sum, a), b) in sums.iter_mut().zip(row).zip(vector) {
                *sum += a * b;
            }
        }
        sums.iter().sum()
    }

    /// The tenth best cosine among those wanted.
    fn nearest_of(&self, vector: &[f32], wanted: impl Fn(i64) -> bool) -> f32 {
        let count = i64::try_from(self.base.len() / self.dimensions).unwrap_or_default();
        let mut all: Vec<f32> = (0..count).filter(|id| wanted(*id)).map(|id| self.cosine(vector, id)).collect();
        let (_, tenth, _) = all.select_nth_unstable_by(NEAREST - 1, |a, b| b.total_cmp(a));
        *tenth
    }

    fn truth(&self) -> Vec<f32> {
        self.queries.chunks(self.dimensions).map(|vector| self.nearest_of(vector, |_| true)).collect()
    }

    fn recall(&self, truth: &[f32], found: &[Vec<i64>]) -> f64 {
        let queries = self.queries.chunks(self.dimensions);
        let hits: usize = queries
            .zip(truth)
            .zip(found)
            .map(|((vector, tenth), ids)| ids.iter().filter(|id| self.cosine(vector, **id) >= tenth - 1e-6).count())
            .sum();
        hits as f64 / (NEAREST * truth.len()) as f64
    }
}

fn floats(path: &str) -> Result<Vec<f32>> {
    let bytes = fs::read(path).with_context(|| path.to_owned())?;
    let (numbers, _) = bytes.as_chunks::<4>();
    Ok(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
}

/// CPU seconds to build, and searches a CPU second at the least effort that finds enough; none without hnswlib.
fn hnswlib(set: &Set) -> Result<Option<(f64, f64)>> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if !Command::new(&python).args(["-c", "import hnswlib, numpy"]).output().is_ok_and(|done| done.status.success()) {
        return Ok(None);
    }
    let dir = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR"))?;
    let put = |name: &str, numbers: &[f32]| -> Result<std::path::PathBuf> {
        let path = dir.path().join(name);
        fs::write(&path, numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())?;
        Ok(path)
    };
    let (base, queries) = (put("base", &set.base)?, put("queries", &set.queries)?);
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench/with_hnswlib.py");
    let done = Command::new(&python)
        .arg(program)
        .args([base, queries])
        .arg(set.dimensions.to_string())
        .env("OMP_NUM_THREADS", "1")
        .output()?;
    let answer: Value =
        serde_json::from_slice(&done.stdout).with_context(|| String::from_utf8_lossy(&done.stderr).into_owned())?;
    let runs = answer["runs"].as_array().context("no runs")?;
    let enough = runs.iter().filter(|run| run["recall"].as_f64().is_some_and(|recall| recall >= RECALL));
    let best = enough.filter_map(|run| run["per_second"].as_f64()).fold(0.0, f64::max);
    Ok(Some((answer["build"].as_f64().context("no build")?, best)))
}
