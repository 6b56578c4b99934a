//! Sessions: conversations that agents hold for others, and how those hear of them.

mod begin;
mod bill;
mod infer;
mod look;
mod place;
mod seam;
mod tell;
mod wait;
