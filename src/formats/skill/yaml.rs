//! The head of a SKILL.md as the form's reference reads it: block YAML whose values are texts, without flow style, tags,
//! anchors and keys that stand there twice.

use granit_parser::{Event, Parser, StructureStyle};

use satchel_model::error::{Error, Result};

/// Deepest nesting.
const MAX_DEPTH: usize = 8;
/// Most values.
const MAX_VALUES: usize = 1_000;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Yaml {
    /// A text, as every scalar is.
    Text(String),
    /// A list.
    List(Vec<Yaml>),
    /// A mapping, in its order.
    Map(Vec<(String, Yaml)>),
}

impl Yaml {
    /// The text; `None` of anything else.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::List(_) | Self::Map(_) => None,
        }
    }
}

/// A list or mapping that is open while the text is read.
enum Open {
    List(Vec<Yaml>),
    Map { entries: Vec<(String, Yaml)>, key: Option<String> },
}

/// Reads a mapping.
pub(super) fn mapping(text: &str) -> Result<Vec<(String, Yaml)>> {
    let mut open: Vec<Open> = Vec::new();
    let mut whole = None;
    let mut columns: Vec<usize> = Vec::new();
    let (mut values, mut documents) = (0, 0);
    for next in Parser::new_from_str(text) {
        let (event, span) = next.map_err(|error| wrong(&format!("it is no YAML: {error}")))?;
        if event.tag().is_some() {
            return Err(wrong("it has a tag (`!`), and all values are plain texts"));
        }
        let done = match event {
            Event::DocumentStart(..) => {
                documents += 1;
                if documents > 1 {
                    return Err(wrong("it holds more than one document"));
                }
                None
            }
            Event::Alias(_) => return Err(anchored()),
            Event::Scalar(_, _, anchor, _) | Event::SequenceStart(_, anchor, _) | Event::MappingStart(_, anchor, _)
                if anchor != 0 =>
            {
                return Err(anchored());
            }
            // Nothing at all is an empty text, as against a `~` that is written.
            Event::Scalar(text, ..) if span.start.index() < span.end.index() => Some(Yaml::Text(text.into_owned())),
            Event::Scalar(..) => Some(Yaml::Text(String::new())),
            Event::SequenceStart(StructureStyle::Flow, ..) | Event::MappingStart(StructureStyle::Flow, ..) => {
                return Err(wrong("it uses flow style (`[…]` or `{…}`): write one entry a line"));
            }
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                None
            }
            Event::MappingStart(..) => {
                let (depth, column) = (open.len(), span.start.col());
                match columns.get(depth) {
                    Some(known) if *known != column => return Err(wrong("it is indented unevenly")),
                    Some(_) => {}
                    None => columns.resize(depth + 1, column),
                }
                open.push(Open::Map { entries: Vec::new(), key: None });
                None
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(items)) => Some(Yaml::List(items)),
                Some(Open::Map { entries, .. }) => Some(Yaml::Map(entries)),
                None => None,
            },
            _ => None,
        };
        values += 1;
        if open.len() > MAX_DEPTH || values > MAX_VALUES {
            return Err(wrong("it holds too much"));
        }
        if let Some(value) = done {
            match open.last_mut() {
                Some(around) => around.take(value)?,
                None => whole = Some(value),
            }
        }
    }
    match whole {
        Some(Yaml::Map(entries)) => Ok(entries),
        _ => Err(wrong("it is no mapping: write `name:` and `description:`")),
    }
}

impl Open {
    fn take(&mut self, value: Yaml) -> Result<()> {
        match self {
            Self::List(items) => items.push(value),
            Self::Map { entries, key } => match key.take() {
                Some(key) => entries.push((key, value)),
                None => {
                    let name = value.text().ok_or_else(|| wrong("a key of it is no text"))?;
                    if name == "<<" {
                        return Err(wrong("it merges keys (`<<`)"));
                    }
                    if entries.iter().any(|(known, _)| known == name) {
                        return Err(wrong(&format!("its key '{name}' stands there twice")));
                    }
                    *key = Some(name.to_owned());
                }
            },
        }
        Ok(())
    }
}

fn anchored() -> Error {
    wrong("it has an anchor or an alias (`&`, `*`): write each value where it belongs")
}

/// The refusal of a head.
pub(super) fn wrong(why: &str) -> Error {
    Error::invalid(format!("The head of SKILL.md cannot be read: {}.", why.trim_end_matches('.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Yaml {
        Yaml::Text(text.to_owned())
    }

    #[test]
    fn every_scalar_is_a_text() {
        let read = mapping("a: 1.0\nb:\nc: ~\nd: >\n  x\n  y\ne:\n- p\n- 'q'\nf:\n  g: true\n").unwrap();
        let wanted = [
            ("a", text("1.0")),
            ("b", text("")),
            ("c", text("~")),
            ("d", text("x y\n")),
            ("e", Yaml::List(vec![text("p"), text("q")])),
            ("f", Yaml::Map(vec![("g".to_owned(), text("true"))])),
        ];
        assert_eq!(read, wanted.map(|(key, value)| (key.to_owned(), value)));
    }

    #[test]
    fn what_the_reference_refuses_is_refused() {
        for (head, told) in [
            ("name: a\nname: b", "twice"),
            ("name: {a: b}", "flow style"),
            ("name: []", "flow style"),
            ("name: &x a", "anchor"),
            ("a: *x", "unknown anchor"),
            ("name: !!str a", "tag"),
            ("- a", "no mapping"),
            ("just text", "no mapping"),
            ("", "no mapping"),
            ("# only a comment", "no mapping"),
            ("a: b: c", "no YAML"),
            ("a: \"un", "no YAML"),
            ("a:\n   b: 1\nc:\n  d: 2", "unevenly"),
            ("a: @x", "no YAML"),
            ("<<: x", "merges"),
        ] {
            let error = mapping(head).unwrap_err();
            assert!(error.message().contains(told), "{head}: {error}");
        }
        let deep: String = (0..20).map(|n| format!("{}a:\n", "  ".repeat(n))).collect();
        assert!(mapping(&deep).unwrap_err().message().contains("too much"));
        assert!(mapping(&(0..2_000).map(|n| format!("k{n}: v\n")).collect::<String>()).is_err());
    }
}
