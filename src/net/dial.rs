//! Connections that are not HTTP requests: dialled through the guard, measured, and handed over as bytes.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use rustls::pki_types::ServerName;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use url::{Host, Url};

use super::{
    clients::CONNECT,
    guard::{self, Passage},
    http::Http,
    meter::Meter,
    tls::Tls,
};
use satchel_model::error::{Error, Kind, Result};

/// One address may keep the others waiting this long.
const ONE_ADDRESS: Duration = Duration::from_secs(4);

/// Schemes that can be dialled, and the one each is guarded as.
const SCHEMES: &[(&str, &str)] =
    &[("http", "http"), ("https", "https"), ("ws", "http"), ("wss", "https"), ("grpc", "http"), ("grpcs", "https")];

/// A connection to a place that passed the guard; with TLS where the scheme says so. Dropping it closes it and writes its
/// row into the ledger.
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    peer: SocketAddr,
    meter: Meter,
}

#[derive(Debug)]
enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Http {
    /// Connects to the host of an `http`, `ws` or `grpc` address, or of one of these with `s`, which means TLS. The name
    /// is looked up, every address checked, a checked one dialled, and the peer looked at. Nothing has been sent above
    /// TLS yet. Takes at most 10 s.
    pub async fn dial(&self, url: &Url, tls: &Tls) -> Result<Connection> {
        let mut meter = self.gate.meter(&self.origin, url);
        let connected = timeout(CONNECT, self.connect(url, tls, &mut meter)).await.unwrap_or_else(|_| Err(late(url)));
        match connected {
            Ok((stream, peer)) => {
                meter.reached(None);
                Ok(Connection { stream, peer, meter })
            }
            Err(error) => {
                let place = guarded_as(url).unwrap_or_else(|_| url.clone());
                Err(meter.failed(guard::placed(error, &place)))
            }
        }
    }

    async fn connect(&self, url: &Url, tls: &Tls, meter: &mut Meter) -> Result<(Stream, SocketAddr)> {
        let url = guarded_as(url).map_err(|error| meter.refused(error))?;
        let passage = guard::inspect(&url, &self.exceptions).map_err(|error| meter.refused(error))?;
        meter.open().await?;
        let (tcp, peer) = self.reach(&url, passage).await?;
        if url.scheme() == "http" {
            return Ok((Stream::Plain(tcp), peer));
        }
        let config = self.gate.trust().config(tls, &tls.alpn)?;
        let name = url.host_str().unwrap_or_default().trim_matches(['[', ']']).trim_end_matches('.').to_owned();
        let name = ServerName::try_from(name).map_err(|_| broken(&url))?;
        let stream = TlsConnector::from(config).connect(name, tcp).await;
        let stream = stream.map_err(|error| untrusted(&url, &error).caused_by(error))?;
        Ok((Stream::Tls(Box::new(stream)), peer))
    }

    /// A TCP connection to the first address that answers.
    async fn reach(&self, url: &Url, passage: Passage) -> Result<(TcpStream, SocketAddr)> {
        let addresses: Vec<IpAddr> = match url.host() {
            Some(Host::Ipv4(address)) => vec![address.into()],
            Some(Host::Ipv6(address)) => vec![address.into()],
            Some(Host::Domain(name)) => self.gate.names().addresses(name, passage).await?,
            None => return Err(broken(url)),
        };
        let port = url.port_or_known_default().unwrap_or_default();
        let mut last = None;
        for address in addresses {
            match timeout(ONE_ADDRESS, TcpStream::connect((address, port))).await {
                Ok(Ok(tcp)) => {
                    let peer = tcp.peer_addr().map_err(|_| broken(url))?;
                    if passage == Passage::Public && !guard::is_public(peer.ip()) {
                        return Err(guard::refusal(url.host_str().unwrap_or_default()));
                    }
                    // Small messages that wait for an answer must not wait for each other.
                    tcp.set_nodelay(true).map_err(|_| broken(url))?;
                    return Ok((tcp, peer));
                }
                Ok(Err(error)) => last = Some(error),
                Err(_) => last = Some(io::ErrorKind::TimedOut.into()),
            }
        }
        Err(match last {
            Some(error) => broken(url).caused_by(error),
            None => broken(url),
        })
    }
}

impl Connection {
    /// The protocol both sides agreed on, as `h2`; `None` without TLS.
    pub fn alpn(&self) -> Option<&[u8]> {
        match &self.stream {
            Stream::Plain(_) => None,
            Stream::Tls(stream) => stream.get_ref().1.alpn_protocol(),
        }
    }

    /// The address it is connected to.
    pub fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// Notes the status of an HTTP answer over it, for the ledger.
    pub fn note_status(&mut self, status: u16) {
        self.meter.reached(Some(status));
    }
}

/// The address with the scheme it is guarded as: others are read by other rules, which make no numbers of hosts.
fn guarded_as(url: &Url) -> Result<Url> {
    let known = SCHEMES.iter().find(|(scheme, _)| *scheme == url.scheme());
    let rest = url.as_str().strip_prefix(url.scheme());
    known.zip(rest).and_then(|((_, scheme), rest)| Url::parse(&format!("{scheme}{rest}")).ok()).ok_or_else(|| {
        Error::invalid(format!(
            "'{}:' addresses cannot be dialled: use http, ws or grpc, with s for TLS.",
            url.scheme()
        ))
    })
}

fn host(url: &Url) -> &str {
    url.host_str().unwrap_or_default()
}

fn late(url: &Url) -> Error {
    Error::new(Kind::Timeout, format!("'{}' took longer than {} s to connect.", host(url), CONNECT.as_secs()))
}

fn broken(url: &Url) -> Error {
    Error::upstream(format!("No connection to '{}': check the address and that it runs.", host(url)))
}

fn untrusted(url: &Url, error: &io::Error) -> Error {
    Error::upstream(format!("No TLS connection to '{}': {error}.", host(url)))
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Stream::Tls(stream) => Pin::new(stream.as_mut()).poll_read(cx, buf),
        };
        self.meter.received(buf.filled().len().saturating_sub(before));
        polled
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let polled = match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_write(cx, buf),
            Stream::Tls(stream) => Pin::new(stream.as_mut()).poll_write(cx, buf),
        };
        if let Poll::Ready(Ok(count)) = &polled {
            self.meter.sent(*count);
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Stream::Tls(stream) => Pin::new(stream.as_mut()).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Stream::Tls(stream) => Pin::new(stream.as_mut()).poll_shutdown(cx),
        }
    }
}
