//! Circles of imports among the files of one folder: there are none where a list of everything is imported by nothing it
//! lists.

use std::collections::{BTreeMap, BTreeSet};

use super::source;

/// The files below a folder that import themselves through others, without their tests.
pub(super) fn within<'a>(folder: &str, files: &'a [(String, String)]) -> Vec<&'a str> {
    let inside = |path: &'a str| path.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(".rs");
    let codes: BTreeMap<&str, String> =
        files.iter().filter_map(|(path, text)| Some((inside(path)?, without_tests(text)))).collect();
    let known: BTreeSet<&str> = codes.keys().copied().collect();
    // The first folder is the crate.
    let root = folder
        .splitn(3, '/')
        .nth(2)
        .map_or("crate::".to_owned(), |inner| format!("crate::{}::", inner.replace('/', "::")));
    let imported: BTreeMap<&str, BTreeSet<&str>> =
        codes.iter().map(|(file, code)| (*file, imported(file, code, &root, &known))).collect();
    known.iter().copied().filter(|file| reached(file, &imported).contains(file)).collect()
}

fn without_tests(text: &str) -> String {
    let code = source::read(text).code;
    code.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned()
}

/// The files whose modules the code of `file` names.
fn imported<'a>(file: &str, code: &str, root: &str, known: &BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    let above = |file: &str| file.rsplit_once('/').map_or(String::new(), |(above, _)| above.to_owned());
    let mut named: Vec<(String, String)> = Vec::new();
    let mut folder = above(file);
    for depth in 1..=file.split('/').count() {
        let here = imports(code, &"super::".repeat(depth)).into_iter().filter(|name| name != "super");
        named.extend(here.map(|name| (folder.clone(), name)));
        folder = above(&folder);
    }
    named.extend(imports(code, root).into_iter().map(|name| (String::new(), name)));
    let own = known.iter().filter_map(|other| other.strip_prefix(file)?.strip_prefix('/'));
    named.extend(own.filter(|name| names(code, name)).map(|name| (file.to_owned(), name.to_owned())));
    // A name that is no file is an item of the module that it is looked for in.
    let file_of = |(folder, name): (String, String)| {
        let whole = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        known.get(whole.as_str()).or_else(|| known.get(folder.as_str())).copied()
    };
    named.into_iter().filter_map(file_of).collect()
}

/// The first name of each path that begins with `prefix`, and of each branch of a braced group.
fn imports(code: &str, prefix: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        let whole = !code[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | ':'));
        if whole {
            branches(&code[at + prefix.len()..], &mut found);
        }
    }
    found
}

fn branches(rest: &str, found: &mut Vec<String>) {
    let Some(group) = rest.trim_start().strip_prefix('{') else {
        found.extend(word(rest));
        return;
    };
    let mut depth = 0;
    let mut start = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                found.extend(word(&group[start..at]));
                start = at + 1;
            }
            _ => {}
        }
        if c == '}' && start == at + 1 {
            return;
        }
    }
}

fn word(text: &str) -> Option<String> {
    let name: String = text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// Returns whether the code goes through a module of its own.
fn names(code: &str, module: &str) -> bool {
    let path = format!("{module}::");
    let begins = |at: usize| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    code.match_indices(&path).any(|(at, _)| begins(at)) || imports(code, "self::").iter().any(|name| name == module)
}

/// The files that one imports, and those that these import, and so on.
fn reached<'a>(file: &'a str, imported: &BTreeMap<&str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = vec![file];
    while let Some(next) = open.pop() {
        open.extend(imported.get(next).into_iter().flatten().filter(|other| found.insert(**other)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> =
            files.iter().map(|(path, text)| (format!("src/doors/http/{path}.rs"), (*text).to_owned())).collect();
        within("src/doors/http", &files).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn imports_in_one_direction_are_no_circle() {
        let files = [
            ("routes", "use super::{users, scripts};"),
            ("users", "use super::state::State;"),
            ("scripts", "mod trial;\nuse self::trial::check;\nuse super::state;"),
            ("scripts/trial", "use super::super::state;\nuse crate::http::{state, users};"),
            ("state", "//! What users, scripts and routes need.\n#[cfg(test)]\nmod tests { use super::users; }"),
        ];
        assert_eq!(circle(&files), Vec::<String>::new());
    }

    #[test]
    fn a_circle_is_found_through_other_files() {
        let files = [
            ("routes", "use super::users;"),
            ("state", "use super::{body, routes::Table};"),
            ("users", "use super::{body, state::State};"),
            ("body", ""),
        ];
        assert_eq!(circle(&files), ["routes", "state", "users"]);
    }

    #[test]
    fn a_circle_of_a_module_and_its_own_is_found() {
        let files = [("scripts", "mod trial;\nfn f() { trial::g() }\nfn h() {}"), ("scripts/trial", "use super::h;")];
        assert_eq!(circle(&files), ["scripts", "scripts/trial"]);
        let files = [("scripts", "mod trial;"), ("scripts/trial", "use crate::http::scripts;")];
        assert_eq!(circle(&files), Vec::<String>::new());
    }
}
