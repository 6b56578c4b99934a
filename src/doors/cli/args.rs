//! The command line's arguments. The doc comments are the help.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use url::Url;

use super::eval::args::EvalCommand;
use satchel_config::{Flags, ListenFlags};

/// A self-hosted tool platform for AI agents: chat, console, tools, audit, in one binary.
#[derive(Debug, Parser)]
#[command(name = "satchel", version, propagate_version = true, max_term_width = 100)]
pub struct Line {
    /// For every command.
    #[command(flatten)]
    pub flags: Flags,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// One command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start the server and print the link to open
    Serve(ListenFlags),
    /// Users: add, list, set a password
    #[command(subcommand)]
    User(UserCommand),
    /// API keys: create, list, revoke
    #[command(subcommand)]
    Key(KeyCommand),
    /// List the tools
    Tools(ToolsArgs),
    /// Find the tools for a need
    Find(FindArgs),
    /// Run a tool
    Call(CallArgs),
    /// List the agents, or show one
    Agents(AgentsArgs),
    /// Runs of agents: list, stop
    Runs(RunsArgs),
    /// Take files and folders into the knowledge base
    Ingest(IngestArgs),
    /// The audit: verify its chain, take an anchor
    #[command(subcommand)]
    Audit(AuditCommand),
    /// The vault: rotate its key
    #[command(subcommand)]
    Vault(VaultCommand),
    /// Make a backup: one file with everything, sealed; or verify one
    Backup(BackupArgs),
    /// Restore a backup into an empty data directory
    Restore(RestoreArgs),
    /// Go back to the database before the last upgrade
    Rollback {
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Scripts: a new one, checks and tests of files
    #[command(subcommand)]
    Script(ScriptCommand),
    /// Measure how well things are found, on sets of needs whose answers are known
    #[command(subcommand)]
    Eval(EvalCommand),
    /// Jobs: list your own, their runs, run one now, pause, resume
    Jobs {
        /// Something else than listing them
        #[command(subcommand)]
        command: Option<JobsCommand>,
    },
    /// Speak the Model Context Protocol on standard input and output
    Mcp(RemoteArgs),
    /// Check that everything works, and say how to mend what does not
    Doctor,
}

/// The server that is spoken to; left out, that of the data directory, as its owner.
#[derive(Debug, Args)]
pub struct RemoteArgs {
    /// Its address
    #[arg(long, env = "SATCHEL_URL", requires = "key")]
    pub url: Option<Url>,
    /// A key of it; better given in the environment, where no other user of this machine reads it
    #[arg(long, env = "SATCHEL_KEY", hide_env_values = true, requires = "url")]
    pub key: Option<String>,
}

/// Jobs.
#[derive(Debug, Subcommand)]
pub enum JobsCommand {
    /// List a job's runs, the newest first
    Runs {
        /// The job, by its name or its id
        job: String,
    },
    /// Run a job now
    Run {
        /// The job, by its name or its id
        job: String,
    },
    /// Pause a job
    Pause {
        /// The job, by its name or its id
        job: String,
    },
    /// Let a job go on
    Resume {
        /// The job, by its name or its id
        job: String,
    },
}

/// Users.
#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Add a user; the password is asked for, or read from standard input
    Add(UserArgs),
    /// Set a user's password; it is asked for, or read from standard input
    Passwd {
        /// The user's name
        name: String,
    },
    /// List the users
    List,
}

/// A user to add.
#[derive(Debug, Args)]
pub struct UserArgs {
    /// The user's name
    pub name: String,
    /// The role: administrator, operator, viewer, or one of your own
    #[arg(long, default_value = "viewer")]
    pub role: String,
}

/// API keys.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Create a key and print it, this once
    Create {
        /// Whom it acts for
        #[arg(long, value_name = "NAME")]
        user: String,
        /// What to call it
        #[arg(long, default_value = "command line")]
        name: String,
        /// Its own permissions; without them it may do what its owner may
        #[arg(long, value_delimiter = ',')]
        permissions: Option<Vec<String>>,
        /// Open what belongs to its owner, too: conversations, memories, lists; without --permissions it does anyway
        #[arg(long)]
        personal: bool,
    },
    /// List a user's keys
    List {
        /// Whose
        #[arg(long, value_name = "NAME")]
        user: String,
    },
    /// Revoke a key
    Revoke {
        /// The key's id
        id: String,
    },
}

/// A backup to make, or to verify.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct BackupArgs {
    /// Something else than making one
    #[command(subcommand)]
    pub command: Option<BackupCommand>,
    /// The file to make: a tar in an age file. Without --recipient and --passphrase-file a key that opens it is made and
    /// written beside it, as FILE.key
    #[arg(required = true, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Seal it to an age recipient
    #[arg(long, value_name = "age1…", conflicts_with = "passphrase_file")]
    pub recipient: Option<String>,
    /// Seal it with a passphrase, the first line of this file
    #[arg(long, value_name = "FILE")]
    pub passphrase_file: Option<PathBuf>,
    /// Put the vault's key in: who opens the backup reads every secret
    #[arg(long)]
    pub with_key: bool,
}

/// Other things that can be done with a backup.
#[derive(Debug, Subcommand)]
pub enum BackupCommand {
    /// Restore it beside, compare digests, ask it questions, and throw the copy away
    Verify(VerifyArgs),
}

/// A backup to verify.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The backup
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The key or passphrase that opens it
    #[command(flatten)]
    pub opener: OpenerArgs,
}

/// The key or passphrase that opens a backup; without any, the key beside it or that of the data directory.
#[derive(Debug, Args)]
pub struct OpenerArgs {
    /// The key's file, as `age-keygen` and Satchel write it
    #[arg(long, value_name = "FILE", conflicts_with = "passphrase_file")]
    pub identity: Option<PathBuf>,
    /// A file whose first line is the passphrase
    #[arg(long, value_name = "FILE")]
    pub passphrase_file: Option<PathBuf>,
}

/// A backup to restore.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The backup
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The key or passphrase that opens it
    #[command(flatten)]
    pub opener: OpenerArgs,
    /// The vault's key, where it is not in the backup: your copy of secret.key
    #[arg(id = "restored_vault_key", long = "vault-key-file", value_name = "FILE", conflicts_with = "forget_secrets")]
    pub vault_key: Option<PathBuf>,
    /// The vault's key is lost: forget its secrets, to enter them anew
    #[arg(long)]
    pub forget_secrets: bool,
}

/// Scripts.
#[derive(Debug, Subcommand)]
pub enum ScriptCommand {
    /// Write a new script to start from
    New {
        /// The tool's name
        name: String,
        /// Where; by default where the server reads scripts
        #[arg(long, value_name = "FOLDER")]
        folder: Option<PathBuf>,
    },
    /// Say what is wrong with scripts
    Check {
        /// A file or a folder; by default where the server reads scripts
        path: Option<PathBuf>,
    },
    /// Run a script that needs nothing outside: no tool, no host
    Run {
        /// The file
        path: PathBuf,
        /// The arguments: one JSON object, or key=value pairs
        #[arg(value_name = "ARGUMENTS")]
        arguments: Vec<String>,
    },
    /// Run the examples and tests of scripts
    Test {
        /// A file or a folder; by default where the server reads scripts
        path: Option<PathBuf>,
    },
}

/// A list of tools.
#[derive(Debug, Args)]
pub struct ToolsArgs {
    /// Name pairs of tools that are mistaken for each other instead, and what to do about it
    #[arg(long)]
    pub collisions: bool,
}

/// A list of agents, or one.
#[derive(Debug, Args)]
pub struct AgentsArgs {
    /// Its name or id: everything that is written of it
    pub agent: Option<String>,
}

/// A need.
#[derive(Debug, Args)]
pub struct FindArgs {
    /// What you want to do, in your own words
    pub need: String,
    /// How many tools to name
    #[arg(long, default_value_t = 5)]
    pub limit: u32,
}

/// A call.
#[derive(Debug, Args)]
pub struct CallArgs {
    /// The tool's name, id or alias
    pub tool: String,
    /// The arguments: one JSON object, or key=value pairs
    #[arg(value_name = "ARGUMENTS")]
    pub arguments: Vec<String>,
    /// Do not ask, but for what is destructive
    #[arg(long, short)]
    pub yes: bool,
    /// Check everything, run nothing
    #[arg(long)]
    pub dry_run: bool,
    /// The ticket of the same call, once a person has decided it: prints what came of it
    #[arg(long, value_name = "ID")]
    pub ticket: Option<String>,
}

/// The runs to list.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct RunsArgs {
    /// Something else than listing them
    #[command(subcommand)]
    pub command: Option<RunsCommand>,
    /// Of one kind: chat, sub, job, channel, api, acp
    #[arg(long)]
    pub kind: Option<String>,
    /// Of one agent, by its id
    #[arg(long, value_name = "ID")]
    pub agent: Option<String>,
    /// In one state: queued, running, waiting, done, failed, cancelled, uncertain
    #[arg(long)]
    pub state: Option<String>,
}

/// Other things that can be done with runs.
#[derive(Debug, Subcommand)]
pub enum RunsCommand {
    /// Stop a run and all that it began
    Stop {
        /// The run's id
        id: String,
    },
}

/// Documents to take in.
#[derive(Debug, Args)]
pub struct IngestArgs {
    /// Files, and folders with everything in them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The collection they go to, by name or id
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
}

/// The audit.
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Read the whole chain and say whether it stands; the server may run or not
    Verify {
        /// Anchors kept elsewhere, one JSON object a line
        #[arg(long, value_name = "FILE")]
        anchors: Option<PathBuf>,
    },
    /// Print an anchor to keep elsewhere: it shows later that nothing was cut off
    Anchor,
}

/// The vault.
#[derive(Debug, Subcommand)]
pub enum VaultCommand {
    /// Make a new key and wrap every secret with it
    ///
    /// Where the key comes from SATCHEL_VAULT_KEY, Satchel cannot choose the new one: make it with `openssl rand -hex
    /// 32`, put it into SATCHEL_VAULT_NEW_KEY for this command, and start with it as SATCHEL_VAULT_KEY from then on. A
    /// passphrase is changed in the same way.
    Rotate(RotateArgs),
}

/// A new key for the vault.
#[derive(Debug, Args)]
pub struct RotateArgs {
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
    /// Only from the environment: a list of processes would show it
    #[arg(long, env = "SATCHEL_VAULT_NEW_KEY", hide = true, hide_env_values = true)]
    pub new_key: Option<String>,
}
