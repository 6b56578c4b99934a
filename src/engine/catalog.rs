//! Connected systems in use: which one is meant, how it is called, and its endpoints as tools.

pub mod resolve;
