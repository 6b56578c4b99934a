//! The texts that can be a process, and the answers to those that cannot.

use super::*;

fn step(id: &str, after: &[&str]) -> Step {
    let depends_on = after.iter().map(|id| (*id).to_owned()).collect();
    Step { id: id.to_owned(), name: format!("Do {id}"), depends_on, ..Step::default() }
}

fn process(steps: Vec<Step>) -> ProcessDraft {
    ProcessDraft { name: "Onboarding".to_owned(), steps, ..ProcessDraft::default() }
}

fn refused(draft: ProcessDraft) -> (Option<usize>, String) {
    let fault = draft.checked().unwrap_err();
    (fault.step, fault.message)
}

#[test]
fn texts_are_trimmed_and_ids_made() {
    let messy = ProcessDraft {
        name: "  Customer \n onboarding ".to_owned(),
        owner: Some(" ".to_owned()),
        tags: vec!["new".to_owned(), " new".to_owned(), String::new()],
        steps: vec![Step { name: "Check the Credit!".to_owned(), ..Step::default() }],
        ..ProcessDraft::default()
    };
    let checked = messy.checked().unwrap();
    assert_eq!((checked.name.as_str(), checked.owner.as_deref()), ("Customer onboarding", None));
    assert_eq!((checked.tags.as_slice(), checked.steps[0].id.as_str()), (&["new".to_owned()][..], "check-the-credit"));
    assert_eq!(checked.clone().checked().unwrap(), checked, "what was checked stays as it is");
}

#[test]
fn an_unknown_dependency_names_the_step() {
    let (at, message) = refused(process(vec![step("a", &[]), step("b", &["c"])]));
    assert_eq!(at, Some(1));
    assert_eq!(message, "Step 'Do b' depends on 'c', which is no step of this process. Steps are: a, b.");
}

#[test]
fn a_circle_is_named() {
    let (at, message) = refused(process(vec![step("a", &["c"]), step("b", &["a"]), step("c", &["b"])]));
    assert_eq!(at, Some(0));
    assert_eq!(message, "These steps wait for each other: 'a' → 'c' → 'b' → 'a'. Take one of these dependencies away.");
}

#[test]
fn what_cannot_be_a_process_is_said() {
    let named = |name: &str| ProcessDraft { name: name.to_owned(), ..process(vec![step("a", &[])]) };
    let with = |step: Step| process(vec![step]);
    let itself = ProcessDraft { depends_on: vec!["ONBOARDING".to_owned()], ..process(vec![step("a", &[])]) };
    for (draft, wanted) in [
        (named(" "), "Say the name of the process."),
        (named(&"x".repeat(121)), "The name of the process has 121 characters; 120 are the most."),
        (named("a\u{7}b"), "The name of the process holds a control character: take it away."),
        (process(vec![]), "The process 'Onboarding' has no steps: write at least one."),
        (process((0..201).map(|n| step(&format!("s{n}"), &[])).collect()), "Split it into several."),
        (process(vec![step("a", &[]), step("a", &[])]), "Two steps have the id 'a': give step 'Do a' another."),
        (with(Step { name: " ".to_owned(), ..step("a", &[]) }), "Step 1 has no name: say what is done."),
        (with(step("a b", &[])), "Step 'Do a b': its id may have 60 letters, digits, '-', '_' and '.'."),
        (itself, "The process 'Onboarding' depends on itself."),
    ] {
        let (_, message) = refused(draft);
        assert!(message.contains(wanted), "{message}");
    }
}

#[test]
fn steps_stand_in_an_order_in_which_they_can_be_done() {
    let process = process(vec![
        step("ship", &["pack", "pay"]),
        step("pack", &["order"]),
        step("order", &[]),
        step("pay", &["order"]),
    ]);
    let process = process.checked().unwrap();
    let ids: Vec<&str> = process.order().into_iter().map(|at| process.steps[at].id.as_str()).collect();
    assert_eq!(ids, ["order", "pack", "pay", "ship"]);
}

#[test]
fn processes_that_wait_for_each_other_are_named() {
    let of = |name: &str, after: &str| ProcessDraft {
        name: name.to_owned(),
        depends_on: vec![after.to_owned()],
        ..ProcessDraft::default()
    };
    let all = [of("Sale", "contract"), of("Contract", "Sale"), of("Other", "Nothing known")];
    let error = require_no_circle(all.iter()).unwrap_err();
    assert!(error.message().contains("sale → contract → sale"), "{error}");
    require_no_circle(all[1..].iter()).unwrap();
}
