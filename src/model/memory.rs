//! What is remembered of a person.
