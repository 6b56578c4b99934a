//! The cutting of documents: what stays together, what is said again, and that every place is exact.

use crate::{
    chunk::{Cutter, FAR, Part},
    extracted::{Block, BlockKind, Extracted, Kind},
};
use satchel_model::knowledge::NewChunk;

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

fn blocks(blocks: Vec<(BlockKind, String)>) -> Extracted {
    let blocks = blocks.into_iter().map(|(kind, text)| Block { kind, text, page: None });
    extracted(blocks.collect())
}

fn cut(document: &Extracted) -> Part {
    let part = Cutter::new(None, &words).take(document);
    require_exact(&part);
    part
}

/// Every passage is exactly the part of the text it says it is.
fn require_exact(part: &Part) {
    let text: Vec<char> = part.text.chars().collect();
    for NewChunk { start, end, text: passage, .. } in &part.chunks {
        let (start, end) = ((start - part.start) as usize, (end - part.start) as usize);
        assert_eq!(text[start..end].iter().collect::<String>(), *passage);
    }
}

fn prose(sentences: usize) -> String {
    (0..sentences).map(|n| format!("Sentence {n} has exactly seven words – ünïcödé.")).collect::<Vec<_>>().join(" ")
}

use BlockKind::{Code, Heading, Paragraph, TableRow};

#[test]
fn passages_keep_to_their_headings() {
    let document = blocks(vec![
        (Heading(1), "Guide".to_owned()),
        (Heading(2), "Start".to_owned()),
        (Paragraph, prose(10)),
        (Heading(2), "Stop".to_owned()),
        (Paragraph, prose(9)),
        (Heading(1), "Appendix".to_owned()),
        (Paragraph, "Short.".to_owned()),
    ]);
    let chunks = cut(&document).chunks;
    let found: Vec<(&str, usize)> = chunks.iter().map(|c| (c.heading.as_str(), words(&c.text))).collect();
    assert_eq!(found, [("Guide › Start", 80), ("Guide › Stop", 72), ("Appendix", 1)]);
}

#[test]
fn short_sections_go_on_into_the_next() {
    let questions = (0..4).flat_map(|n| [(Heading(2), format!("Question {n}?")), (Paragraph, prose(2))]);
    let document = blocks([(Heading(1), "Answers".to_owned())].into_iter().chain(questions).collect());
    let chunks = cut(&document).chunks;
    assert_eq!(chunks.len(), 2, "{chunks:?}");
    assert!(chunks[0].text.contains("Question 1?") && chunks[0].heading == "Answers › Question 0?");
}

#[test]
fn a_long_paragraph_is_cut_at_sentences_that_overlap_a_little() {
    let chunks = cut(&blocks(vec![(Paragraph, prose(100))])).chunks;
    assert!(chunks.len() >= 4, "{}", chunks.len());
    for pair in chunks.windows(2) {
        assert!(words(&pair[0].text) <= 220, "{}", words(&pair[0].text));
        assert!(pair[0].text.ends_with('.') && pair[1].text.starts_with("Sentence"));
        assert!(pair[1].start < pair[0].end, "no overlap");
        assert!(pair[0].end - pair[1].start < 300, "too much overlap");
    }
}

#[test]
fn paragraphs_that_are_parted_share_a_sentence() {
    let document = blocks((0..6).map(|_| (Paragraph, prose(9))).collect());
    let chunks = cut(&document).chunks;
    assert!(chunks.len() > 2);
    let shared = chunks[0].end - chunks[1].start;
    assert!((40..250).contains(&shared), "{shared}");
    assert!(chunks[1].text.starts_with("Sentence"));
}

#[test]
fn a_passage_stands_on_one_page() {
    let on = |page: u32, text: &str| Block { kind: Paragraph, text: text.to_owned(), page: Some(page) };
    let document = extracted(vec![on(1, "Title page."), on(2, "A walnut ledger."), on(2, "More of it.")]);
    let found: Vec<(Option<u32>, String)> = cut(&document).chunks.into_iter().map(|c| (c.page, c.text)).collect();
    let wanted = [(Some(1), "Title page.".to_owned()), (Some(2), "A walnut ledger.\n\nMore of it.".to_owned())];
    assert_eq!(found, wanted);
}

#[test]
fn rows_are_kept_whole_under_their_header() {
    let rows = (0..200).map(|n| (TableRow, format!("Item {n}\t{n}\tin stock")));
    let table = [(TableRow, "Name\tCount\tState".to_owned())].into_iter().chain(rows).collect();
    let chunks = cut(&blocks(table)).chunks;
    assert!(chunks.len() > 3);
    assert_eq!(chunks[0].context, "", "it begins with the header itself");
    for chunk in &chunks[1..] {
        assert_eq!(chunk.context, "Name\tCount\tState");
        assert!(chunk.text.starts_with("Item ") && chunk.text.ends_with("in stock"), "{}", chunk.text);
    }
}

#[test]
fn a_table_without_names_has_no_header() {
    let rows = (0..150).map(|n| (TableRow, format!("{n}\t{}\t2024-01-01", n * 2))).collect();
    assert!(cut(&blocks(rows)).chunks.iter().all(|chunk| chunk.context.is_empty()));
}

#[test]
fn long_code_is_cut_at_lines() {
    let code: String = (0..300).map(|n| format!("    let value_{n} = compute({n});\n")).collect();
    let chunks = cut(&blocks(vec![(Code, code.trim_end().to_owned())])).chunks;
    assert!(chunks.len() > 3);
    assert!(chunks.iter().all(|chunk| chunk.text.trim_end().ends_with(';')));
}

#[test]
fn a_heading_that_nothing_follows_is_not_lost() {
    let document = blocks(vec![
        (Heading(1), "Alone".to_owned()),
        (Heading(1), "Also alone".to_owned()),
        (Paragraph, "Text.".to_owned()),
        (Heading(2), "Last".to_owned()),
    ]);
    let all: String = cut(&document).chunks.iter().map(|c| format!("{} {} ", c.heading, c.text)).collect();
    for word in ["Alone", "Also alone", "Text.", "Last"] {
        assert!(all.contains(word), "{word} in {all}");
    }
}

#[test]
fn a_document_in_parts_goes_on_where_it_was() {
    let rows = |from: usize| (from..from + 40).map(|n| (TableRow, format!("Größe {n}\t{n}"))).collect::<Vec<_>>();
    let first = [(Heading(1), "Stock".to_owned()), (TableRow, "Name\tCount".to_owned())];
    let first = blocks(first.into_iter().chain(rows(0)).collect());
    let mut cutter = Cutter::new(Some("Stock"), &words);
    let parts = [cutter.take(&first), cutter.take(&blocks(rows(40)))];
    parts.iter().for_each(require_exact);
    assert_eq!(parts[1].start, parts[0].text.chars().count() as u64);
    assert!(parts[1].chunks.iter().all(|chunk| chunk.context == "Name\tCount" && chunk.heading == "Stock"));
}

#[test]
fn places_are_exact_in_long_texts_of_every_script() {
    let document = blocks((0..300).map(|n| (Paragraph, format!("{n} 東京都の天気は晴れ。 𝄞 {}", prose(3)))).collect());
    let chunks = cut(&document).chunks;
    assert!(chunks.len() > 20);
    let covered: usize = chunks.iter().map(|chunk| chunk.text.chars().count()).sum();
    assert!(covered >= 300 * 3 * 40, "{covered}");
}

#[test]
fn a_word_without_end_is_cut_too() {
    let chars = |text: &str| text.chars().count();
    let document = blocks(vec![(Paragraph, "x".repeat(5_000))]);
    let part = Cutter::new(None, &chars).take(&document);
    require_exact(&part);
    assert!(part.chunks.iter().all(|chunk| chunk.text.len() <= 220));
    assert_eq!(part.chunks.last().unwrap().end, 5_000);
}

fn extracted(blocks: Vec<Block>) -> Extracted {
    Extracted {
        kind: Kind::Text,
        title: None,
        blocks,
        tables: Vec::new(),
        metadata: serde_json::Map::new(),
        pages: None,
    }
}

#[test]
fn what_is_far_too_long_is_not_counted() {
    let longest = std::cell::Cell::new(0);
    let tokens = |text: &str| {
        longest.set(longest.get().max(text.len()));
        words(text)
    };
    let document = blocks(vec![(Paragraph, prose(20_000))]);
    let part = Cutter::new(None, &tokens).take(&document);
    require_exact(&part);
    assert!(part.text.len() > 20 * FAR && longest.get() <= FAR, "{}", longest.get());
}
