//! `satchel audit`, `satchel vault` and `satchel doctor`.

#![expect(clippy::disallowed_methods, reason = "the tests keep an anchor elsewhere, as people should")]

use std::{fs, os::unix::fs::PermissionsExt};

use rusqlite::Connection;
use serde_json::{Value, json};

use super::told::{done, either_way, failed};
use crate::support::{
    fake_llm::FakeLlm,
    program::{Home, PASSWORD, With},
};

/// Writes to the audit as nobody may.
fn tamper(home: &Home, statement: &str) {
    let database = Connection::open(home.path().join("satchel.db")).unwrap();
    let unlock = "DROP TRIGGER audit_is_append_only_update; DROP TRIGGER audit_is_append_only_delete";
    database.execute_batch(&format!("{unlock}; {statement}")).unwrap();
}

#[tokio::test]
async fn a_chain_that_stands_is_said_to() {
    either_way(async |home| {
        home.run(&["call", "calculator", "expression=1"]).await;
        let told = home.run(&["audit", "verify"]).await;
        assert_eq!(told, done("The chain stands: 2 entries, 0 anchors met.\n"));
        let anchor = home.json(&["audit", "anchor"]).await;
        assert_eq!(anchor["seq"], 2);
        assert_eq!(home.run(&["audit", "verify"]).await, done("The chain stands: 2 entries, 1 anchors met.\n"));
        let whole = home.json(&["audit", "verify"]).await;
        assert_eq!((&whole["ok"], &whole["entries"], &whole["head"]), (&json!(true), &json!(2), &anchor["hash"]));
        let elsewhere = home.path().join("../elsewhere.json");
        fs::write(&elsewhere, serde_json::to_string_pretty(&anchor).unwrap()).unwrap();
        let told = home.run(&["audit", "verify", "--anchors", elsewhere.to_str().unwrap()]).await;
        assert_eq!(told, done("The chain stands: 2 entries, 1 anchors met.\n"));
    })
    .await;
}

#[tokio::test]
async fn an_entry_that_was_changed_is_found() {
    either_way(async |home| {
        home.run(&["call", "calculator", "expression=1"]).await;
        tamper(home, "UPDATE audit SET person = 'eve' WHERE seq = 2");
        let told = home.run(&["audit", "verify"]).await;
        let said = "The chain is broken. Entry 2 was changed after it was written.\n";
        assert_eq!((told.code, told.out.as_str(), told.err.as_str()), (1, said, ""));
        let whole = home.run(&["audit", "verify", "--json"]).await;
        let whole = (whole.code, serde_json::from_str::<Value>(&whole.out).unwrap()["ok"].clone());
        assert_eq!(whole, (1, json!(false)));
    })
    .await;
}

#[tokio::test]
async fn an_end_that_was_cut_off_is_found_by_an_anchor() {
    either_way(async |home| {
        home.run(&["call", "calculator", "expression=1"]).await;
        let anchor = home.run(&["audit", "anchor"]).await.out;
        tamper(home, "DELETE FROM audit WHERE seq = 2");
        let said = "The chain is broken. The chain ends at entry 1, but entry 2 was anchored ";
        let told = home.run(&["audit", "verify"]).await;
        assert!(told.code == 1 && told.out.starts_with(said), "{told:?}");
        // Whoever cuts the chain may cut the directory's own anchors too: that is why one is kept elsewhere.
        fs::remove_file(home.path().join("anchors.jsonl")).unwrap();
        assert_eq!(home.run(&["audit", "verify"]).await, done("The chain stands: 1 entries, 0 anchors met.\n"));
        let elsewhere = home.path().join("../elsewhere.jsonl");
        fs::write(&elsewhere, anchor).unwrap();
        let told = home.run(&["audit", "verify", "--anchors", elsewhere.to_str().unwrap()]).await;
        assert!(told.code == 1 && told.out.starts_with(said), "{told:?}");
        fs::write(&elsewhere, "{\"seq\": 1}\n").unwrap();
        let told = home.run(&["audit", "verify", "--anchors", elsewhere.to_str().unwrap()]).await;
        assert!(told.code == 1 && told.err.contains("Line 1 of the anchors is not an anchor"), "{told:?}");
    })
    .await;
}

#[tokio::test]
async fn where_there_is_no_audit_verifying_says_so() {
    let told = Home::empty().run(&["audit", "verify"]).await;
    assert!(told.code == 1 && told.err.starts_with("satchel: There is no audit to read in "), "{told:?}");
}

#[tokio::test]
async fn the_vault_is_rotated() {
    either_way(async |home| {
        let whole = home.json(&["vault", "rotate", "--yes"]).await;
        let first = whole["key_id"].as_str().unwrap();
        assert_eq!(whole["records"], 0);
        let told = home.run(&["vault", "rotate", "--yes"]).await;
        let key =
            told.out.strip_prefix("0 secrets are wrapped with the new key ").unwrap_or_else(|| panic!("{told:?}"));
        assert!(told.code == 0 && key != format!("{first}.\n"), "{told:?}");
        let needless = With { env: &[("SATCHEL_VAULT_NEW_KEY", &"1f".repeat(32))], stdin: "" };
        let told = home.run_with(&["vault", "rotate", "--yes"], needless).await;
        let said = "The vault's key is Satchel's own: rotate without SATCHEL_VAULT_NEW_KEY. Nothing was changed.";
        assert_eq!(told, failed(said));
    })
    .await;
}

#[tokio::test]
async fn who_changes_the_key_is_asked_first_and_told_where_it_lies_and_what_of_backups() {
    either_way(async |home| {
        let before = home.json(&["vault", "rotate", "--yes"]).await["key_id"].clone();
        let told = home.run(&["vault", "rotate"]).await;
        let place = home.path().join("secret.key");
        assert_eq!((told.code, told.out.contains(place.to_str().unwrap())), (3, true), "{told:?}");
        let backups =
            "A backup made before opens as it did, with its own key; only the secrets in it need the vault's key";
        assert!(told.out.contains(backups), "{told:?}");
        assert!(told.out.ends_with("Nothing was changed. Say --yes to change it.\n"), "{told:?}");
        let no = home.run_at_terminal(&["vault", "rotate"], "n\n").await;
        assert!(no.code == 0 && no.out.contains("Nothing was changed."), "{no:?}");
        let unchanged = home.run(&["vault", "rotate", "--json"]).await;
        assert_eq!(serde_json::from_str::<Value>(&unchanged.out).unwrap()["key_id"], before);
        let yes = home.run_at_terminal(&["vault", "rotate"], "y\n").await;
        assert!(yes.code == 0 && yes.out.contains("are wrapped with the new key"), "{yes:?}");
    })
    .await;
}

#[tokio::test]
async fn a_key_given_from_outside_is_rotated_to_another_given_from_outside() {
    let home = Home::empty();
    let (old, new) = ("1f".repeat(32), "2f".repeat(32));
    let start = [("SATCHEL_OWNER_NAME", "owner"), ("SATCHEL_OWNER_PASSWORD", PASSWORD), ("SATCHEL_VAULT_KEY", &old)];
    assert_eq!(home.run_with(&["tools"], With { env: &start, stdin: "" }).await.code, 0);
    let rotate =
        async |env: &[(&str, &str)]| home.run_with(&["vault", "rotate", "--yes"], With { env, stdin: "" }).await;
    let refused = rotate(&[("SATCHEL_VAULT_KEY", &old)]).await;
    assert!(refused.code == 1 && refused.err.contains("SATCHEL_VAULT_NEW_KEY"), "{refused:?}");
    let same = rotate(&[("SATCHEL_VAULT_KEY", &old), ("SATCHEL_VAULT_NEW_KEY", &old)]).await;
    assert_eq!(same, failed("The new key is the one in use: nothing was changed."));
    let short = rotate(&[("SATCHEL_VAULT_KEY", &old), ("SATCHEL_VAULT_NEW_KEY", "abc")]).await;
    assert!(short.code == 1 && short.err.contains("openssl rand -hex 32"), "{short:?}");
    let done = rotate(&[("SATCHEL_VAULT_KEY", &old), ("SATCHEL_VAULT_NEW_KEY", &new)]).await;
    assert!(
        done.code == 0 && done.out.ends_with("From now on, start with the new one in place of the old.\n"),
        "{done:?}"
    );
    assert!(!format!("{done:?}").contains(&new));
    let stale = home.run_with(&["tools"], With { env: &[("SATCHEL_VAULT_KEY", &old)], stdin: "" }).await;
    assert!(stale.code == 1 && stale.err.contains("sealed with another key"), "{stale:?}");
    let fresh = With { env: &[("SATCHEL_VAULT_KEY", &new)], stdin: "" };
    assert_eq!(home.run_with(&["tools"], fresh).await.code, 0);
    let help = home.run(&["vault", "rotate", "--help"]).await;
    assert!(help.out.contains("SATCHEL_VAULT_NEW_KEY"), "{help:?}");
}

/// The doctor's checks by name, and whether the exit code is what they call for.
async fn doctor(home: &Home, env: &[(&str, &str)]) -> Vec<(String, bool, String)> {
    let told = home.run_with(&["doctor", "--json"], With { env, stdin: "" }).await;
    let report: Value = serde_json::from_str(&told.out).unwrap_or_else(|e| panic!("{e}: {told:?}"));
    let checks = report["checks"].as_array().unwrap().clone();
    let well = checks.iter().all(|check| check["ok"] == true);
    assert_eq!(told.code, if well { 0 } else { 1 }, "{told:?}");
    for check in &checks {
        assert_eq!(check["ok"] == true, check["fix"].is_null(), "each red item has a fix: {check}");
    }
    let text = |check: &Value, field: &str| check[field].as_str().unwrap_or_default().to_owned();
    checks.iter().map(|c| (text(c, "name"), c["ok"] == true, text(c, "message") + " " + &*text(c, "fix"))).collect()
}

#[tokio::test]
async fn the_doctor_looks_at_everything_and_tells_a_person() {
    either_way(async |home| {
        let checks = doctor(home, &[]).await;
        let names: Vec<&str> = checks.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "data directory",
                "disk",
                "database",
                "vault",
                "backups",
                "owner",
                "model",
                "embeddings",
                "scripts",
                "sandbox"
            ]
        );
        assert!(checks.iter().take(9).all(|(_, ok, _)| *ok), "{checks:?}");
        let told = home.run(&["doctor"]).await;
        for (name, ok, _) in &checks {
            let start = format!("{}  {name}: ", if *ok { "ok " } else { "bad" });
            assert!(told.out.lines().any(|line| line.starts_with(&start)), "{start} is not in {}", told.out);
        }
    })
    .await;
}

#[tokio::test]
async fn the_doctor_goes_on_where_satchel_does_not_start() {
    let home = Home::new().await;
    fs::set_permissions(home.path().join("secret.key"), fs::Permissions::from_mode(0o644)).unwrap();
    let checks = doctor(&home, &[]).await;
    let names: Vec<&str> = checks.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["data directory", "disk", "database", "scripts", "sandbox", "start"]);
    assert!(checks.iter().take(4).all(|(_, ok, _)| *ok), "{checks:?}");
    let (_, ok, told) = checks.last().unwrap();
    assert!(!ok && told.contains("others can read it (mode 644)"), "{told}");
}

#[tokio::test]
async fn the_doctor_asks_the_model_and_says_how_to_mend_it() {
    let home = Home::new().await;
    let llm = FakeLlm::start(Vec::new()).await;
    let url = format!("http://{}/v1", llm.address);
    let deaf = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}/v1", deaf.local_addr().unwrap());
    let asked = async |model: &str, url: &str, key: &str| {
        let env = [("SATCHEL_MODEL", model), ("SATCHEL_MODEL_URL", url), ("SATCHEL_MODEL_KEY", key)];
        let found = doctor(&home, &env).await.into_iter().find(|(name, ..)| name.starts_with("model "));
        let (_, ok, told) = found.expect("the model was not asked");
        (ok, told)
    };
    let (ok, told) = asked("openai:fake-1", &url, "right").await;
    assert!(ok && told.starts_with("fake-1 (from the environment) answers and has the model"), "{told}");
    let (ok, told) = asked("openai:fake-9", &url, "right").await;
    assert!(
        !ok && told.contains("does not list the model 'fake-9'") && told.contains("choose a model it has: fake-1"),
        "{told}"
    );
    let (ok, told) = asked("openai:fake-1", &url, "wrong").await;
    assert!(!ok && told.contains("key was refused") && told.contains("SATCHEL_MODEL_KEY: correct its key"), "{told}");
    let (ok, told) = asked("openai:fake-1", "http://127.0.0.1:1/v1", "right").await;
    assert!(!ok && told.contains("No connection") && told.contains("start the model server"), "{told}");
    let (ok, told) = asked("openai:fake-1", &silent, "right").await;
    assert!(!ok && told.contains("sent nothing") && told.contains("start the model server"), "{told}");
}
