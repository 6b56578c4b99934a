//! The handles a tool gets from its context: each bound to the caller, so that nothing wider can be reached.

use super::context::Context;

impl Context {}
