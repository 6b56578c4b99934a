//! What a model reads of a call whose arguments a person changed when approving: what ran, who changed it, and from what.

use serde_json::Value;

use super::{lines::lines, neutral::neutralise};
use crate::record::{
    edits::{Bounds, within},
    redact,
};
use satchel_model::call::{Approved, Edit};

/// Most characters of the arguments that ran.
const ARGUMENTS: usize = 1_000;
/// Most characters of all changes together: the result comes after them and has to be read as well.
const CHANGES: usize = 1_000;
/// Changes that are told one by one, as far as [`CHANGES`] goes.
const TOLD: Bounds = Bounds { places: 20, text: 200 };
/// Most characters of one value, as JSON: escapes make it longer than its text.
const VALUE: usize = 400;
/// Most characters of a person's name.
const NAME: usize = 100;
/// Most characters of [`before_result`]: the rest are its fixed words.
pub(super) const LONGEST: usize = ARGUMENTS + CHANGES + NAME + 300;

/// The lines before a result or an error; empty where the arguments were not changed.
pub(super) fn before_result(approved: &Approved) -> String {
    let Some(executed) = &approved.executed else { return String::new() };
    let mut arguments = String::new();
    // The person may have put in a secret; the model has no need of it.
    lines(&redact(executed, &[]), 1, &mut arguments);
    let shown: String = arguments.chars().take(ARGUMENTS).collect();
    let cut = if shown.len() < arguments.len() { "\n  (cut)" } else { "" };
    let heading = "The person changed the arguments before approving. What ran is not what you asked for, but:";
    format!("{heading}\n{shown}{cut}\n{}Result:\n", changes(approved))
}

/// Who changed what, and from what.
fn changes(approved: &Approved) -> String {
    let Some(by) = approved.approved_by.as_deref().filter(|_| !approved.edited.is_empty()) else {
        return String::new();
    };
    let (edits, mut more) = within(&approved.edited, &[], TOLD);
    let mut told = String::new();
    for edit in &edits {
        let line: String = line(edit).chars().take(CHANGES - 1).collect();
        if told.chars().count() + line.chars().count() < CHANGES {
            told.push_str(&line);
            told.push('\n');
        } else {
            more += 1;
        }
    }
    if more > 0 {
        told.push_str(&format!("  and {more} more\n"));
    }
    let by: String = neutralise(by).chars().take(NAME).collect();
    format!("Changed by {by}:\n{told}")
}

fn line(edit: &Edit) -> String {
    let value = |value: &Value| value.to_string().chars().take(VALUE).collect::<String>();
    neutralise(&format!("  {}, was {}, now {}", edit.name, value(&edit.from), value(&edit.to)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitise::{LIMIT, fits, fits_with_changes, render_run, wrap_error};
    use satchel_model::{
        error::{Error, Kind},
        output::Output,
    };
    use serde_json::json;

    fn approved(asked: &Value, ran: &Value) -> Approved {
        Approved {
            approved_by: Some("mara".to_owned()),
            executed: Some(ran.clone()),
            edited: Edit::between(asked, ran),
            ..Approved::default()
        }
    }

    #[test]
    fn a_call_that_failed_is_told_as_one_that_worked_without_the_secret_a_person_typed() {
        let asked = json!({"host": "a", "api_key": "none"});
        let ran = json!({"host": "b", "api_key": "CANARY"});
        let error = Error::new(Kind::Upstream, "No answer.").after_approval(approved(&asked, &ran), 3);
        let wanted = "[TOOL:ping]\nThe person changed the arguments before approving. What ran is not what you asked for, \
                      but:\n  host: b\n  api_key: ***\nChanged by mara:\n  host, was \"a\", now \"b\"\n  api_key, was \
                      \"***\", now \"***\"\nResult:\nerror: No answer.\n[/TOOL]";
        assert_eq!(wrap_error("ping", &error), wanted);
    }

    #[test]
    fn a_change_far_down_a_text_is_told() {
        let text = |end: &str| json!({"content": format!("{}; {end}", "é".repeat(5_000))});
        let told = before_result(&approved(&text("ls"), &text("rm")));
        assert!(told.contains("; ls\", now \"(after 4962 characters) …") && told.contains("; rm\"\n"), "{told}");
    }

    #[test]
    fn a_result_is_read_behind_any_number_of_changes() {
        let args = |word: &str| json!({"args": (0..90).map(|n| format!("{word} {{{n}}} {}", "x(".repeat(300))).collect::<Vec<_>>()});
        let approved = approved(&args("one"), &args("two"));
        assert!(before_result(&approved).chars().count() <= LONGEST, "{}", before_result(&approved));
        let longest = Output::text("y".repeat(LIMIT - 2 - LONGEST));
        assert!(fits_with_changes(&longest) && fits(&render_run(&longest, &approved)));
        assert!(before_result(&approved).contains("  and ") && before_result(&approved).contains(" more\nResult:"));
    }
}
