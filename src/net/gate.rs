//! The one gate of all that leaves: it shares connections, names and trust, and says nothing until told for whom.

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use super::{
    clients::Clients,
    guard::Exceptions,
    http::Http,
    meter::{Ledger, Meter},
    resolve::Names,
    tls::{Tls, Trust},
};
use satchel_model::egress::Origin;
use url::Url;

/// The ways the process reaches out, as it was started.
#[derive(Debug, Clone, Default)]
pub struct Ways {
    /// The name server to ask; `None` means the machine's.
    pub dns: Option<SocketAddr>,
    /// The certificates to trust beside those of browsers; `None` means the machine's.
    pub ca_file: Option<PathBuf>,
}

/// The gate. It sends nothing itself: [`Gate::on_behalf`] gives what does. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Gate {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    names: Names,
    trust: Trust,
    clients: Clients,
    ledger: Ledger,
}

impl Gate {
    /// A gate whose crossings go into this ledger.
    pub fn new(ways: Ways, ledger: Ledger) -> Self {
        let (names, trust) = (Names::new(ways.dns), Trust::new(ways.ca_file));
        let clients = Clients::new(names.clone(), trust.clone());
        Self { shared: Arc::new(Shared { names, trust, clients, ledger }) }
    }

    /// The way out for one who asks, with no exception.
    pub fn on_behalf(&self, origin: Origin) -> Http {
        Http {
            gate: self.clone(),
            origin,
            exceptions: Exceptions::default(),
            tls: Arc::new(Tls::default()),
            same_place: false,
        }
    }

    pub(super) fn names(&self) -> &Names {
        &self.shared.names
    }

    pub(super) fn trust(&self) -> &Trust {
        &self.shared.trust
    }

    pub(super) fn clients(&self) -> &Clients {
        &self.shared.clients
    }

    pub(super) fn meter(&self, origin: &Origin, url: &Url) -> Meter {
        Meter::begin(&self.shared.ledger, origin, url)
    }
}
