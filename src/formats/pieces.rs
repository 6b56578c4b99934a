//! Cuts a text into pieces of so many tokens at most, along the largest parts of it that fit: paragraphs, lines, sentences,
//! words, and letters where a word is too long.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::chunk::Tokens;

/// Cuts a text. Each piece has `most` tokens at most, unless one letter has more, and begins with the end of the one before
/// it as far as that is whole parts of `overlap` tokens at most. White space around a piece is left out.
pub(super) fn pieces(text: &str, (most, overlap): (usize, usize), tokens: Tokens<'_>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    let (mut at, mut last) = (0, 0);
    while let Some(rest) = text.get(at..) {
        let blank = rest.len() - rest.trim_start().len();
        if blank == rest.len() {
            break;
        }
        let cut = Cut { text, start: at + blank, most, overlap, tokens };
        let (end, next) = cut.next();
        if end <= last {
            // Nothing follows that fits behind what was to be said again.
            at = last;
            continue;
        }
        all.push(cut.start..cut.start + cut.slice(cut.start, end).trim_end().len());
        (at, last) = (next, end);
    }
    all
}

/// The parts of a text, the largest first.
#[derive(Debug, Clone, Copy)]
enum Level {
    /// Text between so many line breaks, or more of them.
    Lines(usize),
    Sentences,
    Words,
    Letters,
}

/// The next piece of a text.
struct Cut<'a> {
    text: &'a str,
    start: usize,
    most: usize,
    overlap: usize,
    tokens: Tokens<'a>,
}

impl<'a> Cut<'a> {
    /// Returns the end of this piece, and the beginning of the next.
    fn next(&self) -> (usize, usize) {
        let mut limit = self.text.len();
        if self.fits(limit) {
            return (limit, limit);
        }
        for level in self.levels() {
            let ends = self.near_ends(level, limit);
            match ends.first() {
                Some(first) if self.fits(*first) => return self.taken(&ends),
                // The larger part is cut by itself: no piece goes beyond its end.
                Some(first) => limit = *first,
                None => {}
            }
        }
        // A letter of more tokens stays whole.
        (limit, limit)
    }

    /// Takes as much as fits of parts that end here, the first of which does.
    fn taken(&self, ends: &[usize]) -> (usize, usize) {
        let (fitting, _) = ends.split_at(ends.partition_point(|end| self.fits(*end)));
        let Some((&end, before)) = fitting.split_last() else { return (self.start, self.start) };
        if self.overlap == 0 {
            return (end, end);
        }
        let again = |start: &usize| (self.tokens)(self.slice(*start, end).trim()) <= self.overlap;
        (end, before.iter().rev().copied().take_while(again).last().unwrap_or(end))
    }

    /// The levels that this text has, the largest first.
    fn levels(&self) -> impl Iterator<Item = Level> {
        let mut breaks: Vec<usize> = self.breaks().map(|(_, count)| count).collect();
        breaks.sort_unstable();
        breaks.dedup();
        breaks.into_iter().rev().map(Level::Lines).chain([Level::Sentences, Level::Words, Level::Letters])
    }

    /// The ends of parts up to the limit, and no more than about twice those up to which it fits: each is counted as a text of
    /// its own.
    fn near_ends(&self, level: Level, limit: usize) -> Vec<usize> {
        let mut ends = Vec::new();
        for end in self.ends(level).map(|end| end.min(limit)) {
            ends.push(end);
            if end == limit || ends.len().is_power_of_two() && !self.fits(end) {
                break;
            }
        }
        ends
    }

    /// The ends of parts behind the start, the last of which is that of the text.
    fn ends(&self, level: Level) -> Box<dyn Iterator<Item = usize> + '_> {
        let (start, rest) = (self.start, self.rest());
        let end_of = move |(at, part): (usize, &str)| start + at + part.len();
        match level {
            Level::Lines(least) => {
                let ends = self.breaks().filter(move |(_, count)| *count >= least).map(|(run, _)| run.start);
                Box::new(ends.chain([self.text.len()]))
            }
            Level::Sentences => Box::new(rest.split_sentence_bound_indices().map(end_of)),
            Level::Words => Box::new(rest.split_word_bound_indices().map(end_of)),
            Level::Letters => Box::new(rest.grapheme_indices(true).map(end_of)),
        }
    }

    /// Runs of line breaks behind the start, each with how many it has.
    fn breaks(&self) -> impl Iterator<Item = (Range<usize>, usize)> {
        let is_break = |c: char| matches!(c, '\n' | '\r');
        let mut at = self.start;
        std::iter::from_fn(move || {
            let begin = at + self.text.get(at..)?.find(is_break)?;
            let run = self.text.get(begin..)?;
            let run = run.find(|c| !is_break(c)).and_then(|end| run.get(..end)).unwrap_or(run);
            at = begin + run.len();
            Some((begin..at, run.graphemes(true).count()))
        })
    }

    fn fits(&self, end: usize) -> bool {
        (self.tokens)(self.slice(self.start, end).trim_end()) <= self.most
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.start..).unwrap_or_default()
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token is a word, or a letter of a script without spaces.
    fn count(text: &str) -> usize {
        text.split_whitespace().map(|word| word.chars().filter(|c| !c.is_ascii()).count().max(1)).sum()
    }

    fn cut(text: &str, most: usize, overlap: usize) -> Vec<&str> {
        pieces(text, (most, overlap), &count).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn the_largest_parts_that_fit_stay_whole() {
        let text = "One two. Three four five.\nSix seven.\n\nEight nine ten.\n";
        assert_eq!(cut(text, 99, 0), ["One two. Three four five.\nSix seven.\n\nEight nine ten."]);
        assert_eq!(cut(text, 8, 0), ["One two. Three four five.\nSix seven.", "Eight nine ten."]);
        assert_eq!(cut(text, 6, 0), ["One two. Three four five.", "Six seven.\n\nEight nine ten."]);
        assert_eq!(cut(text, 3, 0), ["One two.", "Three four five.", "Six seven.", "Eight nine ten."]);
        assert_eq!(cut(text, 2, 0), ["One two.", "Three four", "five.", "Six seven.", "Eight nine", "ten."]);
    }

    #[test]
    fn a_piece_begins_with_the_whole_sentences_before_it() {
        let text = "Ada came. Bo saw it. Cy won. Di lost all. Ed went.";
        assert_eq!(cut(text, 8, 3), ["Ada came. Bo saw it. Cy won.", "Cy won. Di lost all. Ed went."]);
        assert_eq!(cut(text, 8, 1), ["Ada came. Bo saw it. Cy won.", "Di lost all. Ed went."]);
        assert_eq!(cut("A b. C d e f g.", 3, 2), ["A b.", "C d e", "d e f", "e f g."]);
    }

    #[test]
    fn scripts_without_spaces_are_cut_at_their_full_stops_and_then_at_letters() {
        assert_eq!(cut("我们走吧。你来吗？", 6, 0), ["我们走吧。", "你来吗？"]);
        assert_eq!(cut("我们走吧我们走吧", 3, 0), ["我们走", "吧我们", "走吧"]);
        let family = "👨‍👩‍👧‍👦";
        assert_eq!(cut(&family.repeat(2), 3, 0), [family, family], "a letter stays whole");
    }

    #[test]
    fn every_letter_is_in_a_piece_wherever_it_is_cut() {
        let text = "Ein Satz.  Noch einer!\r\n\r\nEine sehr lange Zeile ohne Ende, die weitergeht\n\t- Punkt\n\n\n  \nสวัสดีครับ. Ende";
        for most in 1..30 {
            for overlap in 0..most {
                let mut reached = 0;
                for range in pieces(text, (most, overlap), &count) {
                    assert!(range.start <= reached || text[reached..range.start].trim().is_empty(), "{most} {overlap}");
                    assert!(range.end > reached, "{most} {overlap}");
                    reached = range.end;
                }
                assert!(text[reached..].trim().is_empty());
            }
        }
        assert!(cut(" \n ", 3, 1).is_empty());
    }
}
