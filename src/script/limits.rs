//! The limits of a script. The engine refuses beyond these with a line number; the worker's process limits hold when it
//! does not.

use std::time::Duration;

/// Longest source, in bytes: the parser of 1 MB of `switch` takes minutes.
pub const MAX_SOURCE: usize = 64 << 10;
/// Operations of one run, as the engine counts them.
pub const MAX_OPERATIONS: u64 = 1_000_000;
/// Processor time of one run in the worker, waiting for tools not counted.
pub const MAX_CPU: Duration = Duration::from_millis(400);
/// Processor time of all examples and tests of a script together.
pub const MAX_TESTING: Duration = Duration::from_secs(2);
/// Longest text, in bytes.
pub const MAX_STRING: usize = 1 << 20;
/// Most elements of an array.
pub const MAX_ARRAY: usize = 100_000;
/// Most keys of a map.
pub const MAX_MAP: usize = 10_000;
/// Deepest nesting of function calls.
pub const MAX_CALLS: usize = 48;
/// Deepest nesting of an expression.
pub const MAX_DEPTH: usize = 48;
/// Most functions of one script.
pub const MAX_FUNCTIONS: usize = 200;
/// Most variables in scope.
pub const MAX_VARIABLES: usize = 500;
/// Longest result as JSON, in bytes.
pub const MAX_OUTPUT: usize = 1 << 20;
/// Most lines of a log, and the longest of one, in bytes.
pub const MAX_LOG: (usize, usize) = (200, 2_000);
/// Private memory of a worker, in bytes.
pub const MAX_MEMORY: u64 = 64 << 20;
