//! Satchel: one binary that gives AI agents tools, and people the say over them.
//!
//! **A tool is a value; every door builds a `Call`; one function runs it.**
//!
//! Each layer is a crate of this workspace, in `src/<layer>/`. Layers import downwards only, siblings not at all, which their
//! manifests say and `tests/it/tidy` holds:
//!
//! ```text
//! 7  main, boot             the only place that knows everything
//! 6  tools | doors          what can be done | who may ask (HTTP, command line)
//! 5  agent                  the chat turn; is handed the Invoker, does not own it
//! 4  services               what tools stand on: catalog, scripts, finder, knowledge, ingestion
//! 3  engine                 Tool, Context, Registry, Invoker and its steps: nothing else
//! 2  app                    the struct of service handles
//! 1  store net host         SQL; outbound bytes; files, processes, clipboard
//!    index formats script   what is found by word and meaning; documents; the language of user tools
//! 0  model config share     nouns: no IO, no clock, no async; a part of a bounded thing for each person
//! ```
//!
//! Start reading at [`engine::invoker`]: the pipeline every call goes through.

pub mod boot;

pub use satchel_agent as agent;
pub use satchel_app as app;
pub use satchel_config as config;
pub use satchel_doors as doors;
pub use satchel_engine as engine;
pub use satchel_formats as formats;
pub use satchel_host as host;
pub use satchel_index as index;
pub use satchel_model as model;
pub use satchel_net as net;
pub use satchel_script as script;
pub use satchel_services as services;
pub use satchel_share as share;
pub use satchel_store as store;
pub use satchel_tools as tools;
