//! The rules for one file: each takes its path and text and gives one line for each offence.

use super::{dialect, driver, layers, source};

/// Longest Rust, TypeScript and Svelte files.
const LINES: &[(&str, usize)] = &[("rs", 400), ("ts", 400), ("svelte", 200), ("py", 400), ("mjs", 400)];

/// The beginnings of statements of SQL. Two words where one alone is also English.
const SQL: &[&str] = &[
    "SELECT ",
    "INSERT INTO ",
    "INSERT OR ",
    "UPDATE ",
    "DELETE FROM ",
    "REPLACE INTO ",
    "CREATE TABLE ",
    "CREATE INDEX ",
    "CREATE UNIQUE ",
    "CREATE VIRTUAL ",
    "CREATE TRIGGER ",
    "CREATE VIEW ",
    "ALTER TABLE ",
    "DROP TABLE ",
    "DROP INDEX ",
    "PRAGMA ",
    "VACUUM",
    "SAVEPOINT ",
    "BEGIN IMMEDIATE",
    "WITH RECURSIVE ",
];

/// The roots of crates that are lists, as a `mod.rs` is.
const LISTS: &[&str] = &[
    "src/agent/lib.rs",
    "src/doors/lib.rs",
    "src/engine/lib.rs",
    "src/formats/lib.rs",
    "src/host/lib.rs",
    "src/index/lib.rs",
    "src/model/lib.rs",
    "src/net/lib.rs",
    "src/script/lib.rs",
    "src/services/lib.rs",
    "src/store/lib.rs",
    "src/tools/lib.rs",
];

/// The words a `mod.rs` may not hold: it is `mod` lines and the list.
const NOT_IN_LISTS: &[&str] =
    &["struct", "enum", "impl", "trait", "union", "let", "if", "match", "for", "while", "loop"];

/// Files of the HTTP door that write JSON where they are: because it is about one person, or its size was looked at.
const WRITE_JSON: &[&str] = &["auth.rs", "delivery.rs", "tickets.rs"];

/// Every offence of one file.
pub(super) fn offences(path: &str, text: &str) -> Vec<String> {
    let mut found = everywhere(path, text);
    found.extend(size(path, text));
    if path.ends_with(".rs") {
        found.extend(rust(path, text));
    }
    found.extend(layers::offences(path, text));
    let first = text.lines().next().unwrap_or_default();
    if path.starts_with("migrations/") && path.ends_with(".sql") && !first.starts_with("-- ") {
        found.push(format!("{path}: the first line must say why, as a comment"));
    }
    found
}

fn size(path: &str, text: &str) -> Option<String> {
    let (_, most) = LINES.iter().find(|(ending, _)| path.rsplit_once('.').is_some_and(|(_, end)| end == *ending))?;
    let lines = text.lines().count();
    // Generated from the OpenAPI document, read by nobody.
    let generated = path.ends_with(".d.ts");
    (lines > *most && !generated).then(|| format!("{path}: {lines} lines, {most} are allowed"))
}

fn rust(path: &str, text: &str) -> Vec<String> {
    let source = source::read(text);
    let mut found = driver::offences(path, &source);
    found.extend(dialect::offences(path, &source));
    if !text.starts_with("//! ") {
        found.push(format!("{path}: the first line must be `//!` and say what the file is for"));
    }
    if source.code.contains("#[allow(") || source.code.contains("#![allow(") {
        found.push(format!("{path}: write `#[expect(lint, reason = \"…\")]`, not `allow`"));
    }
    if path.starts_with("src/") && !path.starts_with("src/store/") {
        let sql = source.strings.iter().filter(|(_, text)| is_sql(text));
        found.extend(sql.map(|(line, _)| format!("{path}:{line}: SQL stands in src/store only")));
    }
    if let Some(file) = path.strip_prefix("src/doors/http/").filter(|file| !WRITE_JSON.contains(file)) {
        found.extend(written_in_place(file, &source.code));
    }
    found.extend(handles(path, &source.code));
    if path.ends_with("/mod.rs") || LISTS.contains(&path) {
        let words: Vec<&str> = source.code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let wrong = NOT_IN_LISTS.iter().filter(|word| words.contains(*word));
        found.extend(
            wrong.map(|word| format!("{path}: `{word}` does not belong in a mod.rs, which is `mod` lines and a list")),
        );
    }
    found
}

/// Ways round what a running tool is handed: a context that grows beside the engine, a tool that takes the platform's handles.
fn handles(path: &str, code: &str) -> Option<String> {
    let own = path == "src/engine/context.rs";
    if path.starts_with("src/") && !own && code.contains("impl Context {") {
        return Some(format!("{path}: what only some tools need is a function of a service that takes the context"));
    }
    let takes = path.starts_with("src/tools/") && [".app()", ".invoker()"].iter().any(|way| code.contains(way));
    takes.then(|| format!("{path}: a tool goes through src/services, not to the platform's handles"))
}

/// Answers that a thread of the door would write to their end, whatever their size. A thing that was just made is as large as
/// the request that made it.
fn written_in_place(file: &str, code: &str) -> Vec<String> {
    let imported = code.split("web::").skip(1).any(|rest| {
        let names = if rest.starts_with('{') { rest.split('}').next() } else { rest.split([';', ',', '}']).next() };
        names.is_some_and(|names| has_word(names, "Json"))
    });
    let mut found: Vec<String> = Vec::new();
    if imported {
        found.push(format!("src/doors/http/{file}: answer with `json::Json`, which writes large lists elsewhere"));
    }
    for (number, line) in code.lines().enumerate() {
        let is_made = ["Created()", "Accepted()", "delivery"].iter().any(|made| line.contains(made));
        if line.contains(".json(") && !is_made {
            found.push(format!("src/doors/http/{file}:{}: answer with `json::Json` or through `delivery`", number + 1));
        }
    }
    found
}

fn is_sql(text: &str) -> bool {
    let text = text.trim_start_matches([' ', '\n', '\t', '\\']);
    let spaced = format!("{} ", text.split_whitespace().take(3).collect::<Vec<_>>().join(" "));
    SQL.iter().any(|start| spaced.starts_with(start))
}

fn everywhere(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    // Built from pieces, or this file would be its own offence.
    let left_over = [["TO", "DO"].concat(), ["FIX", "ME"].concat(), ["XX", "X"].concat()];
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        if left_over.iter().any(|word| has_word(line, word)) {
            found.push(format!("{path}:{number}: finish it now or leave it out"));
        }
        if let Some(what) = of_one_machine(line) {
            found.push(format!("{path}:{number}: {what} is of one machine only"));
        }
    }
    found
}

/// Returns whether `word` stands in `line` on its own.
fn has_word(line: &str, word: &str) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(part_of_word) && !line[at + word.len()..].starts_with(part_of_word))
}

/// A path or a package mirror that only exists where the line was written.
fn of_one_machine(line: &str) -> Option<String> {
    let part_of_path = |c: char| c.is_alphanumeric() || "_-./~$}".contains(c);
    for folder in ["work", "root"] {
        let path = format!("/{folder}/");
        if line.match_indices(&path).any(|(at, _)| !line[..at].ends_with(part_of_path)) {
            return Some(format!("the path {path}"));
        }
    }
    let (_, resolved) = line.split_once("\"resolved\": \"")?;
    (!resolved.starts_with("https://registry.npmjs.org/")).then(|| "the package mirror".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_file_has_no_offence() {
        assert_eq!(offences("src/model/id.rs", "//! Ids.\n\nuse super::error::Error;\n"), Vec::<String>::new());
    }

    #[test]
    fn long_files_are_found() {
        let long = |lines| format!("//! Long.\n{}", "\n".repeat(lines));
        assert_eq!(offences("src/a/b.rs", &long(399)), Vec::<String>::new());
        assert!(
            offences("src/app/lib.rs", &long(400)).contains(&"src/app/lib.rs: 401 lines, 400 are allowed".to_owned())
        );
        assert_eq!(offences("web/src/A.svelte", &"\n".repeat(201)), ["web/src/A.svelte: 201 lines, 200 are allowed"]);
        assert_eq!(offences("web/src/lib/api.d.ts", &"\n".repeat(9000)), Vec::<String>::new());
    }

    #[test]
    fn a_list_that_is_written_by_the_thread_that_answers_is_found() {
        let found = |code: &str| written_in_place("things.rs", code).len();
        assert_eq!(found("use actix_web::{get, web::{Data, Json}};"), 1);
        assert_eq!(found("use actix_web::web::Json;\nuse super::json::Json;"), 1);
        assert_eq!(found("HttpResponse::Ok().json(all)"), 1);
        assert_eq!(found("HttpResponse::Created().json(one)\nstate.delivery.json(user, bytes, make)"), 0);
        assert_eq!(found("use actix_web::{get, web::{Data, Path}};\nuse super::json::Json;"), 0);
        assert!(offences("src/doors/http/auth.rs", "//! A.\nresponse.json(Me)").is_empty());
    }

    #[test]
    fn sql_outside_the_store_is_found() {
        let code = "//! A.\nconst Q: &str = \"\n    SELECT id\n FROM users\";";
        assert_eq!(offences("src/app/lib.rs", code), ["src/app/lib.rs:2: SQL stands in src/store only"]);
        assert!(offences("src/store/users.rs", code).is_empty());
        assert!(offences("src/app/lib.rs", "//! A.\nconst A: &str = \"Select a tool\"; // SELECT 1").is_empty());
        for start in ["PRAGMA user_version", "DELETE FROM t", "UPDATE t SET", "VACUUM"] {
            assert!(is_sql(start), "{start}");
        }
    }

    #[test]
    fn a_context_that_grows_and_a_tool_that_reaches_past_it_are_found() {
        assert!(handles("src/services/graph.rs", "impl Context { fn graph(&self) {} }").is_some());
        assert!(handles("src/engine/context.rs", "impl Context { fn now(&self) {} }").is_none());
        assert!(handles("src/tools/data/list.rs", "fn run() { cx.app() }").is_some());
        assert!(handles("src/services/graph.rs", "fn seen_by() { cx.app() }").is_none());
    }

    #[test]
    fn a_file_says_what_it_is_for() {
        assert_eq!(offences("src/app/lib.rs", "use a;\n").len(), 1);
    }

    #[test]
    fn a_lint_is_expected_with_a_reason_never_allowed() {
        let allow = ["#[al", "low(dead_code)]"].concat();
        assert_eq!(offences("src/app/lib.rs", &format!("//! A.\n{allow}\n")).len(), 1);
        assert!(offences("src/app/lib.rs", "//! A.\n#[expect(dead_code, reason = \"r\")]\n").is_empty());
    }

    #[test]
    fn a_mod_file_is_a_list() {
        let list =
            "//! Tools.\nmod a;\nuse crate::engine::Tool;\n/// All.\npub fn tools() -> Vec<Tool> { vec![a::tool()] }\n";
        assert!(offences("src/tools/data/mod.rs", list).is_empty());
        assert_eq!(
            offences("src/tools/data/mod.rs", &format!("{list}struct S;")),
            ["src/tools/data/mod.rs: `struct` does not belong in a mod.rs, which is `mod` lines and a list"]
        );
    }

    #[test]
    fn a_migration_says_why() {
        assert_eq!(offences("migrations/01-people/up.sql", "CREATE TABLE a(b);").len(), 1);
        assert!(offences("migrations/01-people/up.sql", "-- People sign in.\nCREATE TABLE a(b);").is_empty());
    }

    #[test]
    fn unfinished_work_is_found() {
        let left = ["// TO", "DO: later"].concat();
        assert_eq!(offences("web/src/a.ts", &left), ["web/src/a.ts:1: finish it now or leave it out"]);
        assert!(offences("web/src/a.ts", "const TODOS = 1; // a todo list").is_empty());
    }

    #[test]
    fn what_exists_on_one_machine_only_is_found() {
        let path = ["see /wo", "rk/plan"].concat();
        assert_eq!(offences("README.md", &path).len(), 1);
        assert!(offences("README.md", "src/work/plan, https://a.example/root/x, ~/work/, $HOME/work/x").is_empty());
        assert_eq!(offences("web/package-lock.json", "\"resolved\": \"http://mirror.example/a.tgz\"").len(), 1);
    }
}
