//! Reads the header of a script; every error says where.

mod lines;
mod misfit;
mod records;
mod words;

use std::{collections::BTreeSet, time::Duration};

use self::{
    lines::{late, tags_of},
    misfit::misfit,
    records::{example, parameter, setting, unnamed_host},
    words::{choice, list, permission, timeout, tool_name},
};
use super::{
    Head, Host, Place,
    cursor::Cursor,
    tags::{self, TAGS},
};
use crate::nearest::nearest;
use satchel_model::{
    script::Diagnostic,
    spec::{Category, Risk},
};

type Parsed<T> = Result<T, Diagnostic>;

/// A text without the mark some editors put before it (U+FEFF).
pub fn without_mark(source: &str) -> &str {
    source.strip_prefix('\u{feff}').unwrap_or(source)
}

/// The head a header describes, as far as it can be read, and all that is wrong with it.
pub fn parse(source: &str) -> (Head, Vec<Diagnostic>) {
    let mut reader = Reader::default();
    let source = without_mark(source);
    for (name, place, cursor) in tags_of(source) {
        if let Err(problem) = reader.tag(&name, place, cursor) {
            reader.problems.push(problem);
        }
    }
    reader.finish(late(source))
}

/// The name a script gives itself, where it gives one that could be a tool's.
pub fn name_of(source: &str) -> Option<String> {
    let name = parse(source).0.name;
    (!name.is_empty()).then_some(name)
}

/// A time as scripts write it: `9s`, `500ms`, or seconds without a unit.
pub fn duration(text: &str) -> Option<Duration> {
    let (number, per_second) = match text.strip_suffix("ms") {
        Some(number) => (number, 1_000.0),
        None => (text.strip_suffix('s').unwrap_or(text), 1.0),
    };
    Duration::try_from_secs_f64(number.trim_end().parse::<f64>().ok()? / per_second).ok()
}

#[derive(Default)]
struct Reader {
    head: Head,
    seen: BTreeSet<String>,
    problems: Vec<Diagnostic>,
}

impl Reader {
    fn tag(&mut self, name: &str, (line, column): Place, mut cursor: Cursor) -> Parsed<()> {
        let at_tag = |message: String| Diagnostic::error(line, column, message).long(name.chars().count() + 1);
        let Some(tag) = tags::find(name) else {
            let known = TAGS.iter().map(|tag| tag.name);
            let problem = at_tag(format!("There is no tag '@{name}'."));
            return Err(match nearest(name, known) {
                Some(close) => problem.hint(format!("Did you mean '@{close}'?")),
                None => {
                    problem.hint(format!("There are: {}.", TAGS.iter().map(|t| t.name).collect::<Vec<_>>().join(", ")))
                }
            });
        };
        if !self.seen.insert(name.to_owned()) && !tag.repeats {
            return Err(at_tag(format!("'@{name}' stands here a second time.")).hint("Once is enough: take one away."));
        }
        if cursor.is_done() && name != "kv" {
            return Err(at_tag(format!("'@{name}' says nothing.")).hint(format!("Write {}.", tag.syntax)));
        }
        self.read(name, &mut cursor)?;
        if cursor.is_done() {
            return Ok(());
        }
        Err(cursor.error("This is more than the tag takes.").hint(format!("Write {}.", tag.syntax)))
    }

    fn read(&mut self, name: &str, cursor: &mut Cursor) -> Parsed<()> {
        let head = &mut self.head;
        match name {
            "name" => {
                let start = cursor.mark();
                head.name = tool_name(cursor)?;
                head.name_at = cursor.place(start);
            }
            "description" => head.description = cursor.remainder(),
            "when" => head.when = cursor.remainder(),
            "category" => head.category = choice::<Category>(cursor, "category", CATEGORIES)?,
            "param" => parameter(head, cursor)?,
            "risk" => head.risk = choice::<Risk>(cursor, "risk", &["read", "low_write", "high_write", "destructive"])?,
            "permission" => head.permission = Some(permission(cursor)?),
            "timeout" => head.timeout = timeout(cursor)?,
            "config" => setting(head, cursor)?,
            "uses" => list(cursor, |word, place| {
                head.uses.push(word);
                head.uses_at.push(place);
                Ok(())
            })?,
            "http" => list(cursor, |word, _| {
                head.hosts.push(word.parse::<Host>().map_err(|error| error.message().to_owned())?);
                Ok(())
            })?,
            "kv" => head.kv = true,
            _ => example(head, cursor)?,
        }
        Ok(())
    }

    fn finish(mut self, late: Vec<Diagnostic>) -> (Head, Vec<Diagnostic>) {
        // Where a parameter could not be read, an example that gives it is not to blame.
        if self.problems.is_empty() {
            self.problems = self.head.examples.iter().filter_map(|example| misfit(&self.head, example)).collect();
        }
        self.problems.extend(self.head.bound.iter().filter_map(|bound| unnamed_host(&self.head, bound)));
        for (tag, hint) in
            [("name", "Begin with: // @name my_tool"), ("description", "Say what the tool does: // @description …")]
        {
            if !self.seen.contains(tag) {
                self.problems.push(Diagnostic::error(1, 1, format!("The header lacks '@{tag}'.")).hint(hint));
            }
        }
        for (tag, hint) in [
            ("when", "Tools are found by it, in a user's words: // @when …"),
            ("example", "One shows what to expect, and is a test: // @example \"…\" {…} => …"),
        ] {
            if !self.seen.contains(tag) {
                self.problems.push(Diagnostic::warning(1, 1, format!("The header has no '@{tag}'.")).hint(hint));
            }
        }
        self.problems.extend(late);
        self.problems.sort_by_key(|problem| (problem.line, problem.column));
        (self.head, self.problems)
    }
}

/// The words of [`Category`].
const CATEGORIES: &[&str] = &[
    "data",
    "files",
    "processes",
    "desktop",
    "memory",
    "operations",
    "agents",
    "knowledge",
    "catalog",
    "web",
    "media",
    "outside",
];
