//! Serving HTTP: workers, limits, shutdown.

use std::{net::TcpListener, sync::Arc, time::Duration};

use actix_web::{
    App, HttpServer,
    dev::ServerHandle,
    middleware::{Compress, from_fn},
    web::{self, Data},
};
use tokio::task::JoinHandle;

use super::{delivery, gate, path, router::Router, routes, state::State, ui};
use satchel_model::error::{Error, Result};

/// The longest a connection may be silent.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// The longest a client may take to send the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// The longest answers may still take after the stop; less than what the process has.
const DRAIN: u64 = 3;
/// Connections at once; 2,000 streams and the requests beside them fit.
const CONNECTIONS: usize = 8_192;

/// A running server.
pub struct Server {
    handle: ServerHandle,
    task: JoinHandle<std::io::Result<()>>,
}

/// Serves on a listener that is bound already, until [`Server::stop`].
pub fn serve(state: Arc<State>, listener: TcpListener) -> Result<Server> {
    delivery::end_silent(&listener)?;
    let runtime = state.app.lifecycle.runtime.clone();
    let router = Arc::new(Router::new(routes::all(), &state.meters));
    let data = Data::from(state);
    let server = HttpServer::new(move || {
        App::new()
            .app_data(data.clone())
            .app_data(path::path_config())
            .app_data(path::query_config())
            .configure(|config| router.configure(config))
            .default_service(web::to(ui::page))
            .wrap(from_fn(gate::pass))
            .wrap(Compress::default())
    })
    .keep_alive(KEEP_ALIVE)
    .client_request_timeout(HEAD)
    .max_connections(CONNECTIONS)
    .shutdown_timeout(DRAIN)
    .h1_allow_half_closed(false)
    .disable_signals()
    .listen(listener)
    .map_err(Error::internal)?
    .run();
    Ok(Server { handle: server.handle(), task: runtime.spawn(server) })
}

impl Server {
    /// Accepts nothing more, lets answers end, and returns when all workers have.
    pub async fn stop(&mut self) -> Result<()> {
        self.handle.stop(true).await;
        (&mut self.task).await.map_err(Error::internal)?.map_err(Error::internal)
    }
}
