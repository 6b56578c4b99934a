//! Commands: what they give back, and what they cannot do.

use std::{path::Path, time::Duration};

use satchel::{
    host::{
        files::{Rooted, Workspaces},
        sandbox::{Action, Command, Finished, Sandbox},
    },
    model::{error::Result, id::Id},
};
use tokio_util::sync::CancellationToken;

struct Bench {
    dir: tempfile::TempDir,
    sandbox: Sandbox,
    files: Rooted,
}

fn bench() -> Bench {
    let dir = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::new(env!("CARGO_BIN_EXE_satchel"), dir.path());
    let files = Workspaces::new(dir.path()).of(Id::new(), &["workspace".to_owned()]).unwrap();
    Bench { dir, sandbox, files }
}

impl Bench {
    async fn shell(&self, line: &str) -> Result<Finished> {
        let cwd = self.files.workspace().to_owned();
        let command = Command::new(Action::Shell(line.to_owned()), cwd, Duration::from_secs(20));
        self.sandbox.run(&self.files, command, &CancellationToken::new()).await
    }
}

#[tokio::test]
async fn smoke() {
    let bench = bench();
    let known = bench.sandbox.capabilities().await;
    println!("{known:?}");
    let t = std::time::Instant::now();
    for line in [
        "echo hi; id; pwd; ls -la / /dev /etc; env; mount; ps aux; cat /proc/self/status | tail -20",
        "ls / /proc; touch x /y; cat /etc/passwd; exit 3",
    ] {
        println!("{:?}", bench.shell(line).await.map(|f| println!("{}\n--\n{}\n{:?}", f.stdout, f.stderr, f.ended)));
    }
    println!("{:?} {}", t.elapsed(), Path::new(bench.dir.path()).display());
}
