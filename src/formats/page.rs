//! A web page as Markdown: its article where it is one, with links, tables and code, else all of it.

use dom_query::{Document, NodeRef};
use dom_smoothie::{Config, Readability, TextMode};
use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    charset,
    page_text::{self, PageText, TAGS, is_too_much},
    page_tree::Changes,
};
use satchel_model::error::Result;

/// Elements that say nothing to a reader.
const SKIPPED: &[&str] =
    &["script", "style", "meta", "head", "noscript", "template", "svg", "iframe", "object", "canvas"];

/// The elements of a document that only lead elsewhere, or choose.
const CONTROLS: &[&str] = &["nav", "select", "button"];

/// The elements that stand around the text of a page.
const AROUND: &[&str] = &["nav", "footer", "aside", "form", "button"];

/// Elements that stand apart from what is around them, of which Markdown does not know.
const APART: &str =
    "main, header, figure, figcaption, address, fieldset, legend, center, nav, footer, aside, form, option";

/// An article shorter than this is rather a page whose text was not understood.
const SHORTEST: usize = 200;

/// A page that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// Its title.
    pub title: Option<String>,
    /// Its text as Markdown, addresses made whole.
    pub markdown: String,
    /// The encoding it was in.
    pub encoding: String,
}

/// The way a page is to be read.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// The encoding its head named.
    pub charset: Option<&'a str>,
    /// The address it came from.
    pub address: &'a Url,
    /// `true` if only its article is wanted, if it is one, and nothing of what stands around the text.
    pub article: bool,
    /// `true` if its bare text is enough.
    pub plain: bool,
}

/// Reads a page. One that is nested too deeply or has too many tags for a tree is read as plain text.
pub fn markdown(bytes: &[u8], reading: Reading<'_>) -> Result<Page> {
    let declared = reading.charset.map(str::to_owned).or_else(|| charset::of_html(bytes));
    let (text, encoding) = charset::decode(bytes, declared.as_deref())?;
    let (title, markdown) = if reading.plain || is_too_much(&text) {
        let PageText { title, text, .. } = page_text::read(&text);
        (title, text)
    } else {
        let part = if reading.article { Part::Article } else { Part::Whole };
        let contents = contents(&text, part, Some(reading.address));
        (contents.title, contents.markdown)
    };
    let title = Some(title.trim().to_owned()).filter(|title| !title.is_empty());
    Ok(Page { title, markdown: squeezed(&markdown), encoding: encoding.to_owned() })
}

/// Text that is no page, as it stands. XML whose head names no encoding may name it itself.
pub fn text(bytes: &[u8], charset: Option<&str>) -> Result<String> {
    let declared = charset.map(str::to_owned).or_else(|| charset::of_xml(bytes));
    Ok(charset::decode(bytes, declared.as_deref())?.0.into_owned())
}

/// The part of a page that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// All of it, as of a document somebody wrote: without its controls.
    Document,
    /// Its article, and where it is none, all of it but what stands around the text.
    Article,
}

/// The contents of a page.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// Its title, empty where it has none.
    pub(super) title: String,
    /// Its statements about itself: names as a document's properties have them, and values.
    pub(super) about: Vec<(&'static str, String)>,
    /// Its text as Markdown.
    pub(super) markdown: String,
}

/// Reads a page for a part of it. Addresses are made whole where its own is known.
pub(super) fn contents(text: &str, part: Part, address: Option<&Url>) -> Contents {
    let document = Document::from(text);
    let (title, about) = (settled(&document, address), about(&document));
    let contents = |title, markdown| Contents { title, about, markdown };
    match part {
        Part::Whole => return contents(title, written(&document, &[])),
        Part::Document => return contents(title, written(&document, CONTROLS)),
        Part::Article => {}
    }
    let config = Config { max_elements_to_parse: TAGS, text_mode: TextMode::Markdown, ..Config::default() };
    let Ok(mut reader) = Readability::with_document(document, None, Some(config)) else {
        return contents(title, String::new());
    };
    if !reader.is_probably_readable() {
        return contents(title, inner(&reader.doc));
    }
    match reader.parse() {
        Ok(found) if found.text_content.trim().chars().count() >= SHORTEST => {
            let own = found.title.trim().to_owned();
            contents(if own.is_empty() { title } else { own }, found.text_content.to_string())
        }
        // Reading for an article takes the tree apart.
        _ => {
            let document = Document::from(text);
            settled(&document, address);
            contents(title, inner(&document))
        }
    }
}

/// All of a page but what stands around it, and that too where nothing else is left.
fn inner(document: &Document) -> String {
    let inner = written(document, AROUND);
    if inner.trim().is_empty() { written(document, &[]) } else { inner }
}

/// All of a page that says something, but for these elements.
fn written(document: &Document, but: &[&str]) -> String {
    let skipped: Vec<&str> = SKIPPED.iter().chain(but).copied().collect();
    for node in document.select(APART).nodes().iter().filter(|node| !but.iter().any(|name| node.has_name(name))) {
        node.rename("section");
    }
    document.md(Some(&skipped)).to_string()
}

/// Returns what the head of a page says about it.
fn about(document: &Document) -> Vec<(&'static str, String)> {
    let language = document.html_root().attr("lang").map(|language| ("language", language.to_string()));
    let metas = document.head().map(|head| head.children()).unwrap_or_default();
    let said = metas.iter().filter(|node| node.has_name("meta")).filter_map(|meta| {
        let name = meta.attr("name").or_else(|| meta.attr("property"))?;
        let known = match name.to_ascii_lowercase().as_str() {
            "author" | "article:author" => "author",
            "description" | "og:description" => "description",
            "keywords" => "keywords",
            "date" | "article:published_time" | "dc.date" => "created",
            _ => return None,
        };
        Some((known, meta.attr("content")?.to_string()))
    });
    language.into_iter().chain(said).collect()
}

/// Makes addresses whole, so that they mean the same outside of the page, and what Markdown does not know something it
/// knows; with the page's title. One pass over the tree, where a selector each would take many.
fn settled(document: &Document, address: Option<&Url>) -> String {
    let head = document.head();
    let base =
        head.and_then(|head| head.children_it(false).find(|node| node.has_name("base") && node.has_attr("href")));
    let base = base.and_then(|base| address?.join(&base.attr("href")?).ok());
    let base = base.as_ref().or(address);
    // The tree cannot be changed while it is walked.
    let (mut title, mut links, mut pictures, mut changes) = (None, Vec::new(), Vec::new(), Changes::default());
    for node in document.root().descendants_it() {
        let name = node.qual_name_ref();
        let Some(name) = name.as_deref().map(|name| &*name.local) else { continue };
        match name {
            "title" if title.is_none() => title = Some(node),
            "a" => links.push(node),
            "img" => pictures.push(node),
            _ => {}
        }
        changes.see(&node, name);
    }
    if let Some(base) = base {
        links.iter().for_each(|node| complete(node, "href", base));
        pictures.iter().for_each(|node| picture(node, base));
    }
    changes.make();
    title.map(|title| title.text().to_string()).unwrap_or_default()
}

/// The attributes with the address of a picture that is loaded late.
const LATE: &[&str] = &["data-src", "data-lazy-src", "data-original"];

/// Makes the addresses of a picture whole; one that is loaded late gets its own in place of what stands for it.
fn picture(node: &NodeRef<'_>, base: &Url) {
    ["src"].iter().chain(LATE).for_each(|name| complete(node, name, base));
    let late = LATE.iter().find_map(|name| node.attr(name)).filter(|_| !node.has_attr("src"));
    if let Some(late) = late {
        node.set_attr("src", &late);
    }
}

/// Makes one address whole; those that are not to be followed go.
fn complete(node: &NodeRef<'_>, name: &str, base: &Url) {
    let Some(address) = node.attr(name) else { return };
    match base.join(address.trim()) {
        Ok(whole) if matches!(whole.scheme(), "http" | "https" | "mailto") => node.set_attr(name, whole.as_str()),
        _ => node.remove_attr(name),
    }
}

/// Without blanks at line ends and without more than one empty line, code left alone.
fn squeezed(markdown: &str) -> String {
    let (mut kept, mut empty, mut code) = (String::with_capacity(markdown.len()), 0, false);
    for line in markdown.lines() {
        code ^= line.trim_start().starts_with("```");
        let line = if code { line } else { line.trim_end() };
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 2 || code {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(page: &str, article: bool) -> Page {
        let address = Url::parse("https://a.example/birds/heron").unwrap();
        markdown(page.as_bytes(), Reading { charset: None, address: &address, article, plain: false }).unwrap()
    }

    const BODY: &str = "<h2>Where it lives</h2>\
        <p>The heron waits at the water's edge for hours, and does not move at all until a fish comes by. \
        It is <a href='../fish?x=1#y'>fond of fish</a>, <b>very</b> fond. \
        The heron waits at the water's edge for hours, and does not move at all until a fish comes by.</p>\
        <p>It stands in shallow water, still as a post, and its patience is longer than that of any fish there is.</p>\
        <table><tr><th>Bird</th><th>Legs</th></tr><tr><td>Heron</td><td>2</td></tr></table>\
        <pre><code>let legs = 2;\nlet wings = 2;</code></pre>";

    fn page() -> String {
        format!(
            "<html><head><title>Herons</title><style>p{{}}</style></head><body><nav><a href=/>Home</a></nav>\
             <article><h1>Herons</h1>{BODY}{BODY}</article><footer>Imprint</footer><script>var x = 1</script></body></html>"
        )
    }

    #[test]
    fn links_tables_and_code_come_out_and_what_stands_around_only_of_the_whole_page() {
        for article in [true, false] {
            let Page { title, markdown, encoding } = read(&page(), article);
            assert_eq!((title.as_deref(), encoding.as_str()), (Some("Herons"), "UTF-8"));
            for wanted in [
                "## Where it lives",
                "[fond of fish](https://a.example/fish?x=1#y)",
                "**very**",
                "| Heron | 2 |",
                "let legs = 2;\nlet wings = 2;",
            ] {
                assert!(markdown.contains(wanted), "{wanted} is missing of {markdown}");
            }
            for unwanted in ["var x", "p{}"] {
                assert!(!markdown.contains(unwanted), "{unwanted} stands in {markdown}");
            }
            for around in ["Home", "Imprint"] {
                assert_eq!(markdown.contains(around), !article, "{around}: {markdown}");
            }
        }
    }

    #[test]
    fn cells_over_several_rows_terms_details_and_the_language_of_code_are_kept() {
        let more = "<table><thead><tr><th rowspan=2>Bird</th><th colspan=2>Seen</th></tr><tr><th>May</th><th>June</th></tr></thead>\
            <tr><td rowspan=2>Heron</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr>\
            <tr><td colspan=2>Egret</td><td>5</td></tr></table>\
            <dl><dt>Term</dt><dd>Meaning</dd><dt>T2</dt><dd>M2</dd></dl>\
            <details><summary>More</summary>It is told here.</details>\
            <pre class=x><code class='hljs language-python'>x = 1\ny = 2</code></pre>";
        let page = page().replace("<h2>Where it lives</h2>", &format!("<h2>Where it lives</h2>{more}"));
        for article in [true, false] {
            let markdown = read(&page, article).markdown;
            let lines: Vec<&str> = markdown.lines().collect();
            for wanted in [
                "| Bird | May | June |",
                "| Heron | 1 | 2 |",
                "| Heron | 3 | 4 |",
                "| Egret |  | 5 |",
                "Term",
                "Meaning",
                "T2",
                "M2",
                "More",
                "It is told here.",
                "```python",
            ] {
                assert!(lines.contains(&wanted), "{wanted} is missing of {markdown}");
            }
        }
    }

    #[test]
    fn what_readers_do_not_see_is_left_out_and_what_they_see_is_kept() {
        let more = "<p hidden>CANARY1</p><div style='color:red; Display : NONE'>CANARY2 <b>CANARY3</b></div>\
            <a href=/x style='visibility:hidden'>CANARY4</a><table><caption>Birds by month</caption><tr><th>Bird</th>\
            <th>Seen</th></tr><tr><td>Egret</td><td>5</td></tr></table><p>Look: <img data-src='../late.png' alt=Late></p>\
            <p style='display: block'>In plain sight.</p>";
        let page = page().replace("<h2>Where it lives</h2>", &format!("<h2>Where it lives</h2>{more}"));
        let page = page.replace("<body>", "<body style='display:none'>");
        for article in [true, false] {
            let markdown = read(&page, article).markdown;
            assert!(!markdown.contains("CANARY"), "{markdown}");
            let wanted = [
                "Birds by month",
                "| Egret | 5 |",
                "![Late](https://a.example/late.png)",
                "In plain sight.",
                "**very**",
            ];
            for wanted in wanted {
                assert!(markdown.contains(wanted), "{wanted} is missing of {markdown}");
            }
        }
    }

    #[test]
    fn cells_that_claim_to_span_everything_do_not_grow_without_end() {
        let cell = "<td rowspan=0 colspan=99999>x</td>".repeat(30);
        let page = format!("<table>{}</table>", format!("<tr>{cell}</tr>").repeat(200));
        assert!(read(&page, false).markdown.len() < 2_000_000);
    }

    #[test]
    fn a_page_that_is_no_article_is_read_whole() {
        let Page { markdown, .. } = read("<title>T</title><ul><li><a href=x>One</a><li>Two</ul>", true);
        assert!(markdown.contains("[One](https://a.example/birds/x)") && markdown.contains("Two"), "{markdown}");
        assert!(read("<nav><a href=/x>Only this</a></nav>", true).markdown.contains("Only this"));
    }

    #[test]
    fn addresses_that_run_something_are_dropped() {
        let Page { markdown, .. } = read("<a href='javascript:alert(1)'>x</a><a href='data:text/html,y'>y</a>", false);
        assert!(!markdown.contains("javascript") && !markdown.contains("data:"), "{markdown}");
    }

    #[test]
    fn the_encoding_of_the_head_counts_more_than_the_pages() {
        let address = Url::parse("https://a.example/").unwrap();
        let bytes = b"<meta charset=utf-8><p>Gr\xfc\xdfe aus K\xf6ln</p>";
        for charset in [Some("iso-8859-1"), None] {
            let page = markdown(bytes, Reading { charset, address: &address, article: false, plain: false }).unwrap();
            assert_eq!(page.markdown.contains("Grüße aus Köln"), charset.is_some(), "{page:?}");
        }
        let russian = encoding_rs::WINDOWS_1251.encode("<meta charset=windows-1251><p>Привет, мир</p>").0;
        let page =
            markdown(&russian, Reading { charset: None, address: &address, article: true, plain: false }).unwrap();
        assert_eq!((page.markdown.as_str(), page.encoding.as_str()), ("Привет, мир", "windows-1251"));
    }

    #[test]
    fn pages_made_to_hang_a_reader_do_not() {
        for piece in ["<div>", "<table><tr><td>", "<b>", "<a href=x>", "<ul><li>", "<p><b>"] {
            let _ = markdown(
                piece.repeat(400_000 / piece.len()).as_bytes(),
                Reading {
                    charset: None,
                    address: &Url::parse("https://a.example/").unwrap(),
                    article: true,
                    plain: false,
                },
            );
        }
    }
}
