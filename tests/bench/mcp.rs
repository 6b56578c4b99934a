//! MCP clients: calls whose audit rows are on the disk before the answer, the list of a key that discovers among 15,000
//! tools, and sessions that listen and do nothing.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use satchel::model::score::percentile;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{
    catalog::{DIVISIONS, Door, take_in},
    document,
    http::{self, Connection},
    load,
    report::{Report, Target},
    server::{Home, Server},
    usage,
};

const CONNECTIONS: usize = 64;
const TIME: Duration = Duration::from_secs(6);
const LISTS: usize = 300;
const SESSIONS: usize = 500;

/// Measures.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let home = Home::new()?;
    let server = Server::start(&home, &[]).await?;
    let key = home.key().await?;
    calls(report, &server, &key).await?;
    idle(report, &server, &key).await?;
    lists(report, &server, &key).await?;
    server.kill().await
}

/// A request of revision 2026-07-28.
fn request(key: &str, method: &str, mut params: Value) -> Vec<u8> {
    let name = params["name"].as_str().map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let plain = http::request("POST", "/mcp", key, Some(&message));
    let head = format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}");
    with_headers(plain, &head)
}

/// A request with more headers.
fn with_headers(request: Vec<u8>, headers: &str) -> Vec<u8> {
    let line = request.windows(2).position(|end| end == b"\r\n").map_or(0, |at| at + 2);
    let (first, rest) = request.split_at(line);
    [first, headers.as_bytes(), rest].concat()
}

async fn calls(report: &mut Report, server: &Server, key: &str) -> Result<()> {
    let params = json!({"name": "calculator", "arguments": {"expression": "2 + 2 * 3"}});
    let measured = load::run(server, request(key, "tools/call", params), CONNECTIONS, TIME).await?;
    report.figure("tools/call a second, 64 connections", measured.per_second, Target::None);
    report.figure("tools/call for each CPU second", measured.per_cpu_second, Target::AtLeast(10_000.0));
    report.figure("99 of 100 answered within, ms", measured.p99_ms, Target::None);
    Ok(())
}

/// Sessions that have begun, listed the tools and listen.
async fn idle(report: &mut Report, server: &Server, key: &str) -> Result<()> {
    let before = usage::resident_mb(server.pid())?;
    let mut open = Vec::new();
    for _ in 0..SESSIONS {
        let session = begin(server.address(), key).await?;
        let listen = http::request("GET", "/mcp", key, None);
        let listen = with_headers(listen, &format!("Mcp-Session-Id: {session}\r\nAccept: text/event-stream\r\n"));
        let mut stream = TcpStream::connect(server.address()).await?;
        stream.write_all(&listen).await?;
        let mut head = vec![0; 12];
        stream.read_exact(&mut head).await?;
        ensure!(head.ends_with(b"200"), "{}", String::from_utf8_lossy(&head));
        open.push(stream);
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    let cpu = usage::cpu_seconds(server.pid())?;
    tokio::time::sleep(Duration::from_secs(5)).await;
    report.figure("memory of 500 idle sessions, MB", usage::resident_mb(server.pid())? - before, Target::AtMost(15.0));
    report.figure("cores they take", (usage::cpu_seconds(server.pid())? - cpu) / 5.0, Target::None);
    drop(open);
    Ok(())
}

/// Begins a session and returns its name.
async fn begin(address: &str, key: &str) -> Result<String> {
    let client = json!({"name": "bench", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let mut stream = TcpStream::connect(address).await?;
    let request = with_headers(http::request("POST", "/mcp", key, Some(&message)), "Connection: close\r\n");
    stream.write_all(&request).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let session = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    session.map(str::to_owned).with_context(|| format!("no session: {answer}"))
}

async fn lists(report: &mut Report, server: &Server, key: &str) -> Result<()> {
    let mut door = Door { connection: Connection::open(server.address()).await?, key: key.to_owned() };
    for (division, port) in ["Suite"].into_iter().chain(DIVISIONS).zip(9..) {
        let text = document::made(&format!("http://127.0.0.1:{port}/suite"), division).to_string();
        take_in(&mut door, &text, division).await?;
    }
    // As the settings have it, so many tools are discovered.
    let list = request(key, "tools/list", json!({}));
    let mut times = Vec::new();
    for _ in 0..LISTS {
        let begun = Instant::now();
        let answer = door.connection.send(&list).await?.json()?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        let shown = answer["result"]["tools"].as_array().map_or(0, Vec::len);
        ensure!((1..200).contains(&shown), "{shown} tools are listed");
    }
    times.sort_by(f64::total_cmp);
    report.figure("tools/list of 15,000 that are discovered, p50 ms", percentile(&times, 0.5), Target::AtMost(2.0));
    report.figure("tools/list of 15,000 that are discovered, p95 ms", percentile(&times, 0.95), Target::None);
    Ok(())
}
