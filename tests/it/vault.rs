//! The vault as the whole application opens it: keys that are right, wrong, lost or shown around.

#![expect(clippy::disallowed_methods, reason = "the tests look at the data directory's own files")]

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use satchel::{
    boot::Satchel,
    config::{Config, VaultKey},
    model::secret::Secret,
};
use tempfile::TempDir;

use crate::support::app::{TestApp, config};

const CANARY: &str = "canary-5f1d0c7e";

async fn with_a_secret() -> TestApp {
    let app = TestApp::start().await;
    let inner = &app.satchel.app;
    inner.stores.vault.put("provider:1", "api_key", Secret::new(CANARY), inner.clock.now()).await.unwrap();
    app
}

async fn secret(app: &TestApp) -> String {
    app.satchel.app.stores.vault.get("provider:1", "api_key").await.unwrap().unwrap().expose().to_owned()
}

/// Stops, changes the directory, and gives the sentence of the refused start.
async fn refusal(app: TestApp, change: impl FnOnce(&Path)) -> String {
    app.satchel.stop().await;
    change(app.dir.path());
    refused(config(&app.dir)).await
}

async fn refused(config: Config) -> String {
    match Satchel::start(config).await {
        Ok(_) => panic!("it started"),
        Err(error) => error.message().to_owned(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_survives_restart_and_rotation_and_stands_in_no_file() {
    let mut app = with_a_secret().await;
    for _ in 0..2 {
        app = app.restart().await;
        assert_eq!(secret(&app).await, CANARY);
        let by = app.owner().await;
        let rotated = app.satchel.app.stores.vault.rotate(&by).await.unwrap();
        assert_eq!(rotated.records, 1);
        assert_eq!(secret(&app).await, CANARY);
    }
    let mut files = 0;
    for entry in fs::read_dir(app.dir.path()).unwrap().map(Result::unwrap).filter(|e| e.path().is_file()) {
        let bytes = fs::read(entry.path()).unwrap();
        assert!(!bytes.windows(CANARY.len()).any(|w| w == CANARY.as_bytes()), "{:?}", entry.path());
        files += 1;
    }
    assert!(files >= 3, "{files}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_file_others_can_read_is_refused_with_the_command_that_mends_it() {
    let said = refusal(with_a_secret().await, |dir| {
        fs::set_permissions(dir.join("secret.key"), fs::Permissions::from_mode(0o644)).unwrap();
    });
    let said = said.await;
    assert!(said.contains("others can read it (mode 644). Run: chmod 600"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_file_that_was_lost_before_anything_was_sealed_is_made_anew() {
    let app = TestApp::start().await;
    let path = app.dir.path().join("secret.key");
    let before = fs::read(&path).unwrap();
    app.satchel.stop().await;
    fs::remove_file(&path).unwrap();
    let satchel = Satchel::start(config(&app.dir)).await.unwrap();
    satchel.app.stores.vault.put("provider:1", "api_key", Secret::new(CANARY), satchel.app.clock.now()).await.unwrap();
    satchel.stop().await;
    assert_ne!(fs::read(&path).unwrap(), before);
    let again = Satchel::start(config(&app.dir)).await.unwrap();
    assert_eq!(again.app.stores.vault.get("provider:1", "api_key").await.unwrap().unwrap().expose(), CANARY);
    again.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_key_file_is_refused_and_not_replaced() {
    let app = with_a_secret().await;
    let path = app.dir.path().join("secret.key");
    app.satchel.stop().await;
    fs::remove_file(&path).unwrap();
    let said = refused(config(&app.dir)).await;
    assert!(said.contains("is missing, but the vault holds 1 secrets sealed with it. Put the file back"), "{said}");
    assert!(!path.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_or_foreign_key_file_is_refused() {
    let said = refusal(with_a_secret().await, |dir| fs::write(dir.join("secret.key"), "ab12").unwrap()).await;
    assert!(said.contains("must hold 64 hex digits and holds 4 characters"), "{said}");
    let said = refusal(with_a_secret().await, |dir| fs::write(dir.join("secret.key"), "0".repeat(64)).unwrap()).await;
    assert!(said.contains("The vault was sealed with another key"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_from_outside_leaves_no_key_file() {
    let dir = TempDir::new().unwrap();
    let given = |text: &str| Config { vault_key: VaultKey::Given(Secret::new(text)), ..config(&dir) };
    let satchel = Satchel::start(given(&"1f".repeat(32))).await.unwrap();
    let app = &satchel.app;
    app.stores.vault.put("provider:1", "api_key", Secret::new(CANARY), app.clock.now()).await.unwrap();
    let facts = app.stores.vault.key_facts().await.unwrap();
    assert!(
        !facts.own && facts.change.contains("only the secrets in it need the vault's key of that time"),
        "{facts:?}"
    );
    satchel.stop().await;
    assert!(!dir.path().join("secret.key").exists());
    assert!(refused(given(&"2f".repeat(32))).await.contains("another key"));
    assert!(refused(config(&dir)).await.contains("is missing"));
    let satchel = Satchel::start(given(&"1f".repeat(32))).await.unwrap();
    assert_eq!(satchel.app.stores.vault.get("provider:1", "api_key").await.unwrap().unwrap().expose(), CANARY);
    satchel.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotation_that_a_crash_cut_is_ended_by_the_next_start() {
    let app = with_a_secret().await;
    let (key, next) = (app.dir.path().join("secret.key"), app.dir.path().join("secret.key.new"));
    let before = fs::read(&key).unwrap();
    let by = app.owner().await;
    app.satchel.app.stores.vault.rotate(&by).await.unwrap();
    app.satchel.stop().await;
    // As a crash between the commit and the renaming of the key file leaves it.
    fs::rename(&key, &next).unwrap();
    fs::write(&key, &before).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let app = TestApp::start_in(app.dir).await;
    assert_eq!(secret(&app).await, CANARY);
    assert!(!next.exists());
    assert_ne!(fs::read(&key).unwrap(), before);
}
