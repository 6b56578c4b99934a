//! The layer table: imports point down only, and siblings of a layer do not import each other.

use super::source::Source;

/// From the bottom up; `config` stands above `model`, whose nouns it reads.
const LAYERS: &[&[&str]] = &[
    &["model"],
    &["config"],
    &["share"],
    &["store", "net", "host", "index", "formats", "script"],
    &["app"],
    &["engine"],
    &["services"],
    &["agent"],
    &["tools", "doors"],
    &["boot"],
];

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|names| names.contains(&module))
}

/// The top module and the depth of a file: `src/tools/data/list.rs` is `tools`, 3 deep.
fn place(path: &str) -> Option<(&str, usize)> {
    let inner = path.strip_prefix("src/")?.strip_suffix(".rs")?;
    let inner = inner.strip_suffix("/mod").unwrap_or(inner);
    Some((inner.split('/').next()?, inner.split('/').count()))
}

/// One line for each import that points up or sideways.
pub(super) fn offences(path: &str, source: &Source) -> Vec<String> {
    let Some((module, depth)) = place(path) else { return Vec::new() };
    if matches!(module, "main" | "lib") {
        return Vec::new();
    }
    let Some(own) = layer(module) else {
        return vec![format!("{path}: the module '{module}' has no place in the layer table")];
    };
    let mut named = imports(&source.code, "crate::");
    // `super` reaches the root, and with it other layers, from the file's own depth on.
    named.extend(imports(&source.code, &"super::".repeat(depth)));
    named.sort_unstable();
    named.dedup();
    let up = |name: &String| name != module && layer(name).is_some_and(|layer| layer >= own);
    named.into_iter().filter(up).map(|name| format!("{path}: '{module}' may not import '{name}'")).collect()
}

/// The first name of each path that begins with `prefix`, and of each branch of a braced group.
pub(super) fn imports(code: &str, prefix: &str) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use super::{super::source::read, *};

    fn found(path: &str, code: &str) -> Vec<String> {
        offences(path, &read(code))
    }

    #[test]
    fn an_import_that_points_down_is_fine() {
        assert!(found("src/tools/data/list.rs", "use crate::{engine::{Tool, Context}, model::Result};").is_empty());
        assert!(found("src/store/vault.rs", "use crate::model::Secret; use crate::store::db::Db;").is_empty());
        assert!(found("src/boot.rs", "use crate::{doors, tools, agent};").is_empty());
        assert!(found("src/main.rs", "use satchel::boot; use crate::boot;").is_empty());
    }

    #[test]
    fn an_import_that_points_up_is_found() {
        assert_eq!(
            found("src/engine/invoker.rs", "fn f() { crate::tools::all() }"),
            ["src/engine/invoker.rs: 'engine' may not import 'tools'"]
        );
        assert_eq!(
            found("src/engine/context.rs", "use crate::{engine::tool::Tool, services::catalog};"),
            ["src/engine/context.rs: 'engine' may not import 'services'"]
        );
        assert_eq!(
            found("src/model/id.rs", "use crate::{\n    model::error::{Error, Result},\n    store::Db,\n};"),
            ["src/model/id.rs: 'model' may not import 'store'"]
        );
    }

    #[test]
    fn siblings_do_not_import_each_other() {
        assert_eq!(
            found("src/doors/http/tools.rs", "use crate::tools::data;"),
            ["src/doors/http/tools.rs: 'doors' may not import 'tools'"]
        );
        assert_eq!(found("src/net/mod.rs", "use crate::host;"), ["src/net/mod.rs: 'net' may not import 'host'"]);
    }

    #[test]
    fn super_is_no_way_round_the_table() {
        assert_eq!(
            found("src/net/http.rs", "use super::super::store::Db;"),
            ["src/net/http.rs: 'net' may not import 'store'"]
        );
        assert!(found("src/net/http.rs", "use super::store::Db;").is_empty());
    }

    #[test]
    fn a_name_in_a_comment_or_a_text_is_no_import() {
        assert!(found("src/model/id.rs", "// crate::store\nconst A: &str = \"crate::store\";").is_empty());
    }

    #[test]
    fn a_new_top_module_needs_a_place() {
        assert_eq!(found("src/utils.rs", ""), ["src/utils.rs: the module 'utils' has no place in the layer table"]);
    }
}
