//! The bare text of a page, for one that is too large or too deeply nested for a tree: in time linear in its length.

use std::cell::RefCell;

use html5ever::{
    tendril::StrTendril,
    tokenizer::{
        BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts, states::RawKind,
    },
};

/// Largest page that a tree is built of.
const LARGEST: usize = 16 << 20;
/// Most tags: a page with more is no article, and its tree takes more memory than there is.
pub(super) const TAGS: usize = 200_000;
/// Deepest nesting; a page of people is nested less deep by far.
const DEEPEST: usize = 400;

/// Returns whether a page is larger, nested deeper, or of more tags than a tree of it is worth.
pub(super) fn is_too_much(page: &str) -> bool {
    let (mut depth, mut tags) = (0_usize, 0_usize);
    let bytes = page.as_bytes();
    for (at, _) in page.match_indices('<').take(TAGS + 1) {
        tags += 1;
        match bytes.get(at + 1) {
            Some(b'/') => depth = depth.saturating_sub(1),
            Some(c) if c.is_ascii_alphabetic() && !is_alone(page.get(at + 1..).unwrap_or_default()) => depth += 1,
            _ => {}
        }
        if depth > DEEPEST {
            return true;
        }
    }
    page.len() > LARGEST || tags > TAGS
}

/// Elements that are often not closed.
fn is_alone(tag: &str) -> bool {
    let name: String =
        tag.chars().take_while(char::is_ascii_alphanumeric).take(8).collect::<String>().to_ascii_lowercase();
    let known = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr", "p",
        "li", "td", "tr", "th", "dt", "dd", "option",
    ];
    known.contains(&name.as_str())
}

/// The text of a page.
#[derive(Debug, Default)]
pub(super) struct PageText {
    /// Its title, empty where it has none.
    pub(super) title: String,
    /// Its text, with an empty line between what stands apart.
    pub(super) text: String,
    within: Within,
}

/// The element that text belongs to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Within {
    #[default]
    Body,
    Title,
    /// One whose content is no text.
    Other,
}

/// Reads a page for its text.
pub(super) fn read(page: &str) -> PageText {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(page));
    let tokenizer = Tokenizer::new(Sink::default(), TokenizerOpts::default());
    // It stops before the end only where it is told to.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

#[derive(Default)]
struct Sink(RefCell<PageText>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut page = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) => page.add(&text),
            Token::TagToken(tag) => return page.tag(&tag),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl PageText {
    fn add(&mut self, text: &str) {
        match self.within {
            Within::Body => self.text.push_str(text),
            Within::Title => self.title.push_str(text),
            Within::Other => {}
        }
    }

    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        self.within = Within::Body;
        match &*tag.name {
            "a" | "abbr" | "b" | "bdi" | "bdo" | "big" | "cite" | "code" | "data" | "del" | "dfn" | "em" | "font"
            | "i" | "img" | "ins" | "kbd" | "mark" | "q" | "s" | "samp" | "small" | "span" | "strike" | "strong"
            | "sub" | "sup" | "time" | "tt" | "u" | "var" | "wbr" => {}
            "td" | "th" => self.set_apart("\t"),
            "br" | "li" | "tr" => self.set_apart("\n"),
            _ => self.set_apart("\n\n"),
        }
        if tag.kind == TagKind::EndTag {
            return TokenSinkResult::Continue;
        }
        let (within, raw) = match &*tag.name {
            "title" if self.title.is_empty() => (Within::Title, RawKind::Rcdata),
            "title" => (Within::Other, RawKind::Rcdata),
            "textarea" => (Within::Body, RawKind::Rcdata),
            "script" => (Within::Other, RawKind::ScriptData),
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => (Within::Other, RawKind::Rawtext),
            _ => return TokenSinkResult::Continue,
        };
        self.within = within;
        TokenSinkResult::RawData(raw)
    }

    /// Ends with so many line breaks, or with a tab in a line.
    fn set_apart(&mut self, by: &str) {
        if self.text.is_empty() || (by == "\t" && self.text.ends_with(['\t', '\n'])) {
            return;
        }
        while by != "\t" && !self.text.ends_with(by) {
            self.text.push('\n');
        }
        if by == "\t" {
            self.text.push('\t');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_out_and_what_is_no_text_does_not() {
        let page = "<!doctype html><title>A &amp; B</title><style>p{}</style><!-- <b> --><P class=\"a>b\">1 < 2 <b>thr</b>ee\
            <br/>four</p><script>if (a<b) '</p>'</SCRIPT><table><tr><td>x<td>y&#228;<tr><td>z</table>last&nope; &";
        let PageText { title, text, .. } = read(page);
        assert_eq!(title, "A & B");
        assert_eq!(text, "1 < 2 three\nfour\n\nx\tyä\nz\n\nlast&nope; &");
    }

    #[test]
    fn pages_made_to_hang_a_parser_do_not() {
        let pieces = [
            "<div>",
            "<table><tr><td>",
            "<a b=",
            "<b id=x><p>",
            "<!--",
            "</",
            "<p a a a",
            "&",
            "<svg>",
            "<title>",
            "<script>",
        ];
        for piece in pieces {
            assert!(read(&piece.repeat(300_000 / piece.len())).text.len() < 400_000, "{piece}");
        }
        assert_eq!(read(&format!("<p {}>x", "a=1 ".repeat(100_000))).text, "x");
    }

    #[test]
    fn what_a_tree_is_not_worth_is_seen() {
        for page in ["<div>".repeat(1_000), "<b>x</b>".repeat(TAGS), " ".repeat(LARGEST + 1)] {
            assert!(is_too_much(&page), "{:?}", &page[..10]);
        }
        for page in ["<p>x<br>".repeat(10_000), "<div>x</div>".repeat(10_000), "a < b".repeat(10_000)] {
            assert!(!is_too_much(&page), "{:?}", &page[..10]);
        }
    }
}
