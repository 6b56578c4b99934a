//! Satchel: one binary that gives AI agents tools, and people the say over them.
//!
//! **A tool is a value; every door builds a `Call`; one function runs it.**
//!
//! Layers import downwards only, siblings not at all (`tests/it/tidy` holds this):
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

pub mod agent;
pub mod app;
pub mod boot;
pub mod config;
pub mod doors;
pub mod engine;
pub mod formats;
pub mod host;
pub mod index;
pub mod model;
pub mod net;
pub mod script;
pub mod services;
pub mod share;
pub mod store;
pub mod tools;
