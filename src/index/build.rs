//! Finds the embedding model that goes into the binary, which `make model` puts there, and compresses its vocabulary.

#![expect(clippy::disallowed_methods, reason = "a build script reads the tree")]

use std::{
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};

/// Read once at a time, and so compressed; the weights are read where they lie.
const VOCABULARY: &str = "tokenizer.json";
/// The digests of the model's files, as `sha256sum` writes them.
const PINS: &str = "../../scripts/dev/model/sha256";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={PINS}");
    println!("cargo:rerun-if-env-changed=SATCHEL_MODEL_DIR");
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

fn pack_vocabulary(model: &Path) -> Result<(), String> {
    let packed = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join(VOCABULARY);
    pack_file(&model.join(VOCABULARY), &packed).map_err(|error| format!("{VOCABULARY} cannot be compressed: {error}"))
}

fn pack_file(from: &Path, to: &Path) -> io::Result<()> {
    let mut packed = GzEncoder::new(fs::File::create(to)?, Compression::best());
    packed.write_all(&fs::read(from)?)?;
    packed.finish().map(drop)
}

/// Returns the model's directory, and the first eight digits of its hash, after which the directory is named.
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
