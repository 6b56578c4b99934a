//! Calls to a connected system: what our own work adds to the request itself, how many a core carries with a durable
//! audit, and whether connections are used again.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use super::{
    http::{self, Connection},
    load::{self, Load},
    report::{Report, Target, median},
    server::{Home, Server},
    usage,
};

const CONNECTIONS: usize = 64;
const ROUNDS: usize = 5;
const TIME: Duration = Duration::from_secs(2);
const ANSWER: &str = r#"{"id":1042,"name":"Zoe Anders","tags":["a","b"],"open":true}"#;

/// Measures calls through the server and the same requests by the client alone, in turn.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let upstream = Upstream::start()?;
    let home = Home::new()?;
    let server = Server::start(&home, &[]).await?;
    let key = home.key().await?;
    connect(&server, &key, upstream.address).await?;
    let body = json!({"params": {"system_id": "bench", "method": "GET", "path": "/customers/1042"}});
    let request = http::request("POST", "/api/tools/call_rest_endpoint/invoke", &key, Some(&body));
    let load = Load::open(&server, request, CONNECTIONS).await?;
    let (mut through, mut alone) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let (calls, client) = (load::measure(&server, &load, TIME).await?, client_alone(upstream.address)?);
        // The first round warms both up.
        if round > 0 {
            through.push(calls);
            alone.push(client);
        }
    }
    let per_call = median(through.iter().map(|calls| 1e3 * calls.cpu_seconds / calls.answered as f64).collect());
    let client = median(alone);
    report.figure("CPU of a call, ms", per_call, Target::None);
    report.figure("CPU of the client's request alone, ms", client, Target::None);
    report.figure("CPU a call adds to it, ms", per_call - client, Target::AtMost(0.3));
    let per_core = median(through.iter().map(|calls| calls.per_cpu_second).collect());
    report.figure("calls for each CPU second, audit durable", per_core, Target::AtLeast(1_500.0));
    report.figure(
        "calls a second, 64 at once",
        median(through.iter().map(|calls| calls.per_second).collect()),
        Target::None,
    );
    report.figure(
        "99 of 100 answered within, ms",
        median(through.iter().map(|calls| calls.p99_ms).collect()),
        Target::None,
    );
    let (asked, accepted) = upstream.counted();
    let connections = accepted as f64 - (CONNECTIONS * (ROUNDS + 1)) as f64;
    report.figure("connections made for all calls", connections, Target::AtMost(2.0 * CONNECTIONS as f64));
    report.note(&format!("{asked} requests arrived"));
    server.kill().await
}

/// Makes a system of the upstream, allowed and in use.
async fn connect(server: &Server, key: &str, upstream: SocketAddr) -> Result<()> {
    let mut connection = Connection::open(server.address()).await?;
    let mut send = async |method: &str, path: &str, body: Value| -> Result<Value> {
        connection.send(&http::request(method, path, key, Some(&body))).await?.json()
    };
    send("PUT", "/api/settings", json!({"outbound": {"exceptions": [upstream.to_string()]}})).await?;
    let system = json!({"name": "bench", "base_url": format!("http://{upstream}")});
    let made = send("POST", "/api/catalog/systems", system).await?;
    let id = made["id"].as_str().context("the system has no id")?;
    send("PUT", &format!("/api/catalog/systems/{id}/status"), json!({"status": "active"})).await.map(drop)
}

/// CPU milliseconds of one request by the HTTP client alone, on a thread of its own.
fn client_alone(upstream: SocketAddr) -> Result<f64> {
    let thread = std::thread::spawn(move || -> Result<f64> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let before = usage::thread_seconds()?;
        let count = runtime.block_on(requests(upstream))?;
        Ok(1e3 * (usage::thread_seconds()? - before) / count as f64)
    });
    match thread.join() {
        Ok(measured) => measured,
        Err(_) => bail!("the client's thread panicked"),
    }
}

#[expect(clippy::disallowed_methods, reason = "the client without its guard is what is measured")]
async fn requests(upstream: SocketAddr) -> Result<usize> {
    let client = reqwest::Client::builder().no_proxy().tls_certs_only([]).build()?;
    let (url, end) = (format!("http://{upstream}/customers/1042"), Instant::now() + TIME);
    let mut tasks = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let (client, url) = (client.clone(), url.clone());
        tasks.spawn(async move {
            let mut count = 0_usize;
            while Instant::now() < end {
                let body = client.get(&url).send().await?.bytes().await?;
                serde_json::from_slice::<Value>(&body)?;
                count += 1;
            }
            Ok::<_, anyhow::Error>(count)
        });
    }
    let mut all = 0;
    while let Some(count) = tasks.join_next().await {
        all += count??;
    }
    Ok(all)
}

/// A system that always answers the same, on a thread of its own, and counts.
struct Upstream {
    address: SocketAddr,
    asked: Arc<AtomicUsize>,
    accepted: Arc<AtomicUsize>,
}

impl Upstream {
    fn start() -> Result<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (asked, accepted) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let counts = (Arc::clone(&asked), Arc::clone(&accepted));
        std::thread::spawn(move || -> Result<()> {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async move {
                let listener = TcpListener::from_std(listener)?;
                loop {
                    let (stream, _) = listener.accept().await?;
                    counts.1.fetch_add(1, Ordering::Relaxed);
                    tokio::spawn(answer(stream, Arc::clone(&counts.0)));
                }
            })
        });
        Ok(Self { address, asked, accepted })
    }

    fn counted(&self) -> (usize, usize) {
        (self.asked.load(Ordering::Relaxed), self.accepted.load(Ordering::Relaxed))
    }
}

async fn answer(mut stream: TcpStream, asked: Arc<AtomicUsize>) -> Result<()> {
    let reply = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{ANSWER}",
        ANSWER.len()
    );
    let mut read = Vec::new();
    while stream.read_buf(&mut read).await? > 0 {
        // Nobody sends a body here, so that a request ends with its head.
        while let Some(end) = read.windows(4).position(|window| window == b"\r\n\r\n") {
            read.drain(..end + 4);
            asked.fetch_add(1, Ordering::Relaxed);
            stream.write_all(reply.as_bytes()).await?;
        }
    }
    Ok(())
}
