//! Reads the header of a script; every error says where.

use std::{collections::BTreeSet, time::Duration};

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{
    Head, HeadExample, Host, Kind, Parameter, Place,
    cursor::Cursor,
    tags::{self, TAGS},
};
use crate::{
    model::{
        caller::Permission,
        script::Diagnostic,
        spec::{Category, Risk, Setting},
    },
    script::nearest::nearest,
};

/// Shortest time a call may ask for.
const MIN_TIMEOUT: Duration = Duration::from_secs(1);
/// Longest time a call may ask for.
const MAX_TIMEOUT: Duration = Duration::from_secs(120);
/// Longest name: `script__` and it must fit a wire name.
const MAX_NAME: usize = 48;

type Parsed<T> = Result<T, Diagnostic>;

/// A text without the mark some editors put before it (U+FEFF).
pub fn without_mark(source: &str) -> &str {
    source.strip_prefix('\u{feff}').unwrap_or(source)
}

/// What a header says, as far as it can be read, and all that is wrong with it.
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

/// The tags of the comment lines before the first line of code.
fn tags_of(source: &str) -> Vec<(String, Place, Cursor)> {
    let mut found: Vec<(String, Place, Cursor)> = Vec::new();
    for (n, line) in source.lines().enumerate() {
        let number = n + 1;
        let indented = line.len() - line.trim_start().len();
        let trimmed = line.trim();
        if trimmed.is_empty() {
            continue;
        }
        let Some(comment) = trimmed.strip_prefix("//") else { break };
        let text = comment.trim_start();
        let column = |text: &str| line.chars().count() - text.chars().count() - trailing(line) + 1;
        if let Some(tag) = text.strip_prefix('@') {
            let length = tag.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(tag.len());
            let (name, rest) = tag.split_at(length);
            let rest = rest.trim_start();
            let mut cursor = Cursor::new(number, column(rest));
            cursor.extend(rest, number, column(rest));
            found.push((name.to_owned(), (number, column(text)), cursor));
        } else if comment.starts_with("   ")
            && indented == 0
            && !text.is_empty()
            && let Some((_, _, cursor)) = found.last_mut()
        {
            cursor.extend(text, number, column(text));
        }
    }
    found
}

/// What looks like a tag and stands below the header.
fn late(source: &str) -> Vec<Diagnostic> {
    let body = source.lines().enumerate().skip_while(|(_, line)| is_header(line));
    let tags = body.filter_map(|(n, line)| {
        let text = line.trim().strip_prefix("//")?.trim_start();
        let word = text.strip_prefix('@')?.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
        let tag = tags::find(word)?;
        let column = line.chars().count() - text.chars().count() - trailing(line) + 1;
        let told = format!("'@{word}' says nothing here: the header ends where the script begins.");
        let problem = Diagnostic::warning(n + 1, column, told).long(tag.name.len() + 1);
        Some(problem.hint("Put it above the first line of the script."))
    });
    tags.collect()
}

fn is_header(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with("//")
}

fn trailing(line: &str) -> usize {
    line.chars().count() - line.trim_end().chars().count()
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

fn tool_name(cursor: &mut Cursor) -> Parsed<String> {
    let start = cursor.mark();
    let name = cursor.remainder();
    let starts_well = name.starts_with(|c: char| c.is_ascii_lowercase());
    let plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if starts_well && plain && name.len() <= MAX_NAME {
        return Ok(name);
    }
    let problem = cursor.error_at(start, format!("'{name}' cannot be a tool's name.")).long(name.chars().count());
    Err(problem.hint(format!("Use small letters, digits and _, beginning with a letter, {MAX_NAME} at most.")))
}

fn choice<T: serde::de::DeserializeOwned>(cursor: &mut Cursor, what: &str, known: &[&str]) -> Parsed<T> {
    let start = cursor.mark();
    let word = cursor.word().unwrap_or_default();
    serde_json::from_value(Value::String(word.clone())).map_err(|_| {
        let problem = cursor.error_at(start, format!("'{word}' is not a {what}.")).long(word.chars().count());
        problem.hint(format!("There are: {}.", known.join(", ")))
    })
}

fn permission(cursor: &mut Cursor) -> Parsed<String> {
    let start = cursor.mark();
    let text = cursor.word().unwrap_or_default();
    match text.parse::<Permission>() {
        Ok(permission) if permission.as_str() != "*" => Ok(text),
        Ok(_) => Err(cursor.error_at(start, "'*' is not one permission.").hint("Name the one the caller needs.")),
        Err(error) => Err(cursor.error_at(start, error.message()).long(text.chars().count())),
    }
}

fn timeout(cursor: &mut Cursor) -> Parsed<Duration> {
    let start = cursor.mark();
    let text = cursor.word().unwrap_or_default();
    let within = duration(&text).filter(|time| (MIN_TIMEOUT..=MAX_TIMEOUT).contains(time) && time.subsec_nanos() == 0);
    within.ok_or_else(|| {
        let problem = cursor.error_at(start, format!("'{text}' is not a time a call may take."));
        problem.long(text.chars().count()).hint(format!("Write whole seconds, 1s to {}s.", MAX_TIMEOUT.as_secs()))
    })
}

fn parameter(head: &mut Head, cursor: &mut Cursor) -> Parsed<()> {
    let start = cursor.mark();
    let name = identifier(cursor, "parameter")?;
    if head.parameters.iter().any(|parameter| parameter.name == name) {
        return Err(cursor.error_at(start, format!("There is a parameter '{name}' already.")).long(name.len()));
    }
    let kind = kind(cursor)?;
    let optional = cursor.take("?");
    let default = if cursor.take("=") {
        let start = cursor.mark();
        let value: Value = cursor.json("a value, as JSON")?;
        if !kind.holds(&value) {
            let problem = cursor.error_at(start, format!("The default {value} is not what '{name}' may hold."));
            return Err(problem.long(value.to_string().chars().count()));
        }
        Some(value)
    } else {
        None
    };
    let description = description(cursor, "@param name type \"what it is\"")?;
    let optional = optional || default.is_some();
    head.parameters.push(Parameter { name, kind, optional, default, description });
    Ok(())
}

fn identifier(cursor: &mut Cursor, what: &str) -> Parsed<String> {
    let start = cursor.mark();
    let name = cursor.word().unwrap_or_default();
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain && name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.len() <= MAX_NAME {
        return Ok(name);
    }
    let problem =
        cursor.error_at(start, format!("'{name}' cannot be the name of a {what}.")).long(name.chars().count());
    Err(problem.hint("Use letters, digits and _, beginning with a letter."))
}

fn kind(cursor: &mut Cursor) -> Parsed<Kind> {
    let mut kind = if cursor.sees_text() {
        let mut values = vec![cursor.json::<String>("a text in quotes")?];
        while cursor.take("|") {
            values.push(cursor.json::<String>("a text in quotes")?);
        }
        Kind::OneOf(values)
    } else {
        let start = cursor.mark();
        let word = cursor.word().unwrap_or_default();
        Kind::of(&word).ok_or_else(|| {
            let problem = cursor.error_at(start, format!("'{word}' is not a type.")).long(word.chars().count());
            problem.hint(format!(
                "There are: {}, a list such as string[], or values such as \"a\" | \"b\".",
                Kind::WORDS.join(", ")
            ))
        })?
    };
    while cursor.take("[]") {
        kind = Kind::List(Box::new(kind));
    }
    Ok(kind)
}

fn setting(head: &mut Head, cursor: &mut Cursor) -> Parsed<()> {
    let start = cursor.mark();
    let key = identifier(cursor, "setting")?;
    if head.settings.iter().any(|setting| setting.key == key) {
        return Err(cursor.error_at(start, format!("There is a setting '{key}' already.")).long(key.len()));
    }
    let mut setting = Setting { key, description: String::new(), secret: false, required: false, default: None };
    while !cursor.is_done() && !cursor.sees_text() {
        if cursor.take("=") {
            let at = cursor.mark();
            setting.default = Some(cursor.json("a text in quotes")?);
            if setting.secret {
                return Err(cursor.error_at(at, "A secret has no default: it would stand in the script."));
            }
            continue;
        }
        let at = cursor.mark();
        match cursor.word().as_deref() {
            Some("secret") if setting.default.is_none() => setting.secret = true,
            Some("required") => setting.required = true,
            _ => {
                let problem = cursor.error_at(at, "Here 'secret', 'required', a default or what it is should come.");
                return Err(problem.hint("Write @config key secret required \"what it is\"."));
            }
        }
    }
    setting.description = description(cursor, "@config key \"what it is\"")?;
    head.settings.push(setting);
    Ok(())
}

fn description(cursor: &mut Cursor, syntax: &str) -> Parsed<String> {
    if cursor.sees_text() {
        return cursor.json("a text in quotes");
    }
    Err(cursor.error("Here what it is should stand, in quotes.").hint(format!("Write {syntax}.")))
}

/// Words with commas between them; `each` says what is wrong with one.
fn list(cursor: &mut Cursor, mut each: impl FnMut(String, Place) -> Result<(), String>) -> Parsed<()> {
    loop {
        let start = cursor.mark();
        let Some(word) = cursor.word() else { return Err(cursor.error("Here a name is missing.")) };
        let length = word.chars().count();
        each(word, cursor.place(start)).map_err(|message| cursor.error_at(start, message).long(length))?;
        if !cursor.take(",") {
            return Ok(());
        }
    }
}

fn example(head: &mut Head, cursor: &mut Cursor) -> Parsed<()> {
    let start = cursor.mark();
    let line = cursor.error_at(start, "").line;
    let title: String = cursor.json("a title in quotes")?;
    let at = cursor.mark();
    let arguments_at = cursor.place(at);
    let arguments: Value = cursor.json("the arguments, as a JSON object")?;
    if !arguments.is_object() {
        return Err(cursor.error_at(at, "The arguments of an example are a JSON object."));
    }
    cursor.back(at);
    let names_at = names(cursor)?;
    if !cursor.take("=>") {
        return Err(cursor.error("Here '=>' and the result should come."));
    }
    let result: Value = cursor.json("the result, as JSON")?;
    head.examples.push(HeadExample { title, arguments, arguments_at, names_at, result, line });
    Ok(())
}

/// The names in a JSON object that was read before, each with its place.
fn names(cursor: &mut Cursor) -> Parsed<Vec<(String, Place)>> {
    let mut found = Vec::new();
    cursor.take("{");
    while !cursor.take("}") {
        let start = cursor.mark();
        found.push((cursor.json("a name")?, cursor.place(start)));
        cursor.take(":");
        cursor.json::<IgnoredAny>("a value")?;
        cursor.take(",");
    }
    Ok(found)
}

/// What of an example's arguments the tool would not take.
fn misfit(head: &Head, example: &HeadExample) -> Option<Diagnostic> {
    let at = |name: &str, message: String| {
        let (line, column) = example.place_of(name);
        let length =
            if example.arguments.get(name).is_some() { Value::from(name).to_string().chars().count() } else { 1 };
        Diagnostic::error(line, column, message).long(length)
    };
    let given = example.arguments.as_object()?;
    let known = || head.parameters.iter().map(|parameter| parameter.name.as_str());
    if let Some(name) = given.keys().find(|name| !known().any(|known| known == name.as_str())) {
        let problem = at(name, format!("The example gives '{name}', and there is no such parameter."));
        return Some(match nearest(name, known()) {
            Some(close) => problem.hint(format!("Did you mean '{close}'?")),
            None => problem.hint(format!("Take it out, or add // @param {name} string \"what it is\"")),
        });
    }
    head.parameters.iter().find_map(|Parameter { name, kind, optional, .. }| match given.get(name) {
        None | Some(Value::Null) if *optional => None,
        None => {
            let problem = at(name, format!("The example does not give '{name}', which it must."));
            Some(problem.hint(format!("Give it, or let it be left out: // @param {name} type? …")))
        }
        Some(value) if kind.holds(value) => None,
        Some(value) => {
            let value: String = value.to_string().chars().take(40).collect();
            let problem = at(name, format!("The example gives {value} for '{name}', which cannot hold it."));
            Some(problem.hint(format!("The schema of '{name}' is {}.", kind.schema())))
        }
    })
}
