//! A person who is signed in, as at the console.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::server::{PASSWORD, Server};

/// Signs in somebody whose password is that of the owner. Returns their session.
pub(crate) async fn sign_in(server: &Server, name: &str) -> Result<String> {
    let mut stream = TcpStream::connect(server.address()).await?;
    let login = json!({"username": name, "password": PASSWORD});
    stream.write_all(&with_headers("POST", "/api/auth/login", "Connection: close\r\n", Some(&login))).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (_, rest) = answer.split_once("satchel_session=").with_context(|| format!("no session: {answer}"))?;
    Ok(rest.split(';').next().unwrap_or_default().to_owned())
}

/// The bytes of a request in a session.
pub(crate) fn request(method: &str, path: &str, session: &str, body: Option<&Value>) -> Vec<u8> {
    with_headers(method, path, &format!("Cookie: satchel_session={session}\r\n"), body)
}

fn with_headers(method: &str, path: &str, headers: &str, body: Option<&Value>) -> Vec<u8> {
    let body = body.map(Value::to_string).unwrap_or_default();
    format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
