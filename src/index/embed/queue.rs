//! The queue of what waits to be embedded, and the order of it: queries before passages, texts of like length together.

use std::collections::VecDeque;

use tokio::sync::oneshot;

use satchel_model::error::{Error, Kind, Result};

/// Most texts run together.
const MOST_TEXTS: usize = 16;
/// Bytes of text run together, padding included: what one full passage has. The numbers of more leave the processor's
/// cache, and each takes longer: measured at 128 to 256 tokens.
const MOST_BYTES: usize = 1_400;
/// Padding may make a batch so much larger than its texts, as a share of 4.
const PADDED: usize = 5;
/// Most queries that wait: somebody waits for each, and would long have gone before the last came.
const MOST_QUERIES: usize = 512;
/// Most passages that wait; whoever has more hands them over in portions.
const MOST_PASSAGES: usize = 4_096;
/// The distance behind the oldest passage within which one of like length is looked for.
const WINDOW: usize = 256;

/// One text, and who waits for its vector.
pub(super) struct Item {
    pub(super) text: String,
    pub(super) reply: oneshot::Sender<Result<Vec<f32>>>,
}

/// Both kinds of work, in the order they came.
#[derive(Default)]
pub(super) struct Queue {
    queries: VecDeque<Item>,
    passages: VecDeque<Item>,
}

impl Queue {
    /// Adds a query.
    ///
    /// # Errors
    ///
    /// If so many wait that it finds no place among them.
    pub(super) fn push_query(&mut self, item: Item) -> Result<()> {
        push(&mut self.queries, vec![item], MOST_QUERIES)
    }

    /// Takes all of them or none, as [`Self::push_query`] does. Where nothing waits, any number is taken.
    pub(super) fn push_passages(&mut self, items: Vec<Item>) -> Result<()> {
        push(&mut self.passages, items, MOST_PASSAGES)
    }

    /// The queries that go next.
    pub(super) fn queries(&mut self) -> Vec<Item> {
        batch(&mut self.queries)
    }

    /// The passages that go next.
    pub(super) fn passages(&mut self) -> Vec<Item> {
        batch(&mut self.passages)
    }

    pub(super) fn count_queries(&self) -> usize {
        self.queries.len()
    }

    pub(super) fn has_queries(&self) -> bool {
        !self.queries.is_empty()
    }

    pub(super) fn has_passages(&self) -> bool {
        !self.passages.is_empty()
    }
}

fn push(waiting: &mut VecDeque<Item>, items: Vec<Item>, most: usize) -> Result<()> {
    if waiting.len() + items.len() > most {
        waiting.retain(|item| !item.reply.is_closed());
    }
    if !waiting.is_empty() && waiting.len() + items.len() > most {
        let told =
            "The server has more texts to embed than it can keep up with: nothing was done. Try again in a minute.";
        return Err(Error::new(Kind::Busy, told));
    }
    waiting.extend(items);
    Ok(())
}

/// The oldest text, and those among the next whose lengths are closest to its own: they need the least padding.
fn batch(waiting: &mut VecDeque<Item>) -> Vec<Item> {
    let window = waiting.len().min(WINDOW);
    let mut near: Vec<Item> = waiting.drain(..window).filter(|item| !item.reply.is_closed()).collect();
    let Some(length) = near.first().map(|oldest| oldest.text.len()) else { return Vec::new() };
    // The index keeps the oldest first among equals, so nobody waits for ever.
    let mut order: Vec<usize> = (0..near.len()).collect();
    order.sort_by_key(|&at| near.get(at).map_or(usize::MAX, |item| item.text.len().abs_diff(length)));
    let (mut width, mut bytes) = (0, 0);
    let taken: Vec<usize> = order
        .into_iter()
        .enumerate()
        .take(MOST_TEXTS)
        .take_while(|(count, at)| {
            let length = near.get(*at).map_or(0, |item| item.text.len());
            (width, bytes) = (width.max(length), bytes + length);
            let padded = width * (count + 1);
            *count == 0 || (padded <= MOST_BYTES && padded * 4 <= bytes * PADDED)
        })
        .map(|(_, at)| at)
        .collect();
    let mut batch = Vec::with_capacity(taken.len());
    let mut rest = VecDeque::with_capacity(near.len());
    for (at, item) in near.drain(..).enumerate() {
        if taken.contains(&at) {
            batch.push(item);
        } else {
            rest.push_back(item);
        }
    }
    rest.append(waiting);
    *waiting = rest;
    batch
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(text: &str) -> (Item, oneshot::Receiver<Result<Vec<f32>>>) {
        let (reply, answer) = oneshot::channel();
        (Item { text: text.to_owned(), reply }, answer)
    }

    fn texts(batch: Vec<Item>) -> Vec<String> {
        batch.into_iter().map(|item| item.text).collect()
    }

    #[test]
    fn the_oldest_passage_goes_with_those_of_its_length() {
        let (items, _answers): (Vec<_>, Vec<_>) =
            ["aa".to_owned(), "b".repeat(9000), "cc".to_owned(), "d".repeat(8000)].iter().map(|t| item(t)).unzip();
        let mut queue = Queue::default();
        queue.push_passages(items).unwrap();
        assert_eq!(texts(queue.passages()), ["aa", "cc"]);
        assert_eq!(texts(queue.passages()), ["b".repeat(9000)]);
        assert_eq!(texts(queue.passages()), ["d".repeat(8000)]);
        assert!(!queue.has_passages());
    }

    #[test]
    fn at_most_a_batch_of_them_goes_and_the_others_keep_their_order() {
        let (items, _answers): (Vec<_>, Vec<_>) = (0..40).map(|n| item(&format!("{n:02}"))).unzip();
        let mut queue = Queue::default();
        queue.push_passages(items).unwrap();
        for numbers in [0..16, 16..32, 32..40] {
            assert_eq!(texts(queue.passages()), numbers.map(|n| format!("{n:02}")).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_need_goes_by_itself_and_its_halves_together() {
        let said = ["read the invoice and then send it to the customer", "read the invoice", "send it to them"];
        let (items, _answers): (Vec<_>, Vec<_>) = said.iter().map(|text| item(text)).unzip();
        let mut queue = Queue::default();
        items.into_iter().for_each(|item| queue.push_query(item).unwrap());
        assert_eq!(texts(queue.queries()), said[..1]);
        assert_eq!(texts(queue.queries()), said[1..]);
    }

    #[test]
    fn what_nobody_waits_for_any_more_is_left_out() {
        let (gone, answer) = item("gone");
        let (wanted, _answer) = item("wanted");
        drop(answer);
        let mut queue = Queue::default();
        queue.push_query(gone).unwrap();
        queue.push_query(wanted).unwrap();
        assert_eq!(texts(queue.queries()), ["wanted"]);
    }

    #[test]
    fn a_full_queue_refuses_what_comes_until_somebody_has_gone() {
        let (items, mut answers): (Vec<_>, Vec<_>) = (0..MOST_QUERIES).map(|_| item("need")).unzip();
        let mut queue = Queue::default();
        items.into_iter().for_each(|item| queue.push_query(item).unwrap());
        assert_eq!(queue.push_query(item("one more").0).unwrap_err().kind(), Kind::Busy);
        assert_eq!(queue.count_queries(), MOST_QUERIES);
        drop(answers.pop());
        let (late, _answer) = item("one more");
        queue.push_query(late).unwrap();
        assert_eq!(queue.count_queries(), MOST_QUERIES);
    }

    #[test]
    fn passages_are_taken_all_or_none_and_any_number_where_nothing_waits() {
        let (many, _answers): (Vec<_>, Vec<_>) = (0..MOST_PASSAGES + 1).map(|_| item("text")).unzip();
        let (more, _others): (Vec<_>, Vec<_>) = (0..2).map(|_| item("more")).unzip();
        let mut queue = Queue::default();
        queue.push_passages(many).unwrap();
        assert_eq!(queue.push_passages(more).unwrap_err().kind(), Kind::Busy);
        assert_eq!(queue.passages.len(), MOST_PASSAGES + 1);
    }
}
