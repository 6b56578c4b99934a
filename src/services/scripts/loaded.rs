//! One script, read: its header, what it may reach, and the tool it is.

use std::{borrow::Cow, sync::Arc};

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::run;
use satchel_engine::{authorise, context::Context, preparation::Preparation, registry::Registry, tool::Tool};
use satchel_host::workers::Pace;
use satchel_model::{
    destination::Destination,
    error::{Error, Result},
    question::Question,
    script::{
        Author, Grants, Origin,
        provenance::{Provenance, Writer},
    },
    spec::{Example, Risk, Setting, Source, Spec},
};
use satchel_script::header::{self, Head, Host};

/// A script.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The place of its text.
    pub origin: Origin,
    /// Its text.
    pub source: Arc<str>,
    /// The declarations of the text's header.
    pub head: Head,
    /// The digest of the text, for workers that have it.
    pub digest: String,
    /// The hosts of the header that an administrator granted.
    pub granted: Vec<Host>,
    /// The time it took when it last ran.
    pub pace: Arc<Pace>,
    /// The person who published it, and the version, where that is the console's live text.
    pub published: Option<(Author, u32)>,
}

/// Something a script may do beyond computing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = ScriptCapability)]
pub struct Capability {
    /// The kind of capability.
    pub kind: CapabilityKind,
    /// The tool, host or secret, with where that may be sent; empty for kept values.
    pub what: String,
    /// `true` if it may do it now. Only hosts wait for an administrator.
    pub granted: bool,
}

/// Kinds of what a script may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CapabilityKind {
    /// Call a tool.
    Tool,
    /// Send requests to a host.
    Http,
    /// Keep values.
    Kv,
    /// Use a secret.
    Secret,
}

impl Capability {
    /// Returns it in words, as versions keep it.
    pub fn description(&self) -> String {
        let kind = match self.kind {
            CapabilityKind::Tool => "tool",
            CapabilityKind::Http => "http",
            CapabilityKind::Kv => "kv",
            CapabilityKind::Secret => "secret",
        };
        format!("{kind} {}", self.what).trim_end().to_owned()
    }
}

impl Loaded {
    /// Reads a text; what is wrong with it shows elsewhere.
    pub fn read(origin: Origin, source: &str, grants: &Grants) -> Self {
        let source = header::without_mark(source);
        let head = header::parse(source).0;
        let grants = grants.get(&head.name);
        let is_granted = |host: &&Host| grants.is_some_and(|grants| grants.contains(&host.to_string()));
        let granted = head.hosts.iter().filter(is_granted).cloned().collect();
        Self {
            origin,
            source: source.into(),
            digest: hex::encode(Sha256::digest(source)),
            granted,
            head,
            pace: Arc::default(),
            published: None,
        }
    }

    /// Reads a text for what it says alone.
    pub fn ungranted(origin: Origin, source: &str) -> Self {
        Self::read(origin, source, &Grants::new())
    }

    /// The same, as the version that this person published.
    #[must_use]
    pub fn published(self, author: Option<Author>, version: u32) -> Self {
        Self { published: author.map(|author| (author, version)), ..self }
    }

    /// Its provenance, for those who call it; `None` for what ships with Satchel, and for a text its own author tries out.
    fn provenance(&self) -> Option<Provenance> {
        let writer = match (self.origin, &self.published) {
            (Origin::Console, Some((author, version))) => Writer::Person { author: author.clone(), version: *version },
            (Origin::Folder, _) => Writer::Machine,
            (Origin::Console | Origin::Shipped, _) => return None,
        };
        Some(Provenance { script: self.head.name.clone(), digest: self.digest.clone(), writer })
    }

    /// All it may do.
    pub fn capabilities(&self) -> Vec<Capability> {
        let of = |kind, what: String, granted| Capability { kind, what, granted };
        let head = &self.head;
        let mut all: Vec<_> = head.uses.iter().map(|tool| of(CapabilityKind::Tool, tool.clone(), true)).collect();
        all.extend(
            head.hosts.iter().map(|host| of(CapabilityKind::Http, host.to_string(), self.granted.contains(host))),
        );
        if head.kv {
            all.push(of(CapabilityKind::Kv, String::new(), true));
        }
        all.extend(head.settings.iter().filter(|setting| setting.secret).map(|setting| {
            let sent = self.sent_to(&setting.key).map(|sent| format!(", {sent}")).unwrap_or_default();
            of(CapabilityKind::Secret, format!("{}{sent}", setting.key), true)
        }));
        all
    }

    /// Returns where a secret is sent, in words. `None` if it can be to one host alone.
    fn sent_to(&self, key: &str) -> Option<String> {
        let hosts: Vec<String> = self.head.hosts_of(key).iter().map(ToString::to_string).collect();
        match self.head.bound.iter().any(|bound| bound.key == key) {
            true => Some(format!("sent to {}", hosts.join(", "))),
            false => reach_several(&self.head.hosts).then(|| format!("sent to any of {}", hosts.join(", "))),
        }
    }

    /// A setting, with where it is sent: whoever gives a secret reads that beside its field.
    fn described_setting(&self, setting: &Setting) -> Setting {
        let description = match self.sent_to(&setting.key).filter(|_| setting.secret) {
            Some(sent) => format!("{} ({sent})", setting.description),
            None => setting.description.clone(),
        };
        Setting { description, ..setting.clone() }
    }

    /// Returns the sentence of a question about a run that says that its secrets may go to any of several hosts. `None` if
    /// each has its own.
    fn loose_secrets(&self) -> Option<String> {
        let head = &self.head;
        let is_loose = |key: &str| head.bound.iter().all(|bound| bound.key != key);
        let loose: Vec<String> =
            head.settings.iter().filter(|s| s.secret && is_loose(&s.key)).map(|s| format!("'{}'", s.key)).collect();
        let hosts: Vec<String> = self.granted.iter().map(ToString::to_string).collect();
        let may = format!("It may send its secret {} to any of {}.", loose.join(" and "), hosts.join(", "));
        (!loose.is_empty() && reach_several(&self.granted)).then_some(may)
    }

    /// Returns whether it may do nothing but compute.
    pub fn asks_nothing(&self) -> bool {
        let head = &self.head;
        head.uses.is_empty() && head.hosts.is_empty() && !head.kv
    }

    /// Hosts that wait for an administrator.
    pub fn waiting(&self) -> Vec<String> {
        let waiting = self.head.hosts.iter().filter(|host| !self.granted.contains(host));
        waiting.map(ToString::to_string).collect()
    }

    /// Returns what is known of it as a tool.
    pub fn spec(&self) -> Spec {
        let head = &self.head;
        let example = |example: &header::HeadExample| Example {
            title: example.title.clone(),
            before: Vec::new(),
            arguments: example.arguments.clone(),
            result: example.result.clone(),
        };
        Spec {
            name: head.name.clone(),
            source: Source::Script,
            description: head.description.clone(),
            when_to_use: head.when.clone(),
            category: head.category,
            parameters: head.schema().into(),
            risk: head.risk,
            permission: head.permission.clone().map(Cow::Owned),
            timeout: head.timeout,
            settings: head.settings.iter().map(|setting| self.described_setting(setting)).collect(),
            examples: head.examples.iter().map(example).collect(),
            innate: false,
            own_data: false,
        }
    }

    /// The tool it is.
    pub fn tool(self: Arc<Self>) -> Result<Tool> {
        let script = Arc::clone(&self);
        let granted: Vec<Destination> =
            self.granted.iter().map(|host| Destination::new(host.name(), host.port())).collect();
        let reach: Vec<String> = self.granted.iter().map(ToString::to_string).collect();
        let (title, secrets) = (self.head.name.clone(), self.loose_secrets());
        let calls = Preparation::new(move |cx, arguments| run::run(cx, Arc::clone(&script), arguments));
        let calls = if granted.is_empty() { calls } else { calls.reaches_named(move |_| granted.clone()) };
        let calls = calls.ahead(move |cx: Context, _| {
            let (title, secrets) = (title.clone(), secrets.clone());
            async move { ensure_usable(&title, &cx).map(|()| Question::run(&title).and(secrets.as_deref())) }
        });
        let tool = Tool::of_sound_spec(self.spec(), calls).made_of(format!("{} {}", self.digest, reach.join(" ")));
        tool.schema().require_sound()?;
        Ok(tool.uses(self.head.uses.clone()).written(self.provenance()))
    }

    /// The tools it uses that there are not now: they may come, and then it calls them.
    pub fn missing(&self, registry: &Registry) -> Vec<String> {
        self.head.uses.iter().filter(|name| registry.find(name).is_err()).cloned().collect()
    }

    /// Checks that what its tools call is named in its header.
    ///
    /// # Errors
    ///
    /// If it uses a tool whose arguments hold calls: what they call is not said in the header, and neither its callers
    /// nor its risk would know.
    pub fn ensure_calls_are_named(&self, registry: &Registry) -> Result<()> {
        self.head.uses.iter().try_for_each(|name| ensure_carries_none(registry, name))
    }

    /// Its risk with those of the tools it uses.
    pub fn derived_risk(&self, registry: &Registry) -> Risk {
        self.head.risk.max(registry.highest_risk(&self.head.uses))
    }
}

/// Returns whether these are more hosts than one.
fn reach_several(hosts: &[Host]) -> bool {
    hosts.len() > 1 || hosts.iter().any(Host::is_pattern)
}

/// Checks that a tool's arguments hold no calls.
///
/// # Errors
///
/// If they do.
pub(super) fn ensure_carries_none(registry: &Registry, name: &str) -> Result<()> {
    if registry.find(name).is_ok_and(|found| found.tool.holds_calls()) {
        return Err(Error::invalid(format!(
            "A script does not use '{name}', whose arguments hold calls: name the tools with @uses, and call them one by one."
        )));
    }
    Ok(())
}

/// Checks that the caller may use the tools a script uses.
///
/// # Errors
///
/// If they may not use one of them, or one that one of its scripts uses: nobody is asked about a run that ends there.
fn ensure_usable(script: &str, cx: &Context) -> Result<()> {
    let registry = Registry::around(cx);
    let found = registry.find(script)?;
    registry.used_by(&found.tool).iter().try_for_each(|used| authorise::permitted(used, cx.caller())).map_err(|_| {
        // Which one is not said: its name would tell that it is there.
        Error::denied("The script uses a tool that you may not use. Ask whoever wrote it, or an administrator.")
    })
}
