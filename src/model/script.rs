//! A script as the store, the engine and the doors speak of it.

pub mod provenance;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{time::Time, user::UserId};

/// The publisher of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// Their id; `None` if they were gone before ids were kept.
    pub id: Option<UserId>,
    /// Their name then.
    pub name: String,
}

/// Something wrong with a script's text, at its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Diagnostic {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// The end on that line, one past the last character, if it is known.
    pub end_column: Option<usize>,
    /// The severity: whether it keeps the script from being published.
    pub severity: Severity,
    /// A description of what is wrong.
    pub message: String,
    /// A hint at what would be right.
    pub hint: Option<String>,
}

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The script cannot be published.
    Error,
    /// It can, but hardly does what was meant.
    Warning,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(line: usize, column: usize, message: impl Into<String>) -> Self {
        Self { line, column, end_column: None, severity: Severity::Error, message: message.into(), hint: None }
    }

    /// A warning at a place.
    pub fn warning(line: usize, column: usize, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(line, column, message) }
    }

    /// Says what would be right.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Marks this many characters.
    #[must_use]
    pub fn long(mut self, characters: usize) -> Self {
        self.end_column = Some(self.column + characters.max(1));
        self
    }

    /// Returns whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The hosts an administrator granted, by the names of scripts.
pub type Grants = BTreeMap<String, BTreeSet<String>>;

/// The place of a script's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ScriptOrigin)]
pub enum Origin {
    /// In the binary.
    Shipped,
    /// In the folder `scripts` of the data directory: what is saved there is live.
    Folder,
    /// In the database, written in the console, with versions.
    Console,
}

/// The result of one test of a script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct TestResult {
    /// The example's title or the test's name.
    pub name: String,
    /// The kind of test.
    pub kind: TestKind,
    /// `true` if it passed.
    pub passed: bool,
    /// The reason it did not pass.
    pub message: Option<String>,
    /// The value that should have come, where two values were compared.
    #[schema(value_type = Option<Object>)]
    pub expected: Option<serde_json::Value>,
    /// The value that came.
    #[schema(value_type = Option<Object>)]
    pub got: Option<serde_json::Value>,
    /// The line on which it failed.
    pub line: Option<usize>,
    /// The duration in milliseconds.
    pub ms: f64,
}

/// The kind of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestKind {
    /// An `@example` of the header.
    Example,
    /// A `test "…" { }` block.
    Test,
}

/// The result of all tests of a script.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct TestRun {
    /// The number of tests that passed.
    pub passed: usize,
    /// The number of tests.
    pub total: usize,
    /// Each, examples first.
    pub results: Vec<TestResult>,
}

impl TestRun {
    /// Of these results.
    pub fn new(results: Vec<TestResult>) -> Self {
        Self { passed: results.iter().filter(|r| r.passed).count(), total: results.len(), results }
    }

    /// Returns whether none failed.
    pub fn is_green(&self) -> bool {
        self.passed == self.total
    }
}

/// One line of a script's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct LogLine {
    /// The level.
    pub level: LogLevel,
    /// The text.
    pub text: String,
}

/// The level of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    /// `log` and `print`.
    Info,
    /// `warn`.
    Warn,
}

/// One version of a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = ScriptVersion)]
pub struct Version {
    /// From 1.
    pub version: u32,
    /// The person who published it.
    pub author: String,
    /// The time.
    pub at: Time,
    /// A note on what was changed.
    pub note: Option<String>,
    /// The things it may do that the one before could not, for instance `http api.example.org`.
    pub wider: Vec<String>,
    /// `true` if it is the live one.
    pub live: bool,
}
