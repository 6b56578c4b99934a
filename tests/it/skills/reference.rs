//! Folders that are skills and folders that are none: our answer on each folder, and that of the form's reference validator.

#![expect(clippy::disallowed_methods, reason = "runs the reference validator")]

use std::{path::Path, process::Command};

use satchel::formats::skill;

/// Folders by name, each with the text of its SKILL.md, and whether that is valid.
fn folders() -> Vec<(&'static str, String, bool)> {
    let head = |fields: &str| format!("---\n{fields}\n---\n\n# Steps\n");
    let of = |name: &str, more: &str| head(&format!("name: {name}\ndescription: Does it.{more}"));
    let long = |count: usize| "x".repeat(count);
    vec![
        ("plain", of("plain", ""), true),
        ("two-words", of("two-words", ""), true),
        ("a1-b2", of("a1-b2", ""), true),
        ("7", of("7", ""), true),
        ("größe", of("größe", ""), true),
        ("技能", of("技能", ""), true),
        ("навык", of("навык", ""), true),
        ("licensed", of("licensed", "\nlicense: MIT"), true),
        ("compatible", of("compatible", "\ncompatibility: Needs git"), true),
        ("tooled", of("tooled", "\nallowed-tools: Read Bash(git:*)"), true),
        ("tool-list", of("tool-list", "\nallowed-tools:\n  - Read\n  - Write"), true),
        ("described", of("described", "\nmetadata:\n  author: me\n  version: 1.0"), true),
        ("quoted", head("name: 'quoted'\ndescription: \"Does it.\""), true),
        ("folded", head("name: folded\ndescription: >\n  Does it\n  well."), true),
        ("literal", head("name: literal\ndescription: |\n  Does it.\n  Well."), true),
        ("commented", head("# first\nname: commented # here\ndescription: Does it."), true),
        ("no-body", "---\nname: no-body\ndescription: Does it.\n---".to_owned(), true),
        ("numbers", head("name: numbers\ndescription: 42"), true),
        ("null-text", head("name: null-text\ndescription: ~"), true),
        ("longest", head(&format!("name: longest\ndescription: {}", long(1_024))), true),
        ("compatible-most", of("compatible-most", &format!("\ncompatibility: {}", long(500))), true),
        ("empty-license", of("empty-license", "\nlicense:"), true),
        ("odd-metadata", of("odd-metadata", "\nmetadata: text"), true),
        ("Upper", of("Upper", ""), false),
        ("under_score", of("under_score", ""), false),
        ("-begins", of("-begins", ""), false),
        ("ends-", of("ends-", ""), false),
        ("double--hyphen", of("double--hyphen", ""), false),
        ("has.dot", of("has.dot", ""), false),
        ("has space", of("has space", ""), false),
        ("other-folder", of("named-otherwise", ""), false),
        ("no-name", head("description: Does it."), false),
        ("no-description", head("name: no-description"), false),
        ("empty-description", head("name: empty-description\ndescription:"), false),
        ("blank-description", head("name: blank-description\ndescription: '  '"), false),
        ("too-long", head(&format!("name: too-long\ndescription: {}", long(1_025))), false),
        ("compatible-too-much", of("compatible-too-much", &format!("\ncompatibility: {}", long(501))), false),
        ("compatible-map", of("compatible-map", "\ncompatibility:\n  a: b"), false),
        ("unknown-field", of("unknown-field", "\nversion: 1.0"), false),
        ("twice", of("twice", "\nlicense: MIT\nlicense: BSD"), false),
        ("flow", of("flow", "\nallowed-tools: [Read]"), false),
        ("flow-map", of("flow-map", "\nmetadata: {a: b}"), false),
        ("anchor", head("name: &n anchor\ndescription: Does it."), false),
        ("tag", head("name: !!str tag\ndescription: Does it."), false),
        ("list-name", head("name:\n  - list-name\ndescription: Does it."), false),
        ("headless", "# Steps\n".to_owned(), false),
        ("late-head", format!("\n{}", of("late-head", "")), false),
        ("unclosed", "---\nname: unclosed\ndescription: Does it.\n".to_owned(), false),
        ("empty-head", "---\n---\n".to_owned(), false),
        ("a-list", head("- name: a-list"), false),
        ("colon", head("name: colon\ndescription: Use: when it rains"), false),
        ("uneven", of("uneven", "\nmetadata:\n    a: 1\nallowed-tools:\n  b: 2"), false),
        ("empty", String::new(), false),
    ]
}

fn is_ours(folder: &str, text: &str) -> Result<(), String> {
    let read = skill::read(&[format!("{folder}/SKILL.md")], vec![text.into()]);
    read.map(drop).map_err(|error| error.message().to_owned())
}

#[test]
fn the_rules_of_the_form_decide_what_a_skill_is() {
    for (folder, text, valid) in folders() {
        let ours = is_ours(folder, &text);
        assert_eq!(ours.is_ok(), valid, "{folder}: {ours:?}\n{text}");
    }
    let long = format!("long-{}", "x".repeat(60));
    let text = format!("---\nname: {long}\ndescription: Does it.\n---\n");
    assert!(is_ours(&long, &text).unwrap_err().contains("65 characters"));
    assert!(folders().len() >= 40);
}

fn is_theirs(folder: &Path) -> bool {
    Command::new("agentskills").arg("validate").arg(folder).output().unwrap().status.success()
}

#[test]
#[ignore = "needs the reference validator: pip install skills-ref"]
fn the_reference_validator_says_the_same_of_each_folder() {
    let dir = tempfile::tempdir().unwrap();
    for (name, text, _) in folders() {
        let folder = dir.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("SKILL.md"), &text).unwrap();
        assert_eq!(is_theirs(&folder), is_ours(name, &text).is_ok(), "{name}\n{text}");
    }
}
