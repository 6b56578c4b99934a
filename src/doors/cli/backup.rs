//! `satchel backup`, `restore` and `rollback`. A backup is made by the server, which knows what is going on; restoring needs
//! none.

use std::path::{Path, PathBuf};

use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::{
    args::{BackupArgs, OpenerArgs, RestoreArgs},
    client::Client,
    progress::{LOOK, Telling, with_progress},
    run::Exit,
    screen::{Screen, cell, confirm},
};
use satchel_config::VaultKey;
use satchel_host::stop::Stop;
use satchel_model::{
    backup::Progress,
    error::{Error, Result},
    time::Time,
};
use satchel_store::backup::{
    restore::{self, VaultChoice},
    rollback::{Loss, Rollback},
    seal::{self, Opener},
    watch::Watch,
};

pub(super) async fn make(args: BackupArgs, client: &Client, screen: &Screen) -> Result<Exit> {
    let Some(file) = args.file else { return screen.refuse(&Error::invalid("Name the file to make.")) };
    let file = std::path::absolute(&file).map_err(Error::internal)?;
    let (mut body, mut key) = (json!({"to": file, "with_key": args.with_key}), None);
    match (args.recipient, args.passphrase_file) {
        (Some(recipient), _) => put(&mut body, "recipient", recipient),
        (None, Some(path)) => put(&mut body, "passphrase", seal::passphrase_file(&path)?.expose().to_owned()),
        (None, None) => {
            // A name that is taken is known before there is a key for it.
            if let Some(taken) = taken(&file) {
                return Err(Error::conflict(format!(
                    "{} is there already: choose another name, or move it away.",
                    taken.display()
                )));
            }
            // The key is on the disk before anything is sealed to it.
            let path = seal::key_beside(&file);
            put(&mut body, "recipient", seal::new_key_file(&path)?);
            key = Some(path);
        }
    }
    let made = follow(&body, client, screen).await;
    let mut made = made.map_err(|unmade| match &key {
        Some(key) => settle_key(unmade, key, &file),
        None => unmade.into_error(),
    })?;
    if let Some(key) = &key {
        put(&mut made, "key", key.display().to_string());
    }
    screen.show(&made, |made| message(made, key.as_deref()))?;
    Ok(Exit::Done)
}

fn put(body: &mut Value, name: &str, text: String) {
    if let Some(fields) = body.as_object_mut() {
        fields.insert(name.to_owned(), Value::String(text));
    }
}

/// The reason there may be no backup.
enum Unmade {
    /// There is none: it was refused, or it failed.
    Surely(Error),
    /// The server did not say what became of it.
    Perhaps(Error),
}

impl Unmade {
    fn into_error(self) -> Error {
        match self {
            Self::Surely(error) | Self::Perhaps(error) => error,
        }
    }
}

/// Removes a key that opens nothing. One that may open something stays: there is no other.
fn settle_key(unmade: Unmade, key: &Path, file: &Path) -> Error {
    if let (Unmade::Surely(error), None) = (&unmade, taken(file)) {
        seal::drop_key_file(key);
        return error.clone();
    }
    let error = unmade.into_error();
    let told = format!(
        "{} The backup {} may have been made all the same: its key {} was kept; remove it where there is no such file.",
        error.message(),
        file.display(),
        key.display()
    );
    Error::new(error.kind(), told).caused_by(error)
}

/// The file, or what is written of it so far, if it is there.
fn taken(file: &Path) -> Option<PathBuf> {
    let mut part = file.as_os_str().to_owned();
    part.push(".part");
    [file.to_owned(), PathBuf::from(part)].into_iter().find(|path| std::fs::symlink_metadata(path).is_ok())
}

async fn follow(body: &Value, client: &Client, screen: &Screen) -> Result<Value, Unmade> {
    let begun = client.send(Method::POST, "/api/backups", Some(body)).await.map_err(Unmade::Perhaps)?;
    match begun.status {
        0..400 => {}
        // It said no, and did not only lose its breath: a time-out says nothing.
        400..500 if begun.status != 408 => return Err(Unmade::Surely(begun.problem())),
        _ => return Err(Unmade::Perhaps(begun.problem())),
    }
    let path = format!("/api/backups/{}", cell(&begun.body, "id"));
    let mut telling = Telling::default();
    loop {
        let now: Value = client.get(&path).await.map_err(Unmade::Perhaps)?;
        match cell(&now, "state").as_str() {
            "running" => {}
            "failed" => return Err(Unmade::Surely(Error::conflict(cell(&now, "problem")))),
            _ => return Ok(now),
        }
        let progress = now.get("progress").and_then(|progress| Progress::deserialize(progress).ok());
        if let Some(line) = progress.and_then(|progress| telling.line(progress)) {
            screen.note(&line);
        }
        tokio::time::sleep(LOOK).await;
    }
}

fn message(made: &Value, key: Option<&Path>) -> String {
    let bytes = made.get("bytes").and_then(Value::as_u64).unwrap_or_default();
    let mut lines = vec![format!("{}: {} MB.", cell(made, "path"), bytes.div_ceil(1 << 20))];
    if let Some(key) = key {
        lines.push(format!("{} opens it: keep it apart, who has both reads everything in it.", key.display()));
    }
    lines.push(match made.get("vault_key").and_then(Value::as_bool) {
        Some(true) => "The vault's key is in it: who opens it reads every secret.".to_owned(),
        _ => "The vault's key is not in it: keep secret.key of the data directory apart, or add --with-key. Without it the \
              vault's secrets have to be entered again."
            .to_owned(),
    });
    lines.join("\n")
}

pub(super) fn opener(args: &OpenerArgs, file: &Path, data: &Path) -> Result<Opener> {
    match (&args.identity, &args.passphrase_file) {
        (Some(path), _) => Opener::identity_file(path),
        (None, Some(path)) => Ok(Opener::Passphrase(seal::passphrase_file(path)?)),
        (None, None) => Opener::beside(file, data),
    }
}

/// Restores a backup into the data directory, which must be empty.
pub async fn restore(args: RestoreArgs, data: &Path, vault_key: &VaultKey, json: bool) -> Result<Exit> {
    let key = args.vault_key.as_deref().map(seal::passphrase_file).transpose()?;
    let vault = VaultChoice { key, forget: args.forget_secrets };
    let opener = opener(&args.opener, &args.file, data)?;
    let (mut stop, stopped) = (Stop::listen()?, CancellationToken::new());
    let (file, target, watch) = (args.file.clone(), data.to_owned(), Watch::new(stopped.clone()));
    let (screen, seen) = (Screen::new(json), watch.clone());
    let mut work = spawn_blocking(move || restore::restore(&file, &opener, &target, &vault, &watch));
    let (restored, asked) = tokio::select! {
        restored = with_progress(&mut work, &seen, &screen) => (restored, None),
        asked = stop.asked() => {
            stopped.cancel();
            // It removes what it made, or has ended meanwhile.
            (work.await, Some(asked))
        }
    };
    let restored = match (restored.map_err(Error::internal)?, asked) {
        (Err(_), Some(asked)) => {
            screen.beside(&["It was stopped in the middle, and nothing of it is left.".to_owned()])?;
            return Ok(Exit::Stopped(asked));
        }
        (restored, _) => restored?,
    };
    let manifest = &restored.manifest;
    let value = json!({
        "data": data, "created_at": manifest.created_at, "version": manifest.version, "schema": manifest.schema,
        "files": manifest.files, "bytes": manifest.bytes, "rows": manifest.rows, "audit": manifest.audit,
        "sealed_secrets": restored.sealed_secrets, "keys": restored.keys, "damaged_documents": restored.rotten.len(),
    });
    screen.show(&value, |_| {
        let place = data.display();
        let mut lines = vec![format!(
            "{place} is as it was at {}: {} files, {} MB, every digest is right.",
            manifest.created_at,
            manifest.files,
            manifest.bytes.div_ceil(1 << 20)
        )];
        if restored.sealed_secrets > 0 {
            lines.push(without_key(restored.sealed_secrets, data, vault_key));
        }
        if !restored.rotten.is_empty() {
            lines.push(format!("{} documents' files had been damaged before: add them again.", restored.rotten.len()));
        }
        if restored.keys > 0 {
            lines.push(good_again(restored.keys, manifest.created_at));
        }
        lines.push(format!("Start it with `satchel serve --data {place}`."));
        lines.join("\n")
    })?;
    Ok(Exit::Done)
}

fn good_again(keys: usize, since: Time) -> String {
    let keys = if keys == 1 { "One API key is".to_owned() } else { format!("{keys} API keys are") };
    format!(
        "All sessions have ended, and passwords are as they were at {since}. {keys} good again, also any that was revoked \
         since: `satchel key list` and `satchel key revoke` end those."
    )
}

fn without_key(secrets: i64, data: &Path, vault_key: &VaultKey) -> String {
    match vault_key {
        VaultKey::File => format!(
            "The vault's {secrets} secrets are sealed with a key that is not in the backup: put your copy of secret.key into {} \
             before the start. If it is lost, restore again with --forget-secrets and enter them anew.",
            data.display()
        ),
        _ => format!("The vault's {secrets} secrets are opened with the key or passphrase you start it with."),
    }
}

/// Goes back to the last snapshot, once a person has said so.
pub fn rollback(data: &Path, yes: bool, json: bool) -> Result<Exit> {
    let (screen, rollback) = (Screen::new(json), Rollback::open(data)?);
    let loss = rollback.loss().clone();
    let question = format!("{}\nGo back?", going_back(&loss));
    let agreed = if yes { Some(true) } else { confirm(&question)? };
    match agreed {
        Some(true) => {}
        Some(false) => {
            screen.note("Nothing was changed.");
            return Ok(Exit::Failed);
        }
        None => {
            screen.beside(&[going_back(&loss), "Nothing was changed: say --yes to go back.".to_owned()])?;
            return Ok(Exit::Unconfirmed);
        }
    }
    let left = rollback.run()?;
    let value = json!({"schema": loss.snapshot.schema, "taken_at": loss.snapshot.taken_at, "left": left.database,
        "left_anchors": left.anchors, "revoked_keys": left.revoked_keys});
    screen.show(&value, |_| {
        let mut lines = vec![format!(
            "The database is as it was at {} (schema {}): start the version that wrote it. What it was until now is kept as {}.",
            loss.snapshot.taken_at,
            loss.snapshot.schema,
            left.database.display()
        )];
        lines.push(stay_revoked(left.revoked_keys));
        if let Some(anchors) = &left.anchors {
            lines.push(format!("Anchors of audit entries that are gone were set aside: {}.", anchors.display()));
        }
        lines.join("\n")
    })?;
    Ok(Exit::Done)
}

fn stay_revoked(keys: usize) -> String {
    let keys = match keys {
        0 => String::new(),
        1 => " 1 API key that had been revoked since stays so.".to_owned(),
        keys => format!(" {keys} API keys that had been revoked since stay so."),
    };
    format!("All sessions have ended. Passwords and roles are as they were then.{keys}")
}

fn going_back(loss: &Loss) -> String {
    let rows: Vec<String> =
        loss.rows.iter().map(|(table, more)| format!("{more} in {}", table.replace('_', " "))).collect();
    let lost = match rows.is_empty() {
        true => "No entries were added since".to_owned(),
        false => format!("Entries added since are lost: {}", rows.join(", ")),
    };
    format!(
        "The database goes back from schema {} to {}, as it was at {}. {lost}; so is what was changed since. Files in \
         workspaces stay as they are.",
        loss.schema, loss.snapshot.schema, loss.snapshot.taken_at
    )
}
