//! Sessions: conversations that agents hold for others, and how those hear of them.

mod begin;
mod bill;
mod infer;
mod look;
mod place;
mod seam;
mod tell;
mod wait;

use crate::chat::LONGEST;
use satchel_model::{
    error::{Error, Result},
    figure,
};

/// Checks a text that an agent gives to another one.
///
/// # Errors
///
/// If it is empty or too long.
fn check(what: &str, text: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::invalid(format!("The {what} is empty. Say what is to be done.")));
    }
    if text.chars().count() > LONGEST {
        let most = figure::grouped(LONGEST as u64);
        return Err(Error::invalid(format!("A {what} has at most {most} characters: give a part of it, or a file.")));
    }
    Ok(())
}
