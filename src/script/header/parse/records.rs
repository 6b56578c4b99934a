//! Tags that add to a list: parameters, settings, examples.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{
    Parsed,
    words::{description, identifier, kind, list},
};
use crate::header::{BoundSecret, Head, HeadExample, Host, Parameter, Place, cursor::Cursor};
use satchel_model::{script::Diagnostic, spec::Setting};

pub(super) fn parameter(head: &mut Head, cursor: &mut Cursor) -> Parsed<()> {
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

pub(super) fn setting(head: &mut Head, cursor: &mut Cursor) -> Parsed<()> {
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
            Some("to") if setting.secret && !is_bound(head, &setting.key) => {
                let bound = bound(cursor, &setting.key)?;
                head.bound.push(bound);
            }
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

fn is_bound(head: &Head, key: &str) -> bool {
    head.bound.iter().any(|bound| bound.key == key)
}

/// The hosts that a secret is sent to.
fn bound(cursor: &mut Cursor, key: &str) -> Parsed<BoundSecret> {
    let start = cursor.mark();
    let mut hosts = Vec::new();
    list(cursor, |word, _| {
        hosts.push(word.parse::<Host>().map_err(|error| error.message().to_owned())?);
        Ok(())
    })?;
    Ok(BoundSecret { key: key.to_owned(), hosts, at: cursor.place(start) })
}

/// Returns a problem where a secret is sent to a host that the script does not call: such a header promises what
/// nothing keeps.
pub(super) fn unnamed_host(head: &Head, bound: &BoundSecret) -> Option<Diagnostic> {
    let host = bound.hosts.iter().find(|host| !head.hosts.contains(host))?;
    let (line, column) = bound.at;
    let problem = Diagnostic::error(line, column, format!("The header does not name the host '{host}' itself."));
    Some(problem.hint(format!("Add // @http {host}")))
}

pub(super) fn example(head: &mut Head, cursor: &mut Cursor) -> Parsed<()> {
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
