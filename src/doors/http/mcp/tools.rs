//! `tools/list`: what the caller's key shows of the tools they may call, always in the same order.

use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use rmcp::model::{Icon, JsonObject, ToolAnnotations};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::icons::icon;
use crate::http::protocol::{
    revision::Revision,
    rpc::{self, Failure},
};
use crate::http::state::State;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use satchel_engine::{authorise, policy::View, registry::Registry, tool::Tool};
use satchel_model::{
    policy::Situation,
    settings::{Exposure, Settings},
    spec::{Risk, Source},
};
use satchel_services::exposure::{Wanted, settled, shows};
use satchel_store::{credentials::Identity, people::SharedIdentity};

/// Tools of one page.
const PAGE: usize = 1_000;

/// Parameters of a list.
#[derive(Deserialize)]
pub(super) struct PageParams {
    /// The place after the last one of the page before.
    pub(super) cursor: Option<String>,
}

/// A page of tools.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Page {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    tools: Vec<Listed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_scope: Option<&'static str>,
}

/// An entry of the list.
#[derive(Serialize)]
#[serde(untagged)]
enum Listed {
    Tool(Box<ListedTool>),
    /// A test's.
    Besides(Value),
}

/// A tool as clients see it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedTool {
    name: String,
    title: String,
    description: String,
    input_schema: Arc<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
    annotations: ToolAnnotations,
    #[serde(skip_serializing_if = "Option::is_none")]
    icons: Option<[Icon; 1]>,
    #[serde(rename = "_meta")]
    meta: Value,
}

/// The page of tools that a request asks for.
///
/// # Errors
///
/// If its cursor is none of ours.
pub(super) fn list(
    state: &State,
    identity: &Identity,
    revision: Revision,
    params: JsonObject,
) -> Result<Page, Failure> {
    let PageParams { cursor } = rpc::params(params)?;
    let after = cursor.as_deref().map(read_cursor).transpose()?;
    let registry = state.invoker.registry();
    let mut shown = shown(state, identity, &registry);
    shown.sort_by(|a, b| place(a).cmp(&place(b)));
    let mut rest = shown.into_iter().filter(|tool| after.as_ref().is_none_or(|after| tool.spec().id() > *after));
    let page: Vec<_> = rest.by_ref().take(PAGE).collect();
    let next_cursor = rest.next().and(page.last()).map(|last| URL_SAFE_NO_PAD.encode(last.spec().id()));
    let fresh = revision.is_stateless();
    let besides = state.mcp.besides("tools").into_iter().map(Listed::Besides);
    Ok(Page {
        result_type: fresh.then_some("complete"),
        tools: besides
            .chain(page.into_iter().map(|tool| Listed::Tool(Box::new(listed(&registry, tool, revision)))))
            .collect(),
        next_cursor,
        ttl_ms: fresh.then_some(0),
        cache_scope: fresh.then_some("private"),
    })
}

/// The tools that a key shows of those its owner may call.
fn shown<'a>(state: &State, identity: &Identity, registry: &'a Registry) -> Vec<&'a Arc<Tool>> {
    let (caller, terms, settings) = (&identity.caller, &identity.terms, state.app.settings.get());
    let policy = state.invoker.policy(&Situation::default());
    let may_call = |tool: &&Arc<Tool>| authorise::may_call(tool, caller, &settings, &policy);
    let rule = match terms.exposure.unwrap_or(settings.chat.exposure) {
        Exposure::Auto => {
            let tokens = registry.tools().iter().filter(may_call).map(|tool| tool.tokens()).sum();
            settled(Exposure::Auto, tokens, u64::from(settings.chat.tool_token_budget))
        }
        rule => rule,
    };
    let found = found(state, identity);
    let selected = if terms.exposure.is_some() { &terms.selected } else { &settings.chat.selected };
    let wanted = Wanted { found: &found, selected: Some(selected) };
    // Names first: there may be very many tools, of which few are shown.
    registry.tools().iter().filter(|tool| shows(rule, tool, &wanted)).filter(may_call).collect()
}

/// A caller's list, as it was when it was looked at last.
pub(super) struct Watch {
    identity: SharedIdentity,
    registry: Arc<Registry>,
    settings: Arc<Settings>,
    policy: Arc<View>,
    found: BTreeSet<String>,
    print: u64,
}

impl Watch {
    /// Looks at the list of a caller.
    pub(super) fn new(state: &State, identity: SharedIdentity) -> Self {
        let registry = state.invoker.registry();
        let print = print(shown(state, &identity, &registry));
        let (settings, policy) = (state.app.settings.get(), state.invoker.policy(&Situation::default()));
        let found = found(state, &identity);
        Self { identity, registry, settings, policy, found, print }
    }

    /// The caller, as they were then.
    pub(super) fn identity(&self) -> &SharedIdentity {
        &self.identity
    }

    /// Looks again, as the caller is by now. Returns whether the list is another one.
    pub(super) fn has_changed(&mut self, state: &State, identity: SharedIdentity) -> bool {
        let (settings, policy) = (state.app.settings.get(), state.invoker.policy(&Situation::default()));
        let same = Arc::ptr_eq(&self.identity, &identity)
            && self.registry.has_same_tools(&state.invoker.registry())
            && Arc::ptr_eq(&self.settings, &settings)
            && Arc::ptr_eq(&self.policy, &policy)
            && self.found == found(state, &identity);
        if same {
            return false;
        }
        let before = std::mem::replace(self, Self::new(state, identity)).print;
        before != self.print
    }
}

/// A number that is another one where the tools are others.
fn print(tools: Vec<&Arc<Tool>>) -> u64 {
    let mut print = DefaultHasher::new();
    for tool in tools {
        tool.spec().id().hash(&mut print);
        tool.definition().as_str().hash(&mut print);
    }
    print.finish()
}

fn found(state: &State, identity: &Identity) -> BTreeSet<String> {
    identity.caller.credential.key().map(|key| state.finder.found_with(key)).unwrap_or_default()
}

/// The order of the list: that of the ids.
fn place(tool: &Tool) -> (&'static str, &str) {
    (tool.spec().source.as_str(), &tool.spec().name)
}

/// The place that a cursor names.
///
/// # Errors
///
/// If it names none.
fn read_cursor(cursor: &str) -> Result<String, Failure> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    bytes.filter(|id| id.contains(':')).ok_or_else(|| Failure::params("`cursor` is none of ours: begin without one."))
}

fn listed(registry: &Registry, tool: &Tool, revision: Revision) -> ListedTool {
    let (spec, definition) = (tool.spec(), tool.spec().tool_definition());
    ListedTool {
        title: title(&spec.name),
        annotations: annotations(registry, tool),
        icons: revision.has_icons().then(|| [icon(spec.category)]),
        meta: json!({"satchel/id": spec.id(), "satchel/risk": registry.least_risk(tool)}),
        name: definition.name,
        description: definition.description,
        input_schema: definition.parameters,
        output_schema: output_schema(tool.gives()),
    }
}

/// The schema of structured content: of a result, of one that is too large to be answered whole, or of the question that
/// waits for a person.
fn output_schema(gives: &[(&str, &str)]) -> Option<Value> {
    if gives.is_empty() {
        return None;
    }
    let of_type = |(name, kind): &(&str, &str)| ((*name).to_owned(), json!({"type": kind}));
    let fields: JsonObject = gives.iter().map(of_type).collect();
    let needed: Vec<&str> = gives.iter().map(|(name, _)| *name).collect();
    let others =
        [&["handle", "bytes", "preview"], &["ticket", "url", "expires_at"]].map(|names| json!({"required": names}));
    let [excerpt, question] = others;
    let result = json!({"properties": fields, "required": needed});
    Some(json!({"type": "object", "anyOf": [result, excerpt, question]}))
}

/// Hints of what a call can do, whatever its arguments.
fn annotations(registry: &Registry, tool: &Tool) -> ToolAnnotations {
    let highest = registry.risk_up_to(tool).unwrap_or(registry.least_risk(tool));
    let reads = highest == Risk::Read;
    let is_remote = !matches!(tool.spec().source, Source::Builtin | Source::Script);
    let hints = ToolAnnotations::new().read_only(reads).open_world(is_remote || tool.sends_out());
    if reads { hints.idempotent(true) } else { hints.destructive(highest >= Risk::HighWrite) }
}

/// A name in words: `web_fetch` is "Web fetch".
pub(super) fn title(name: &str) -> String {
    let words = name.replace(['_', '.', '-'], " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_a_name_in_words() {
        assert_eq!(title("web_fetch"), "Web fetch");
        assert_eq!(title("crm.list_orders"), "Crm list orders");
        assert_eq!(title(""), "");
    }

    #[test]
    fn a_cursor_is_one_of_ours() {
        assert_eq!(read_cursor(&URL_SAFE_NO_PAD.encode("builtin:read")).unwrap(), "builtin:read");
        for wrong in ["", "1", "%%", &URL_SAFE_NO_PAD.encode("read")] {
            assert!(read_cursor(wrong).is_err(), "{wrong}");
        }
    }
}
