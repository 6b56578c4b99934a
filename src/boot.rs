//! The composition root: from a command line to everything running, and back down.

use std::{
    io::IsTerminal,
    net::TcpListener,
    path::{Path, PathBuf},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use tokio::{
    runtime::{Handle, Runtime},
    signal::unix::{SignalKind, signal},
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing_subscriber::EnvFilter;
use url::Url;

use crate::{
    agent::chat::Agent,
    app::{App, calling::Calling, indexing::Indexing, outgoing::Outgoing},
    config::{Config, ListenFlags, LogFormat, Owner, PROGRAM},
    doors::{
        cli::{
            args::{AuditCommand, Command, KeyCommand, Line, UserCommand},
            client::Client,
            eval::{
                self,
                args::{EvalCommand, EvalDocs},
            },
            run::{self, Exit},
            scripts,
        },
        http::{
            server::{self, Server},
            state::State,
        },
    },
    engine::{
        catalog::offer,
        embeddings::{change, offered},
        graph,
        ingest::workers,
        invoker::Invoker,
        registry::Registry,
        scripts::Library,
    },
    host::{
        clipboard::Desktop, clock::Clock, files::Workspaces, process::Processes, sandbox::Sandbox, work::Work,
        workers::Workers,
    },
    index::{
        embed::{
            embedder::Embedder,
            model::{BUILTIN, Model},
            workers::Limits,
        },
        memory,
    },
    model::{
        error::{Error, Kind, Result},
        secret::Secret,
        user::Username,
    },
    net::{
        gate::{Gate, Ways},
        llm::answer::Patience,
    },
    store::{
        audit::Audit,
        catalog::Catalog,
        db::{Commit, Db},
        dir::{self, DataDir, Running},
        embeddings::Embeddings,
        knowledge::Knowledge,
        memory::MemoryStore,
        people::People,
        settings::SettingsStore,
        tickets::Tickets,
        token,
        tool_config::ToolConfig,
        vault::Vault,
    },
    tools,
};

/// How long what still runs may take once the process is asked to end.
const FAREWELL: Duration = Duration::from_secs(3);
/// How long what a start begins in the background takes, about.
const SETTLED: Duration = Duration::from_secs(2);

/// Runs a command line to its exit code.
pub fn run(line: Line) -> Result<Exit> {
    let runtime = Runtime::new().map_err(Error::internal)?;
    let data = line.flags.data_dir()?;
    match line.command {
        Command::Serve(listen) => {
            let config = line.flags.resolve(listen, dir::config_file(&data)?.as_deref())?;
            log_to_stderr(&config)?;
            runtime.block_on(serve(config))
        }
        Command::Audit(AuditCommand::Verify { anchors }) => {
            run::verify(&data, &dir::anchors(&data, anchors.as_deref())?, line.json)
        }
        Command::Eval(EvalCommand::Tools(args)) => runtime.block_on(eval::tools::run(args, &embedder(), line.json)),
        Command::Eval(EvalCommand::Docs(args)) => {
            let mut config = line.flags.resolve(any_port(), None)?;
            config.data = args.out.join("docs.data");
            // The documents belong to somebody. Nobody signs in.
            config.owner = Some(Owner { name: "evaluation".to_owned(), password: token::issue("") });
            runtime.block_on(eval_docs(config, args, line.json))
        }
        Command::Script(command) => {
            let workers = Workers::new(PathBuf::from(PROGRAM));
            let offered = Registry::of(tools::list::all())?;
            runtime.block_on(scripts::script(command, data.join("scripts"), &workers, &offered, line.json))
        }
        command => {
            let named = line.flags.data.is_some();
            let config = line.flags.resolve(any_port(), dir::config_file(&data)?.as_deref())?;
            let makes = matches!(command, Command::User(UserCommand::Add(_)) | Command::Key(KeyCommand::Create { .. }));
            if !makes && config.owner.is_none() && named && !data.exists() {
                let place = data.display();
                return Err(Error::not_found(format!(
                    "There is no Satchel in {place}: look at --data, or begin one there with `satchel serve --data {place}`."
                )));
            }
            runtime.block_on(with_server(config, command, line.json))
        }
    }
}

/// For a server of one command.
fn any_port() -> ListenFlags {
    ListenFlags { listen: Some(([127, 0, 0, 1], 0).into()), ..ListenFlags::default() }
}

/// Takes the sets in beside the answers, with all of a server but other people.
async fn eval_docs(config: Config, args: EvalDocs, json: bool) -> Result<Exit> {
    let satchel = Satchel::start_in(DataDir::hold(&config.data)?, config).await?;
    let exit = eval::docs::run(&satchel.app, args, json).await;
    satchel.stop().await;
    exit
}

async fn serve(config: Config) -> Result<Exit> {
    let mut ended = pin!(end_signal()?);
    let satchel = Satchel::start(config).await?;
    announce(&satchel).await?;
    if timeout(SETTLED, &mut ended).await.is_err() {
        // This thread has started everything: what only that needed is free, and not yet given back.
        memory::give_back();
        ended.await;
    }
    satchel.stop().await;
    Ok(Exit::Done)
}

/// The lines others wait for: standard output carries nothing else.
#[expect(clippy::print_stdout, reason = "these lines are what the process promises to print")]
async fn announce(satchel: &Satchel) -> Result<()> {
    let base = satchel.url.as_str().trim_end_matches('/');
    println!("satchel ready {base}");
    if satchel.app.people.needs_owner().await? {
        let token = satchel.app.people.issue_link(satchel.app.clock.now());
        println!("satchel setup {base}/setup?token={}", token.expose());
    }
    Ok(())
}

/// Runs a command against the server of the data directory; where none runs, against one of its own, for as long.
async fn with_server(config: Config, command: Command, json: bool) -> Result<Exit> {
    let started = match DataDir::hold(&config.data) {
        Ok(held) => Satchel::start_in(held, config.clone()).await,
        Err(error) if error.kind() == Kind::Conflict => {
            let Running { url, token } = dir::running(&config.data)?;
            return run::run(command, json, &Client::new(url, token)).await;
        }
        Err(error) => Err(error),
    };
    match (started, &command) {
        (Ok(satchel), _) => {
            let client = Client::new(satchel.url.clone(), satchel.token.clone());
            let exit = run::run(command, json, &client).await;
            satchel.stop().await;
            exit
        }
        (Err(why), Command::Doctor) => {
            let sandbox = Sandbox::new(config.program, &config.data);
            run::ailing(&config.data, &sandbox, why, json).await
        }
        (Err(error), _) => Err(error),
    }
}

/// Everything that runs, until [`Satchel::stop`].
pub struct Satchel {
    /// The service handles.
    pub app: Arc<App>,
    /// What runs calls.
    pub invoker: Invoker,
    /// The chat.
    pub agent: Agent,
    /// The scripts.
    pub scripts: Library,
    /// Where HTTP is served.
    pub url: Url,
    /// Accepted as the command line of this machine.
    pub token: Secret,
    server: Server,
    _dir: DataDir,
}

impl Satchel {
    /// Takes the data directory, builds every service and serves.
    pub async fn start(config: Config) -> Result<Self> {
        Self::start_in(DataDir::hold(&config.data)?, config).await
    }

    async fn start_in(dir: DataDir, config: Config) -> Result<Self> {
        let listener = TcpListener::bind(config.listen).map_err(|e| {
            Error::conflict(format!("{} cannot be listened on: {e}. Choose another with --listen.", config.listen))
        })?;
        let address = listener.local_addr().map_err(Error::internal)?;
        let url = Url::parse(&format!("http://{address}/")).map_err(Error::internal)?;
        let app = Arc::new(services(&dir, config).await?);
        let invoker = Invoker::new(Arc::clone(&app), Registry::of(tools::list::all())?);
        // What the configuration may have wrong is found before anything is begun.
        let agent = Agent::new(Arc::clone(&app), invoker.clone(), Patience::default())?;
        app.indexes.start(&app.tracker, &app.shutdown);
        offer::offer(&invoker);
        let scripts = Library::start(Arc::clone(&app), invoker.clone()).await?;
        recover(&app).await?;
        workers::start(&app).await?;
        graph::start(&app);
        change::start(&app);
        let token = token::issue("local_");
        app.people.accept_local(&token);
        let state = Arc::new(State::new(Arc::clone(&app), invoker.clone(), agent.clone(), scripts.clone())?);
        let server = server::serve(state, listener)?;
        dir.publish(&Running { url: url.clone(), token: token.clone() })?;
        agent.keep_episodes();
        let resumed = agent.resume_all().await?;
        if resumed > 0 {
            tracing::info!(resumed, "turns of the last process go on");
        }
        Ok(Self { app, invoker, agent, scripts, url, token, server, _dir: dir })
    }

    /// Takes no more requests, lets what runs finish for a while, flushes, and lets the data directory go.
    pub async fn stop(self) {
        self.app.shutdown.cancel();
        if let Err(error) = self.server.stop().await {
            tracing::error!(?error, "the HTTP server did not end well");
        }
        self.app.processes.shutdown().await;
        self.app.tracker.close();
        if timeout(FAREWELL, self.app.tracker.wait()).await.is_err() {
            tracing::warn!("calls were still running at the end: they are recorded as interrupted at the next start");
        }
        self.app.egress.settle().await;
        if let Err(error) = self.app.db.fold().await {
            tracing::warn!(?error, "the database's log could not be written back: the next start does it");
        }
    }
}

fn embedder() -> Embedder {
    Embedder::new(Model::embedded(), Limits::default())
}

/// The embedder with the model the database was read with, for as long as no other one is ready.
async fn embedder_in_use(db: &Db, data: &Path) -> Result<Embedder> {
    let name = Embeddings::of(db).in_use().await?.unwrap_or_else(|| BUILTIN.to_owned());
    let model = offered::find(data, &name).unwrap_or_else(|error| {
        tracing::warn!(?error, "the embedding model cannot be found: search goes by words alone");
        None
    });
    Ok(Embedder::new(model, Limits::default()))
}

async fn services(dir: &DataDir, config: Config) -> Result<App> {
    let commit = if config.commit_each { Commit::Each } else { Commit::Grouped };
    let db = Db::open(&dir.database(), commit)?;
    let clock = Clock::new();
    let vault = Vault::open(db.clone(), dir.path(), &config.vault_key, clock.now()).await?;
    let people = People::open(db.clone()).await?;
    if let Some(owner) = &config.owner {
        people.ensure_owner(Username::try_from(owner.name.clone())?, owner.password.clone(), clock.now()).await?;
    }
    let sandbox = Sandbox::new(config.program.clone(), dir.path());
    let embedder = embedder_in_use(&db, dir.path()).await?;
    let indexes = Indexing::open(&db, dir.path(), config.graph);
    indexes.use_model(embedder.model().map(|model| model.id));
    let settings = SettingsStore::load(db.clone()).await?;
    let egress = Outgoing::start(&db, &settings, &clock).await?;
    let ways = Ways { dns: config.outbound.dns, ca_file: config.outbound.ca_file.clone() };
    let gate = Gate::new(ways, egress.ledger());
    Ok(App {
        processes: Processes::new(sandbox.clone(), clock.clone()),
        indexes,
        knowledge: Knowledge::of(&db, dir.path()),
        sandbox,
        desktop: Desktop::find(),
        clock,
        audit: Audit::of(&db),
        people,
        settings,
        memories: MemoryStore::of(&db),
        tickets: Tickets::of(&db),
        tool_config: ToolConfig::of(&db, &vault),
        catalog: Catalog::load(db.clone(), &vault).await?,
        calling: Calling::default(),
        vault,
        workspaces: Workspaces::new(dir.path()),
        embedder,
        work: Work::default(),
        workers: Workers::new(config.program.clone()),
        gate,
        egress,
        runtime: Handle::current(),
        tracker: TaskTracker::new(),
        shutdown: CancellationToken::new(),
        config,
        db,
    })
}

/// Settles what the last process left in the middle.
async fn recover(app: &App) -> Result<()> {
    let calls = app.audit.close_interrupted(app.clock.now()).await?;
    let tickets = app.tickets.close_interrupted().await?;
    if calls + tickets > 0 {
        tracing::warn!(calls, tickets, "the last process ended in the middle of these; the audit says which");
    }
    Ok(())
}

fn end_signal() -> Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate()).map_err(Error::internal)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(Error::internal)?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

fn log_to_stderr(config: &Config) -> Result<()> {
    let filter = EnvFilter::try_new(&config.log).map_err(|e| {
        Error::invalid(format!("'{}' is not a log filter: {e}. Try info, or satchel=debug.", config.log))
    })?;
    // At its most talkative it writes whole requests, credentials and all.
    let filter = filter.add_directive("tungstenite=info".parse().map_err(Error::internal)?);
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match config.log_format {
        LogFormat::Human => log.with_target(false).init(),
        LogFormat::Json => log.json().init(),
    }
    Ok(())
}
