//! Arguments of an example that its tool would not take.

use serde_json::Value;

use crate::{
    header::{Head, HeadExample, Parameter},
    nearest::nearest,
};
use satchel_model::script::Diagnostic;

/// The first of an example's arguments that the tool would not take.
pub(super) fn misfit(head: &Head, example: &HeadExample) -> Option<Diagnostic> {
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
