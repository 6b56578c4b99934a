//! Backups as people meet them: made while a server runs, restored, verified, and refused in a sentence where they are bad.

mod bad;
mod cli;
mod first_run;
mod http;
mod keys;
mod links;
mod load;
mod made;
mod shares;
mod snapshots;
mod stopped;
mod vault_key;
