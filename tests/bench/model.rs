//! A scripted model: an OpenAI-compatible server on loopback that streams one token every 20 ms.

use std::{net::SocketAddr, time::Duration};

use anyhow::{Context, Result};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    time::{MissedTickBehavior, interval},
};

/// 50 tokens a second.
pub(crate) const TICK: Duration = Duration::from_millis(20);

/// Serves on a thread of its own until the program ends; each answer is `tokens` long.
pub(crate) fn serve(tokens: usize) -> Result<SocketAddr> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name("model".to_owned()).spawn(move || {
        runtime.block_on(async move {
            let Ok(listener) = TcpListener::from_std(listener) else { return };
            while let Ok((stream, _)) = listener.accept().await {
                // A connection that breaks is the server's business: its stream ends early, and the figures say so.
                tokio::spawn(async move { answer(stream, tokens).await.ok() });
            }
        });
    })?;
    Ok(address)
}

async fn answer(stream: TcpStream, tokens: usize) -> Result<()> {
    stream.set_nodelay(true)?;
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if read.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse()?;
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    read.read_exact(&mut body).await?;
    let body: serde_json::Value = serde_json::from_slice(&body).context("the request's body")?;
    if body["stream"] != true {
        // The question for a title, not the answer itself.
        let text = r#"{"id":"t","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"A title"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}"#;
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            text.len()
        );
        write.write_all(head.as_bytes()).await?;
        return Ok(write.write_all(text.as_bytes()).await?);
    }
    write.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n").await?;
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for number in 0..tokens {
        ticks.tick().await;
        let token = format!(
            r#"{{"id":"c","object":"chat.completion.chunk","choices":[{{"index":0,"delta":{{"content":"word{number} "}},"finish_reason":null}}]}}"#
        );
        write.write_all(format!("data: {token}\n\n").as_bytes()).await?;
    }
    let end = r#"{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":10,"total_tokens":20}}"#;
    write.write_all(format!("data: {end}\n\ndata: [DONE]\n\n").as_bytes()).await?;
    Ok(())
}
