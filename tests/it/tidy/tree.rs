//! The rules against the tree as it is.

#![expect(clippy::disallowed_methods, reason = "reads the tree's own files")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{circles, rules};

/// Never committed, or not ours.
const SKIPPED: &[&str] = &["target", "node_modules", "dist", "test-results"];

/// Endings of the files people write.
const WRITTEN: &[&str] = &[
    "rs", "toml", "sql", "ts", "svelte", "js", "mjs", "css", "html", "json", "md", "py", "sh", "rhai", "Makefile",
    "run",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every file people write, with its path from the root.
fn files() -> Vec<(String, String)> {
    let mut found = Vec::new();
    walk(&root(), "", &mut found);
    found.sort();
    found
}

fn walk(directory: &Path, prefix: &str, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = format!("{prefix}{name}");
        let hidden = name.starts_with('.') && name != ".ci";
        if hidden || SKIPPED.contains(&name.as_str()) {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            walk(&entry.path(), &format!("{path}/"), found);
        } else if is_written(&path) {
            let text = fs::read_to_string(entry.path()).unwrap_or_else(|error| panic!("{path} is not UTF-8: {error}"));
            found.push((path, text));
        }
    }
}

fn is_written(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or(name, |(_, ending)| ending);
    WRITTEN.contains(&ending) || path.starts_with("scripts/dev/")
}

#[test]
fn the_tree_is_tidy() {
    let found: Vec<String> = files().iter().flat_map(|(path, text)| rules::offences(path, text)).collect();
    assert!(found.is_empty(), "{} offences:\n{}", found.len(), found.join("\n"));
}

#[test]
fn no_file_of_the_http_door_imports_itself_through_others() {
    let files = files();
    assert_eq!(circles::within("src/doors/http", &files), Vec::<&str>::new());
}

#[test]
fn a_tool_and_what_its_runs_are_handed_are_the_only_circle_of_the_engine() {
    let files = files();
    assert_eq!(circles::within("src/engine", &files), ["context", "tool"]);
}

#[test]
fn the_walk_sees_the_tree() {
    let paths: Vec<String> = files().into_iter().map(|(path, _)| path).collect();
    for expected in ["Cargo.toml", "Makefile", ".ci/run", "src/lib.rs", "src/model/id.rs", "tests/it/main.rs"] {
        assert!(paths.iter().any(|path| path == expected), "{expected} was not seen");
    }
}

#[test]
fn every_script_is_reached_from_the_makefile() {
    let files = files();
    let makefile = &files.iter().find(|(path, _)| path == "Makefile").unwrap().1;
    // By its path, or, in a directory of its own, by its name in what the Makefile reaches there.
    let reached = |path: &str| {
        let (directory, name) = path.rsplit_once('/').unwrap();
        let beside = |(other, text): &&(String, String)| {
            other != path && other.starts_with(directory) && makefile.contains(other.as_str()) && text.contains(name)
        };
        makefile.contains(path) || files.iter().any(|file| beside(&file))
    };
    let unused: Vec<&String> =
        files.iter().map(|(path, _)| path).filter(|path| path.starts_with("scripts/dev/") && !reached(path)).collect();
    assert!(unused.is_empty(), "nothing calls {unused:?}");
}

#[test]
fn every_integration_test_is_in_the_list() {
    let files = files();
    let list = &files.iter().find(|(path, _)| path == "tests/it/main.rs").unwrap().1;
    for (path, _) in &files {
        let Some(name) = path.strip_prefix("tests/it/").and_then(|rest| rest.strip_suffix(".rs")) else { continue };
        let module = name.split('/').next().unwrap_or(name);
        assert!(module == "main" || list.contains(&format!("mod {module};")), "{path} is never compiled");
    }
}

#[test]
fn every_test_that_is_named_beside_an_attack_is_there() {
    let files = files();
    let page = &files.iter().find(|(path, _)| path == "docs/attacks.md").unwrap().1;
    let names =
        page.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| word.matches('_').count() > 2);
    let is_there =
        |name: &str| files.iter().any(|(path, text)| path.ends_with(".rs") && text.contains(&format!("fn {name}")));
    let missing: Vec<&str> = names.filter(|name| !is_there(name)).collect();
    assert!(missing.is_empty(), "no test is called {missing:?}");
}
