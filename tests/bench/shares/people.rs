//! A second person, made and signed in as people are.

use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde_json::json;
use tokio::io::AsyncWriteExt;

use crate::{
    http::Connection,
    person,
    server::{Home, PASSWORD, Server, program},
};

/// Adds an administrator and gives a key that they made.
pub(super) async fn add(home: &Home, server: &Server, name: &str) -> Result<String> {
    let mut command = program(&home.path());
    command.args(["user", "add", name, "--role", "administrator"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    let mut stdin = child.stdin.take().context("no stdin")?;
    stdin.write_all(format!("{PASSWORD}\n").as_bytes()).await?;
    drop(stdin);
    if !child.wait().await?.success() {
        bail!("'{name}' could not be added");
    }
    let session = person::sign_in(server, name).await?;
    let new = person::request("POST", "/api/keys", &session, Some(&json!({"name": "bench"})));
    let made = Connection::open(server.address()).await?.send(&new).await?.json()?;
    Ok(made["key"].as_str().context("the answer has no key")?.to_owned())
}
