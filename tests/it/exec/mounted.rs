//! The running program with a data directory that shows in a root, by mounts and by hard links: no tool gets at it.

#![expect(clippy::disallowed_methods, reason = "a test looks from outside")]

use std::{fs, path::PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::support::{
    chat::Person,
    fake_llm::PATIENCE,
    library::pause,
    program::{Home, PASSWORD, Place, Serving, With},
};

/// A script that reads.
const PEEK: &str = "\
// @name peek
// @description Reads a file
// @when Somebody asks for a file
// @param path string \"the file\"
// @uses read
fn run(args) { tool(\"read\", #{ path: args.path }).content }
";

/// Shows the data directory in the root, as a whole and in parts, and processes.
const MOUNTS: &str = "mount --bind . root/above && mount --bind data root/whole && mount --bind data/scripts root/part \
                      && mount --bind data/secret.key root/key && mount --rbind /proc root/proc";

/// A directory with the data directory and a root in it.
struct Ground {
    base: TempDir,
}

impl Ground {
    async fn new() -> Self {
        let ground = Self { base: TempDir::new().unwrap() };
        let owner = [("SATCHEL_OWNER_NAME", "owner"), ("SATCHEL_OWNER_PASSWORD", PASSWORD)];
        let made = ground.home(Vec::new()).run_with(&["tools"], With { env: &owner, stdin: "" }).await;
        assert_eq!(made.code, 0, "{made:?}");
        for place in ["whole", "part", "above", "proc"] {
            fs::create_dir_all(ground.at("root").join(place)).unwrap();
        }
        for (file, text) in [
            ("root/key", ""),
            ("root/note", "mine"),
            ("data/scripts/part.txt", "ESCAPED"),
            ("data/scripts/peek.rhai", PEEK),
            ("data/satchel.toml", "log = 'warn'"),
        ] {
            fs::write(ground.at(file), text).unwrap();
        }
        ground
    }

    fn at(&self, path: &str) -> PathBuf {
        self.base.path().canonicalize().unwrap().join(path)
    }

    fn key(&self) -> String {
        fs::read_to_string(self.at("data/secret.key")).unwrap().trim().to_owned()
    }

    fn home(&self, enter: Vec<String>) -> Home {
        Home::at(Place { enter, inside: self.at(""), outside: self.at("") })
    }

    /// Starts a server for which these commands have mounted something; beyond its own namespaces nothing is.
    async fn serve(&self, mounts: &str) -> Server {
        let line = format!("cd '{}' && {mounts} && exec \"$@\"", self.at("").display());
        let enter = ["unshare", "--map-root-user", "--mount", "sh", "-c", &line, "sh"].map(str::to_owned).to_vec();
        let serving = self.home(enter).serve(&[]).await;
        Server { owner: Person::sign_in(&serving.url, "owner").await, serving }
    }
}

/// A running server and its owner.
struct Server {
    owner: Person,
    serving: Serving,
}

impl Server {
    async fn open(&self, roots: Value) {
        let settings = json!({"exec": {"mode": "sandboxed"}, "files": {"roots": roots}});
        self.owner.do_it("PUT", "/api/settings", settings).await;
        // A file of the machine is a script of somebody else: the owner agrees to it before it reads their files.
        let asked = self.answer("peek", json!({"path": "none"})).await;
        if let Some(ticket) = asked["ticket"].as_str() {
            self.owner.do_it("POST", &format!("/api/tickets/{ticket}"), json!({"decision": "approve"})).await;
        }
    }

    async fn answer(&self, tool: &str, params: Value) -> Value {
        self.owner.ask("POST", &format!("/api/tools/{tool}/invoke"), json!({"params": params})).await.1
    }

    /// All that is told of a call.
    async fn call(&self, tool: &str, params: Value) -> String {
        self.answer(tool, params).await.to_string()
    }

    /// All that is told of a line run in the background, once it has ended.
    async fn background(&self, line: &str) -> String {
        let started = self.answer("process", json!({"action": "start", "command": line})).await;
        let status = json!({"action": "status", "session_id": started["data"]["session_id"]});
        let ended = async {
            loop {
                let answer = self.answer("process", status.clone()).await;
                if answer["data"]["state"] != "running" {
                    break answer.to_string();
                }
                pause().await;
            }
        };
        timeout(PATIENCE, ended).await.expect("the process did not end in time")
    }
}

/// Calls of every tool that opens a file by its path; none changes what it is told to change to.
fn calls(path: &str) -> [(&'static str, Value); 6] {
    [
        ("read", json!({"path": path})),
        ("document_read", json!({"file_path": path})),
        ("peek", json!({"path": path})),
        ("write", json!({"path": path, "content": "x"})),
        ("edit", json!({"path": path, "old_text": "E", "new_text": "x"})),
        ("apply_patch", json!({"path": path, "patch": "@@ -1 +1 @@\n-ESCAPED\n+x\n"})),
    ]
}

#[tokio::test]
async fn no_mount_of_the_data_directory_or_of_a_part_of_it_shows_it() {
    let ground = Ground::new().await;
    let server = ground.serve(MOUNTS).await;
    server.open(json!([ground.at("root"), "workspace"])).await;
    let key = ground.key();
    let shows = |told: &str| told.contains(&key) || told.contains("ESCAPED");
    let around = format!("proc/self/root{}", ground.at("data/secret.key").display());
    for path in ["whole/secret.key", "key", "above/data/secret.key", "part/part.txt", "proc/self/environ", &around] {
        for (tool, params) in calls(path) {
            let told = server.call(tool, params).await;
            assert!(told.contains("leads outside the directories open to tools") && !shows(&told), "{path}: {told}");
            // What a script is refused is its own failure.
            assert!(told.contains("\"denied\"") || tool == "peek", "{path}: {told}");
        }
        let line = format!("test -e note && echo $((6000 * 7000)); cat '{path}'; echo x > '{path}'");
        for told in [server.call("exec", json!({"command": line})).await, server.background(&line).await] {
            assert!(told.contains("42000000") && !shows(&told), "{path}: {told}");
        }
        let told = server.call("run_cli", json!({"command": "cat", "args": [path]})).await;
        assert!(!shows(&told), "{path}: {told}");
    }
    let told = server.call("exec", json!({"command": "ls -A . whole part above/data proc; wc -c < key"})).await;
    assert!(told.contains("note"), "{told}");
    assert!(!told.contains("satchel.db") && !told.contains("part.txt") && !told.contains("cmdline"), "{told}");
    for line in ["mv above/data moved", "mv above elsewhere", "rm -rf whole", "rm -f key"] {
        let told = server.call("exec", json!({"command": line})).await;
        assert!(told.contains("Device or resource busy"), "{line}: {told}");
    }
    assert_eq!(ground.key(), key);
    assert_eq!(fs::read_to_string(ground.at("data/scripts/part.txt")).unwrap(), "ESCAPED");
    server.serving.stop().await;
}

#[tokio::test]
async fn what_lies_beside_it_in_the_root_is_open_to_each_of_these_tools() {
    let ground = Ground::new().await;
    let server = ground.serve(MOUNTS).await;
    server.open(json!([ground.at("root"), "workspace"])).await;
    for (tool, params) in calls("note").into_iter().take(3) {
        let told = server.call(tool, params).await;
        assert!(told.contains("mine"), "{tool}: {told}");
    }
    let told = server.call("run_cli", json!({"command": "cat", "args": ["note"]})).await;
    assert!(told.contains("mine"), "{told}");
    let note = || fs::read_to_string(ground.at("root/note")).unwrap();
    for (tool, params) in calls("note").into_iter().skip(3) {
        fs::write(ground.at("root/note"), "ESCAPED\n").unwrap();
        let told = server.call(tool, params).await;
        assert!(note().contains('x'), "{tool}: {told}");
    }
    let own = fs::read_dir(ground.at("data/workspaces")).unwrap().next().unwrap().unwrap().path();
    let told = server.call("exec", json!({"command": format!("echo kept > '{}/file'", own.display())})).await;
    assert_eq!(fs::read_to_string(own.join("file")).unwrap_or_default(), "kept\n", "{told}");
    server.serving.stop().await;
}

#[tokio::test]
async fn a_hard_link_to_a_file_of_the_data_directory_is_refused() {
    let ground = Ground::new().await;
    let server = ground.serve("true").await;
    server.open(json!([ground.at("root"), "workspace"])).await;
    let key = ground.key();
    let entries = fs::read_dir(ground.at("data")).unwrap().map(Result::unwrap);
    let files: Vec<String> =
        entries.filter(|e| e.path().is_file()).map(|e| e.file_name().into_string().unwrap()).collect();
    for wanted in ["secret.key", "satchel.db", "satchel.db-wal", "satchel.db-shm", "satchel.toml", "run.json"] {
        assert!(files.iter().any(|file| file == wanted), "{wanted}: {files:?}");
    }
    for file in files {
        fs::hard_link(ground.at("data").join(&file), ground.at("root/linked")).unwrap();
        for (tool, params) in calls("linked") {
            let told = server.call(tool, params).await;
            assert!(told.contains("is a hard link to the server's own data"), "{file}, {tool}: {told}");
        }
        fs::remove_file(ground.at("root/linked")).unwrap();
    }
    assert_eq!(ground.key(), key);
    fs::hard_link(ground.at("root/note"), ground.at("root/twin")).unwrap();
    let told = server.call("read", json!({"path": "twin"})).await;
    assert!(told.contains("mine"), "{told}");
    server.serving.stop().await;
}

#[tokio::test]
async fn where_the_system_does_not_say_what_is_mounted_only_workspaces_are_open() {
    let ground = Ground::new().await;
    let server = ground.serve("true").await;
    server.open(json!([ground.at("root"), "workspace"])).await;
    server.serving.stop().await;
    let server = ground.serve("mount -t tmpfs none /proc").await;
    let why = "Nothing but each person's workspace is open: this system does not say what is mounted where";
    let told = server.call("read", json!({"path": ground.at("root/note")})).await;
    assert!(told.contains("\"denied\"") && told.contains(why), "{told}");
    let told = server.call("write", json!({"path": "note", "content": "mine"})).await;
    assert!(told.contains("\"success\":true"), "{told}");
    let roots = json!({"files": {"roots": ["workspace", ground.at("root/part")]}});
    let (status, refused) = server.owner.ask("PUT", "/api/settings", roots).await;
    assert_eq!((status, &refused["field"]), (400, &json!("files.roots[1]")), "{refused}");
    assert!(refused.to_string().contains(why), "{refused}");
    server.open(json!([ground.at("root")])).await;
    let told = server.call("read", json!({"path": "note"})).await;
    assert!(told.contains("\"unconfigured\"") && told.contains(why), "{told}");
    server.serving.stop().await;
}

#[tokio::test]
async fn in_run_only_a_root_of_its_own_is_open_to_files_and_to_commands() {
    let ground = Ground::new().await;
    let services =
        "mount -t tmpfs none /run && mkdir /run/app && echo opened > /run/app/file && echo ESCAPED > /run/cred";
    let server = ground.serve(services).await;
    let run = json!({"files": {"roots": ["/run"]}});
    let (status, refused) = server.owner.ask("PUT", "/api/settings", run).await;
    assert!(status == 400 && refused.to_string().contains("or all of /run"), "{refused}");
    server.open(json!(["/", "workspace", "/run/app"])).await;
    for (tool, params) in calls("/run/cred") {
        let told = server.call(tool, params).await;
        assert!(told.contains("leads outside") && !told.contains("ESCAPED"), "{told}");
    }
    let told = server.call("read", json!({"path": "/run/app/file"})).await;
    assert!(told.contains("opened"), "{told}");
    let told = server.call("exec", json!({"command": "cat /run/app/file /run/cred"})).await;
    assert!(told.contains("opened") && !told.contains("ESCAPED"), "{told}");
    server.serving.stop().await;
}
