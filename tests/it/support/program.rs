//! The real binary: a data directory of its own, commands run to their end, servers that end with the test.

#![expect(clippy::disallowed_methods, reason = "starts the binary and looks at its data directory")]

use std::{
    fs::Permissions, os::unix::fs::PermissionsExt, path::PathBuf, process::Stdio, sync::LazyLock, time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStderr, ChildStdout, Command},
    task::JoinHandle,
    time::timeout,
};
use url::Url;

/// Longest wait for a command.
const PATIENCE: Duration = Duration::from_secs(240);
/// The owner's password.
pub const PASSWORD: &str = "correct horse";

/// Returns the path of the program that is tested: `SATCHEL_BIN`, for instance what `make dist` made, or the debug build
/// beside the tests. The workers of servers inside a test's own process are it as well.
pub fn binary() -> &'static str {
    static BINARY: LazyLock<String> = LazyLock::new(|| match std::env::var("SATCHEL_BIN") {
        Ok(path) => std::fs::canonicalize(&path)
            .unwrap_or_else(|error| panic!("SATCHEL_BIN={path}: {error}"))
            .to_str()
            .expect("SATCHEL_BIN is UTF-8")
            .to_owned(),
        Err(_) => env!("CARGO_BIN_EXE_satchel").to_owned(),
    });
    &BINARY
}

/// A data directory.
pub struct Home {
    place: Place,
    _dir: Option<TempDir>,
}

/// The place of a data directory.
pub struct Place {
    /// The program that commands are run through to see it; empty where everybody does.
    pub enter: Vec<String>,
    /// As those commands see it.
    pub inside: PathBuf,
    /// As the test sees it.
    pub outside: PathBuf,
}

/// The end of a command.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// The surroundings a command is run with.
#[derive(Default, Clone, Copy)]
pub struct With<'a> {
    pub stdin: &'a str,
    pub env: &'a [(&'a str, &'a str)],
}

impl Home {
    /// An empty one.
    pub fn empty() -> Self {
        let dir = TempDir::new().unwrap();
        let place = Place { enter: Vec::new(), inside: dir.path().to_owned(), outside: dir.path().to_owned() };
        Self { place, _dir: Some(dir) }
    }

    /// An empty one elsewhere.
    pub fn at(place: Place) -> Self {
        Self { place, _dir: None }
    }

    /// One with the administrator `owner`, whose server has started once and ended.
    pub async fn new() -> Self {
        let home = Self::empty();
        let owner = [("SATCHEL_OWNER_NAME", "owner"), ("SATCHEL_OWNER_PASSWORD", PASSWORD)];
        assert_eq!(home.run_with(&["tools"], With { env: &owner, stdin: "" }).await.code, 0);
        home
    }

    /// Returns its place.
    pub fn path(&self) -> PathBuf {
        self.place.outside.join("data")
    }

    /// Returns the token that lets the machine's own command line in, while a server runs.
    pub fn token(&self) -> String {
        let text = std::fs::read_to_string(self.path().join("run.json")).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["token"].as_str().unwrap().to_owned()
    }

    /// Lets others read a file of it.
    pub fn expose(&self, file: &str) {
        std::fs::set_permissions(self.path().join(file), Permissions::from_mode(0o644)).unwrap();
    }

    /// Runs a command to its end, with nothing on its standard input.
    pub async fn run(&self, words: &[&str]) -> Told {
        self.run_with(words, With::default()).await
    }

    /// Runs a command to its end.
    pub async fn run_with(&self, words: &[&str], with: With<'_>) -> Told {
        let mut command = self.command(binary(), with.env);
        command.args(words);
        finish(command, with.stdin).await
    }

    /// Runs a command at a terminal where somebody types `typed`.
    pub async fn run_at_terminal(&self, words: &[&str], typed: &str) -> Told {
        let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
        let line = format!("{} {}", binary(), quoted.join(" "));
        // From util-linux: it gives the command a terminal, and its exit code back.
        let mut command = self.command("script", &[]);
        command.args(["--quiet", "--flush", "--return", "--command", &line, "/dev/null"]);
        finish(command, typed).await
    }

    /// Runs a command that succeeds and prints JSON.
    pub async fn json(&self, words: &[&str]) -> Value {
        let told = self.run(&[words, &["--json"]].concat()).await;
        assert_eq!(told.code, 0, "{words:?}: {told:?}");
        serde_json::from_str(&told.out).unwrap_or_else(|e| panic!("{words:?}: {e}: {}", told.out))
    }

    /// Starts a server, which answers when this returns.
    pub async fn serve(&self, env: &[(&str, &str)]) -> Serving {
        let mut command = self.command(binary(), env);
        command.args(["serve", "--listen", "127.0.0.1:0"]).kill_on_drop(true);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // Read all along: a full pipe would hold the server up.
        let log = tokio::spawn(read_to_end(child.stderr.take().unwrap()));
        let ready = timeout(PATIENCE, lines.next_line()).await.expect("not ready in time").unwrap().unwrap_or_default();
        let Some(url) = ready.strip_prefix("satchel ready ") else {
            panic!("no ready line: {ready:?} {:?}", log.await);
        };
        Serving { url: Url::parse(url).unwrap(), lines, log, child }
    }

    fn command(&self, program: &str, env: &[(&str, &str)]) -> Command {
        let mut words = self.place.enter.iter().map(String::as_str).chain([program]);
        let mut command = Command::new(words.next().unwrap());
        command.args(words).env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.env("SATCHEL_DATA", self.place.inside.join("data"));
        command.env("SATCHEL_LOG", "warn").envs(env.iter().copied());
        command
    }
}

async fn finish(mut command: Command, stdin: &str) -> Told {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // A command that reads nothing may have ended already.
    let _ = input.write_all(stdin.as_bytes()).await;
    drop(input);
    let ended = timeout(PATIENCE, child.wait_with_output()).await.expect("the command did not end in time").unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace("\r\n", "\n");
    Told { code: ended.status.code().unwrap_or(-1), out: text(ended.stdout), err: text(ended.stderr) }
}

async fn read_to_end(mut pipe: ChildStderr) -> String {
    let mut text = String::new();
    pipe.read_to_string(&mut text).await.unwrap();
    text
}

/// A running server, killed when dropped.
pub struct Serving {
    pub url: Url,
    lines: Lines<BufReader<ChildStdout>>,
    log: JoinHandle<String>,
    child: Child,
}

impl Serving {
    /// The next line on its standard output.
    pub async fn line(&mut self) -> String {
        timeout(PATIENCE, self.lines.next_line()).await.expect("no line in time").unwrap().unwrap_or_default()
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id().unwrap()
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) {
        let pid = rustix::process::Pid::from_raw(i32::try_from(self.pid()).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    }

    /// `kill -9`, and waits until it is gone.
    pub async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    /// Waits for its end.
    pub async fn end(self) -> Told {
        let Self { mut lines, log, mut child, .. } = self;
        let rest = async {
            let mut out = String::new();
            while let Ok(Some(line)) = lines.next_line().await {
                out = out + &*line + "\n";
            }
            out
        };
        let ended = async { tokio::join!(rest, log, child.wait()) };
        let (out, err, status) = timeout(PATIENCE, ended).await.expect("the server did not end in time");
        Told { code: status.unwrap().code().unwrap_or(-1), out, err: err.unwrap() }
    }

    /// Asks it to end and waits until it has.
    pub async fn stop(self) -> Told {
        self.terminate();
        self.end().await
    }
}
