//! The check of a script's text, without running it.

use std::collections::BTreeSet;

use rhai::{AST, Position};
use url::Url;

use super::{
    faults,
    header::{self, Head, Host, Place},
    limits,
    machine::Machine,
    names::{self, Called},
    nearest::nearest,
    testing,
    wire::Checked,
};
use satchel_model::script::Diagnostic;

/// Words that look like functions and are none.
const KEYWORDS: &[&str] =
    &["print", "debug", "type_of", "is_def_var", "is_def_fn", "Fn", "call", "curry", "is_shared", "this"];

/// Checks header and body together.
pub fn check(machine: &Machine, source: &str) -> Checked {
    if source.len() > limits::MAX_SOURCE {
        let message = format!("The script is longer than {} KB.", limits::MAX_SOURCE >> 10);
        return Checked { problems: vec![Diagnostic::error(1, 1, message)], tests: Vec::new() };
    }
    let (head, mut problems) = header::parse(source);
    let mut tests = Vec::new();
    match machine.compile(source) {
        Ok(ast) => {
            problems.extend(of_calls(machine, &ast, &head));
            problems.extend(of_run(&ast, source));
            tests = testing::names(source);
        }
        Err(error) => problems.push(faults::of_text(source, &error)),
    }
    problems.sort_by_key(|problem| (problem.line, problem.column));
    Checked { problems, tests }
}

fn of_run(ast: &AST, source: &str) -> Option<Diagnostic> {
    let runs = ast.iter_functions().filter(|function| function.name == "run");
    let takes: Vec<usize> = runs.map(|run| run.params.len()).collect();
    if takes.contains(&1) {
        return None;
    }
    let Some(takes) = takes.first() else {
        let problem = Diagnostic::error(1, 1, "The script has no function 'run'.");
        return Some(problem.hint("Write fn run(args) { … }"));
    };
    let body = ast.shared_lib().get_script_fn("run", *takes).map(|run| run.body.start_position());
    let (line, column) = place_of_run(source, body.unwrap_or(Position::NONE));
    let problem = Diagnostic::error(line, column, format!("'run' takes {takes} parameters.")).long("run".len());
    Some(problem.hint("It takes one, the arguments: fn run(args) { … }"))
}

/// Returns the place of the name of `run`; the engine knows where its body begins.
fn place_of_run(source: &str, body: Position) -> Place {
    let begins = body.line().unwrap_or(1);
    let named = source.lines().take(begins).enumerate().filter_map(|(n, line)| {
        let (before, _) = line.split_once("fn run")?;
        Some((n + 1, before.chars().count() + "fn ".len() + 1))
    });
    named.last().unwrap_or((begins, body.position().unwrap_or(1).max(1)))
}

fn of_calls(machine: &Machine, ast: &AST, head: &Head) -> Vec<Diagnostic> {
    let known = names::known(machine, ast);
    let mut problems = Vec::new();
    let mut used = BTreeSet::new();
    for call in names::called(ast) {
        if call.name == "tool" {
            used.extend(call.first.clone());
        }
        let is_known =
            known.contains(&call.name) || KEYWORDS.iter().chain(&testing::BLOCKS).any(|word| *word == call.name);
        // A variable may hold a function; the engine looks at its name only when it is called.
        let problem = if is_known { of_call(&call, head) } else { Some(unknown(&call, &known)) };
        problems.extend(problem);
    }
    let literal_only = names::called(ast).iter().all(|call| call.name != "tool" || call.first.is_some());
    for (name, (line, column)) in head.uses_with_places().filter(|(name, _)| literal_only && !used.contains(*name)) {
        let told = format!("The header says @uses {name}, and the script does not.");
        problems.push(Diagnostic::warning(line, column, told).long(name.chars().count()));
    }
    problems
}

fn place(call: &Called) -> (usize, usize) {
    (call.at.line().unwrap_or(1), call.at.position().unwrap_or(1).max(1))
}

fn unknown(call: &Called, known: &BTreeSet<String>) -> Diagnostic {
    let (line, column) = place(call);
    let problem = Diagnostic::error(line, column, format!("There is no function '{}'.", call.name));
    let problem = problem.long(call.name.chars().count());
    match nearest(&call.name, known.iter().map(String::as_str)) {
        Some(close) => problem.hint(format!("Did you mean '{close}'?")),
        None => problem,
    }
}

/// Returns the problem where the header does not let it reach what it names.
fn of_call(call: &Called, head: &Head) -> Option<Diagnostic> {
    let (line, column) = place(call);
    let at = |message: String| Diagnostic::error(line, column, message).long(call.name.chars().count());
    let first = call.first.as_deref();
    match (call.name.as_str(), first) {
        ("tool", Some(name)) if !head.uses.iter().any(|used| used == name) => {
            let problem = at(format!("The header does not say that the script uses '{name}'."));
            Some(problem.hint(format!("Add // @uses {name}")))
        }
        ("config", Some(key)) if !head.settings.iter().any(|setting| setting.key == key) => {
            let problem = at(format!("The header has no setting '{key}'."));
            Some(problem.hint(format!("Add // @config {key} \"what it is\"")))
        }
        ("kv_get" | "kv_set" | "kv_delete" | "kv_keys", _) if !head.kv => {
            Some(at("The header does not say that the script keeps values.".to_owned()).hint("Add // @kv"))
        }
        ("http" | "http_get" | "http_post", _) if head.hosts.is_empty() => {
            Some(at("The header names no host to call.".to_owned()).hint("Add // @http api.example.org"))
        }
        ("http_get" | "http_post", Some(url)) => {
            let url = Url::parse(url).ok()?;
            if let Some(refused) = Host::wrong_scheme(&url) {
                return Some(at(refused));
            }
            let covered = head.hosts.iter().any(|host| host.covers(&url));
            let host = Host::needed(&url);
            (!covered).then(|| {
                at(format!("The header does not name the host '{host}'.")).hint(format!("Add // @http {host}"))
            })
        }
        _ => None,
    }
}
