//! Web pages as documents: what a page says in Markdown, cut into blocks.

use pulldown_cmark::Options;
use url::Url;

use super::{
    charset,
    extracted::Draft,
    markdown,
    page::{Part, contents},
    page_text::{self, is_too_much},
    text,
};
use satchel_model::error::Result;

/// The way a page is to be read as a document.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted<'a> {
    /// All of it.
    Document,
    /// Its article, if it is one, for which its address says something.
    Article(Option<&'a Url>),
    /// Its bare text.
    Text,
}

pub(super) fn read(bytes: &[u8], wanted: Wanted<'_>, draft: &mut Draft) -> Result<()> {
    let (page, encoding) = charset::decode(bytes, charset::of_html(bytes).as_deref())?;
    draft.note("encoding", encoding);
    let read = match wanted {
        Wanted::Document | Wanted::Article(_) if is_too_much(&page) => None,
        Wanted::Document => Some(contents(&page, Part::Document, None)),
        Wanted::Article(address) => Some(contents(&page, Part::Article, address)),
        Wanted::Text => None,
    };
    let Some(read) = read.filter(|read| markdown::is_readable(&read.markdown)) else {
        let bare = page_text::read(&page);
        draft.title(&bare.title);
        return text::paragraphs(&bare.text, draft);
    };
    draft.title(&read.title);
    read.about.into_iter().for_each(|(name, value)| draft.note(name, value));
    markdown::blocks(&read.markdown, Options::ENABLE_TABLES, draft)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            extracted::{BlockKind, Extracted, Kind},
            limits::Limits,
        },
        *,
    };

    fn extracted(page: &str) -> Extracted {
        let mut draft = Draft::new(Kind::Html, &Limits::default());
        read(page.as_bytes(), Wanted::Document, &mut draft).unwrap();
        draft.done
    }

    #[test]
    fn structure_comes_out_and_what_is_no_text_does_not() {
        let page = "<html lang=de><head><title>A &amp; B</title><meta name=author content='Ada'><style>p{}</style></head>\
            <body><nav><a>Home</a></nav><h1>One</h1><p>Two <b>thr</b>ee<br>four<p>five<ul><li>x<li>y</ul>\
            <pre>\n  a\n  b</pre><script>var x = '<p>no</p>'</script><div>last</div><p hidden>never</p>\
            <header>1 &lt; 2</header><footer>* [x] &copy;</footer>";
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
            (Paragraph, "1 < 2"),
            (Paragraph, "* [x] ©"),
        ];
        assert_eq!(blocks, wanted);
        assert_eq!((read.title.as_deref(), &read.metadata["author"]), (Some("A & B"), &"Ada".into()));
        assert_eq!(read.metadata["language"], "de");
    }

    #[test]
    fn tables_have_rows_and_cells() {
        let read = extracted("a<table><thead><tr><th>n<th>v</thead><tr><td><p>1</p><p>2</p></td><td>x<br>y</table>b");
        assert_eq!(read.tables[0].rows, [["n", "v"], ["1\n2", "x\ny"]]);
        assert_eq!(read.text(), "a\n\nn\tv\n1\n2\tx\ny\n\nb");
    }

    #[test]
    fn rows_of_unequal_length_are_a_table_and_tables_around_tables_are_none() {
        let inner = "<table><tr><td>1<td>2<td>3<tr><td>4<td>5</table>";
        let rows = [vec!["1", "2", "3"], vec!["4", "5", ""]];
        assert_eq!(extracted(inner).tables[0].rows, rows);
        let read = extracted(&format!("<table><tr><td>left<td>{inner}<td>right</table>"));
        assert_eq!(read.tables.len(), 1);
        assert_eq!(read.text(), "left\n\n1\t2\t3\n4\t5\n\nright");
    }
}
