//! Rows whose kind does not name their person or their tool: where a filter asks for such a name, they are counted from here.

use super::{
    counts::Place,
    filter::{Filter, words},
    kinds::Placed,
};
use crate::sql::{Tx, params};
use satchel_model::error::Result;

/// Notes what a row's kind leaves out of its words.
pub(super) fn note(tx: &Tx, (seq, time): (i64, i64), kind: Placed, words: [&str; 6]) -> Result<()> {
    if kind.names_person && kind.names_tool {
        return Ok(());
    }
    let [.., person, tool] = words;
    let (person, tool) = ((!kind.names_person).then_some(person), (!kind.names_tool).then_some(tool));
    tx.run(
        "INSERT INTO audit_unnamed (seq, time, kind, person, tool) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![seq, time, kind.id, person, tool],
    )?;
    Ok(())
}

/// A query for kind, time, person and tool of the rows here, and what it binds: those between these numbers whose names the
/// filter asks for. `None` where it asks for no names.
pub(super) fn asked(filter: &Filter, Place { first, last }: Place) -> Option<(String, Vec<String>)> {
    let people = words(filter.user.as_deref()).into_iter().map(str::to_owned).collect();
    let (mut conditions, mut bound) = (Vec::new(), Vec::new());
    for (column, names) in [("person", people), ("tool", filter.tools())] {
        if !names.is_empty() {
            conditions.push(format!("{column} IN ({})", vec!["?"; names.len()].join(", ")));
            bound.extend(names);
        }
    }
    let condition = conditions.join(" OR ");
    let sql = format!(
        "SELECT kind, time, person, tool FROM audit_unnamed WHERE ({condition}) AND seq BETWEEN {first} AND {last}"
    );
    (!bound.is_empty()).then_some((sql, bound))
}
