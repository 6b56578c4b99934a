//! Doubts about an evaluation's files: said beside the figures, which are reckoned all the same.

use std::{collections::HashSet, path::Path};

use super::set::Logged;
use satchel_model::error::Error;
use satchel_services::find::trial::Case;

/// Returns what cannot be right in a set, a line each. `catalogue` are the ids of its tools or documents.
pub(super) fn of_set(name: &str, catalogue: &[String], cases: &[Case]) -> Vec<String> {
    let known: HashSet<&str> = catalogue.iter().map(String::as_str).collect();
    let asked: HashSet<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    let wanted = cases.iter().flat_map(|case| case.groups.iter().flatten());
    let missing: HashSet<&str> = wanted.map(String::as_str).filter(|id| !known.contains(id)).collect();
    let nothing_wanted = cases.iter().filter(|case| case.groups.iter().all(Vec::is_empty)).count();
    let empty = cases.is_empty().then(|| format!("{name}: queries.jsonl is empty: nothing is measured."));
    let counted = [
        (catalogue.len() - known.len(), "ids of the catalogue are there already"),
        (cases.len() - asked.len(), "ids of queries are there already"),
        (nothing_wanted, "queries name nothing that is relevant"),
        (missing.len(), "relevant ids are not in the catalogue and cannot be found"),
    ];
    let counted = counted.into_iter().filter(|(count, _)| *count > 0);
    empty.into_iter().chain(counted.map(|(count, what)| format!("{name}: {count} {what}."))).collect()
}

/// Returns what cannot be right in a log.
pub(super) fn of_log(log: &[Logged], known: &HashSet<String>) -> Option<String> {
    let matches = log.iter().flat_map(|line| &line.tools).any(|tool| known.contains(tool));
    (!matches).then(|| format!("--log: none of its {} needs names a tool of these sets.", log.len()))
}

/// Returns the error that says why a folder holds no sets.
pub(super) fn no_sets(dir: &Path, catalogue: &str) -> Error {
    let shown = dir.display();
    if dir.join(catalogue).is_file() {
        return Error::invalid(format!("{shown} is a set itself: give the folder above it."));
    }
    Error::invalid(format!("{shown} holds no folder with {catalogue} and queries.jsonl."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(id: &str, relevant: &[&str]) -> Case {
        let groups = relevant.iter().map(|id| vec![(*id).to_owned()]).collect();
        Case { id: id.to_owned(), query: "q".to_owned(), groups }
    }

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn what_cannot_be_right_is_counted_and_a_sound_set_is_passed_over() {
        assert!(of_set("s", &ids(&["a", "b"]), &[case("1", &["a"]), case("2", &["b"])]).is_empty());
        let cases = [case("1", &["a", "x"]), case("1", &["y", "x"]), case("2", &[])];
        assert_eq!(
            of_set("s", &ids(&["a", "a"]), &cases),
            [
                "s: 1 ids of the catalogue are there already.",
                "s: 1 ids of queries are there already.",
                "s: 1 queries name nothing that is relevant.",
                "s: 2 relevant ids are not in the catalogue and cannot be found.",
            ]
        );
        assert_eq!(of_set("s", &ids(&["a"]), &[]), ["s: queries.jsonl is empty: nothing is measured."]);
    }

    #[test]
    fn a_log_of_other_tools_is_said() {
        let log = [Logged { need: "q".to_owned(), tools: ids(&["a"]) }];
        assert_eq!(of_log(&log, &ids(&["a"]).into_iter().collect()), None);
        let told = of_log(&log, &ids(&["b"]).into_iter().collect()).unwrap();
        assert_eq!(told, "--log: none of its 1 needs names a tool of these sets.");
    }

    #[test]
    fn a_set_given_instead_of_the_folder_above_it_is_said() {
        let dir = tempfile::tempdir().unwrap();
        assert!(no_sets(dir.path(), "tools.jsonl").message().contains("holds no folder with tools.jsonl"));
        satchel_host::jsonl::write::<u8>(&dir.path().join("tools.jsonl"), &[]).unwrap();
        assert!(no_sets(dir.path(), "tools.jsonl").message().ends_with("is a set itself: give the folder above it."));
    }
}
