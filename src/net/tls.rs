//! TLS of outbound connections: whom we trust, and who we say we are.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use moka::sync::Cache;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    sign::CertifiedKey,
};
use sha2::{Digest, Sha256};

use satchel_model::{
    error::{Error, Result},
    secret::Secret,
};

/// The files in which machines keep the certificates they trust; the first that is there counts.
const BUNDLES: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The needs of a connection beyond the usual. The default is what a browser has.
#[derive(Debug, Clone, Default)]
pub struct Tls {
    /// Further certificates to trust, as PEM: a company's own authority.
    pub roots: Option<String>,
    /// Our identity, where the other side wants to know.
    pub identity: Option<Identity>,
    /// Protocols offered, best first, as `h2`. Only dialled connections go by it; HTTP offers its own.
    pub alpn: Vec<Vec<u8>>,
}

/// A client certificate.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The chain as PEM, our own certificate first.
    pub certificates: String,
    /// Its private key as PEM.
    pub key: Secret,
}

/// Checks certificates and a key. What is left out is not looked at.
///
/// # Errors
///
/// If they cannot be read, or if the key is not that of the first certificate.
pub fn require_sound(roots: Option<&str>, own: Option<&str>, key: Option<&Secret>) -> Result<()> {
    let roots = roots.map_or_else(|| Ok(Vec::new()), certificates)?;
    let mut store = RootCertStore::empty();
    roots.into_iter().try_for_each(|root| store.add(root)).map_err(|error| unfit_root(&error))?;
    let (own, key) = (own.map(certificates).transpose()?, key.map(private_key).transpose()?);
    match (own, key) {
        (Some(own), Some(key)) => {
            CertifiedKey::from_der(own, key, &ring::default_provider()).map(drop).map_err(|error| unfit(&error))
        }
        _ => Ok(()),
    }
}

/// Distinguishes settings, to keep connections made with one apart from those made with another.
pub(super) type Fingerprint = [u8; 32];

impl Tls {
    pub(super) fn fingerprint(&self) -> Fingerprint {
        let mut digest = Sha256::new();
        let identity = self.identity.as_ref();
        let parts = [
            self.roots.as_deref(),
            identity.map(|own| own.certificates.as_str()),
            identity.map(|own| own.key.expose()),
        ];
        for part in parts {
            digest.update(part.map_or(u64::MAX, |text| text.len() as u64).to_be_bytes());
            digest.update(part.unwrap_or_default());
        }
        digest.finalize().into()
    }
}

/// Settings of TLS that are kept, with the sessions that can be taken up again.
const MOST: u64 = 64;

/// The certificates everybody trusts, read once, and what was made of them.
#[derive(Debug, Clone)]
pub(super) struct Trust {
    file: Option<PathBuf>,
    roots: Arc<OnceLock<RootCertStore>>,
    made: Cache<(Fingerprint, Vec<Vec<u8>>), Arc<ClientConfig>>,
}

impl Trust {
    /// With this bundle instead of the machine's.
    pub(super) fn new(file: Option<PathBuf>) -> Self {
        Self { file, roots: Arc::default(), made: Cache::new(MOST) }
    }

    /// Returns the configuration of a connection with these settings; the protocols offered are `alpn`.
    pub(super) fn config(&self, tls: &Tls, alpn: &[Vec<u8>]) -> Result<Arc<ClientConfig>> {
        let make = || self.make(tls, alpn).map(Arc::new);
        self.made.try_get_with((tls.fingerprint(), alpn.to_vec()), make).map_err(|error| (*error).clone())
    }

    fn make(&self, tls: &Tls, alpn: &[Vec<u8>]) -> Result<ClientConfig> {
        let mut roots = self.roots.get_or_init(|| usual(self.file.as_ref())).clone();
        if let Some(pem) = &tls.roots {
            for root in certificates(pem)? {
                roots.add(root).map_err(|error| unfit_root(&error))?;
            }
        }
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(Error::internal)?
            .with_root_certificates(roots);
        let mut config = match &tls.identity {
            None => builder.with_no_client_auth(),
            Some(own) => {
                let key = private_key(&own.key)?;
                builder.with_client_auth_cert(certificates(&own.certificates)?, key).map_err(|error| unfit(&error))?
            }
        };
        config.alpn_protocols = alpn.to_vec();
        Ok(config)
    }
}

/// Those of browsers, inside the binary, and those the machine's administrator added.
fn usual(file: Option<&PathBuf>) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().cloned());
    let bundles = file.cloned().into_iter().chain(BUNDLES.iter().filter(|_| file.is_none()).map(PathBuf::from));
    for bundle in bundles {
        if let Ok(found) = CertificateDer::pem_file_iter(&bundle) {
            roots.add_parsable_certificates(found.filter_map(Result::ok));
            break;
        }
    }
    roots
}

fn certificates(pem: &str) -> Result<Vec<CertificateDer<'static>>> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    match read {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        _ => Err(wrong("A certificate")),
    }
}

fn private_key(pem: &Secret) -> Result<PrivateKeyDer<'static>> {
    PrivateKeyDer::from_pem_slice(pem.expose().as_bytes()).map_err(|_| wrong("The client certificate's private key"))
}

fn unfit_root(error: &rustls::Error) -> Error {
    wrong("The authority's certificate").caused_by(error.clone())
}

fn unfit(error: &rustls::Error) -> Error {
    let told = match error {
        rustls::Error::InconsistentKeys(_) => Error::invalid(
            "The private key is not that of the client certificate: enter the key the certificate was made with, and \
             where there are several certificates, our own first.",
        ),
        _ => wrong("The client certificate or its key"),
    };
    told.caused_by(error.clone())
}

fn wrong(what: &str) -> Error {
    Error::invalid(format!("{what} cannot be read: give it as PEM, with its BEGIN and END lines."))
}
