//! Says what this machine has, so that a test that cannot run is ignored with its reason, and passes nowhere unseen.

#![expect(clippy::disallowed_methods, reason = "a build script looks at the machine")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(getrandom_backend, values(\"linux_raw\"))");
    println!("cargo:rerun-if-env-changed=PATH");
    println!(
        "cargo::rustc-check-cfg=cfg(can_mount, has_age, has_office, has_postgres, has_sdks, has_seccomp, has_userns)"
    );
    let path = env::var_os("PATH").unwrap_or_default();
    let places: Vec<PathBuf> = env::split_paths(&path).filter(|place| place.is_dir()).collect();
    let program = |name: &str| places.iter().map(|place| place.join(name)).find(|program| program.is_file());
    let age = program("age");
    // `make test` installs it, perhaps after a build that found none: it appears in one of these places.
    for watched in age.as_ref().map_or(places.as_slice(), std::slice::from_ref) {
        println!("cargo:rerun-if-changed={}", watched.display());
    }
    let postgres = postgres(program("initdb"));
    if let Some(place) = &postgres {
        println!("cargo:rustc-env=POSTGRES_BIN={}", place.display());
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    for (name, is_so) in [
        ("can_mount", may_mount(&status)),
        ("has_age", age.is_some()),
        ("has_office", program("soffice").is_some()),
        ("has_postgres", postgres.is_some()),
        ("has_sdks", has_sdks()),
        ("has_seccomp", status.lines().any(|line| line.starts_with("Seccomp:"))),
        ("has_userns", may_make_namespaces()),
    ] {
        if is_so {
            println!("cargo::rustc-cfg={name}");
        }
    }
}

/// Returns whether the Python that the tests of `/v1` run has the clients of OpenAI and Anthropic.
fn has_sdks() -> bool {
    println!("cargo:rerun-if-env-changed=SDK_PYTHON");
    let python = env::var_os("SDK_PYTHON").unwrap_or_else(|| "python3".into());
    let mut asked = Command::new(python);
    asked.args(["-c", "import openai, anthropic"]).stdout(Stdio::null()).stderr(Stdio::null());
    asked.status().is_ok_and(|status| status.success())
}

/// The folder with PostgreSQL's programs: those of the server are not where one looks for programs on Debian.
fn postgres(program: Option<PathBuf>) -> Option<PathBuf> {
    const PACKAGED: &str = "/usr/lib/postgresql";
    // Here it appears where it is installed later; a folder that is not there would be looked for at every build.
    println!("cargo:rerun-if-changed={}", if Path::new(PACKAGED).exists() { PACKAGED } else { "/usr/lib" });
    let versions = fs::read_dir(PACKAGED).into_iter().flatten().flatten().map(|version| version.path().join("bin"));
    let whole =
        |place: &PathBuf| ["initdb", "pg_ctl", "postgres", "psql"].iter().all(|name| place.join(name).is_file());
    let found = program.and_then(|program| fs::canonicalize(program).ok()?.parent().map(Path::to_owned));
    versions.chain(found).filter(whole).max()
}

/// Whether whoever has this `/proc/self/status` may mount: root, unless a container keeps it from that.
fn may_mount(status: &str) -> bool {
    const SYS_ADMIN: u32 = 21;
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let set = effective.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or_default();
    (set >> SYS_ADMIN) & 1 == 1
}

/// Whether the kernel lets everybody make a user namespace, and a file tree in it.
fn may_make_namespaces() -> bool {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "true"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
