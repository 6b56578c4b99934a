//! What a call comes to, as far as that is known before it runs: its tool and those it will call, what they are, and where
//! they send something. A person's yes is bound to this.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::Value;
use url::Url;

use super::{
    configure,
    registry::Registry,
    tool::{Carried, Tool},
};
use crate::{
    app::App,
    model::{definition::Definition, destination::Destination},
};

/// What a call comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    /// What it does.
    pub definition: Definition,
    /// Where it, and what it calls, may send something: in order, each once.
    pub destinations: Vec<Destination>,
}

impl Extent {
    /// The extent of a call with these arguments of the tool's own.
    pub async fn read(app: &App, tool: &Arc<Tool>, arguments: &Value, registry: &Registry) -> Self {
        let mut gathered = Gathered { app, registry, parts: Vec::new(), destinations: BTreeSet::new() };
        gathered.call(tool, arguments).await;
        for Carried { tool: name, params } in tool.carried(arguments) {
            match registry.find(&name).map(|found| (found.own_arguments(params), found)) {
                Ok((Ok(arguments), found)) => gathered.call(&found.tool, &arguments).await,
                // It is never run; were it one that can, it would be another call.
                Ok((Err(_), found)) => gathered.parts.push(found.tool.spec().id()),
                Err(_) => gathered.parts.push(name),
            }
        }
        let Gathered { mut parts, destinations, .. } = gathered;
        parts.extend(destinations.iter().map(ToString::to_string));
        let definition = Definition::from_parts(parts.iter().map(String::as_str));
        Self { definition, destinations: destinations.into_iter().collect() }
    }
}

struct Gathered<'a> {
    app: &'a App,
    registry: &'a Registry,
    parts: Vec<String>,
    destinations: BTreeSet<Destination>,
}

impl Gathered<'_> {
    /// A call whose arguments are known, and the tools it uses.
    async fn call(&mut self, tool: &Arc<Tool>, arguments: &Value) {
        let used = self.registry.used_by(tool);
        self.tool(tool, arguments).await;
        for inner in &used {
            // What they will be called with is known to nobody yet.
            self.tool(inner, &Value::Null).await;
        }
        // Whatever is an address among the arguments may be where it is sent, or where what is sent leads next.
        if tool.sends_out() || used.iter().any(|inner| inner.sends_out()) {
            self.destinations.extend(Destination::all_in(arguments));
        }
    }

    async fn tool(&mut self, tool: &Tool, arguments: &Value) {
        self.parts.push(tool.definition().as_str().to_owned());
        self.parts.push(tool.relied_on(arguments, self.registry));
        self.destinations.extend(tool.destinations_of(arguments, self.registry));
        self.destinations.extend(self.configured(tool).await);
    }

    /// Where the address in a tool's settings leads.
    async fn configured(&self, tool: &Tool) -> Option<Destination> {
        let key = tool.reaching_setting()?;
        // Without its settings it does not run.
        let settings = configure::load(self.app, tool).await.ok()?;
        Destination::from_url(&Url::parse(settings.get(key)?.expose().trim()).ok()?)
    }
}
