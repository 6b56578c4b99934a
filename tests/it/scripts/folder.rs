//! The folder of scripts: followed wherever it goes, and what is wrong with its files is told.

#![expect(clippy::disallowed_methods, reason = "saves files as a person does")]

use std::path::Path;

use satchel::{engine::scripts::Library, model::script::Origin};
use super::life::{doubling, until};
use crate::support::{app::TestApp, program::Home};

#[tokio::test]
async fn a_folder_that_is_replaced_is_followed_on() {
    let app = TestApp::start().await;
    let library = &app.satchel.scripts;
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
