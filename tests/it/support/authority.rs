//! A certificate authority for tests, and servers that speak TLS with what it signs.

use std::{net::SocketAddr, sync::Arc};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::{
    RootCertStore, ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::WebPkiClientVerifier,
};
use satchel::{model::secret::Secret, net::tls::Identity};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;

/// An authority nobody trusts of their own accord.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        Self { issuer }
    }

    /// Its own certificate.
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// A certificate for this name, with its key.
    pub fn issue(&self, name: &str) -> Identity {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Identity { certificates: certificate.pem(), key: Secret::new(key.serialize_pem()) }
    }

    /// Returns the TLS of a server named so; `clients` signs those it lets in.
    pub fn server(&self, name: &str, clients: Option<&Self>) -> ServerConfig {
        let own = self.issue(name);
        let chain: Vec<CertificateDer<'static>> =
            CertificateDer::pem_slice_iter(own.certificates.as_bytes()).map(Result::unwrap).collect();
        let key = PrivateKeyDer::from_pem_slice(own.key.expose().as_bytes()).unwrap();
        let provider = Arc::new(ring::default_provider());
        let builder =
            ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions().unwrap();
        let builder = match clients {
            None => builder.with_no_client_auth(),
            Some(clients) => {
                let mut roots = RootCertStore::empty();
                roots.add(CertificateDer::from_pem_slice(clients.pem().as_bytes()).unwrap()).unwrap();
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
                builder.with_client_cert_verifier(verifier)
            }
        };
        let mut config = builder.with_single_cert(chain, key).unwrap();
        // It prefers HTTP/2, as many do: requests go over HTTP/1.1 all the same.
        config.alpn_protocols = vec![b"echo".to_vec(), b"h2".to_vec(), b"http/1.1".to_vec()];
        config
    }
}

impl Authority {
    /// Returns the TLS of a server whose certificate ran out long ago.
    pub fn expired(&self, name: &str) -> ServerConfig {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_before = rcgen::date_time_ymd(2000, 1, 1);
        params.not_after = rcgen::date_time_ymd(2001, 1, 1);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let key = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).unwrap();
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap();
        builder.with_no_client_auth().with_single_cert(vec![certificate.der().clone()], key).unwrap()
    }
}

/// A TLS server that gives every first piece back, behind the head of an HTTP answer.
pub async fn echo(config: ServerConfig) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(tcp).await else { return };
                let mut piece = [0; 1_024];
                let Ok(count) = stream.read(&mut piece).await else { return };
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {count}\r\nconnection: close\r\n\r\n");
                let _ = stream.write_all(head.as_bytes()).await;
                let _ = stream.write_all(&piece[..count]).await;
                let _ = stream.shutdown().await;
            });
        }
    });
    address
}
