//! A value as GraphQL writes it, read as JSON: the defaults of a schema are written so.
//!
//! Grammar: <https://spec.graphql.org/October2021/#sec-Input-Values>.

use std::{iter::Peekable, str::Chars};

use serde_json::{Map, Value};

/// Deepest lists and objects in each other.
const MAX_DEPTH: usize = 16;

/// The value a literal stands for; none where it is not one whole literal.
pub(super) fn parse(text: &str) -> Option<Value> {
    let mut reader = Reader { chars: text.chars().peekable() };
    let value = reader.value(0)?;
    reader.skip_blank();
    reader.chars.next().is_none().then_some(value)
}

struct Reader<'a> {
    chars: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    fn skip_blank(&mut self) {
        while self.chars.next_if(|c| c.is_whitespace() || *c == ',').is_some() {}
    }

    fn next_is(&mut self, mark: char) -> bool {
        self.skip_blank();
        self.chars.next_if_eq(&mark).is_some()
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.skip_blank();
        match *self.chars.peek()? {
            _ if depth > MAX_DEPTH => None,
            '[' => self.list(depth),
            '{' => self.object(depth),
            '"' => self.text().map(Value::String),
            '-' | '0'..='9' => self.taken(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)).parse().ok(),
            _ => Some(match self.name()?.as_str() {
                "null" => Value::Null,
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                // One of the values of an enum.
                name => Value::from(name),
            }),
        }
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        self.chars.next();
        let mut items = Vec::new();
        while !self.next_is(']') {
            items.push(self.value(depth + 1)?);
        }
        Some(Value::Array(items))
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.chars.next();
        let mut fields = Map::new();
        while !self.next_is('}') {
            let name = self.name()?;
            let value = if self.next_is(':') { self.value(depth + 1)? } else { return None };
            fields.insert(name, value);
        }
        Some(Value::Object(fields))
    }

    fn name(&mut self) -> Option<String> {
        let name = self.taken(|c| c == '_' || c.is_ascii_alphanumeric());
        (!name.is_empty()).then_some(name)
    }

    fn taken(&mut self, belongs: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(c) = self.chars.next_if(|c| belongs(*c)) {
            taken.push(c);
        }
        taken
    }

    /// A text in quotes. One over several lines is nothing a default needs.
    fn text(&mut self) -> Option<String> {
        self.chars.next();
        let mut text = String::new();
        loop {
            match self.chars.next()? {
                '"' => return Some(text),
                '\\' => text.push(self.escaped()?),
                c => text.push(c),
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        match self.chars.next()? {
            c @ ('"' | '\\' | '/') => Some(c),
            'b' => Some('\u{8}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'u' => {
                let digits: String = self.chars.by_ref().take(4).collect();
                char::from_u32(u32::from_str_radix(&digits, 16).ok()?)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_kind_of_literal_is_read() {
        for (text, wanted) in [
            ("5", json!(5)),
            ("-2.5e3", json!(-2500.0)),
            (r#""a \"b\" \u00e9\n""#, json!("a \"b\" é\n")),
            ("true", json!(true)),
            ("null", Value::Null),
            ("DESC", json!("DESC")),
            ("[1, 2 3]", json!([1, 2, 3])),
            (
                "{field: NAME, direction: {by: [ASC]}, n: 1}",
                json!({"field": "NAME", "direction": {"by": ["ASC"]}, "n": 1}),
            ),
        ] {
            assert_eq!(parse(text), Some(wanted), "{text}");
        }
    }

    #[test]
    fn what_is_no_whole_literal_is_none() {
        let deep = "[".repeat(100_000);
        for text in ["", "[1", "{a}", "{a: }", "1 2", "\"a", "$a", "1x", deep.as_str()] {
            assert_eq!(parse(text), None, "{}", text.get(..5).unwrap_or(text));
        }
    }
}
