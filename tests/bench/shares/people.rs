//! A second person, made and signed in as people are.

use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde_json::json;
use tokio::io::AsyncWriteExt;

use crate::{
    http::Connection,
    server::{Home, Server, program},
};

const PASSWORD: &str = "correct horse battery staple";

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
    let login = json!({"username": name, "password": PASSWORD}).to_string();
    let session = session(server, &login).await?;
    let new = json!({"name": "bench"}).to_string();
    let cookie = format!("Cookie: satchel_session={session}\r\n");
    let made = Connection::open(server.address()).await?.send(&post("/api/keys", &cookie, &new)).await?.json()?;
    Ok(made["key"].as_str().context("the answer has no key")?.to_owned())
}

async fn session(server: &Server, login: &str) -> Result<String> {
    use tokio::{io::AsyncReadExt, net::TcpStream};
    let mut stream = TcpStream::connect(server.address()).await?;
    stream.write_all(&post("/api/auth/login", "Connection: close\r\n", login)).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (_, rest) = answer.split_once("satchel_session=").with_context(|| format!("no session: {answer}"))?;
    Ok(rest.split(';').next().unwrap_or_default().to_owned())
}

fn post(path: &str, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
