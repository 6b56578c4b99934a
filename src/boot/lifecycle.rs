//! Everything that runs: its start, and its end within the time that is promised.

use std::{
    net::{SocketAddr, TcpListener},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use tokio::time::{Instant, sleep, timeout, timeout_at};
use url::Url;

use super::services::services;
use satchel_agent::chat::{Agent, Bounds};
use satchel_app::{App, counting, departures};
use satchel_config::Config;
use satchel_doors::http::{
    server::{self, Server},
    state::State,
};
use satchel_engine::{invoker::Invoker, registry::Registry};
use satchel_model::{
    error::{Error, Result},
    secret::Secret,
};
use satchel_services::{
    backups::service::Backups, catalog::offer, embeddings::change, find::finder::Finder, graph, handles::Handles,
    ingest::workers, jobs::service::Jobs, running::Services, scripts::Library,
};
use satchel_store::{
    backup::{
        exchange::{self, Exchange},
        notes,
    },
    dir::{DataDir, Running},
    nodes::{self, Recovered},
    token,
};
use satchel_tools as tools;

/// The time all may take once the process is asked to end; five seconds are promised.
const FAREWELL: Duration = Duration::from_millis(4_500);
/// The part of it in which calls that change things may come to their own end.
const GRACE: Duration = Duration::from_millis(2_500);
/// The part of it kept for flushing what was written.
const FLUSH: Duration = Duration::from_millis(500);

/// Everything that runs, until [`Satchel::stop`].
pub struct Satchel {
    /// The service handles.
    pub app: Arc<App>,
    /// The pipeline of calls.
    pub invoker: Invoker,
    /// The chat.
    pub agent: Agent,
    /// The services beside them.
    pub services: Services,
    /// The address HTTP is served at.
    pub url: Url,
    pub(super) address: SocketAddr,
    /// Accepted as the command line of this machine.
    pub token: Secret,
    /// The place of a test's fixtures for MCP clients.
    #[cfg(debug_assertions)]
    pub fixtures: satchel_doors::http::protocol::extra::Extras,
    server: Server,
    _dir: DataDir,
}

impl Satchel {
    /// Takes the data directory, builds every service and serves.
    pub async fn start(config: Config) -> Result<Self> {
        Self::start_in(DataDir::wait_for(&config.data).await?, config).await
    }

    pub(super) async fn start_in(dir: DataDir, config: Config) -> Result<Self> {
        let exchange = exchange::finish(dir.path())?;
        match &exchange {
            Exchange::Absent => {}
            Exchange::Done => tracing::info!("a restored backup took the place of what was there"),
            Exchange::Undone(why) => tracing::error!(
                "the restored backup did not take the place of what was there, and Satchel starts on that as before. {}",
                why.message()
            ),
        }
        let listener = TcpListener::bind(config.listen).map_err(|e| {
            Error::conflict(format!("{} cannot be listened on: {e}. Choose another with --listen.", config.listen))
        })?;
        let address = listener.local_addr().map_err(Error::internal)?;
        let url = Url::parse(&format!("http://{address}/")).map_err(Error::internal)?;
        let app = Arc::new(services(&dir, config).await?);
        let finder = Finder::new(Arc::clone(&app));
        let handles = Handles::new(&app.stores.catalog, &finder);
        let (registry, learner) = (Registry::new(tools::list::all(&handles))?, finder.learner().clone());
        let invoker = Invoker::new(Arc::clone(&app), registry).on_outcome(move |call| learner.concluded(call));
        // What the configuration may have wrong is found before anything is begun.
        let agent = Agent::new(Arc::clone(&app), invoker.clone(), finder.learner().clone(), Bounds::default())?;
        handles.join(agent.as_sessions());
        app.search.indexes.start(&app.lifecycle.tracker, &app.lifecycle.shutdown);
        offer::offer(&invoker);
        let scripts = Library::start(Arc::clone(&app), invoker.clone()).await?;
        notes::record(dir.path(), &app.stores.audit, app.clock.now()).await?;
        // Whoever holds the data directory is the only one: all that others own is left.
        nodes::enter(&app.db).await?;
        let left = recover(&app).await?;
        workers::start(&app).await?;
        graph::start(&app);
        counting::start(&app);
        departures::start(&app);
        change::start(&app);
        let token = token::issue("local_");
        app.stores.people.accept_local(&token);
        let backups = Backups::start(Arc::clone(&app), dir.path(), &exchange);
        let jobs = Jobs::new(Arc::clone(&app), invoker.clone(), Arc::clone(&backups), Arc::new(agent.clone()));
        let services = Services { finder, scripts, backups, jobs };
        let state = Arc::new(State::new(Arc::clone(&app), invoker.clone(), agent.clone(), services.clone()));
        #[cfg(debug_assertions)]
        let fixtures = state.mcp_fixtures();
        let server = server::serve(state, listener)?;
        dir.publish(&Running { url: url.clone(), token: token.clone() })?;
        agent.keep_episodes();
        agent.heed_stops();
        agent.tell_of_sessions();
        agent.send_left();
        agent.resume(&left.turns).await?;
        services.jobs.resume(&left.firings).await?;
        beat(&app, &agent, &services.jobs);
        Ok(Self {
            app,
            invoker,
            agent,
            services,
            url,
            address,
            token,
            #[cfg(debug_assertions)]
            fixtures,
            server,
            _dir: dir,
        })
    }

    /// Takes no more requests, lets what runs finish for a while, flushes, and lets the data directory go. Whether
    /// everything came to its end: where not, something of it may still write.
    pub async fn stop(mut self) -> bool {
        let Self { app, server, .. } = &mut self;
        let begun = Instant::now();
        app.lifecycle.shutdown.cancel();
        let mut ends = pin!(async {
            let (served, ()) = tokio::join!(server.stop(), app.host.processes.shutdown());
            app.lifecycle.tracker.close();
            app.lifecycle.tracker.wait().await;
            served
        });
        let mut ended = timeout(GRACE, &mut ends).await;
        if ended.is_err() {
            app.lifecycle.overdue.cancel();
            ended = timeout_at(begun + FAREWELL - FLUSH, &mut ends).await;
        }
        match &ended {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(?error, "the HTTP server did not end well"),
            Err(_) => tracing::warn!("something still ran at the end: its calls are recorded at the next start"),
        }
        let is_closed = flush(app, begun + FAREWELL).await;
        is_closed && matches!(ended, Ok(Ok(())))
    }
}

/// Writes down what waits to be written and closes the database, until the deadline. Whether it is closed.
async fn flush(app: &App, deadline: Instant) -> bool {
    let flushed = timeout_at(deadline, async {
        app.net.egress.settle().await;
        app.db.fold().await
    });
    match flushed.await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::warn!(?error, "the database's log could not be written back: the next start does it")
        }
        Err(_) => tracing::warn!("the database's log was not written back in time: the next start does it"),
    }
    timeout_at(deadline, app.db.close()).await.is_ok()
}

/// Closes and claims what nodes that are gone have left in the middle. Returns what to go on with.
async fn recover(app: &App) -> Result<Recovered> {
    let left = nodes::recover(&app.db, app.clock.now()).await?;
    if left != Recovered::default() {
        tracing::warn!(?left, "this was left in the middle; the audit says which calls");
    }
    Ok(left)
}

/// Says now and then that this node is alive, and takes over from others that are not.
fn beat(app: &Arc<App>, agent: &Agent, jobs: &Jobs) {
    let (shared, agent, jobs) = (Arc::clone(app), agent.clone(), jobs.clone());
    let beat = async move {
        loop {
            tokio::select! {
                () = sleep(nodes::BEAT) => {}
                () = shared.lifecycle.shutdown.cancelled() => return,
            }
            let done = async {
                if nodes::beat(&shared.db).await? {
                    let left = recover(&shared).await?;
                    agent.resume(&left.turns).await?;
                    jobs.resume(&left.firings).await?;
                }
                Ok::<_, Error>(())
            };
            if let Err(error) = done.await {
                tracing::error!(?error, "this node could not say that it is alive");
            }
        }
    };
    app.lifecycle.tracker.spawn_on(beat, &app.lifecycle.runtime);
}
