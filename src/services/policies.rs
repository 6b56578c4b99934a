//! Policies as a person looks at them: what is odd about a document, why a tool may or may not be used, and how past
//! calls would have ended.

pub mod explain;
pub mod replay;
pub mod warnings;
