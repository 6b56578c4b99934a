//! Web pages: headings, paragraphs, lists, code and tables; no scripts, styles or navigation.

use super::{
    charset,
    extracted::{BlockKind, Draft, Table},
    html_tokens::{Token, Tokens, attribute, resolve},
};
use satchel_model::error::Result;

/// Elements whose content is not part of the text.
const SKIPPED: [&str; 14] = [
    "script", "style", "template", "noscript", "svg", "math", "nav", "iframe", "noembed", "noframes", "object",
    "canvas", "select", "button",
];

/// Elements that only format a part of a paragraph.
const INLINE: [&str; 39] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img",
    "ins", "kbd", "label", "mark", "meter", "output", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
];

/// Elements that never have content, so that no end tag comes.
const VOID: [&str; 13] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];

pub(super) fn read(bytes: &[u8], draft: &mut Draft) -> Result<()> {
    let (page, encoding) = charset::decode(bytes, declared(bytes).as_deref())?;
    draft.note("encoding", encoding);
    let mut reader = Reader::default();
    for token in Tokens::new(&page) {
        match token {
            Token::Open(name, attributes) => reader.open(&name, attributes, draft)?,
            Token::Close(name) => reader.close(&name, draft)?,
            Token::Text(text) => reader.text(text, draft),
        }
    }
    reader.end(draft)?;
    reader.tables.into_iter().try_for_each(|table| draft.table(table))
}

/// The encoding a page names near its beginning.
pub(super) fn declared(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(bytes.get(..2048).unwrap_or(bytes)).to_ascii_lowercase();
    let behind =
        head.split("charset").nth(1)?.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
    Some(behind.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_:".contains(*c)).collect())
}

#[derive(Default)]
struct Reader {
    text: String,
    kind: Option<BlockKind>,
    /// The element whose content is passed over, and how often it is open.
    skipped: Option<(String, usize)>,
    lists: usize,
    verbatim: usize,
    in_title: bool,
    /// Tables that are open, the innermost last.
    tables: Vec<Table>,
}

/// Deepest tables in tables that are kept apart; in web pages they are layout.
const MAX_TABLES: usize = 3;

impl Reader {
    fn text(&mut self, text: &str, draft: &mut Draft) {
        if self.skipped.is_some() {
            return;
        }
        let text = resolve(text);
        if self.in_title {
            draft.title(&text);
        } else if self.verbatim > 0 {
            self.text.push_str(&text);
        } else {
            let (before, after) = (text.starts_with(char::is_whitespace), text.ends_with(char::is_whitespace));
            let mut between = before;
            for word in text.split_whitespace() {
                if between {
                    self.text.push(' ');
                }
                self.text.push_str(word);
                between = true;
            }
            // Blanks alone are one as well.
            if after {
                self.text.push(' ');
            }
        }
    }

    fn open(&mut self, name: &str, attributes: &str, draft: &mut Draft) -> Result<()> {
        if let Some((skipped, depth)) = &mut self.skipped {
            *depth += usize::from(skipped == name);
            return Ok(());
        }
        if SKIPPED.contains(&name) && !attributes.ends_with('/') {
            self.skipped = Some((name.to_owned(), 1));
            return Ok(());
        }
        match name {
            "title" => self.in_title = true,
            "html" => draft.note("language", attribute(attributes, "lang").unwrap_or_default().into_owned()),
            "meta" => meta(attributes, draft),
            "br" => self.text.push('\n'),
            "img" => self.text.push_str(&attribute(attributes, "alt").unwrap_or_default()),
            _ if INLINE.contains(&name) => {}
            "tr" | "td" | "th" | "table" => self.table(name, draft)?,
            _ => self.structure(name, draft)?,
        }
        Ok(())
    }

    fn structure(&mut self, name: &str, draft: &mut Draft) -> Result<()> {
        if self.in_cell() {
            self.text.push(' ');
            return Ok(());
        }
        self.end(draft)?;
        self.kind = match name {
            "h1" => Some(BlockKind::Heading(1)),
            "h2" => Some(BlockKind::Heading(2)),
            "h3" => Some(BlockKind::Heading(3)),
            "h4" => Some(BlockKind::Heading(4)),
            "h5" => Some(BlockKind::Heading(5)),
            "h6" => Some(BlockKind::Heading(6)),
            "li" | "dd" => Some(BlockKind::ListItem),
            "pre" | "textarea" | "xmp" => Some(BlockKind::Code),
            _ => None,
        };
        self.verbatim += usize::from(matches!(name, "pre" | "textarea" | "xmp"));
        self.lists += usize::from(matches!(name, "ul" | "ol"));
        Ok(())
    }

    fn table(&mut self, name: &str, draft: &mut Draft) -> Result<()> {
        if name == "table" {
            if self.tables.is_empty() {
                self.end(draft)?;
            }
            if self.tables.len() < MAX_TABLES {
                self.tables.push(Table::default());
            }
            return Ok(());
        }
        if self.tables.is_empty() {
            return self.end(draft);
        }
        self.cell(draft)?;
        let Some(table) = self.tables.last_mut() else { return Ok(()) };
        if name == "tr" || table.rows.is_empty() {
            table.rows.push(Vec::new());
        }
        if name != "tr" {
            draft.budget.keep(0)?;
            table.rows.iter_mut().last().into_iter().for_each(|row| row.push(String::new()));
        }
        Ok(())
    }

    fn in_cell(&self) -> bool {
        self.tables.last().and_then(|table| table.rows.last()).is_some_and(|row| !row.is_empty())
    }

    /// Puts the text so far into the last cell.
    fn cell(&mut self, draft: &mut Draft) -> Result<()> {
        let text = std::mem::take(&mut self.text);
        draft.budget.keep(text.len())?;
        let cell = self.tables.last_mut().and_then(|table| table.rows.last_mut()).and_then(|row| row.last_mut());
        match cell {
            Some(cell) => cell.push_str(text.trim()),
            None => self.text = text,
        }
        Ok(())
    }

    fn close(&mut self, name: &str, draft: &mut Draft) -> Result<()> {
        if let Some((skipped, depth)) = &mut self.skipped {
            *depth -= usize::from(skipped == name);
            if *depth == 0 {
                self.skipped = None;
            }
            return Ok(());
        }
        match name {
            "title" => self.in_title = false,
            "td" | "th" | "tr" => self.cell(draft)?,
            "table" => {
                self.cell(draft)?;
                if let Some(table) = self.tables.pop() {
                    draft.table(table)?;
                }
            }
            _ if INLINE.contains(&name) || VOID.contains(&name) => {}
            _ if self.in_cell() => self.text.push(' '),
            _ => {
                self.end(draft)?;
                self.verbatim -= usize::from(matches!(name, "pre" | "textarea" | "xmp")).min(self.verbatim);
                self.lists -= usize::from(matches!(name, "ul" | "ol")).min(self.lists);
            }
        }
        Ok(())
    }

    fn end(&mut self, draft: &mut Draft) -> Result<()> {
        if self.in_cell() {
            return self.cell(draft);
        }
        let text = std::mem::take(&mut self.text);
        if text.trim().is_empty() {
            return Ok(());
        }
        let kind = if self.verbatim > 0 { Some(BlockKind::Code) } else { self.kind.take() };
        draft.block(kind.unwrap_or(BlockKind::Paragraph), &text, None)
    }
}

fn meta(attributes: &str, draft: &mut Draft) {
    let name = attribute(attributes, "name").or_else(|| attribute(attributes, "property")).unwrap_or_default();
    let content = attribute(attributes, "content").unwrap_or_default().into_owned();
    match name.to_ascii_lowercase().as_str() {
        "author" | "article:author" => draft.note("author", content),
        "description" | "og:description" => draft.note("description", content),
        "keywords" => draft.note("keywords", content),
        "date" | "article:published_time" | "dc.date" => draft.note("created", content),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            extracted::{Extracted, Kind},
            limits::Limits,
        },
        *,
    };

    fn extracted(page: &str) -> Extracted {
        let mut draft = Draft::new(Kind::Html, &Limits::default());
        read(page.as_bytes(), &mut draft).unwrap();
        draft.done
    }

    #[test]
    fn structure_comes_out_and_what_is_no_text_does_not() {
        let page = "<html lang=de><head><title>A &amp; B</title><meta name=author content='Ada'><style>p{}</style></head>\
            <body><nav><a>Home</a></nav><h1>One</h1><p>Two <b>thr</b>ee<br>four<p>five<ul><li>x<li>y</ul>\
            <pre>\n  a\n  b</pre><script>var x = '<p>no</p>'</script><div>last</div>";
        let read = extracted(page);
        let blocks: Vec<(BlockKind, &str)> = read.blocks.iter().map(|b| (b.kind, b.text.as_str())).collect();
        use BlockKind::{Code, Heading, ListItem, Paragraph};
        let wanted = [
            (Heading(1), "One"),
            (Paragraph, "Two three\nfour"),
            (Paragraph, "five"),
            (ListItem, "x"),
            (ListItem, "y"),
            (Code, "  a\n  b"),
            (Paragraph, "last"),
        ];
        assert_eq!(blocks, wanted);
        assert_eq!((read.title.as_deref(), &read.metadata["author"]), (Some("A & B"), &"Ada".into()));
    }

    #[test]
    fn tables_have_rows_and_cells() {
        let read = extracted("a<table><thead><tr><th>n<th>v</thead><tr><td><p>1</p><p>2</p></td><td>x<br>y</table>b");
        assert_eq!(read.tables[0].rows, [["n", "v"], ["1  2", "x\ny"]]);
        assert_eq!(read.text(), "a\n\nn\tv\n1 2\tx\ny\n\nb");
    }

    #[test]
    fn pages_made_to_hang_a_parser_do_not() {
        for piece in [
            "<div>",
            "<table>",
            "<table><tr><td>",
            "<a b=",
            "<b id=x><p>",
            "<!--",
            "</",
            "<p a a a",
            "&",
            "<svg>",
            "<td>",
        ] {
            let page = piece.repeat(300_000 / piece.len());
            let mut draft = Draft::new(Kind::Html, &Limits::default());
            let _ = read(page.as_bytes(), &mut draft);
        }
        let quadratic = format!("<p {}>x", "a=1 ".repeat(100_000));
        assert_eq!(extracted(&quadratic).text(), "x");
    }
}
