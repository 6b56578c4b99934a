//! The placement of a model's threads.

use rten::ThreadPool;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Gives each thread of a pool processors of its own, of those this program may use. A kernel that wakes two of them after
/// a rest likes to put both on one processor, and a query is over before it parts them: with two threads a query of 17
/// tokens took as long as with one, half as long again as when they were apart.
pub(super) fn spread(pool: &ThreadPool, threads: usize) {
    let Ok(allowed) = sched_getaffinity(None) else { return };
    let allowed: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu)).collect();
    if threads < 2 || allowed.len() < threads {
        return;
    }
    let outcomes = pool.run(|| {
        rayon::broadcast(|thread| {
            let mut own = CpuSet::new();
            // Every so-many-th: two processors of one core are mostly numbered half the machine apart.
            allowed.iter().skip(thread.index()).step_by(threads).for_each(|cpu| own.set(*cpu));
            sched_setaffinity(None, &own)
        })
    });
    if let Some(error) = outcomes.into_iter().find_map(Result::err) {
        tracing::debug!(%error, "the embedding threads run where the kernel puts them");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_threads_share_a_processor() {
        let mine = sched_getaffinity(None).unwrap();
        let threads = usize::try_from(mine.count().min(3)).unwrap();
        let pool = ThreadPool::with_num_threads(threads);
        spread(&pool, threads);
        let sets = pool.run(|| rayon::broadcast(|_| sched_getaffinity(None).unwrap()));
        assert_eq!(sets.len(), threads);
        for cpu in (0..CpuSet::MAX_CPU).filter(|cpu| mine.is_set(*cpu)) {
            assert_eq!(sets.iter().filter(|set| set.is_set(cpu)).count(), 1, "{cpu}");
        }
        assert_eq!(sched_getaffinity(None).unwrap(), mine);
    }
}
