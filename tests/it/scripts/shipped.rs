//! The scripts in the tree, the templates, and the guide.

#![expect(clippy::disallowed_methods, reason = "reads the tree")]

use std::path::Path;

use crate::support::program::binary;
use satchel::{
    host::workers::Workers,
    script::header,
    services::scripts::{check, templates, test},
};

fn workers() -> Workers {
    Workers::new(binary().into())
}

/// Nothing is wrong with it, and all it has to show for itself passes.
async fn require_sound(workers: &Workers, what: &str, text: &str) {
    let checked = check(workers, text).await.unwrap();
    assert_eq!(checked.problems, [], "{what}");
    let run = test(workers, text).await.unwrap();
    let red: Vec<_> = run.results.iter().filter(|result| !result.passed).collect();
    assert!(red.is_empty(), "{what}: {red:#?}");
    assert!(run.total >= 2, "{what} has an example and a test at least");
}

#[tokio::test]
async fn every_shipped_script_is_sound_and_tested() {
    let workers = workers();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "rhai") {
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(header::name_of(&text).as_deref(), path.file_stem().unwrap().to_str());
            require_sound(&workers, &path.display().to_string(), &text).await;
            count += 1;
        }
    }
    assert!(count >= 12);
}

#[tokio::test]
async fn every_template_is_sound_and_tested() {
    let workers = workers();
    for template in templates() {
        require_sound(&workers, template.name, template.source).await;
    }
}

#[tokio::test]
async fn every_script_of_the_guide_is_sound_and_tested() {
    let guide = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/scripting.md")).unwrap();
    let blocks: Vec<&str> = guide.split("```rhai\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(blocks.len() >= 3);
    for (n, text) in blocks.into_iter().enumerate() {
        require_sound(&workers(), &format!("script {} of the guide", n + 1), text).await;
    }
}
