//! Rhai's errors, in words that say what to do, at the place where they happened.

use rhai::{AST, EvalAltResult, ParseError, ParseErrorType, Position};

use super::{limits, machine::Machine, misfit, names, nearest::nearest, state::Limit, testing, wire::Fault};
use satchel_model::script::Diagnostic;

/// The fault a run ended with.
pub(super) fn of_run(machine: &Machine, ast: &AST, error: &EvalAltResult) -> Fault {
    let (inner, position) = innermost(error);
    let message = message(inner, |signature| unknown_function(machine, ast, signature));
    let place = Some(position).filter(|p| !p.is_none());
    Fault {
        message,
        thrown: is_thrown(inner),
        line: place.and_then(|p| p.line()),
        column: place.and_then(|p| p.position()),
    }
}

fn message(error: &EvalAltResult, unknown: impl Fn(&str) -> String) -> String {
    match error {
        EvalAltResult::ErrorRuntime(value, _) => thrown(value),
        EvalAltResult::ErrorTerminated(token, _) => match token.clone().try_cast::<Limit>() {
            Some(limit) => limit.message(),
            None => token.clone().into_string().unwrap_or_default(),
        },
        EvalAltResult::ErrorTooManyOperations(_) => format!(
            "The script took more than {} steps. Look for a loop that does not end, or use a helper instead of a loop.",
            limits::MAX_OPERATIONS
        ),
        EvalAltResult::ErrorStackOverflow(_) => {
            format!("Functions call each other more than {} deep.", limits::MAX_CALLS)
        }
        EvalAltResult::ErrorDataTooLarge(what, _) => {
            format!("Too large: {what}. A script may hold texts of 1 MB, lists of 100,000 and maps of 10,000.")
        }
        EvalAltResult::ErrorFunctionNotFound(signature, _) => unknown(signature),
        EvalAltResult::ErrorDataRace(..) => "A closure uses a variable that the call it is given to works on. Put the \
             first part of the chain into a variable of its own, or use a loop."
            .to_owned(),
        EvalAltResult::ErrorVariableNotFound(name, _) => format!("There is no variable '{name}'."),
        EvalAltResult::ErrorIndexingType(types, _) => misfit::of_element(types),
        EvalAltResult::ErrorMismatchDataType(needed, got, _) if !needed.is_empty() && !got.is_empty() => {
            misfit::of_type(needed, got)
        }
        other => {
            let text = match other {
                EvalAltResult::ErrorDotExpr(message, _) => misfit::of_field(message),
                _ => None,
            };
            let text = text.unwrap_or_else(|| other.to_string());
            match text.rfind(" (line ") {
                Some(at) => text.get(..at).unwrap_or_default().to_owned(),
                None => text,
            }
        }
    }
}

/// The fault a test ended with.
pub(super) fn of_test(error: &EvalAltResult) -> Fault {
    let (inner, position) = innermost(error);
    let message = message(inner, misfit::of_call_in_test);
    let position = Some(position).filter(|p| !p.is_none());
    Fault {
        message,
        thrown: is_thrown(inner),
        line: position.and_then(|p| p.line()),
        column: position.and_then(|p| p.position()),
    }
}

fn is_thrown(error: &EvalAltResult) -> bool {
    matches!(error, EvalAltResult::ErrorRuntime(..))
}

/// Returns the map that was thrown, where it was one.
pub(super) fn thrown_map(error: &EvalAltResult) -> Option<rhai::Map> {
    match innermost(error).0 {
        EvalAltResult::ErrorRuntime(value, _) => value.clone().try_cast::<rhai::Map>(),
        _ => None,
    }
}

/// The error at the bottom, and the innermost place that is known.
fn innermost(error: &EvalAltResult) -> (&EvalAltResult, Position) {
    let (mut error, mut position) = (error, error.position());
    while let EvalAltResult::ErrorInFunctionCall(_, _, inner, _) = error {
        error = inner;
        if !error.position().is_none() {
            position = error.position();
        }
    }
    (error, position)
}

fn thrown(value: &rhai::Dynamic) -> String {
    match value.clone().into_string() {
        Ok(text) => text,
        Err(_) => {
            let value = super::state::as_json(value);
            value
                .get("error")
                .or(value.get("message"))
                .and_then(|m| m.as_str())
                .map_or(value.to_string(), str::to_owned)
        }
    }
}

fn unknown_function(machine: &Machine, ast: &AST, signature: &str) -> String {
    let (name, given) = misfit::name_and_count(signature);
    let known = names::known(machine, ast);
    let own: Vec<usize> = ast.iter_functions().filter(|one| one.name == name).map(|one| one.params.len()).collect();
    if let [takes] = own.as_slice()
        && *takes != given
    {
        return format!("'{name}' takes {takes} arguments, and is given {given}.");
    }
    if misfit::is_operator(name) || known.contains(name) {
        return misfit::of_call(signature);
    }
    match nearest(name, known.iter().map(String::as_str)) {
        Some(close) => format!("There is no function '{name}'. Did you mean '{close}'?"),
        None => format!("There is no function '{name}'."),
    }
}

/// Returns the problem that keeps a text from being compiled.
pub(super) fn of_text(source: &str, error: &ParseError) -> Diagnostic {
    let position = error.position();
    let (line, column) = match (position.line(), position.position()) {
        (Some(line), column) => (line, column.unwrap_or(1).max(1)),
        (None, _) => (source.lines().count().max(1), source.lines().last().map_or(1, |l| l.chars().count() + 1)),
    };
    let at = |message: String| Diagnostic::error(line, column, message);
    match error.err_type() {
        ParseErrorType::VariableUndefined(name) => {
            let problem = at(format!("Variable \"{name}\" is not defined.")).long(name.chars().count());
            match similar(source, name, line) {
                Some((same, line)) if same == name => problem.hint(unseen(source, name, line)),
                Some((close, line)) => problem.hint(format!("Did you mean \"{close}\", line {line}?")),
                None => problem.hint("Declare it with let."),
            }
        }
        ParseErrorType::UnexpectedEOF => at("The script ends in the middle of something.".to_owned())
            .hint("Look for a bracket or a text that is not closed."),
        ParseErrorType::ExprTooDeep => at(format!("This is nested more than {} deep.", limits::MAX_DEPTH)),
        other => {
            let said = other.to_string();
            let is_off = |word: &&&str| {
                ["is disabled", "is a reserved keyword"].iter().any(|off| said.contains(&format!("'{word}' {off}")))
            };
            match ["eval", "import", "export"].iter().find(is_off) {
                Some(word) => at(format!("'{word}' is not offered to scripts.")).long(word.len()),
                None => match reserved(source, line, column) {
                    Some((word, hint)) => at(sentence(&said)).long(word.len()).hint(hint),
                    None => at(sentence(&said)),
                },
            }
        }
    }
}

/// The word at a place, and how it is written, where it is one of the language's that stands for a member.
fn reserved(source: &str, line: usize, column: usize) -> Option<(&str, String)> {
    let text = source.lines().nth(line - 1)?;
    let at = text.char_indices().nth(column - 1).map(|(at, _)| at)?;
    let (before, rest) = text.split_at_checked(at)?;
    let of_word = |c: char| c.is_alphanumeric() || c == '_';
    let (word, after) = rest.split_at(rest.find(|c| !of_word(c)).unwrap_or(rest.len()));
    // What begins a block of its own is found wanting only behind the word.
    let read = before.trim_end();
    let (ahead, block) = read.split_at(read.trim_end_matches(of_word).len());
    let (before, word) = if testing::BLOCKS.contains(&block) { (ahead, block) } else { (before, word) };
    let is_reserved = !word.is_empty() && !names::is_plain(word);
    let dot = ["?.", "."].into_iter().find(|dot| before.trim_end().ends_with(dot));
    let way = match dot.filter(|_| is_reserved) {
        Some(dot) => format!("{}[\"{word}\"] instead of {dot}{word}", dot.trim_end_matches('.')),
        None if is_reserved && after.trim_start().starts_with(':') => format!("\"{word}\" in quotes"),
        None => return None,
    };
    Some((word, format!("'{word}' is a word of the language: write {way}")))
}

fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let rest = characters.as_str();
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{rest}{end}")
}

/// Returns why a name that is declared on this line is not seen.
fn unseen(source: &str, name: &str, line: usize) -> String {
    let declared = source.lines().nth(line - 1).unwrap_or_default();
    if ["let ", "const "].iter().any(|keyword| declared.starts_with(keyword)) {
        return "Functions see nothing around them: pass it as an argument, or return it from a function.".to_owned();
    }
    format!("The '{name}' of line {line} is seen in its own block alone: declare it before the block, or pass it on.")
}

/// The declared name that is most like this one, and the line it is declared on.
fn similar<'a>(source: &'a str, name: &str, before: usize) -> Option<(&'a str, usize)> {
    let mut declared = Vec::new();
    for (n, line) in source.lines().enumerate().take(before) {
        for keyword in ["let ", "const ", "for "] {
            for (at, _) in line.match_indices(keyword) {
                let rest = line.get(at + keyword.len()..).unwrap_or_default();
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                declared.extend(rest.get(..end).filter(|name| !name.is_empty()).map(|name| (name, n + 1)));
            }
        }
    }
    let close = nearest(name, declared.iter().map(|(name, _)| *name))?;
    declared.into_iter().find(|(name, _)| *name == close)
}
