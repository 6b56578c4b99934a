//! The integration tests: one binary, one module for each noun.

#![cfg(test)]
#![expect(unreachable_pub, reason = "one binary: pub says what a support module offers")]

mod agents;
mod approvals;
mod backup;
mod breaker;
mod callers;
mod calls;
mod catalog;
mod chat;
mod cli;
mod clipboard;
mod crash;
mod data;
mod decisions;
mod dial;
mod disk;
mod documents;
mod doors;
mod egress;
#[cfg(feature = "embedded-model")]
mod embeddings;
mod ends;
mod engine;
mod examples;
mod exec;
mod files;
mod find;
mod fuzz;
mod graph;
mod guard;
mod guard_corpus;
mod hijack;
mod index;
mod jobs;
mod knowledge;
mod knowledge_access;
mod knowledge_chat;
mod knowledge_crash;
mod knowledge_sources;
mod linked;
mod list;
mod memory;
mod migrations;
mod nodes;
mod operations;
mod origins;
mod parallel;
mod parameters;
mod people;
mod persons;
mod policies;
mod postgres;
mod process;
mod processes;
mod providers;
mod routes;
mod runs;
mod scripts;
mod search;
mod seeds;
mod settings;
mod shares;
mod stand_ins;
mod support;
mod ticket;
mod tidy;
mod turns;
mod usage;
mod vault;
#[cfg(feature = "embedded-model")]
mod waits;
mod web;
mod web_fetch;
mod web_search;
