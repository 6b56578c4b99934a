//! The HTTP clients with their pools: one for each passage and each setting of TLS.

use std::{net::SocketAddr, time::Duration};

use moka::sync::Cache;
use reqwest::{
    Client,
    dns::{Addrs, Name, Resolve, Resolving},
};

use super::{
    guard::Passage,
    resolve::Names,
    tls::{Fingerprint, Tls, Trust},
};
use satchel_model::error::{Error, Result};

/// Dialling, names and TLS included, may take this long.
pub(super) const CONNECT: Duration = Duration::from_secs(10);
/// Clients kept with their connections.
const MOST: u64 = 64;

/// Made on first use: reading the machine's trust store has no place in the start.
#[derive(Debug)]
pub(super) struct Clients {
    names: Names,
    trust: Trust,
    made: Cache<(bool, Fingerprint), Client>,
}

impl Clients {
    pub(super) fn new(names: Names, trust: Trust) -> Self {
        Self { names, trust, made: Cache::new(MOST) }
    }

    pub(super) fn get(&self, passage: Passage, tls: &Tls) -> Result<Client> {
        let key = (passage == Passage::Public, tls.fingerprint());
        if let Some(client) = self.made.get(&key) {
            return Ok(client);
        }
        self.made.try_get_with(key, || self.build(passage, tls)).map_err(|error| (*error).clone())
    }

    #[expect(clippy::disallowed_methods, reason = "the one place where a client is made")]
    fn build(&self, passage: Passage, tls: &Tls) -> Result<Client> {
        let config = self.trust.config(tls, &[b"h2".to_vec(), b"http/1.1".to_vec()])?;
        Client::builder()
            .user_agent(concat!("Satchel/", env!("CARGO_PKG_VERSION")))
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(CONNECT)
            .dns_resolver(Resolver { names: self.names.clone(), passage })
            .tls_backend_preconfigured(config.as_ref().clone())
            .build()
            .map_err(Error::internal)
    }
}

/// Hands out checked addresses only: what was checked is what is dialled.
struct Resolver {
    names: Names,
    passage: Passage,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (names, passage) = (self.names.clone(), self.passage);
        Box::pin(async move {
            let found = names.addresses(name.as_str(), passage).await?;
            let places: Vec<SocketAddr> = found.into_iter().map(|address| (address, 0).into()).collect();
            Ok(Box::new(places.into_iter()) as Addrs)
        })
    }
}
