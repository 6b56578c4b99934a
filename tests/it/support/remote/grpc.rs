//! A gRPC server with reflection and health, and a bridge to it that speaks gRPC-Web over HTTP/1.1.

use std::{convert::Infallible, net::SocketAddr, sync::Arc};

use bytes::{BufMut, Bytes, BytesMut};
use http::{Request, Response, header::CONTENT_TYPE};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, client::conn::http2, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ServerConfig;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tonic::transport::{Server, server::TcpIncoming};
use tonic_reflection::server::Builder;

use super::echo::{Echo, types};

/// Which versions of reflection it has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reflection {
    V1,
    V1Alpha,
    None,
}

/// Starts the server.
pub async fn start(reflection: Reflection) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let builder = || {
        Builder::configure()
            .register_file_descriptor_set(types())
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let v1 = (reflection == Reflection::V1).then(|| builder().build_v1().unwrap());
    let v1alpha = (reflection == Reflection::V1Alpha).then(|| builder().build_v1alpha().unwrap());
    let (health, health_service) = tonic_health::server::health_reporter();
    health.set_service_status("echo.v1.Echo", tonic_health::ServingStatus::Serving).await;
    let server = Server::builder()
        .add_service(Echo)
        .add_service(health_service)
        .add_optional_service(v1)
        .add_optional_service(v1alpha)
        .serve_with_incoming(TcpIncoming::from(listener));
    tokio::spawn(async move {
        let _health = health;
        server.await.unwrap();
    });
    address
}

/// TLS before a server: what comes in is handed on as it is.
pub async fn tls_front(config: Arc<ServerConfig>, to: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let acceptor = TlsAcceptor::from(config);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut outside) = acceptor.accept(stream).await else { return };
                let mut inside = TcpStream::connect(to).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut outside, &mut inside).await;
            });
        }
    });
    address
}

/// A bridge that knows HTTP/1.1 only, as a browser's proxy does.
pub async fn web_bridge(to: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let service = service_fn(move |request| async move { Ok::<_, Infallible>(bridge(to, request).await) });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    address
}

async fn bridge(to: SocketAddr, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let kind = request.headers().get(CONTENT_TYPE).map(|kind| kind.as_bytes().to_vec());
    if kind.as_deref() != Some(b"application/grpc-web+proto") {
        return Response::builder().status(415).body(Full::default()).unwrap();
    }
    let (head, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let stream = TcpStream::connect(to).await.unwrap();
    let (mut sender, connection) =
        http2::handshake::<_, _, Full<Bytes>>(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let mut onward = Request::post(format!("http://{to}{}", head.uri.path())).body(Full::new(body)).unwrap();
    onward.headers_mut().extend(head.headers.iter().filter(|(name, _)| !is_of_hop(name.as_str())).map(owned));
    onward.headers_mut().insert(CONTENT_TYPE, "application/grpc+proto".parse().unwrap());
    onward.headers_mut().insert("te", "trailers".parse().unwrap());
    let answer = sender.send_request(onward).await.unwrap();
    let mut back = Response::builder().header(CONTENT_TYPE, "application/grpc-web+proto");
    for (name, value) in answer.headers().iter().filter(|(name, _)| name.as_str().starts_with("grpc-")) {
        back = back.header(name, value);
    }
    let collected = answer.into_body().collect().await.unwrap();
    let lines: String = collected
        .trailers()
        .into_iter()
        .flatten()
        .map(|(name, value)| format!("{name}: {}\r\n", value.to_str().unwrap()))
        .collect();
    let mut body = BytesMut::from(&collected.to_bytes()[..]);
    body.put_u8(0x80);
    body.put_u32(lines.len() as u32);
    body.extend_from_slice(lines.as_bytes());
    back.body(Full::new(body.freeze())).unwrap()
}

fn is_of_hop(name: &str) -> bool {
    ["host", "connection", "content-length", "transfer-encoding", "content-type", "accept"].contains(&name)
}

fn owned<'a>((name, value): (&'a http::HeaderName, &'a http::HeaderValue)) -> (http::HeaderName, http::HeaderValue) {
    (name.clone(), value.clone())
}
