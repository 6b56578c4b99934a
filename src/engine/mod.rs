//! The engine: what a tool is, and the one pipeline every call goes through.

pub mod answer;
mod approved;
pub mod authorise;
pub mod configure;
pub mod confirm;
pub mod consent;
pub mod context;
pub mod cut;
pub mod decide;
mod decoded;
pub mod extent;
mod fragment;
mod heavy;
pub mod invoker;
pub mod record;
pub mod registry;
mod rehearse;
pub(crate) mod reserved;
mod room;
pub mod run;
pub mod sanitise;
pub(crate) mod secret_forms;
pub mod taint;
pub mod tool;
pub mod validate;
pub mod wire;
