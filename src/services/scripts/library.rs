//! All scripts there are, from wherever they come, kept registered as tools.

use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
    sync::Arc,
};

use parking_lot::RwLock;
use serde::Serialize;

use super::{
    builtin,
    loaded::{Capability, Loaded},
    naming, watch, worker,
};
use satchel_app::App;
use satchel_engine::{invoker::Invoker, registry::Registry, tool::Tool};
use satchel_host::folder;
use satchel_model::{
    error::{Error, Result},
    script::{Diagnostic, Grants, Origin},
    spec::{Risk, Source},
    time::Time,
};
use satchel_store::scripts::{Kept, Scripts};

/// Most files of the folder that are read.
const MAX_FILES: usize = 500;

/// A script as it stands.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The live text; `None` if nothing was published yet.
    pub live: Option<Arc<Loaded>>,
    /// Its name.
    pub name: String,
    /// The source it comes from.
    pub origin: Origin,
    /// The reason it is no tool though it should be, or a draft cannot be one.
    pub problem: Option<String>,
    /// The part the console keeps of it, if it is the console's.
    pub kept: Option<Kept>,
    /// The last change, where it is known.
    pub updated_at: Option<Time>,
}

/// The state of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ScriptState)]
pub enum State {
    /// It is a tool.
    Live,
    /// Nothing of it was published yet.
    Draft,
    /// It is switched off.
    Disabled,
    /// It should be a tool and cannot.
    Broken,
}

/// The library. Cheap to clone.
#[derive(Clone)]
pub struct Library {
    app: Arc<App>,
    invoker: Invoker,
    shown: Arc<RwLock<Arc<Vec<Shown>>>>,
    grants: Arc<RwLock<Grants>>,
    /// The problems of texts that were looked at, by digest.
    checked: Arc<RwLock<HashMap<String, Option<String>>>>,
    /// One reload at a time, so that the last one wins.
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl Library {
    /// Registers every script and follows the folder.
    pub async fn start(app: Arc<App>, invoker: Invoker) -> Result<Self> {
        let library = Self {
            app,
            invoker,
            shown: Arc::default(),
            grants: Arc::default(),
            checked: Arc::default(),
            turn: Arc::default(),
        };
        folder::make(&library.folder())?;
        library.load(Files::Later).await?;
        watch::start(&library);
        Ok(library)
    }

    /// Returns the folder where a person puts files.
    pub fn folder(&self) -> PathBuf {
        self.app.config.data.join("scripts")
    }

    /// Every script, by name.
    pub fn all(&self) -> Arc<Vec<Shown>> {
        Arc::clone(&self.shown.read())
    }

    /// One script: the one that has the name, where several want it.
    pub fn one(&self, name: &str) -> Option<Shown> {
        naming::meant(&self.all(), name).cloned()
    }

    /// The script that is the tool of this name.
    pub fn holder(&self, name: &str) -> Option<Shown> {
        naming::holder(&self.all(), name).cloned()
    }

    /// Returns the state of a script.
    pub fn state(&self, script: &Shown) -> State {
        let settings = self.app.settings.get();
        let id = format!("{}:{}", Source::Script.as_str(), script.name);
        let off = settings.disabled_tools.iter().any(|name| *name == script.name || *name == id);
        match (&script.live, &script.problem) {
            (None, _) => State::Draft,
            (_, Some(_)) => State::Broken,
            _ if off => State::Disabled,
            _ => State::Live,
        }
    }

    /// A text, with the hosts its name was granted. Where nobody has the name, what was granted is left of somebody else.
    pub fn read(&self, source: &str) -> Loaded {
        let loaded = Loaded::ungranted(Origin::Console, source);
        if self.one(&loaded.head.name).is_none() {
            return loaded;
        }
        Loaded::read(Origin::Console, source, &self.grants.read())
    }

    /// Returns what a text may do, and what of it waits.
    pub fn capabilities(&self, loaded: &Loaded) -> Vec<Capability> {
        self.read(&loaded.source).capabilities()
    }

    /// Its risk with those of the tools it uses, as they are now.
    pub fn derived_risk(&self, loaded: &Loaded) -> Risk {
        loaded.derived_risk(&self.invoker.registry())
    }

    /// The tools a live script uses that there are not now.
    pub fn missing(&self, script: &Shown) -> Vec<String> {
        let live = script.live.as_ref().filter(|_| script.problem.is_none());
        live.map(|live| live.missing(&self.invoker.registry())).unwrap_or_default()
    }

    pub(super) fn app(&self) -> &Arc<App> {
        &self.app
    }

    pub(super) fn invoker(&self) -> &Invoker {
        &self.invoker
    }

    /// Reads everything anew and registers it.
    pub async fn reload(&self) -> Result<()> {
        self.load(Files::Now).await
    }

    async fn load(&self, files: Files) -> Result<()> {
        let _turn = self.turn.lock().await;
        let scripts = Scripts::new(&self.app.db);
        let (grants, kept) = (scripts.grants().await?, scripts.all().await?);
        let read = |origin, source: &str| Arc::new(Loaded::read(origin, source, &grants));
        let mut shown: Vec<Shown> =
            builtin::texts().into_iter().map(|text| live(read(Origin::Shipped, text))).collect();
        for kept in kept {
            let publish = |(version, source): &(u32, String)| {
                let loaded = Loaded::read(Origin::Console, source, &grants);
                Arc::new(loaded.published(kept.author.clone(), *version))
            };
            let loaded = kept.live.as_ref().map(publish);
            shown.push(Shown {
                live: loaded,
                name: kept.name.clone(),
                origin: Origin::Console,
                problem: naming::lost(&shown, &kept.name, Origin::Console),
                updated_at: Some(kept.updated_at),
                kept: Some(kept),
            });
        }
        if files == Files::Now {
            for (stem, text) in self.files().await {
                let mut file = match text {
                    Ok(text) => self.of_file(&stem, read(Origin::Folder, &text)).await?,
                    Err(unread) => of_unread(&stem, read(Origin::Folder, ""), &unread),
                };
                file.problem = naming::lost(&shown, &stem, Origin::Folder).or(file.problem);
                shown.push(file);
            }
            naming::tell_drafts(&mut shown);
        }
        *self.grants.write() = grants;
        self.register(shown);
        Ok(())
    }

    /// The texts of the folder, by the names of their files; or why one cannot be read.
    async fn files(&self) -> BTreeMap<String, Result<String>> {
        let folder = self.folder();
        let read = tokio::task::spawn_blocking(move || folder::texts(&folder, "rhai", MAX_FILES)).await;
        match read {
            Ok(Ok(texts)) => texts.into_iter().collect(),
            Ok(Err(error)) => {
                tracing::warn!(?error, "the folder of scripts cannot be read");
                BTreeMap::new()
            }
            Err(error) => {
                tracing::warn!(?error, "the folder of scripts cannot be read");
                BTreeMap::new()
            }
        }
    }

    async fn of_file(&self, stem: &str, loaded: Arc<Loaded>) -> Result<Shown> {
        let mut shown = live(loaded);
        shown.problem = self.problem(&shown).await?;
        if shown.problem.is_none() && shown.name != stem {
            shown.problem =
                Some(format!("The file is called {stem}.rhai and the script {}: name both alike.", shown.name));
        }
        stem.clone_into(&mut shown.name);
        Ok(shown)
    }

    /// Returns what keeps a text from being a tool, remembered for as long as the text is the same.
    async fn problem(&self, shown: &Shown) -> Result<Option<String>> {
        let Some(loaded) = &shown.live else { return Ok(None) };
        if let Some(known) = self.checked.read().get(&loaded.digest) {
            return Ok(known.clone());
        }
        let problem = match worker::check(&self.app.host.workers, &loaded.source).await {
            Ok(checked) => checked.problems.iter().find(|problem| problem.is_error()).map(summary),
            Err(error) => Some(error.message().to_owned()),
        };
        self.checked.write().insert(loaded.digest.clone(), problem.clone());
        Ok(problem)
    }

    /// Makes them tools; one that cannot be says why.
    fn register(&self, mut shown: Vec<Shown>) {
        let mut tools: Vec<Tool> = Vec::new();
        let registry = self.invoker.registry();
        for script in &mut shown {
            let Some(loaded) = script.live.clone().filter(|_| script.problem.is_none()) else { continue };
            match loaded.ensure_calls_are_named(&registry).and_then(|()| loaded.tool()) {
                Ok(tool) => tools.push(tool),
                Err(error) => script.problem = Some(error.message().to_owned()),
            }
        }
        // No two of them share a name by now; one may want that of a tool of another kind.
        let mut refused = self.invoker.offer(Source::Script, tools);
        for script in shown.iter_mut().rev().filter(|script| script.live.is_some() && script.problem.is_none()) {
            let id = format!("{}:{}", Source::Script.as_str(), script.name);
            if let Some(at) = refused.iter().rposition(|refused| refused.id == id) {
                script.problem = Some(refused.remove(at).reason.message().to_owned());
            }
        }
        shown.sort_by(|a, b| (&a.name, a.origin).cmp(&(&b.name, b.origin)));
        warn_of(&shown, &self.all());
        warn_of_missing(&shown, &self.all(), &self.invoker.registry());
        let tools = shown.iter().filter(|script| script.live.is_some());
        let broken = tools.filter_map(|script| Some((&script.name, script.problem.as_ref()?)));
        let told = broken.flat_map(|(name, why)| {
            let told = format!("The script '{name}' is broken, and no tool: {why}");
            [(name.clone(), told.clone()), (format!("{}:{name}", Source::Script.as_str()), told)]
        });
        self.invoker.tell_broken(told.collect());
        *self.shown.write() = Arc::new(shown);
    }
}

/// The time at which files are read: at the start they come a moment later, as each must be checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Files {
    Now,
    Later,
}

fn live(loaded: Arc<Loaded>) -> Shown {
    Shown {
        name: loaded.head.name.clone(),
        origin: loaded.origin,
        live: Some(loaded),
        problem: None,
        kept: None,
        updated_at: None,
    }
}

/// A file whose text is not known.
fn of_unread(stem: &str, nothing: Arc<Loaded>, why: &Error) -> Shown {
    Shown { name: stem.to_owned(), problem: Some(why.message().to_owned()), ..live(nothing) }
}

/// Logs the files that are no tools, each once for what is wrong with it.
fn warn_of(shown: &[Shown], before: &[Shown]) {
    let wrong = |script: &&Shown| script.origin == Origin::Folder && script.problem.is_some();
    for script in shown.iter().filter(wrong) {
        let said = before.iter().filter(wrong).any(|old| old.name == script.name && old.problem == script.problem);
        if let Some(problem) = script.problem.as_deref().filter(|_| !said) {
            tracing::warn!(
                file = format!("{}.rhai", script.name),
                problem,
                "a file of the folder of scripts is no tool"
            );
        }
    }
}

/// Logs the files that use what there is not, each text once.
fn warn_of_missing(shown: &[Shown], before: &[Shown], registry: &Registry) {
    let files = |all: &'_ [Shown]| -> Vec<Arc<Loaded>> {
        let files = all.iter().filter(|script| script.origin == Origin::Folder && script.problem.is_none());
        files.filter_map(|file| file.live.clone()).collect()
    };
    let before = files(before);
    for file in files(shown).iter().filter(|file| !before.iter().any(|old| old.digest == file.digest)) {
        let missing = file.missing(registry);
        if !missing.is_empty() {
            let file = format!("{}.rhai", file.head.name);
            tracing::warn!(file, ?missing, "a file of the folder of scripts uses tools that there are not");
        }
    }
}

/// A problem in one line.
pub(super) fn summary(problem: &Diagnostic) -> String {
    let hint = problem.hint.as_ref().map(|hint| format!(" {hint}")).unwrap_or_default();
    format!("Line {}: {}{hint}", problem.line, problem.message)
}
