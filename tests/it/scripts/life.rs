//! From a text to a tool, and back.

#![expect(clippy::disallowed_methods, reason = "saves files as a person does")]

use std::{
    io::{Cursor, Write},
    time::{Duration, Instant},
};

use satchel::{
    model::script::Origin,
    services::scripts::{Library, State},
};
use serde_json::{Value, json};

use crate::support::{app::TestApp, chat::Person, program::Home};

/// A script that doubles, under a name, with a test.
pub(super) fn doubling(name: &str, by: u32) -> String {
    format!(
        "// @name {name}\n// @description Multiplies a number by {by}.\n// @when Somebody wants a number many times over\n\
         // @param n integer \"The number\"\n// @example \"Three\" {{\"n\": 3}} => {}\n\
         fn run(args) {{ args.n * {by} }}\ntest \"zero\" {{ assert_eq(run(#{{ n: 0 }}), 0); }}\n",
        3 * by
    )
}

/// Waits until it holds.
pub(super) async fn until(library: &Library, holds: impl Fn(&Library) -> bool) {
    let started = Instant::now();
    while !holds(library) {
        assert!(started.elapsed() < Duration::from_secs(240), "{:#?}", library.all());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_file_that_is_saved_is_live_and_one_that_is_deleted_is_gone() {
    let app = TestApp::start().await;
    let library = &app.satchel.services.scripts;
    let owner = app.owner().await.caller;
    let path = library.folder().join("times_two.rhai");
    std::fs::write(&path, doubling("times_two", 2)).unwrap();
    let live = |library: &Library| library.one("times_two").is_some_and(|s| s.problem.is_none());
    until(library, live).await;
    assert_eq!(app.data(&owner, "times_two", json!({"n": 21})).await.unwrap(), 42);
    assert_eq!(app.data(&owner, "script:times_two", json!({"n": 1})).await.unwrap(), 2);
    let wrong = app.data(&owner, "times_two", json!({"m": 1})).await.unwrap_err();
    assert!(wrong.message().contains("'n' is missing"), "{wrong}");
    std::fs::write(&path, "// @name times_two\nfn run(args) { nowhere }").unwrap();
    until(library, |library| library.one("times_two").is_some_and(|s| s.problem.is_some())).await;
    let problem = library.one("times_two").unwrap().problem.unwrap();
    assert!(problem.starts_with("Line 1: The header lacks"), "{problem}");
    let broken = app.data(&owner, "times_two", json!({"n": 1})).await.unwrap_err();
    assert!(broken.message().contains("The script 'times_two' is broken"), "{broken}");
    std::fs::remove_file(&path).unwrap();
    until(library, |library| library.one("times_two").is_none()).await;
}

#[tokio::test]
async fn no_script_takes_a_name_that_is_taken() {
    let app = TestApp::start().await;
    let library = &app.satchel.services.scripts;
    let folder = library.folder();
    for name in ["calculator", "fs-read", "one"] {
        std::fs::write(folder.join(format!("{name}.rhai")), doubling(if name == "one" { "other" } else { name }, 2))
            .unwrap();
    }
    until(library, |library| library.all().iter().filter(|s| s.origin == Origin::Folder).count() == 3).await;
    let problem = |name: &str| library.one(name).unwrap().problem.unwrap();
    std::fs::write(folder.join("latin.rhai"), b"// @name latin\n// gr\xfc\xdfe").unwrap();
    std::os::unix::fs::symlink(folder.join("one.rhai"), folder.join("linked.rhai")).unwrap();
    until(library, |library| library.all().iter().filter(|s| s.origin == Origin::Folder).count() == 5).await;
    assert_eq!(problem("latin"), "It is no text in UTF-8: save it in this encoding.");
    assert!(problem("linked").starts_with("It is a link, and links are not followed"), "{}", problem("linked"));
    let latin = library.one("latin").unwrap();
    assert_eq!(library.state(&latin), State::Broken);
    let owner = app.owner().await.caller;
    let called = app.data(&owner, "latin", json!({})).await.unwrap_err();
    assert!(called.message().contains("The script 'latin' is broken, and no tool: It is no text"), "{called}");
    assert!(problem("calculator").contains("builtin:calculator has the name"), "{}", problem("calculator"));
    assert!(problem("fs-read").contains("cannot be a tool's name"), "{}", problem("fs-read"));
    assert!(problem("one").contains("name both alike"), "{}", problem("one"));
    std::fs::write(folder.join("unit_convert.rhai"), doubling("unit_convert", 2)).unwrap();
    until(library, |library| library.all().iter().filter(|s| s.name == "unit_convert").count() == 2).await;
    assert_eq!(library.one("unit_convert").map(|one| (one.origin, one.problem)), Some((Origin::Shipped, None)));
}

pub(super) async fn console() -> (Home, crate::support::program::Serving, Person) {
    let home = Home::new().await;
    let server = home.serve(&[]).await;
    let owner = Person::sign_in(&server.url, "owner").await;
    (home, server, owner)
}

#[tokio::test]
async fn a_script_is_drafted_tested_published_called_and_rolled_back() {
    let (_home, server, owner) = console().await;
    let call = async |n: i64| owner.do_it("POST", "/api/tools/times/invoke", json!({"params": {"n": n}})).await;
    let draft = owner.do_it("PUT", "/api/scripts/times", json!({"source": doubling("times", 2)})).await;
    assert_eq!([&draft["state"], &draft["version"]], [&json!("draft"), &Value::Null]);
    let tested = owner.do_it("POST", "/api/scripts/times/test", json!({})).await;
    assert_eq!([&tested["passed"], &tested["total"]], [&json!(2), &json!(2)]);
    let tried = owner.do_it("POST", "/api/scripts/times/run", json!({"params": {"n": 4}})).await;
    assert_eq!([&tried["success"], &tried["data"]], [&json!(true), &json!(8)], "{tried}");
    assert!(tried["operations"].as_u64().unwrap() > 0, "{tried}");
    let live = owner.do_it("POST", "/api/scripts/times/publish", json!({"note": "first"})).await;
    assert_eq!([&live["state"], &live["version"], &live["draft"]], [&json!("live"), &json!(1), &Value::Null]);
    assert_eq!(call(5).await["data"], 10);
    // A red test keeps it back, and says which.
    let red = doubling("times", 3).replace("=> 9", "=> 10");
    owner.do_it("PUT", "/api/scripts/times", json!({"source": red})).await;
    let (status, refused) = owner.ask("POST", "/api/scripts/times/publish", json!({})).await;
    assert_eq!((status, &refused["tests"]["passed"]), (409, &json!(1)), "{refused}");
    assert_eq!(call(5).await["data"], 10);
    owner.do_it("PUT", "/api/scripts/times", json!({"source": doubling("times", 3)})).await;
    owner.do_it("POST", "/api/scripts/times/publish", json!({})).await;
    assert_eq!(call(5).await["data"], 15);
    let second = owner.do_it("GET", "/api/scripts/times/versions/2", Value::Null).await;
    assert!(second["diff"].as_str().unwrap().contains("-fn run(args) { args.n * 2 }"), "{second}");
    let back = owner.do_it("POST", "/api/scripts/times/rollback", json!({"version": 1})).await;
    assert_eq!((&back["version"], call(5).await["data"].clone()), (&json!(3), json!(10)));
    assert_eq!(back["versions"].as_array().unwrap().len(), 3);
    // Switched off at once.
    owner.do_it("PUT", "/api/tools/script:times/enabled", json!({"enabled": false})).await;
    let (status, _) = owner.ask("POST", "/api/tools/times/invoke", json!({"params": {"n": 1}})).await;
    assert_eq!(status, 503);
    assert_eq!(owner.do_it("GET", "/api/scripts/times", Value::Null).await["state"], "disabled");
    owner.do_it("DELETE", "/api/scripts/times", Value::Null).await;
    let (status, _) = owner.ask("GET", "/api/scripts/times", Value::Null).await;
    assert_eq!(status, 404);
    server.stop().await;
}

#[tokio::test]
async fn more_than_before_must_be_agreed_to() {
    let (_home, server, owner) = console().await;
    let plain = doubling("wider", 2);
    owner.do_it("PUT", "/api/scripts/wider", json!({"source": plain})).await;
    owner.do_it("POST", "/api/scripts/wider/publish", json!({})).await;
    let wider = plain.replace("// @param", "// @uses calculator\n// @http api.example.org\n// @kv\n// @param").replace(
        "args.n * 2",
        "kv_set(\"n\", 1); if args.n > 100 { http_get(\"https://api.example.org/\") } else { args.n * 2 }",
    );
    owner.do_it("PUT", "/api/scripts/wider", json!({"source": wider})).await;
    let publish =
        async |accept: Value| owner.ask("POST", "/api/scripts/wider/publish", json!({"accept": accept})).await;
    let (status, refused) = publish(json!(["kv"])).await;
    let all = json!(["http api.example.org", "kv", "tool calculator"]);
    assert_eq!((status, &refused["wider"]), (409, &all), "{refused}");
    let (status, live) = publish(all.clone()).await;
    assert_eq!((status, &live["versions"][0]["wider"]), (200, &all), "{live}");
    // Agreeing is not granting: the network waits for an administrator.
    let call = async || owner.do_it("POST", "/api/tools/wider/invoke", json!({"params": {"n": 101}})).await;
    let answer = call().await;
    assert!(answer["error"].as_str().unwrap().contains("not yet granted"), "{answer}");
    let (status, refused) = owner.ask("PUT", "/api/scripts/wider/grants", json!({"hosts": ["other.org"]})).await;
    assert_eq!((status, refused["detail"].as_str().unwrap().contains("does not name")), (400, true));
    let granted = owner.do_it("PUT", "/api/scripts/wider/grants", json!({"hosts": ["api.example.org"]})).await;
    assert!(granted["capabilities"].as_array().unwrap().iter().all(|one| one["granted"] == true), "{granted}");
    server.stop().await;
}

#[tokio::test]
async fn scripts_survive_a_restart_and_an_export() {
    let (home, server, owner) = console().await;
    owner.do_it("PUT", "/api/scripts/kept", json!({"source": doubling("kept", 2)})).await;
    owner.do_it("POST", "/api/scripts/kept/publish", json!({})).await;
    let zip = owner.bytes("/api/scripts/export").await;
    server.stop().await;
    let server = home.serve(&[]).await;
    let owner = Person::sign_in(&server.url, "owner").await;
    let answer = owner.do_it("POST", "/api/tools/kept/invoke", json!({"params": {"n": 2}})).await;
    assert_eq!(answer["data"], 4);
    owner.do_it("DELETE", "/api/scripts/kept", Value::Null).await;
    let imported = owner.send_bytes("/api/scripts/import", with_a_bad_file(&zip)).await;
    let refused = json!({"name": "bad.rhai", "problem": "'bad.rhai' in the zip is no text in UTF-8.", "draft": false});
    assert_eq!(imported, (200, json!({"saved": ["kept"], "unchanged": [], "refused": [refused]})));
    let (status, refused) = owner.send_bytes("/api/scripts/import", b"// @name exec\nfn run(a) { 1 }".to_vec()).await;
    assert_eq!(status, 409, "{refused}");
    assert!(refused["detail"].as_str().unwrap().contains("belongs to builtin:exec"), "{refused}");
    let long = format!("{}{}", doubling("long", 2), "// and so on\n".repeat(30_000));
    let (status, refused) = owner.send_bytes("/api/scripts/import", long.into_bytes()).await;
    assert_eq!((status, &refused["type"]), (400, &json!("urn:satchel:invalid")), "{refused}");
    server.stop().await;
}

/// A zip with one more file, which is no text.
fn with_a_bad_file(zip: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new_append(Cursor::new(zip.to_vec())).unwrap();
    zip.start_file("bad.rhai", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(b"\xff\xfe").unwrap();
    zip.finish().unwrap().into_inner()
}

#[tokio::test]
async fn a_change_that_began_from_an_older_text_is_refused_and_says_who_made_the_newer() {
    let (_home, server, owner) = console().await;
    let path = "/api/scripts/shared";
    let digest = async || owner.do_it("GET", path, Value::Null).await["digest"].clone();
    let refused = async |method: &str, at: &str, body: Value| {
        let (status, told) = owner.ask(method, &format!("{path}{at}"), body).await;
        assert_eq!(status, 409, "{told}");
        told
    };
    let first = json!({"source": doubling("shared", 2), "base": ""});
    let saved = owner.do_it("PUT", path, first.clone()).await;
    assert_eq!([&saved["digest"], &saved["updated_by"]], [&digest().await, &json!("owner")]);
    let told = refused("PUT", "", first).await;
    assert!(told["detail"].as_str().unwrap().starts_with("owner saved a draft of shared meanwhile"), "{told}");
    owner.do_it("POST", "/api/scripts/shared/publish", json!({"base": saved["digest"]})).await;
    // Both have seen version 1; one of them publishes.
    let seen = digest().await;
    owner.do_it("PUT", path, json!({"source": doubling("shared", 3), "base": seen})).await;
    owner.do_it("POST", "/api/scripts/shared/publish", json!({})).await;
    let late = json!({"source": doubling("shared", 4), "base": seen});
    let told = refused("PUT", "", late).await;
    assert!(told["detail"].as_str().unwrap().starts_with("owner published version 2 of shared meanwhile"), "{told}");
    let now = owner.do_it("GET", path, Value::Null).await;
    let changed =
        json!({"by": "owner", "at": now["updated_at"], "version": 2, "draft": false, "digest": now["digest"]});
    assert_eq!((&told["changed"], &now["draft"]), (&changed, &Value::Null));
    // Neither is a draft published, dropped or replaced that nobody has seen.
    owner.do_it("PUT", path, json!({"source": doubling("shared", 5)})).await;
    refused("POST", "/publish", json!({"base": now["digest"]})).await;
    refused("POST", "/rollback", json!({"version": 1, "base": now["digest"]})).await;
    refused("DELETE", &format!("/draft?base={}", seen.as_str().unwrap()), Value::Null).await;
    let there = owner.do_it("GET", path, Value::Null).await;
    assert_eq!([&there["draft"], &there["version"]], [&json!(doubling("shared", 5)), &json!(2)]);
    let back = json!({"version": 1, "base": there["digest"]});
    assert_eq!(owner.do_it("POST", "/api/scripts/shared/rollback", back).await["version"], 3);
    let last = digest().await;
    refused("DELETE", &format!("?base={}", now["digest"].as_str().unwrap()), Value::Null).await;
    owner.do_it("DELETE", &format!("{path}?base={}", last.as_str().unwrap()), Value::Null).await;
    let told = refused("PUT", "", json!({"source": doubling("shared", 6), "base": last})).await;
    assert!(told["detail"].as_str().unwrap().contains("was deleted meanwhile"), "{told}");
    server.stop().await;
}

#[tokio::test]
async fn an_import_leaves_alone_what_is_there_and_drafts_of_others() {
    let (_home, server, owner) = console().await;
    for name in ["one", "other"] {
        owner.do_it("PUT", &format!("/api/scripts/{name}"), json!({"source": doubling(name, 2)})).await;
        owner.do_it("POST", &format!("/api/scripts/{name}/publish"), json!({})).await;
    }
    let zip = owner.bytes("/api/scripts/export").await;
    let import =
        async |query: &str, bytes: Vec<u8>| owner.send_bytes(&format!("/api/scripts/import{query}"), bytes).await;
    let unchanged = json!({"saved": [], "unchanged": ["one", "other"], "refused": []});
    assert_eq!(import("", zip.clone()).await, (200, unchanged));
    let draft = async || owner.do_it("GET", "/api/scripts/one", Value::Null).await["draft"].clone();
    assert_eq!(draft().await, Value::Null);
    owner.do_it("PUT", "/api/scripts/one", json!({"source": doubling("one", 3)})).await;
    owner.do_it("POST", "/api/scripts/one/publish", json!({})).await;
    let theirs = doubling("one", 4);
    owner.do_it("PUT", "/api/scripts/one", json!({"source": theirs})).await;
    let (status, told) = import("", zip.clone()).await;
    let problem = "There is a draft of one with another text. It stays unless the import says replace.";
    let held = json!([{"name": "one", "problem": problem, "draft": true}]);
    assert_eq!((status, &told["refused"], &told["unchanged"]), (200, &held, &json!(["other"])), "{told}");
    let (status, told) = import("", doubling("one", 2).into_bytes()).await;
    assert_eq!((status, &told["draft"], draft().await), (409, &json!(true), json!(theirs)), "{told}");
    let (status, told) = import("?replace=true", zip).await;
    assert_eq!((status, &told["saved"], draft().await), (200, &json!(["one"]), json!(doubling("one", 2))), "{told}");
    server.stop().await;
}

#[tokio::test]
async fn a_text_is_checked_and_made_of_calls() {
    let (_home, server, owner) = console().await;
    let text = "// @name a\n// @description d\n// @when w\n// @uses my_thing, thing\nfn run(args) { lates }";
    let checked = owner.do_it("POST", "/api/scripts/check", json!({"source": text})).await;
    let told: Vec<_> = checked["problems"].as_array().unwrap().iter().filter(|p| p["severity"] == "error").collect();
    assert_eq!(told.len(), 3, "{checked}");
    assert_eq!([&told[0]["line"], &told[0]["column"]], [&json!(4), &json!(10)]);
    assert_eq!([&told[1]["line"], &told[1]["column"]], [&json!(4), &json!(20)]);
    assert_eq!([&told[2]["line"], &told[2]["column"]], [&json!(5), &json!(16)]);
    let taken = text.replace("@name a", "@when w\n// @name exec").replace("// @uses my_thing, thing", "");
    let checked = owner.do_it("POST", "/api/scripts/check", json!({"source": taken})).await;
    let told: Vec<_> = checked["problems"].as_array().unwrap().iter().filter(|p| p["column"] == 10).collect();
    assert_eq!(told.iter().map(|p| &p["line"]).collect::<Vec<_>>(), [&json!(2)], "{checked}");
    let calls = json!({"name": "both", "calls": [
        {"tool": "builtin:calculator", "params": {"expression": "1 + 1"}},
        {"tool": "transform_data", "params": {"data": "[]", "action": "count"}},
        {"tool": "grep_result", "params": {"data": "a\nb", "pattern": "a"}},
    ]});
    let made = owner.do_it("POST", "/api/scripts/from-calls", calls).await;
    let source = made["source"].as_str().unwrap();
    assert!(source.contains(r#"@param action "sort" | "group" | "count" | "pick" = "count" "#), "{source}");
    let checked = owner.do_it("POST", "/api/scripts/check", json!({"source": made["source"]})).await;
    let errors: Vec<_> = checked["problems"].as_array().unwrap().iter().filter(|p| p["severity"] == "error").collect();
    assert!(errors.is_empty(), "{made}: {errors:?}");
    let sum = json!({"tool": "calculator", "params": {"expression": "1"}});
    let long = json!({"tool": "calculator", "params": {"expression": "1".repeat(70_000)}});
    for calls in [vec![sum; 49], vec![long]] {
        let (status, told) = owner.ask("POST", "/api/scripts/from-calls", json!({"calls": calls})).await;
        assert!(
            status == 400 && told["detail"] == "A script makes 48 calls at most, with 64 KB of arguments.",
            "{told}"
        );
    }
    // A shipped script is shown, checked and tried out as it is.
    let shipped = owner.do_it("GET", "/api/scripts/unit_convert", Value::Null).await;
    let checked = owner.do_it("POST", "/api/scripts/check", json!({"source": shipped["source"]})).await;
    assert_eq!(checked["problems"], json!([]), "{checked}");
    let (status, _) = owner.ask("PUT", "/api/scripts/unit_convert", json!({"source": shipped["source"]})).await;
    assert_eq!(status, 409);
    let run = json!({"source": made["source"], "params": {}});
    let tried = owner.do_it("POST", "/api/scripts/both/run", run).await;
    assert_eq!(tried["data"]["count"], 1, "{tried}");
    server.stop().await;
}

#[tokio::test]
async fn files_are_made_checked_and_tested_from_the_command_line() {
    let home = Home::empty();
    let told = home.run(&["script", "new", "my_first"]).await;
    assert_eq!(told.code, 0, "{told:?}");
    let path = home.path().join("scripts/my_first.rhai");
    assert_eq!(home.run(&["script", "new", "my_first"]).await.code, 1);
    assert_eq!(home.run(&["script", "new", "My First"]).await.code, 2);
    let told = home.run(&["script", "test"]).await;
    assert!(told.code == 0 && told.out.contains("2 of 2 pass"), "{told:?}");
    let text = std::fs::read_to_string(&path).unwrap().replace("\"count\": 3", "\"count\": 4");
    std::fs::write(&path, text).unwrap();
    let told = home.run(&["script", "test", path.to_str().unwrap()]).await;
    assert!(told.code == 1 && told.out.contains("1 of 2 pass") && told.out.contains("expected"), "{told:?}");
    std::fs::write(&path, "fn run(args) {").unwrap();
    let told = home.run(&["script", "check", path.to_str().unwrap()]).await;
    assert!(told.code == 1 && told.out.contains("my_first.rhai:1:"), "{told:?}");
    let told = home.run(&["script", "test", path.to_str().unwrap()]).await;
    assert!(told.code == 1 && told.out.contains("my_first.rhai:1:"), "{told:?}");
    for taken in ["calculator", "unit_convert"] {
        let told = home.run(&["script", "new", taken]).await;
        assert!(told.code == 2 && told.err.contains(taken), "{told:?}");
    }
    let logs = doubling("my_first", 2).replace("{ args.n", "{ log(\"begins\"); throw \"no more\"; args.n");
    std::fs::write(&path, format!("\u{feff}{logs}")).unwrap();
    let told = home.run(&["script", "run", path.to_str().unwrap(), "n=1"]).await;
    assert!(told.code == 1 && told.err.contains("begins") && told.err.contains("my_first.rhai:6:"), "{told:?}");
    let told = home.run(&["script", "run", path.parent().unwrap().to_str().unwrap(), "n=1"]).await;
    assert!(told.code == 2 && told.err.contains("is a folder: name one script in it"), "{told:?}");
    let other = home.path().join("scripts/other.rhai");
    std::fs::rename(&path, &other).unwrap();
    let told = home.run(&["script", "check", other.to_str().unwrap()]).await;
    assert!(told.code == 1 && told.out.contains("other.rhai:1:10: error: The file is called other.rhai"), "{told:?}");
}
