//! A PostgreSQL of the test's own, on a socket in its directory.

#![expect(clippy::disallowed_methods, reason = "makes and reads files of its own")]

use std::{
    fs,
    os::unix::{fs::MetadataExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

/// Who runs the server where the test is run by root, for whom it does not run: `nobody`.
const NOBODY: u32 = 65_534;

/// The server, until it is dropped.
pub struct Postgres {
    dir: TempDir,
}

impl Postgres {
    pub fn start() -> Self {
        let postgres = Self { dir: tempfile::tempdir().unwrap() };
        if postgres.is_root() {
            std::os::unix::fs::chown(postgres.dir.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let socket = format!("-k {} -c listen_addresses= -c fsync=off", postgres.dir.path().display());
        let (data, log) = (postgres.path("data"), postgres.path("log"));
        let (data, log) = (data.to_str().unwrap(), log.to_str().unwrap());
        let made = ["-D", data, "-A", "trust", "-U", "satchel", "-E", "UTF8", "--locale=C", "--no-sync"];
        succeeds(&postgres.program("initdb").args(made).output().unwrap());
        succeeds(
            &postgres.program("pg_ctl").args(["start", "-w", "-D", data, "-l", log, "-o", &socket]).output().unwrap(),
        );
        postgres
    }

    /// Runs statements. Returns what is wrong with them.
    pub fn run(&self, statements: &[String]) -> Vec<String> {
        let script: Vec<String> = statements.iter().map(|sql| format!("{};", one_line(sql))).collect();
        self.psql(&script.join("\n"))
            .1
            .into_iter()
            .map(|(line, fault)| format!("{fault}\n    {}", statements[line - 1]))
            .collect()
    }

    /// Has statements prepared. Returns the columns of each with their types, or why it cannot be.
    pub fn describe(&self, statements: &[String]) -> Vec<Result<Vec<(String, String)>, String>> {
        let script: Vec<String> =
            (0..).zip(statements).map(|(number, sql)| format!("\\echo #{number}\n{} \\gdesc", one_line(sql))).collect();
        let (told, faults) = self.psql(&script.join("\n"));
        let mut all: Vec<Result<Vec<_>, String>> = statements.iter().map(|_| Ok(Vec::new())).collect();
        let mut at = 0;
        for line in told.lines() {
            match (line.strip_prefix('#'), line.split_once('|')) {
                (Some(number), _) => at = number.parse().unwrap(),
                (None, Some((name, kind))) => all[at].as_mut().unwrap().push((name.to_owned(), kind.to_owned())),
                (None, None) => assert!(line.starts_with("The command has no result"), "{line}"),
            }
        }
        for (line, fault) in faults {
            all[line / 2 - 1] = Err(fault);
        }
        all
    }

    /// Returns what a script prints, and what is wrong on which of its lines.
    fn psql(&self, script: &str) -> (String, Vec<(usize, String)>) {
        let file = self.path("script.sql");
        fs::write(&file, format!("{script}\n")).unwrap();
        let mut psql = self.program("psql");
        psql.args(["-X", "-q", "-A", "-t", "-v", "VERBOSITY=terse", "-U", "satchel", "-d", "postgres", "-h"]);
        let output = psql.arg(self.dir.path()).arg("-f").arg(&file).output().unwrap();
        succeeds(&output);
        let told = String::from_utf8(output.stderr).unwrap();
        let faults = told.lines().map(|line| {
            let (_, behind) = line.split_once("script.sql:").unwrap_or_else(|| panic!("{line}"));
            let (number, fault) = behind.split_once(": ").unwrap();
            (number.parse().unwrap(), fault.to_owned())
        });
        (String::from_utf8(output.stdout).unwrap(), faults.collect())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn is_root(&self) -> bool {
        fs::metadata(self.dir.path()).unwrap().uid() == 0
    }

    /// One of its programs, run by whoever owns the directory.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(Path::new(option_env!("POSTGRES_BIN").unwrap_or_default()).join(name));
        command.current_dir(self.dir.path()).env("LC_ALL", "C").stdin(Stdio::null());
        let owner = fs::metadata(self.dir.path()).unwrap();
        if owner.uid() == NOBODY {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let data = self.path("data");
        let stopped = self.program("pg_ctl").args(["stop", "-m", "immediate", "-D"]).arg(data).output();
        drop(stopped);
    }
}

fn succeeds(output: &Output) {
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
}

/// Statements are told apart by their lines.
fn one_line(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ")
}
