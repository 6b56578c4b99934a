//! The secrets of a run: every form of them, and where each is sent.

use satchel_engine::settings::ToolSettings;
use satchel_model::secret::{Secret, forms};
use satchel_net::http::Request;
use satchel_script::header::{Head, Host};

/// The secrets of a run.
pub(super) struct Secrets {
    /// Every form of all of them.
    pub(super) forms: Vec<String>,
    bound: Vec<Bound>,
}

/// A secret that is sent to some hosts only.
struct Bound {
    key: String,
    forms: Vec<String>,
    hosts: Vec<Host>,
}

impl Secrets {
    pub(super) fn new(settings: &ToolSettings, head: &Head) -> Self {
        let bound = head.bound.iter().filter_map(|bound| {
            let forms = forms::of([settings.get(&bound.key)?.expose()].into_iter());
            Some(Bound { key: bound.key.clone(), forms, hosts: bound.hosts.clone() })
        });
        Self { bound: bound.collect(), forms: forms::of(settings.secrets().map(Secret::expose)) }
    }

    /// Returns why a request is not sent: a secret stands in it that is sent to other hosts only. `None` if none does.
    pub(super) fn refusal(&self, request: &Request) -> Option<String> {
        let mut foreign = self.bound.iter().filter(|one| !one.hosts.iter().any(|host| host.covers(&request.url)));
        let Bound { key, hosts, .. } = foreign.find(|one| one.stands_in(request))?;
        let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
        Some(format!("The secret '{key}' is sent to {} only, as its setting says.", hosts.join(", ")))
    }
}

impl Bound {
    fn stands_in(&self, request: &Request) -> bool {
        let stands = |text: &str| forms::stand_in(text, &self.forms);
        let in_bytes = |bytes: &[u8]| stands(&String::from_utf8_lossy(bytes));
        stands(request.url.as_str())
            || request.headers.values().any(|value| in_bytes(value.as_bytes()))
            || in_bytes(&request.body)
    }
}
