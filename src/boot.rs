//! The composition root: from a command line to everything running, and back down.

mod lifecycle;
mod log;
mod serve;
mod services;

use tokio::runtime::Runtime;

use self::serve::serve;
use satchel_config::{Config, ListenFlags, Owner, program};
use satchel_doors::cli::{
    args::{AuditCommand, BackupArgs, BackupCommand, Command, KeyCommand, Line, RemoteArgs, UserCommand},
    backup,
    client::Client,
    drill,
    eval::{
        self,
        args::{EvalCommand, EvalDocs},
    },
    run::{self, Exit},
    scripts,
};
use satchel_engine::registry::Registry;
use satchel_host::workers::Workers;
use satchel_index::embed::{embedder::Embedder, model::Model, workers::Limits};
use satchel_model::{
    error::{Error, Kind, Result},
    secret::Secret,
};
use satchel_services::handles::Handles;
use satchel_store::{
    dir::{self, DataDir, Running},
    token,
};
use satchel_tools as tools;

pub use lifecycle::Satchel;

/// Runs a command line to its exit code.
pub fn run(line: Line) -> Result<Exit> {
    let runtime = Runtime::new().map_err(Error::internal)?;
    let ended = run_on(&runtime, line);
    // Work that cannot be stopped is not waited for: what it would still write is written whole or not at all.
    runtime.shutdown_background();
    ended
}

fn run_on(runtime: &Runtime, line: Line) -> Result<Exit> {
    let data = line.flags.data_dir()?;
    match line.command {
        Command::Serve(listen) => {
            let config = line.flags.resolve(listen, dir::config_file(&data)?.as_deref())?;
            log::to_stderr(&config)?;
            runtime.block_on(serve(config))
        }
        Command::Audit(AuditCommand::Verify { anchors }) => {
            run::verify(&data, &dir::anchors(&data, anchors.as_deref())?, line.json)
        }
        Command::Backup(BackupArgs { command: Some(BackupCommand::Verify(args)), .. }) => {
            runtime.block_on(drill::verify(args, &data, line.json))
        }
        Command::Restore(args) => {
            let config = line.flags.resolve(any_port(), None)?;
            runtime.block_on(backup::restore(args, &data, &config.vault_key, line.json))
        }
        Command::Rollback { yes } => backup::rollback(&data, yes, line.json),
        Command::Eval(EvalCommand::Tools(args)) => runtime.block_on(eval::tools::run(args, &embedder(), line.json)),
        Command::Eval(EvalCommand::Docs(args)) => {
            let mut config = line.flags.resolve(any_port(), None)?;
            config.data = args.out.join("docs.data");
            // The documents belong to somebody. Nobody signs in.
            config.owner = Some(Owner { name: "evaluation".to_owned(), password: token::issue("") });
            runtime.block_on(eval_docs(config, args, line.json))
        }
        Command::Script(command) => {
            let workers = Workers::new(program());
            let offered = Registry::new(tools::list::all(&Handles::default()))?;
            runtime.block_on(scripts::script(command, data.join("scripts"), &workers, &offered, line.json))
        }
        Command::Mcp(RemoteArgs { url: Some(url), key: Some(key) }) => {
            let client = Client::new(url, Secret::new(key));
            let command = Command::Mcp(RemoteArgs { url: None, key: None });
            runtime.block_on(run::run(command, line.json, &client))
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
        (Err(why), Command::Doctor) => run::ailing(&config, why, json).await,
        (Err(error), _) => Err(error),
    }
}

fn embedder() -> Embedder {
    Embedder::new(Model::embedded(), Limits::default())
}
