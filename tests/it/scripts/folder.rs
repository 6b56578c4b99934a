//! The folder of scripts: followed wherever it goes, and what is wrong with its files is told.

#![expect(clippy::disallowed_methods, reason = "saves files as a person does")]

use std::path::Path;

use satchel::{model::script::Origin, services::scripts::Library};
use serde_json::{Value, json};

use super::life::{console, doubling, until};
use crate::support::{app::TestApp, program::Home};

#[tokio::test]
async fn a_folder_that_is_replaced_is_followed_on() {
    let app = TestApp::start().await;
    let library = &app.satchel.services.scripts;
    let folder = library.folder();
    let live = |name: &'static str| {
        move |library: &Library| {
            let files: Vec<_> = library.all().iter().filter(|s| s.origin == Origin::Folder).cloned().collect();
            files.len() == 1 && files.iter().all(|file| file.name == name && file.problem.is_none())
        }
    };
    let save = |folder: &Path, name: &str| {
        std::fs::write(folder.join(format!("{name}.rhai")), doubling(name, 2)).unwrap();
    };
    save(&folder, "first");
    until(library, live("first")).await;
    // As a deployment does it.
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::create_dir(&folder).unwrap();
    save(&folder, "second");
    until(library, live("second")).await;
    // It is watched again, not only read again.
    std::fs::remove_file(folder.join("second.rhai")).unwrap();
    save(&folder, "third");
    until(library, live("third")).await;
    let (old, new) = (app.dir.path().join("old"), app.dir.path().join("new"));
    std::fs::create_dir(&new).unwrap();
    save(&new, "fourth");
    std::fs::rename(&folder, &old).unwrap();
    until(library, |library| library.all().iter().all(|s| s.origin != Origin::Folder)).await;
    std::os::unix::fs::symlink(&new, &folder).unwrap();
    until(library, live("fourth")).await;
    std::os::unix::fs::symlink(&old, app.dir.path().join("turned")).unwrap();
    std::fs::rename(app.dir.path().join("turned"), &folder).unwrap();
    until(library, live("third")).await;
    std::fs::remove_file(old.join("third.rhai")).unwrap();
    save(&old, "fifth");
    until(library, live("fifth")).await;
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_named_on_the_command_line() {
    let home = Home::empty();
    let folder = home.path().join("scripts");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("latin.rhai"), b"// @name latin\n// gr\xfc\xdfe").unwrap();
    std::os::unix::fs::symlink("latin.rhai", folder.join("linked.rhai")).unwrap();
    for command in ["check", "test"] {
        let told = home.run(&["script", command]).await;
        assert_eq!(told.code, 1, "{told:?}");
        assert!(told.out.contains("latin.rhai:1:1: error: It is no text in UTF-8"), "{told:?}");
        assert!(told.out.contains("linked.rhai:1:1: error: It is a link"), "{told:?}");
    }
}

/// A script that calls another tool, under a name.
fn calling(name: &str, tool: &str) -> String {
    doubling(name, 2)
        .replace("// @param", &format!("// @uses {tool}\n// @param"))
        .replace("{ args.n", &format!("{{ if args.n > 9 {{ tool(\"{tool}\", #{{ n: 1 }}); }} args.n"))
}

#[tokio::test]
async fn a_tool_that_a_file_uses_and_that_is_not_there_is_told() {
    let (home, server, owner) = console().await;
    let folder = home.path().join("scripts");
    std::fs::write(folder.join("mine.rhai"), calling("mine", "nosuch")).unwrap();
    std::fs::write(folder.join("ping.rhai"), calling("ping", "pong")).unwrap();
    std::fs::write(folder.join("pong.rhai"), calling("pong", "ping")).unwrap();
    let missing = async |all: usize| loop {
        let list = owner.do_it("GET", "/api/scripts", Value::Null).await;
        let files: Vec<_> = list.as_array().unwrap().iter().filter(|one| one["origin"] == "folder").collect();
        if files.len() == all && files.iter().all(|one| one["state"] == "live") {
            break files.iter().map(|one| json!([one["name"], one["missing"]])).collect::<Vec<_>>();
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    };
    assert_eq!(missing(3).await, [json!(["mine", ["nosuch"]]), json!(["ping", []]), json!(["pong", []])]);
    // It comes later, from elsewhere.
    owner.do_it("PUT", "/api/scripts/nosuch", json!({"source": doubling("nosuch", 3)})).await;
    owner.do_it("POST", "/api/scripts/nosuch/publish", json!({})).await;
    assert_eq!(missing(3).await[0], json!(["mine", []]));
    let answer = owner.do_it("POST", "/api/tools/mine/invoke", json!({"params": {"n": 10}})).await;
    assert_eq!(answer["data"], 20, "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn a_tool_nobody_knows_is_told_on_the_command_line() {
    let home = Home::empty();
    let folder = home.path().join("scripts");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, tool) in [("mine", "calculater"), ("ping", "pong"), ("pong", "ping"), ("sums", "calculator")] {
        std::fs::write(folder.join(format!("{name}.rhai")), calling(name, tool)).unwrap();
    }
    let mine = folder.join("mine.rhai");
    for arguments in [vec!["check"], vec!["test"], vec!["check", mine.to_str().unwrap()]] {
        let told = home.run(&[vec!["script"], arguments].concat()).await;
        assert_eq!(told.code, 0, "{told:?}");
        let warned: Vec<_> = told.out.lines().filter(|line| line.contains("warning")).collect();
        let [warned] = warned.as_slice() else { panic!("{told:?}") };
        assert!(warned.contains("mine.rhai:4:10: warning: There is no tool 'calculater' here"), "{told:?}");
        assert!(warned.contains("Did you mean 'calculator'?"), "{told:?}");
    }
    let told = home.run(&["script", "check", folder.join("ping.rhai").to_str().unwrap()]).await;
    assert_eq!((told.code, told.out.trim()), (0, "Nothing is wrong."), "{told:?}");
}

#[tokio::test]
async fn a_draft_takes_no_name_from_a_file() {
    let (home, server, owner) = console().await;
    let path = home.path().join("scripts/victim.rhai");
    owner.do_it("PUT", "/api/scripts/victim", json!({"source": doubling("victim", 3)})).await;
    let files = async || {
        let list = owner.do_it("GET", "/api/scripts", Value::Null).await;
        let all = list.as_array().unwrap().iter().filter(|one| one["name"] == "victim").cloned();
        all.map(|one| (one["origin"].as_str().unwrap().to_owned(), one)).collect::<std::collections::BTreeMap<_, _>>()
    };
    let until = async |state: &str| {
        while files().await.get("folder").is_none_or(|file| file["state"] != state) {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    std::fs::write(&path, "// @name victim\nfn run(args) {").unwrap();
    until("broken").await;
    std::fs::write(&path, doubling("victim", 2)).unwrap();
    until("live").await;
    let answer = owner.do_it("POST", "/api/tools/victim/invoke", json!({"params": {"n": 5}})).await;
    assert_eq!(answer["data"], 10, "{answer}");
    let draft = &files().await["console"];
    let why = "There is already a file victim.rhai in the folder of scripts: save a copy under another name.";
    assert_eq!([&draft["state"], &draft["problem"]], [&json!("draft"), &json!(why)]);
    let view = owner.do_it("GET", "/api/scripts/victim", Value::Null).await;
    assert_eq!([&view["draft"], &view["problem"]], [&json!(doubling("victim", 3)), &json!(why)]);
    let (status, refused) = owner.ask("POST", "/api/scripts/victim/publish", json!({})).await;
    assert_eq!((status, refused["problems"][0]["line"].as_u64()), (400, Some(1)), "{refused}");
    assert!(refused["detail"].as_str().unwrap().contains("belongs to a file victim.rhai"), "{refused}");
    // A published one keeps it.
    std::fs::remove_file(&path).unwrap();
    while files().await.contains_key("folder") {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    owner.do_it("POST", "/api/scripts/victim/publish", json!({})).await;
    std::fs::write(&path, doubling("victim", 2)).unwrap();
    until("broken").await;
    assert!(files().await["folder"]["problem"].as_str().unwrap().contains("already a console script"));
    server.stop().await;
}
