//! The functions a script can call, those it does, and how members and texts are written.

use std::collections::BTreeSet;

use rhai::{AST, ASTNode, Engine, Expr, Position, Stmt, Token};

use super::{machine::Machine, testing};

/// Every function there is for a script: its own, Rhai's, ours.
pub(super) fn known(machine: &Machine, ast: &AST) -> BTreeSet<String> {
    let mut names = of_engine(machine);
    names.extend(ast.iter_functions().map(|function| function.name.to_owned()));
    names
}

fn of_engine(machine: &Machine) -> BTreeSet<String> {
    let names = machine.engine().collect_fn_metadata(None, |info| Some(info.metadata.name.to_string()), true);
    names.into_iter().filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')).collect()
}

/// A member as it is read: `args.name`, or `args["name"]` where the name is one of the language's words, or no word.
pub fn member(of: &str, name: &str) -> String {
    if is_plain(name) { format!("{of}.{name}") } else { format!("{of}[{}]", text(name)) }
}

/// Returns whether a name may stand behind a dot.
pub(super) fn is_plain(name: &str) -> bool {
    let engine = Engine::new_raw();
    let (mut tokens, _) = engine.lex([&name]);
    let is_whole = matches!(tokens.next(), Some((Token::Identifier(first), _)) if first.as_str() == name);
    is_whole && !testing::BLOCKS.contains(&name)
}

/// A text in quotes, with the escapes there are.
pub fn text(text: &str) -> String {
    let mut written = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => written.extend(['\\', letter]),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            letter if letter.is_control() => written.push_str(&format!("\\u{:04x}", u32::from(letter))),
            letter => written.push(letter),
        }
    }
    written.push('"');
    written
}

/// One call in a script's text.
pub(super) struct Called {
    /// The function.
    pub(super) name: String,
    /// The place.
    pub(super) at: Position,
    /// The first argument, where it is a text that stands in the script.
    pub(super) first: Option<String>,
}

/// Every call by name. Functions of closures and of the engine's own making are not among them.
pub(super) fn called(ast: &AST) -> Vec<Called> {
    let mut calls = Vec::new();
    ast.walk(&mut |path: &[ASTNode<'_>]| {
        let call = match path.last() {
            Some(ASTNode::Expr(Expr::FnCall(call, at) | Expr::MethodCall(call, at))) => Some((call, at)),
            Some(ASTNode::Stmt(Stmt::FnCall(call, at))) => Some((call, at)),
            _ => None,
        };
        if let Some((call, at)) = call
            && call.op_token.is_none()
            && call.name.starts_with(|c: char| c.is_ascii_alphabetic())
        {
            let first = match call.args.first() {
                Some(Expr::StringConstant(text, _)) => Some(text.to_string()),
                _ => None,
            };
            calls.push(Called { name: call.name.to_string(), at: *at, first });
        }
        true
    });
    calls
}
