//! Compresses the console and the API's document for the binary, and writes the query parameters in that document as Rust.

#![expect(clippy::disallowed_methods, reason = "a build script reads the tree")]

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};
use serde_json::Value;

/// The console, as `make web` builds it, and the API's document.
const CONSOLE: &str = "../../web/dist";
const DOCUMENT: &str = "../../openapi.json";
/// The query parameters in it, as Rust.
const QUERIES: &str = "queries.rs";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for packed in [CONSOLE, DOCUMENT] {
        println!("cargo:rerun-if-changed={packed}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    if let Err(error) = pack(&out) {
        println!("cargo::error=the console or {DOCUMENT} cannot be compressed: {error}");
    }
    if let Err(error) = write_queries(&out) {
        println!("cargo::error=the query parameters in {DOCUMENT} cannot be read: {error}");
    }
}

/// Writes both into the build's own directory; where the console is not built, an empty folder stands for it.
fn pack(out: &Path) -> io::Result<()> {
    let console = out.join("console");
    // Files of the build before have other names.
    if console.exists() {
        fs::remove_dir_all(&console)?;
    }
    fs::create_dir(&console)?;
    if Path::new(CONSOLE).exists() {
        pack_folder(Path::new(CONSOLE), &console)?;
    }
    pack_file(Path::new(DOCUMENT), &out.join("openapi.json"))
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

/// Writes the query parameters of every operation as a table. Made of the routes themselves when the server starts, it would
/// take the whole description of the API into the binary a second time.
fn write_queries(out: &Path) -> Result<(), Box<dyn Error>> {
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
    Ok(fs::write(out.join(QUERIES), table)?)
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
