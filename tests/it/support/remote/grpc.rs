//! A gRPC server with reflection and health, and a bridge to it that speaks gRPC-Web over HTTP/1.1.

use std::{convert::Infallible, net::SocketAddr, sync::Arc};

use bytes::{BufMut, Bytes, BytesMut};
use http::{Request, Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, client::conn::http2, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ServerConfig;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tonic::{
    codec::CompressionEncoding,
    service::Routes,
    transport::{Server, server::TcpIncoming},
};
use tonic_reflection::server::Builder;

use super::{
    echo::{Echo, types},
    things::{self, Things},
};

/// The versions of reflection it has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reflection {
    V1,
    V1Alpha,
    None,
}

/// Starts the server.
pub async fn start(reflection: Reflection) -> SocketAddr {
    serve(services(reflection, None).await).await
}

/// Starts a server that compresses all it answers.
pub async fn start_gzip() -> SocketAddr {
    serve(services(Reflection::V1, Some(CompressionEncoding::Gzip)).await).await
}

/// Starts a server of web pages, too: what is not there is answered with HTTP's status 404, not with one of gRPC.
pub async fn start_with_pages(reflection: Reflection) -> SocketAddr {
    let router = services(reflection, None).await.into_axum_router();
    serve(router.fallback(async || StatusCode::NOT_FOUND).into()).await
}

async fn services(reflection: Reflection, packed: Option<CompressionEncoding>) -> Routes {
    let builder = || {
        Builder::configure()
            .register_file_descriptor_set(types())
            .register_file_descriptor_set(things::types())
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let (health, health_service) = tonic_health::server::health_reporter();
    health.set_service_status("echo.v1.Echo", tonic_health::ServingStatus::Serving).await;
    let mut routes = Routes::builder();
    routes.add_service(Echo).add_service(Things { packed }).add_service(health_service);
    match (reflection, packed) {
        (Reflection::V1, Some(packed)) => {
            routes.add_service(builder().build_v1().unwrap().send_compressed(packed));
        }
        (Reflection::V1, None) => drop(routes.add_service(builder().build_v1().unwrap())),
        (Reflection::V1Alpha, _) => drop(routes.add_service(builder().build_v1alpha().unwrap())),
        (Reflection::None, _) => {}
    }
    routes.routes()
}

async fn serve(routes: Routes) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = Server::builder().add_routes(routes).serve_with_incoming(TcpIncoming::from(listener));
    tokio::spawn(async move { server.await.unwrap() });
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
    let mut back = Response::builder().status(answer.status()).header(CONTENT_TYPE, "application/grpc-web+proto");
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
