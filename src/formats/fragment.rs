//! HTML that tools return: a fragment with inline CSS, without anything that acts, loads or covers the page.

use std::{collections::HashSet, sync::LazyLock};

use ammonia::{Builder, UrlRelative};

/// What inline CSS may say: how text looks.
const LOOKS: &[&str] = &[
    "background-color",
    "border",
    "border-radius",
    "color",
    "display",
    "font-size",
    "font-style",
    "font-weight",
    "gap",
    "margin",
    "max-width",
    "padding",
    "text-align",
    "text-decoration",
    "white-space",
    "width",
];

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut cleaner = Builder::default();
    cleaner
        .add_generic_attributes(["style"])
        .filter_style_properties(LOOKS.iter().copied().collect())
        .url_schemes(HashSet::from(["http", "https", "mailto", "data"]))
        .url_relative(UrlRelative::PassThrough)
        .attribute_filter(|element, attribute, value| {
            if attribute == "style" {
                return staying(value).map(Into::into);
            }
            let data = value.trim_start().to_ascii_lowercase().starts_with("data:");
            (!data || (element == "img" && attribute == "src")).then(|| value.into())
        });
    cleaner
});

/// The declarations of inline CSS that leave the element in its place: a margin below zero draws it over what is around
/// it. None: they are written as only somebody does who hides one.
fn staying(css: &str) -> Option<String> {
    if ["/*", "\\", "\"", "'"].iter().any(|odd| css.contains(odd)) {
        return None;
    }
    let stays = |declaration: &&str| {
        let (name, value) = declaration.split_once(':').unwrap_or((declaration, ""));
        !name.to_ascii_lowercase().contains("margin") || !value.contains(['-', '('])
    };
    Some(css.split(';').filter(stays).collect::<Vec<_>>().join(";"))
}

/// The harmless part of a text that is to be HTML.
pub fn clean(html: &str) -> String {
    CLEANER.clean(html).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_gone_and_what_looks_stays() {
        let kept = r#"<p style="color:red">a <b>b</b></p>"#;
        assert_eq!(clean(kept), kept);
        let cases = [
            ("<script>alert(1)</script>x", "x"),
            (r#"<p onclick="a()">x</p>"#, "<p>x</p>"),
            (r#"<iframe src="https://e.org"></iframe>x"#, "x"),
            (r#"<p style="position:fixed;color:red">x</p>"#, r#"<p style="color:red">x</p>"#),
            (
                r#"<p style="color:red;MARGIN:0 -9px;margin:4px 8px">x</p>"#,
                r#"<p style="color:red;margin:4px 8px">x</p>"#,
            ),
            (r#"<p style="margin:calc(1px - 9px);color:red">x</p>"#, r#"<p style="color:red">x</p>"#),
            (r#"<p style="margin:/*;*/-9px">x</p>"#, "<p>x</p>"),
            (r#"<p style="m\61rgin:-9px">x</p>"#, "<p>x</p>"),
            (r#"<style>p{}</style><form><input></form>x"#, "x"),
        ];
        for (given, wanted) in cases {
            assert_eq!(clean(given), wanted, "{given}");
        }
        for link in ["javascript:a()", " JaVaScript:a()", "data:text/html,x", "vbscript:x"] {
            let cleaned = clean(&format!(r#"<a href="{link}">x</a>"#));
            assert!(!cleaned.contains("href"), "{cleaned}");
        }
        let image = r#"<img src="data:image/png;base64,AA==">"#;
        assert_eq!(clean(image), image);
    }
}
