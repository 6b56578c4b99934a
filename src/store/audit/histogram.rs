//! Rows over time.

use std::sync::Arc;

use super::{
    Audit,
    counts::{self, is_wrong},
    filter::Filter,
    stretches::{HOUR, MINUTE, SHORTEST, millis},
    tally::{FEW_ROWS, KindOf, bounds, reads_rows, tally},
    wanted::Wanted,
    words::{Kind, Words},
};
use crate::sql::Tx;
use satchel_model::{
    audit::{AuditBin, AuditHistogram},
    error::Result,
    time::Time,
};

/// Most stretches a histogram has. Of each the counts of all kinds are read.
const MOST: i64 = 48;
/// The lengths a stretch of a histogram may have, in milliseconds; longer ones go on doubling. From five minutes on they are
/// those that are counted, so no more is read than is shown. Below that nothing is counted: those are for few rows, which
/// are read themselves.
const LASTING: [i64; 8] = [MINUTE, 2 * MINUTE, 5 * MINUTE, HOUR, 4 * HOUR, 24 * HOUR, 4 * 24 * HOUR, 16 * 24 * HOUR];

impl Audit {
    /// Counts the rows that pass over time, and those of them that were refused or failed. `now` ends a time without an end.
    pub async fn histogram(&self, filter: Filter, now: Time) -> Result<AuditHistogram> {
        let kinds = Arc::clone(&self.kinds);
        self.db
            .read(move |tx| {
                let filter = filter.resolve(tx)?;
                let Some((oldest, newest)) = written(tx)? else {
                    return Ok(Bins::over(now.millis(), now.millis(), SHORTEST).finish());
                };
                let (from, to) = bounds(&filter);
                let (from, to) = (from.max(oldest), to.min(now.millis().max(newest)));
                let few = counts::place(tx, from, to)?.is_none_or(|place| place.rows() <= FEW_ROWS);
                let shortest = if few || reads_rows(&filter) { MINUTE } else { SHORTEST };
                let mut bins = Bins::over(from, to, shortest);
                let known = kinds.all(tx)?;
                let wanted = Wanted::new(&filter, &known.words);
                let of = |kind: &Kind| Verdict::new(&wanted, *kind, &known.words);
                let verdicts: Vec<Verdict> = known.kinds.iter().map(of).collect();
                let longest = if bins.every < SHORTEST { 0 } else { bins.every / MINUTE };
                // Every kind passes: then it need not be known which there are.
                let asked = wanted.is_choosy().then_some(&*known);
                let left = tally(tx, &filter, longest, asked, |counted| {
                    let verdict = match counted.kind {
                        KindOf::Known(kind) => verdicts.get(kind).copied().unwrap_or(Verdict::LeftOut),
                        KindOf::Row(kind, words) => Verdict::new(&wanted, kind, words),
                        KindOf::Any { wrong: true } => Verdict::Wrong,
                        KindOf::Any { wrong: false } => Verdict::Well,
                    };
                    bins.add(verdict, counted.time, counted.number);
                })?;
                Ok(AuditHistogram {
                    among: left.among,
                    uncounted: left.uncounted,
                    rounded: left.rounded,
                    ..bins.finish()
                })
            })
            .await
    }
}

/// When the oldest and the newest rows were written, in milliseconds: the first moment and the last of their five minutes.
/// `None` where there are none.
fn written(tx: &Tx) -> Result<Option<(i64, i64)>> {
    // Rows that are not counted yet are the oldest.
    let oldest = tx.first("SELECT time FROM audit ORDER BY seq LIMIT 1", (), |row| row.get::<i64>("time"))?;
    // One by one each is looked up; asked for together they are looked for in every row.
    let bound = |sql| tx.one::<Option<i64>>(sql, ());
    let counted = bound("SELECT min(start) FROM audit_totals WHERE minutes = 5")?
        .zip(bound("SELECT max(start) FROM audit_totals WHERE minutes = 5")?)
        .map(|(first, last)| (millis(first), millis(last) + SHORTEST - 1));
    Ok(match (oldest, counted) {
        (Some(oldest), Some((first, last))) => Some((oldest.min(first), last)),
        (Some(oldest), None) => Some((oldest, oldest)),
        (None, _) => None,
    })
}

/// The verdict on a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    LeftOut,
    Well,
    Wrong,
}

impl Verdict {
    fn new(wanted: &Wanted, kind: Kind, words: &Words) -> Self {
        let [_, outcome, ..] = kind;
        match (wanted.misses(kind, words).0, words.get(outcome)) {
            (1.., _) => Self::LeftOut,
            (0, outcome) if is_wrong(outcome) => Self::Wrong,
            (0, _) => Self::Well,
        }
    }
}

struct Bins {
    start: i64,
    every: i64,
    bins: Vec<AuditBin>,
}

impl Bins {
    /// Bins from a moment on up to another, both among them, none shorter than `shortest`.
    fn over(from: i64, to: i64, shortest: i64) -> Self {
        let count = |every: i64| to.div_euclid(every) - from.div_euclid(every) + 1;
        let every =
            LASTING.into_iter().find(|every| *every >= shortest && count(*every) <= MOST).unwrap_or_else(|| {
                let mut every = 32 * 24 * HOUR;
                while count(every) > MOST {
                    every *= 2;
                }
                every
            });
        let bins = usize::try_from(count(every)).unwrap_or_default();
        Self { start: from.div_euclid(every) * every, every, bins: vec![AuditBin::default(); bins] }
    }

    fn add(&mut self, verdict: Verdict, time: i64, number: i64) {
        let at = usize::try_from((time - self.start).div_euclid(self.every)).ok();
        let Some(bin) = at.and_then(|at| self.bins.get_mut(at)).filter(|_| verdict != Verdict::LeftOut) else { return };
        bin.all += number;
        if verdict == Verdict::Wrong {
            bin.wrong += number;
        }
    }

    fn finish(self) -> AuditHistogram {
        let Self { start, every, bins } = self;
        AuditHistogram {
            start: Time::from_millis(start),
            every_ms: every,
            bins,
            among: None,
            uncounted: 0,
            rounded: false,
        }
    }
}
