//! A web page cut into tags and text, in time linear in its length whatever it holds. No tree is built: text needs none.

use std::borrow::Cow;

use quick_xml::escape::resolve_html5_entity;

/// A piece of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Text as it stands, references not yet resolved.
    Text(&'a str),
    /// A start tag: its name in lower case, and what stands behind it.
    Open(String, &'a str),
    /// An end tag.
    Close(String),
}

/// Elements whose content is no markup.
const RAW: [&str; 8] = ["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"];

/// The tokens of a page. Comments, doctypes and instructions are passed over.
pub(super) struct Tokens<'a> {
    rest: &'a str,
    raw: Option<String>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(page: &'a str) -> Self {
        Self { rest: page, raw: None }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    /// Everything up to the end tag of a raw element.
    fn raw_text(&mut self, name: &str) -> &'a str {
        let end = self.rest.match_indices("</").find(|(at, _)| {
            let behind = self.rest.get(at + 2..at + 2 + name.len());
            behind.is_some_and(|behind| behind.eq_ignore_ascii_case(name))
        });
        self.take(end.map_or(self.rest.len(), |(at, _)| at))
    }

    fn tag(&mut self) -> Option<Token<'a>> {
        let whole = self.take(tag_length(self.rest));
        let inner = whole.strip_prefix('<')?.strip_suffix('>').unwrap_or_default();
        let (close, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
        let length = inner.find(|c: char| c.is_ascii_whitespace() || c == '/').unwrap_or(inner.len());
        let (name, attributes) = inner.split_at_checked(length)?;
        let name = name.to_ascii_lowercase();
        if close {
            return Some(Token::Close(name));
        }
        if RAW.contains(&name.as_str()) {
            self.raw = Some(name.clone());
        }
        Some(Token::Open(name, attributes))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            if let Some(name) = self.raw.take() {
                let text = self.raw_text(&name);
                if !text.is_empty() {
                    return Some(Token::Text(text));
                }
                continue;
            }
            let mut after = self.rest.chars().skip(1);
            match (self.rest.starts_with('<'), after.next()) {
                (true, Some('!')) if self.rest.starts_with("<!--") => {
                    let length = self.rest.get(4..).and_then(|rest| rest.find("-->")).map(|at| at + 7);
                    self.take(length.unwrap_or(self.rest.len()));
                }
                (true, Some('!' | '?')) => {
                    let length = self.rest.find('>').map_or(self.rest.len(), |at| at + 1);
                    self.take(length);
                }
                (true, Some(c)) if c.is_ascii_alphabetic() || c == '/' => {
                    if let Some(token) = self.tag() {
                        return Some(token);
                    }
                }
                _ => return Some(Token::Text(self.take(text_length(self.rest)))),
            }
        }
    }
}

/// Bytes up to the first `<` behind the first character that may begin a tag or something like it. A `<` that begins
/// nothing is text: a page may hold millions.
fn text_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let begins = |at: &usize| {
        bytes.get(at + 1).is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?'))
    };
    text.match_indices('<').map(|(at, _)| at).filter(|at| *at > 0).find(begins).unwrap_or(text.len())
}

/// Bytes up to the `>` that ends a tag; those within quotes of a value do not.
fn tag_length(text: &str) -> usize {
    let mut quote = None;
    let mut before = b' ';
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') if before == b'=' => quote = Some(byte),
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    text.len()
}

/// The value of an attribute in what stands behind a tag's name.
pub(super) fn attribute<'a>(attributes: &'a str, name: &str) -> Option<Cow<'a, str>> {
    let mut rest = attributes;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if rest.is_empty() {
            return None;
        }
        let length = rest.find(|c: char| c.is_ascii_whitespace() || c == '=' || c == '/').unwrap_or(rest.len()).max(1);
        let (key, behind) = rest.split_at_checked(length)?;
        let behind = behind.trim_start();
        let Some(value) = behind.strip_prefix('=') else {
            rest = behind;
            continue;
        };
        let value = value.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, behind) = match quote {
            Some(quote) => value.get(1..)?.split_once(quote)?,
            None => value.split_at(value.find(|c: char| c.is_ascii_whitespace()).unwrap_or(value.len())),
        };
        if key.eq_ignore_ascii_case(name) {
            return Some(resolve(value));
        }
        rest = behind;
    }
}

/// Longest name of a reference.
const MAX_NAME: usize = 32;

/// Text with its character references resolved; what is none stays as it is.
pub(super) fn resolve(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        out.push_str(before);
        let (name, after) = behind.split_at(name_length(behind));
        match after.strip_prefix(';').and_then(|after| Some((reference(name)?, after))) {
            Some((text, after)) => {
                out.push_str(&text);
                rest = after;
            }
            _ => {
                out.push('&');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Bytes of what may be the name or the number of a reference.
fn name_length(text: &str) -> usize {
    text.bytes().take(MAX_NAME).take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'#').count()
}

fn reference(name: &str) -> Option<Cow<'static, str>> {
    let Some(number) = name.strip_prefix('#') else { return resolve_html5_entity(name).map(Cow::Borrowed) };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => number.parse().ok()?,
    };
    let c = char::from_u32(code).filter(|c| *c != '\0').unwrap_or('\u{fffd}');
    Some(Cow::Owned(c.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_text_and_what_is_neither_are_told_apart() {
        let page = "<!doctype html><P class=\"a>b\">1 < 2<!-- <b> --><br/></p><script>if (a<b) '</p>'</SCRIPT>x";
        let tokens: Vec<Token<'_>> = Tokens::new(page).collect();
        let open = |name: &str, attributes| Token::Open(name.to_owned(), attributes);
        let close = |name: &str| Token::Close(name.to_owned());
        let wanted = [
            open("p", " class=\"a>b\""),
            Token::Text("1 < 2"),
            open("br", "/"),
            close("p"),
            open("script", ""),
            Token::Text("if (a<b) '</p>'"),
            close("script"),
            Token::Text("x"),
        ];
        assert_eq!(tokens, wanted);
    }

    #[test]
    fn what_begins_no_tag_is_one_text() {
        let tokens = |page: &str| Tokens::new(page).count();
        assert_eq!(tokens(&"<".repeat(1_000)), 1);
        assert_eq!(tokens(&"< <".repeat(1_000)), 1);
        assert_eq!(Tokens::new("<<b>x<3<").collect::<Vec<_>>().len(), 3);
    }

    #[test]
    fn attributes_and_references_are_read() {
        assert_eq!(attribute(" a b=1 c = 'x &amp; y' d=\"z\"", "C").as_deref(), Some("x & y"));
        assert_eq!(attribute(" a b=1/>", "b").as_deref(), Some("1/>"));
        assert_eq!(attribute("=== \"", "b"), None);
        assert_eq!(resolve("&lt;&eacute;&#228;&#x20ac;&nope; & &amp"), "<éä€&nope; & &amp");
    }
}
