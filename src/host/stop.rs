//! Being asked to end: Ctrl-C, or SIGTERM.

use tokio::signal::unix::{Signal, SignalKind, signal};

use satchel_model::error::{Error, Result};

/// The request that asked the process to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// SIGINT: Ctrl-C at a terminal.
    Interrupt,
    /// SIGTERM: a service manager, or `kill`.
    Terminate,
}

/// Hears both for as long as it lives; from the first one on, neither ends the process by itself.
pub struct Stop {
    interrupt: Signal,
    terminate: Signal,
}

impl Stop {
    /// Begins to listen.
    pub fn listen() -> Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).map_err(Error::internal)?,
            terminate: signal(SignalKind::terminate()).map_err(Error::internal)?,
        })
    }

    /// Returns once the process is asked to end.
    pub async fn asked(&mut self) -> Asked {
        tokio::select! {
            _ = self.interrupt.recv() => Asked::Interrupt,
            _ = self.terminate.recv() => Asked::Terminate,
        }
    }
}
