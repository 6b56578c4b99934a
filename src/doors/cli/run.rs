//! From a command to its exit code.

use super::{
    agents,
    args::{Command, VaultCommand},
    audit, backup,
    client::Client,
    ingest, jobs, mcp, people, platform, runs,
    screen::Screen,
    tools,
};
use satchel_host::stop::Asked;
use satchel_model::error::Result;

/// The end of a command: 0 done, 1 failed, 2 a wrong command line, 3 needs confirmation, 130 and 143 stopped in the
/// middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It is done.
    Done,
    /// It failed, and said so in its output.
    Failed,
    /// The command line says something that cannot be meant.
    Usage,
    /// A person must confirm it first.
    Unconfirmed,
    /// It was stopped, and left nothing half-done.
    Stopped(Asked),
}

impl From<Exit> for u8 {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Unconfirmed => 3,
            // As shells count: 128 and the signal's number.
            Exit::Stopped(Asked::Interrupt) => 130,
            Exit::Stopped(Asked::Terminate) => 143,
        }
    }
}

/// Runs a command that talks to a server. `serve`, `eval`, `script`, `restore`, `rollback` and what verifies are not
/// among them.
pub async fn run(command: Command, json: bool, client: &Client) -> Result<Exit> {
    let screen = Screen::new(json);
    match command {
        Command::User(command) => people::user(command, client, &screen).await,
        Command::Key(command) => people::key(command, client, &screen).await,
        Command::Tools(args) if args.collisions => tools::collisions(client, &screen).await,
        Command::Tools(_) => tools::list(client, &screen).await,
        Command::Find(args) => tools::find(args, client, &screen).await,
        Command::Call(args) => tools::call(args, client, &screen).await,
        Command::Agents(args) => agents::list(args, client, &screen).await,
        Command::Runs(args) => runs::runs(args, client, &screen).await,
        Command::Ingest(args) => ingest::ingest(args, client, &screen).await,
        Command::Audit(_) => audit::anchor(client, &screen).await,
        Command::Vault(VaultCommand::Rotate(args)) => platform::rotate(args, client, &screen).await,
        Command::Backup(args) => backup::make(args, client, &screen).await,
        Command::Jobs { command } => jobs::jobs(command, client, &screen).await,
        Command::Mcp(_) => mcp::mcp(client).await,
        Command::Doctor => platform::doctor(client, &screen).await,
        Command::Serve(_) | Command::Eval(_) | Command::Script(_) | Command::Restore(_) | Command::Rollback { .. } => {
            Ok(Exit::Failed)
        }
    }
}

pub use audit::verify;
pub use platform::ailing;
