//! The messages between the server and a worker: JSON in frames. `V` is the type values have on one's own side.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use satchel_model::{
    script::{Diagnostic, LogLine, TestRun},
    time::Time,
};

/// A task for a worker. A script is known to it by its key; it asks for the text of one that is not.
#[derive(Debug, Serialize, Deserialize)]
pub enum Task<V> {
    /// Run `fn run(args)`.
    Run {
        /// The script: the digest of its text.
        key: String,
        /// The arguments of `run`.
        args: V,
        /// Its settings, secrets included.
        config: BTreeMap<String, String>,
        /// The time, for everything the script asks of it.
        now: Time,
    },
    /// Run the statements of a program once. It is not kept.
    Program {
        /// The text.
        source: String,
        /// The time, for everything the program asks of it.
        now: Time,
    },
    /// Say what is wrong with a text.
    Check {
        /// The text.
        source: String,
    },
    /// Run its examples and tests. Nothing of it leaves the worker.
    Test {
        /// The text.
        source: String,
    },
}

/// The reply of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Reply<V> {
    /// It does not know the script, or no more; an [`Answer`] with its text is to follow.
    Unknown,
    /// The script asks for something outside; an [`Answer`] is to follow.
    Ask(Ask),
    /// It ran.
    Ran(Ran<V>),
    /// It was checked.
    Checked(Checked),
    /// It was tested.
    Tested(TestRun),
}

/// A question a script may ask of the world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// Call a tool.
    Tool {
        /// Any name it has.
        name: String,
        /// Its arguments.
        params: Value,
    },
    /// Send a request.
    Http(HttpAsk),
    /// The value under a key of its own, null where there is none.
    KvGet {
        /// The key.
        key: String,
    },
    /// Keep a value, or forget it where it is null.
    KvSet {
        /// The key.
        key: String,
        /// The value.
        value: Value,
    },
    /// Its keys, in order.
    KvKeys,
}

/// A request a script sends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HttpAsk {
    /// The method, in capitals.
    pub method: String,
    /// The address, query included.
    pub url: String,
    /// Headers.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Option<HttpBody>,
    /// The time to wait, in milliseconds.
    pub timeout: Option<u64>,
}

/// The body of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum HttpBody {
    /// Text.
    Text(String),
    /// Bytes, in Base64.
    Bytes(String),
}

/// The answer of the world.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// This.
    Value(Value),
    /// It failed; the script may catch it.
    Failed(String),
    /// It failed in a way that ends the script.
    Ended(String),
}

/// The end of a run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ran<V> {
    /// The value `run` returned, or the fault.
    pub outcome: Result<V, Fault>,
    /// The lines it logged.
    pub log: Vec<LogLine>,
    /// Operations, as the engine counts them.
    pub operations: u64,
}

/// A fault and its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// In words.
    pub message: String,
    /// `true` if the script, or a helper, threw it: what it was given is wrong, not the script.
    pub thrown: bool,
    /// From 1, where it is known.
    pub line: Option<usize>,
    /// From 1, where it is known.
    pub column: Option<usize>,
}

impl Fault {
    /// Makes a fault that the script is to blame for, at no place.
    pub fn of_script(message: String) -> Self {
        Self { message, thrown: false, line: None, column: None }
    }
}

/// The result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// The problems, in the order of the text; those of the header included.
    pub problems: Vec<Diagnostic>,
    /// Names of the tests there are.
    pub tests: Vec<String>,
}
