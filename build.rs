//! Finds the embedding model that goes into the binary, which `make model` puts there; compresses its vocabulary, the console and
//! the API's document for it; and finds what this machine has that some tests need.

#![expect(clippy::disallowed_methods, reason = "a build script reads the tree")]

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use flate2::{Compression, write::GzEncoder};
use serde_json::Value;

/// What goes into the binary compressed: the console, as `make web` builds it, and the API's document.
const CONSOLE: &str = "web/dist";
const DOCUMENT: &str = "openapi.json";
/// The query parameters in it, as Rust.
const QUERIES: &str = "queries.rs";
/// And the model's vocabulary, which is read once at a time; its weights are read where they lie.
const VOCABULARY: &str = "tokenizer.json";
/// What the model's files must be, as `sha256sum` writes it.
const PINS: &str = "scripts/dev/model/sha256";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={PINS}");
    println!("cargo:rerun-if-env-changed=SATCHEL_MODEL_DIR");
    println!("cargo::rustc-check-cfg=cfg(getrandom_backend, values(\"linux_raw\"))");
    tell_tests();
    for packed in [CONSOLE, DOCUMENT] {
        println!("cargo:rerun-if-changed={packed}");
    }
    if let Err(error) = pack() {
        println!("cargo::error=the console or {DOCUMENT} cannot be compressed: {error}");
    }
    if let Err(error) = write_queries() {
        println!("cargo::error=the query parameters in {DOCUMENT} cannot be read: {error}");
    }
    if env::var_os("CARGO_FEATURE_EMBEDDED_MODEL").is_none() {
        return;
    }
    match model().and_then(|found| pack_vocabulary(&found.0).map(|()| found)) {
        Ok((directory, hash)) => {
            println!("cargo:rerun-if-changed={}", directory.join("sha256").display());
            println!("cargo:rustc-env=MODEL_DIR={}", directory.display());
            println!("cargo:rustc-env=MODEL_HASH={hash}");
        }
        Err(reason) => println!("cargo::error={reason}: run `make model`, or build with --no-default-features"),
    }
}

/// Says what this machine has, so that a test that cannot run is ignored with its reason, and passes nowhere unseen.
fn tell_tests() {
    println!("cargo:rerun-if-env-changed=PATH");
    println!("cargo::rustc-check-cfg=cfg(can_mount, has_age, has_office, has_postgres, has_seccomp, has_userns)");
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
        ("has_seccomp", status.lines().any(|line| line.starts_with("Seccomp:"))),
        ("has_userns", may_make_namespaces()),
    ] {
        if is_so {
            println!("cargo::rustc-cfg={name}");
        }
    }
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

/// Writes both into the build's own directory; where the console is not built, an empty folder stands for it.
fn pack() -> io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let console = out.join("console");
    // Files of the build before have other names.
    if console.exists() {
        fs::remove_dir_all(&console)?;
    }
    fs::create_dir(&console)?;
    if Path::new(CONSOLE).exists() {
        pack_folder(Path::new(CONSOLE), &console)?;
    }
    pack_file(Path::new(DOCUMENT), &out.join(DOCUMENT))
}

/// Writes the query parameters of every operation as a table. Made of the routes themselves when the server starts, it would
/// take the whole description of the API into the binary a second time.
fn write_queries() -> Result<(), Box<dyn Error>> {
    let document: Value = serde_json::from_slice(&fs::read(DOCUMENT)?)?;
    let mut table = String::from("&[\n");
    for (path, methods) in document.get("paths").and_then(Value::as_object).ok_or("it has no paths")? {
        for (method, operation) in methods.as_object().ok_or("a path has no methods")? {
            let parameters = operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
            let known: Vec<String> = parameters.filter_map(parameter).collect();
            writeln!(table, "({:?}, {path:?}, &[{}]),", method.to_uppercase(), known.join(", "))?;
        }
    }
    table.push(']');
    Ok(fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join(QUERIES), table)?)
}

/// A query parameter as the table has it, with its bounds where it is a whole number; `None` for another parameter.
fn parameter(described: &Value) -> Option<String> {
    let name = described.get("name").filter(|_| described.get("in").is_some_and(|place| place == "query"))?;
    let of_schema = |key: &str| described.get("schema").and_then(|schema| schema.get(key));
    let is_integer = match of_schema("type") {
        Some(Value::Array(several)) => several.iter().any(|one| one == "integer"),
        one => one.is_some_and(|one| one == "integer"),
    };
    let bound = |key: &str, other: i64| match of_schema(key) {
        Some(Value::Number(bound)) => bound.to_string(),
        _ => other.to_string(),
    };
    let (least, largest) = (bound("minimum", i64::MIN), bound("maximum", i64::MAX));
    let range =
        if is_integer { format!("Some(Range {{ least: {least}, largest: {largest} }})") } else { "None".to_owned() };
    Some(format!("Parameter {{ name: {name}, integer: {range} }}"))
}

fn pack_vocabulary(model: &Path) -> Result<(), String> {
    let packed = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join(VOCABULARY);
    pack_file(&model.join(VOCABULARY), &packed).map_err(|error| format!("{VOCABULARY} cannot be compressed: {error}"))
}

fn pack_folder(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let (entry, packed) = entry.map(|entry| (entry.path(), to.join(entry.file_name())))?;
        if entry.is_dir() {
            fs::create_dir(&packed)?;
            pack_folder(&entry, &packed)?;
        } else {
            pack_file(&entry, &packed)?;
        }
    }
    Ok(())
}

fn pack_file(from: &Path, to: &Path) -> io::Result<()> {
    let mut packed = GzEncoder::new(fs::File::create(to)?, Compression::best());
    packed.write_all(&fs::read(from)?)?;
    packed.finish().map(drop)
}

/// Where the model lies, and the first eight digits of its hash, after which the directory is named.
fn model() -> Result<(PathBuf, String), String> {
    let models = match (env::var_os("SATCHEL_MODEL_DIR"), env::var_os("HOME")) {
        (Some(directory), _) => PathBuf::from(directory),
        (None, Some(home)) => Path::new(&home).join(".cache/satchel/model"),
        (None, None) => return Err("neither SATCHEL_MODEL_DIR nor HOME says where the embedding model lies".to_owned()),
    };
    let wanted = fs::read_to_string(PINS).map_err(|e| format!("{PINS} cannot be read ({e})"))?;
    let hash = wanted.get(..8).ok_or_else(|| format!("{PINS} is empty"))?;
    let directory = models.join(hash);
    // `make model` writes this copy last, when everything it names has been checked.
    match fs::read_to_string(directory.join("sha256")) {
        Ok(present) if present == wanted => Ok((directory, hash.to_owned())),
        _ => Err(format!("the embedding model is not in {}", directory.display())),
    }
}
