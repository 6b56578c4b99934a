//! Looks names up: the hosts file and DNS, asked by ourselves, so that a static binary needs no library of the machine's.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::{Duration, Instant},
};

use hickory_resolver::{
    TokioResolver,
    config::{ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts},
    net::runtime::TokioRuntimeProvider,
};
use parking_lot::Mutex;

use super::guard::{self, Passage};
use satchel_model::error::{Error, Result};

/// The machine's configuration is read again after this long: networks change while a server runs.
const FRESH: Duration = Duration::from_secs(30);

/// The resolver of names. Cheap to clone; made ready on first use.
#[derive(Clone, Default)]
pub(super) struct Names {
    server: Option<SocketAddr>,
    made: Arc<Mutex<Option<(Instant, TokioResolver)>>>,
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Names").field("server", &self.server).finish()
    }
}

impl Names {
    /// Asks this server; `None` means the machine's configuration.
    pub(super) fn new(server: Option<SocketAddr>) -> Self {
        Self { server, made: Arc::default() }
    }

    /// The addresses of a name: all of them, or a refusal where one is closed. Among public addresses a closed one is an
    /// attempt at rebinding, not a choice.
    pub(super) async fn addresses(&self, name: &str, passage: Passage) -> Result<Vec<IpAddr>> {
        let unknown = || Error::upstream(format!("'{name}' has no address: check how it is written."));
        let found = self.resolver()?.lookup_ip(name).await.map_err(|error| unknown().caused_by(error))?;
        let addresses: Vec<IpAddr> = found.iter().collect();
        if addresses.is_empty() {
            return Err(unknown());
        }
        if passage == Passage::Public && !addresses.iter().copied().all(guard::is_public) {
            return Err(guard::refusal(name));
        }
        // An exception for a name is one for where that name leads to, and no name leads there by right.
        if addresses.iter().copied().any(guard::is_nameless) {
            return Err(guard::turned(name));
        }
        Ok(addresses)
    }

    fn resolver(&self) -> Result<TokioResolver> {
        let mut made = self.made.lock();
        if let Some((when, resolver)) = made.as_ref()
            && (self.server.is_some() || when.elapsed() < FRESH)
        {
            return Ok(resolver.clone());
        }
        let resolver = self.make()?;
        *made = Some((Instant::now(), resolver.clone()));
        Ok(resolver)
    }

    fn make(&self) -> Result<TokioResolver> {
        let mut builder = match self.server {
            Some(server) => TokioResolver::builder_with_config(only(server), TokioRuntimeProvider::default()),
            // A machine without a configuration still has its hosts file.
            None => TokioResolver::builder_tokio().unwrap_or_else(|_| {
                TokioResolver::builder_with_config(ResolverConfig::default(), TokioRuntimeProvider::default())
            }),
        };
        let options: &mut ResolverOpts = builder.options_mut();
        options.use_hosts_file = ResolveHosts::Always;
        options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
        builder.build().map_err(Error::internal)
    }
}

fn only(server: SocketAddr) -> ResolverConfig {
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut connection| {
        connection.port = server.port();
        connection
    });
    ResolverConfig::from_name_servers(vec![NameServerConfig::new(server.ip(), true, connections.into())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::error::Kind;

    #[tokio::test]
    async fn a_name_that_resolves_to_this_machine_is_refused() {
        let names = Names::default();
        let error = names.addresses("localhost", Passage::Public).await.unwrap_err();
        assert_eq!(error.kind(), Kind::Denied);
        let found = names.addresses("localhost", Passage::Excepted).await.unwrap();
        assert!(found.iter().all(IpAddr::is_loopback), "{found:?}");
    }
}
