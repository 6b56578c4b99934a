//! Scripts as the API shows them.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use satchel_model::{
    script::{Diagnostic, LogLine, Origin, Version},
    spec::{Category, Example, Risk, Setting},
    time::Time,
};
use satchel_services::scripts::{Capability, Library, Loaded, Shown, State};
use satchel_store::scripts::Kept;

/// A script in the list.
#[derive(Serialize, ToSchema)]
pub(super) struct ScriptSummary {
    /// The tool's name.
    name: String,
    /// The place of its text.
    origin: Origin,
    /// Its state.
    state: State,
    /// A description of what it does.
    description: String,
    /// The live version, of those written in the console.
    version: Option<u32>,
    /// `true` if there is a text that is not live.
    has_draft: bool,
    /// The reason it is no tool though it should be.
    problem: Option<String>,
    /// Hosts that wait for an administrator.
    waiting: Vec<String>,
    /// Tools it uses that there are not now.
    missing: Vec<String>,
    /// The last change, where it is known.
    updated_at: Option<Time>,
}

impl ScriptSummary {
    pub(super) fn new(library: &Library, shown: &Shown) -> Self {
        let text = edited(shown);
        Self {
            name: shown.name.clone(),
            origin: shown.origin,
            state: library.state(shown),
            description: text.as_ref().map(|text| text.head.description.clone()).unwrap_or_default(),
            version: version(shown),
            has_draft: shown.kept.as_ref().is_some_and(|kept| kept.draft.is_some()),
            problem: shown.problem.clone(),
            waiting: shown.live.as_ref().map(|live| live.waiting()).unwrap_or_default(),
            missing: library.missing(shown),
            updated_at: shown.updated_at,
        }
    }
}

/// A script.
#[derive(Serialize, ToSchema)]
pub(super) struct ScriptView {
    /// The tool's name.
    name: String,
    /// The place of its text.
    origin: Origin,
    /// Its state.
    state: State,
    /// The reason it is no tool though it should be.
    problem: Option<String>,
    /// The live text; the draft where nothing is live.
    source: String,
    /// A text that is not live.
    draft: Option<String>,
    /// SHA-256 of the text that is edited next, the draft or the live one: what a change of it gives as `base`.
    digest: String,
    /// The live version.
    version: Option<u32>,
    /// The declarations of the live text, or of the draft.
    spec: ScriptSpec,
    /// The things it may do.
    capabilities: Vec<Capability>,
    /// Every version, the newest first.
    versions: Vec<Version>,
    /// Not switched off.
    enabled: bool,
    /// The last change, where it is known.
    updated_at: Option<Time>,
    /// The person who made it, where that is known.
    updated_by: Option<String>,
}

impl ScriptView {
    pub(super) fn new(library: &Library, shown: &Shown, versions: Vec<Version>) -> Option<Self> {
        let text = edited(shown)?;
        let state = library.state(shown);
        let kept = shown.kept.as_ref();
        Some(Self {
            name: shown.name.clone(),
            origin: shown.origin,
            state,
            problem: shown.problem.clone(),
            source: shown.live.as_ref().map_or(&text, |live| live).source.to_string(),
            draft: kept.and_then(|kept| kept.draft.clone()),
            digest: kept.map_or_else(|| text.digest.clone(), Kept::digest),
            version: version(shown),
            spec: ScriptSpec::new(library, &text),
            capabilities: library.capabilities(&text),
            versions,
            enabled: state != State::Disabled,
            updated_at: shown.updated_at,
            updated_by: kept.and_then(|kept| kept.updated_by.clone()),
        })
    }
}

/// The text that is edited next: the draft, or what is live.
fn edited(shown: &Shown) -> Option<Loaded> {
    let draft = shown.kept.as_ref().and_then(|kept| kept.draft.as_deref());
    match draft {
        Some(draft) => Some(Loaded::ungranted(shown.origin, draft)),
        None => shown.live.as_deref().cloned(),
    }
}

fn version(shown: &Shown) -> Option<u32> {
    shown.kept.as_ref().and_then(|kept| kept.live.as_ref()).map(|(version, _)| *version)
}

/// The declarations of a script's header.
#[derive(Serialize, ToSchema)]
pub(super) struct ScriptSpec {
    /// The tool's name.
    name: String,
    /// A description of what it does.
    description: String,
    /// A description of when to choose it.
    when_to_use: String,
    /// Its group in the library.
    category: Category,
    /// JSON Schema of its arguments.
    #[schema(value_type = Value)]
    parameters: Arc<Value>,
    /// The risk its header names.
    risk: Risk,
    /// The declared risk, raised by the tools it uses.
    derived_risk: Risk,
    /// The permission its caller needs.
    permission: Option<String>,
    /// The longest a call may take.
    timeout_seconds: u64,
    /// Configuration it takes.
    settings: Vec<Setting>,
    /// Worked examples.
    examples: Vec<Example>,
}

impl ScriptSpec {
    pub(super) fn new(library: &Library, loaded: &Loaded) -> Self {
        let spec = loaded.spec();
        Self {
            derived_risk: library.derived_risk(loaded),
            name: spec.name,
            description: spec.description,
            when_to_use: spec.when_to_use,
            category: spec.category,
            parameters: spec.parameters.document(),
            risk: spec.risk,
            permission: spec.permission.map(Into::into),
            timeout_seconds: spec.timeout.as_secs(),
            settings: spec.settings,
            examples: spec.examples,
        }
    }
}

/// The result of a check.
#[derive(Serialize, ToSchema)]
pub(super) struct ScriptCheck {
    /// The problems, in the order of the text.
    pub(super) problems: Vec<Diagnostic>,
    /// The declarations of the text; `null` while its header is wrong.
    pub(super) spec: Option<ScriptSpec>,
    /// The things it may do.
    pub(super) capabilities: Vec<Capability>,
    /// The duration of the check, in milliseconds.
    pub(super) ms: f64,
}

/// The result of a trial.
#[derive(Serialize, ToSchema, Default)]
pub(super) struct ScriptRun {
    /// `true` if it worked.
    pub(super) success: bool,
    /// The value it returned.
    pub(super) data: Value,
    /// The result as it is shown.
    pub(super) content: Vec<satchel_model::output::Content>,
    /// A card's title.
    pub(super) title: Option<String>,
    /// An HTML fragment; to be sanitised before it is shown.
    pub(super) html: Option<String>,
    /// The error, if it failed.
    pub(super) error: Option<String>,
    /// The line of the error.
    pub(super) line: Option<u64>,
    /// The column of the error.
    pub(super) column: Option<u64>,
    /// The lines it logged.
    pub(super) log: Vec<LogLine>,
    /// Operations, as the engine counts them.
    pub(super) operations: u64,
    /// The duration in milliseconds.
    pub(super) ms: f64,
}

impl ScriptRun {
    /// Takes the facts of a run out of what its output or its error carries.
    pub(super) fn facts(mut self, facts: &Value) -> Self {
        let number = |name: &str| facts.get(name).and_then(Value::as_u64);
        self.line = number("line");
        self.column = number("column");
        self.operations = number("operations").unwrap_or_default();
        self.log = facts.get("log").and_then(|log| serde_json::from_value(log.clone()).ok()).unwrap_or_default();
        self
    }
}

/// The building blocks of a script.
#[derive(Serialize, ToSchema)]
pub(super) struct ScriptReference {
    /// Functions.
    pub(super) helpers: Vec<HelperView>,
    /// Tags of the header.
    pub(super) tags: Vec<TagView>,
    /// Scripts to start from.
    pub(super) templates: Vec<satchel_services::scripts::Template>,
    /// The limits of a run.
    pub(super) limits: LimitsView,
}

/// One function.
#[derive(Serialize, ToSchema)]
pub(super) struct HelperView {
    /// Its name.
    pub(super) name: &'static str,
    /// The signature.
    pub(super) signature: &'static str,
    /// The group it belongs to.
    pub(super) group: &'static str,
    /// A description of what it does.
    pub(super) description: &'static str,
    /// An expression that uses it.
    pub(super) example: &'static str,
    /// The result, as JSON.
    pub(super) result: &'static str,
}

/// One tag.
#[derive(Serialize, ToSchema)]
pub(super) struct TagView {
    /// The word after `@`.
    pub(super) tag: &'static str,
    /// The syntax.
    pub(super) syntax: &'static str,
    /// The purpose.
    pub(super) description: &'static str,
}

/// The limits of a run.
#[derive(Serialize, ToSchema)]
pub(super) struct LimitsView {
    /// Longest text of a script.
    pub(super) source_bytes: usize,
    /// Operations, as the engine counts them.
    pub(super) operations: u64,
    /// Memory.
    pub(super) memory_bytes: u64,
    /// Deepest nesting of calls.
    pub(super) depth: usize,
}
