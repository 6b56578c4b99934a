//! From a command to its exit code.

use super::{
    args::{Command, VaultCommand},
    audit,
    client::Client,
    ingest, people, platform,
    screen::Screen,
    tools,
};
use crate::model::error::Result;

/// How a command ended: 0 done, 1 failed, 2 a wrong command line, 3 needs confirmation.
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
}

impl From<Exit> for u8 {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Unconfirmed => 3,
        }
    }
}

/// Runs a command that talks to a server. `serve`, `eval`, `script` and `audit verify` are not among them.
pub async fn run(command: Command, json: bool, client: &Client) -> Result<Exit> {
    let screen = Screen::new(json);
    match command {
        Command::User(command) => people::user(command, client, &screen).await,
        Command::Key(command) => people::key(command, client, &screen).await,
        Command::Tools(args) if args.collisions => tools::collisions(client, &screen).await,
        Command::Tools(_) => tools::list(client, &screen).await,
        Command::Find(args) => tools::find(args, client, &screen).await,
        Command::Call(args) => tools::call(args, client, &screen).await,
        Command::Ingest(args) => ingest::ingest(args, client, &screen).await,
        Command::Audit(_) => audit::anchor(client, &screen).await,
        Command::Vault(VaultCommand::Rotate { new_key }) => platform::rotate(new_key, client, &screen).await,
        Command::Doctor => platform::doctor(client, &screen).await,
        Command::Serve(_) | Command::Eval(_) | Command::Script(_) => Ok(Exit::Failed),
    }
}

pub use audit::verify;
pub use platform::ailing;
