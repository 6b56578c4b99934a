//! Counting what fits a filter: whole stretches from the counts, what is left at the edges from the rows.

use super::{
    counts::{self, Place},
    filter::Filter,
    kinds::Known,
    stretches::{SPANS, Stretch, TOTALS, ceil, floor, millis, stretches},
    unnamed,
    words::{Kind, Words},
};
use crate::sql::Tx;
use satchel_model::{error::Result, time::Time};

/// Most rows that are read for one answer: of more, the newest.
pub(super) const MOST_ROWS: i64 = 100_000;
/// Most rows that are read where there is a choice: at each end of a time that is no whole stretch, and for stretches shorter
/// than those that are counted.
pub(super) const FEW_ROWS: i64 = 15_000;

/// Rows of one kind that fall on one stretch of time.
pub(super) struct Counted<'a> {
    /// Begun at, in milliseconds.
    pub time: i64,
    /// Their kind.
    pub kind: KindOf<'a>,
    /// Number of rows. Below 0, these have been counted under a kind that does not name them and are now told under their
    /// own.
    pub number: i64,
}

/// A kind by its place among those that are known, or of a row that was read itself.
pub(super) enum KindOf<'a> {
    /// One of those that are known.
    Known(usize),
    /// Of a row, in these words.
    Row(Kind, &'a Words),
    /// Any, where kinds are not asked for: whether those went wrong.
    Any { wrong: bool },
}

/// What a tally does not tell exactly.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Left {
    /// Only so many of the newest rows were looked at.
    pub among: Option<i64>,
    /// Rows up to this number are not counted yet.
    pub uncounted: i64,
    /// The filter's time was rounded out to five minutes.
    pub rounded: bool,
}

/// The time a filter wants, in milliseconds: from the first on, before the second.
pub(super) fn bounds(filter: &Filter) -> (i64, i64) {
    (filter.from.map_or(0, Time::millis).max(0), filter.to.map_or(i64::MAX, Time::millis))
}

/// Whether rows are read for the filter whatever stretches are asked for.
pub(super) fn reads_rows(filter: &Filter) -> bool {
    let (from, to) = bounds(filter);
    !filter.is_of_facets() || ceil(from) >= floor(to)
}

/// Tells `take` of every kind and stretch of time within the filter's time. `longest` is the longest stretch in minutes;
/// with 0 it is told of each row. The filter's facets are left to `take`; with no kinds known it is told of none.
pub(super) fn tally(
    tx: &Tx,
    filter: &Filter,
    longest: i64,
    known: Option<&Known>,
    take: impl FnMut(Counted<'_>),
) -> Result<Left> {
    let words = known.map(|known| known.words.clone()).unwrap_or_default();
    let mut tally = Tally { tx, filter, words, take };
    let (from, to) = bounds(filter);
    if filter.is_indexed() {
        return Ok(Left { among: tally.rows((from, to), None)?, ..Left::default() });
    }
    let uncounted = counts::uncounted(tx)?;
    if longest == 0 || reads_rows(filter) {
        return Ok(Left { among: tally.newest((from, to))?, uncounted, rounded: false });
    }
    let Cut { whole, edges, rounded } = cut(tx, from, to)?;
    for edge in edges {
        tally.newest(edge)?;
    }
    let lengths: &[i64] = if known.is_some() { &SPANS } else { &TOTALS };
    for stretch in stretches(whole, lengths, longest) {
        match known {
            Some(_) => tally.kinds(stretch)?,
            None => tally.totals(stretch)?,
        }
    }
    if let Some(known) = known {
        tally.unnamed(whole, known)?;
    }
    Ok(Left { among: None, uncounted, rounded })
}

/// A time, cut into what is counted and what is read.
struct Cut {
    /// From which minute on, and before which, counts tell all.
    whole: (i64, i64),
    /// What is left of the time at its ends, in milliseconds.
    edges: Vec<(i64, i64)>,
    /// An end had too many rows, so the whole stretch is counted.
    rounded: bool,
}

fn cut(tx: &Tx, from: i64, to: i64) -> Result<Cut> {
    let mut cut = Cut { whole: (ceil(from), floor(to)), edges: Vec::new(), rounded: false };
    let (head, tail) = ((from, millis(cut.whole.0)), (millis(cut.whole.1), to));
    let crowded = |edge: (i64, i64)| -> Result<bool> {
        Ok(edge.0 < edge.1 && counts::place(tx, edge.0, edge.1)?.is_some_and(|place| place.rows() > FEW_ROWS))
    };
    match crowded(head)? {
        true => (cut.whole.0, cut.rounded) = (floor(from), true),
        false => cut.edges.push(head),
    }
    match crowded(tail)? {
        true => (cut.whole.1, cut.rounded) = (ceil(to), true),
        false => cut.edges.push(tail),
    }
    cut.edges.retain(|edge| edge.0 < edge.1);
    Ok(cut)
}

/// A tally under way.
struct Tally<'a, F> {
    tx: &'a Tx,
    filter: &'a Filter,
    words: Words,
    take: F,
}

impl<F: FnMut(Counted<'_>)> Tally<'_, F> {
    /// Counts of each kind.
    fn kinds(&mut self, stretch: Stretch) -> Result<()> {
        let sql = "SELECT start, kind, number FROM audit_counts WHERE minutes = ?1 AND start >= ?2 AND start < ?3";
        self.tx.all(sql, stretch, |row| {
            let (start, kind) = (row.get("start")?, KindOf::Known(Known::index(row.get("kind")?)));
            (self.take)(Counted { time: millis(start), kind, number: row.get("number")? });
            Ok(())
        })?;
        Ok(())
    }

    /// Counts of all rows, and of those that went wrong.
    fn totals(&mut self, stretch: Stretch) -> Result<()> {
        let sql = "SELECT start, number, wrong FROM audit_totals WHERE minutes = ?1 AND start >= ?2 AND start < ?3";
        self.tx.all(sql, stretch, |row| {
            let (time, number) = (millis(row.get("start")?), row.get::<i64>("number")?);
            let wrong = row.get("wrong")?;
            (self.take)(Counted { time, kind: KindOf::Any { wrong: false }, number: number - wrong });
            (self.take)(Counted { time, kind: KindOf::Any { wrong: true }, number: wrong });
            Ok(())
        })?;
        Ok(())
    }

    /// Takes rows whose names the filter asks for out of the kinds that do not name them, and tells of them by those.
    fn unnamed(&mut self, whole: (i64, i64), known: &Known) -> Result<()> {
        let (from, to) = (millis(whole.0), millis(whole.1));
        let Some(place) = counts::place(self.tx, from, to)? else { return Ok(()) };
        let Some((sql, bound)) = unnamed::asked(self.filter, place) else { return Ok(()) };
        self.tx.all(&sql, bound, |row| {
            let (at, time) = (Known::index(row.get("kind")?), row.get("time")?);
            // A kind that came while this was read is of the next answer.
            let Some(kind) = known.kinds.get(at).filter(|_| (from..to).contains(&time)) else { return Ok(()) };
            let [event_type, outcome, risk, door, mut person, mut tool] = *kind;
            for (column, word) in [("person", &mut person), ("tool", &mut tool)] {
                if let Some(name) = row.get::<Option<&str>>(column)? {
                    *word = self.words.number(name);
                }
            }
            let kind = KindOf::Row([event_type, outcome, risk, door, person, tool], &self.words);
            (self.take)(Counted { time, kind: KindOf::Known(at), number: -1 });
            (self.take)(Counted { time, kind, number: 1 });
            Ok(())
        })?;
        Ok(())
    }

    /// Reads the newest [`MOST_ROWS`] rows of a time. Returns that number where there are more.
    fn newest(&mut self, (from, to): (i64, i64)) -> Result<Option<i64>> {
        let Some(place) = counts::place(self.tx, from, to)? else { return Ok(None) };
        let least = place.last.saturating_sub(MOST_ROWS - 1);
        self.rows((from, to), Some(Place { first: place.first.max(least), ..place }))?;
        Ok((place.first < least).then_some(MOST_ROWS))
    }

    /// Reads the rows of a time, at this place or wherever they stand, the newest [`MOST_ROWS`] of those that fit. Returns
    /// that number where there are more.
    fn rows(&mut self, (from, to): (i64, i64), place: Option<Place>) -> Result<Option<i64>> {
        let (condition, bound) = Filter {
            before: place.map(|place| place.last.saturating_add(1)),
            after: place.map(|place| place.first - 1),
            from: Some(Time::from_millis(from)),
            to: Some(Time::from_millis(to)),
            ..self.filter.without_facets()
        }
        .clause(None);
        let sql = format!(
            "SELECT event_type, outcome, risk, door, person, tool, time FROM audit WHERE {condition}
             ORDER BY seq DESC LIMIT {}",
            MOST_ROWS + 1
        );
        let mut read = 0;
        self.tx.find(&sql, bound, |row| {
            if read == MOST_ROWS {
                return Ok(Some(MOST_ROWS));
            }
            read += 1;
            let kind = self.words.read(row)?;
            (self.take)(Counted { time: row.get("time")?, kind: KindOf::Row(kind, &self.words), number: 1 });
            Ok(None)
        })
    }
}
