//! The layer table: a crate depends on those below it only, and on no sibling. Cargo holds each to its manifest; this holds the
//! manifests.

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
];

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|names| names.contains(&name))
}

/// One line for each dependency that points up or sideways. Tests of a crate may use a sibling, for which it has a section of
/// its own.
pub(super) fn offences(path: &str, text: &str) -> Vec<String> {
    let Some(name) = path.strip_prefix("src/").and_then(|path| path.strip_suffix("/Cargo.toml")) else {
        return Vec::new();
    };
    let Some(own) = layer(name) else {
        return vec![format!("{path}: the crate '{name}' has no place in the layer table")];
    };
    let section = text.split("\n[").find(|section| section.starts_with("dependencies]")).unwrap_or_default();
    let layers = section.lines().filter_map(|line| line.strip_prefix("satchel-"));
    let named = layers.map(|rest| rest.split(['.', ' ', '=']).next().unwrap_or_default());
    let up = |other: &&str| layer(other).is_none_or(|layer| layer >= own);
    named.filter(up).map(|other| format!("{path}: '{name}' may not depend on '{other}'")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, dependencies: &str) -> Vec<String> {
        let manifest = format!(
            "[package]\nname = \"satchel-{name}\"\n\n[dependencies]\n{dependencies}\n\n[dev-dependencies]\nsatchel-boot = \"1\"\n"
        );
        offences(&format!("src/{name}/Cargo.toml"), &manifest)
    }

    #[test]
    fn a_dependency_that_points_down_is_fine() {
        assert!(
            found("tools", "satchel-engine.workspace = true\nsatchel-model.workspace = true\nserde = \"1\"").is_empty()
        );
        assert!(found("model", "serde.workspace = true").is_empty());
        assert!(offences("Cargo.toml", "[dependencies]\nsatchel-doors.workspace = true").is_empty());
    }

    #[test]
    fn a_dependency_that_points_up_or_sideways_is_found() {
        assert_eq!(
            found("engine", "satchel-tools.workspace = true"),
            ["src/engine/Cargo.toml: 'engine' may not depend on 'tools'"]
        );
        assert_eq!(
            found("doors", "satchel-tools = { workspace = true }"),
            ["src/doors/Cargo.toml: 'doors' may not depend on 'tools'"]
        );
        assert_eq!(found("net", "satchel-boot = \"1\""), ["src/net/Cargo.toml: 'net' may not depend on 'boot'"]);
    }

    #[test]
    fn a_new_crate_needs_a_place() {
        assert_eq!(found("utils", ""), ["src/utils/Cargo.toml: the crate 'utils' has no place in the layer table"]);
    }
}
