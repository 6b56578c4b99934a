//! Finds the embedding model that goes into the binary. `make model` puts it there.

use std::{
    env,
    path::{Path, PathBuf},
};

/// What the model's files must be, as `sha256sum` writes it.
const PINS: &str = "scripts/dev/model/sha256";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={PINS}");
    println!("cargo:rerun-if-env-changed=SATCHEL_MODEL_DIR");
    if env::var_os("CARGO_FEATURE_EMBEDDED_MODEL").is_none() {
        return;
    }
    match model() {
        Ok((directory, hash)) => {
            println!("cargo:rerun-if-changed={}", directory.join("sha256").display());
            println!("cargo:rustc-env=MODEL_DIR={}", directory.display());
            println!("cargo:rustc-env=MODEL_HASH={hash}");
        }
        Err(reason) => println!("cargo::error={reason}: run `make model`, or build with --no-default-features"),
    }
}

/// Where the model lies, and the first eight digits of its hash.
fn model() -> Result<(PathBuf, String), String> {
    let directory = match (env::var_os("SATCHEL_MODEL_DIR"), env::var_os("HOME")) {
        (Some(directory), _) => PathBuf::from(directory),
        (None, Some(home)) => Path::new(&home).join(".cache/satchel/model"),
        (None, None) => return Err("neither SATCHEL_MODEL_DIR nor HOME says where the embedding model lies".to_owned()),
    };
    let read =
        |path: &Path| std::fs::read_to_string(path).map_err(|e| format!("{} cannot be read ({e})", path.display()));
    let wanted = read(Path::new(PINS))?;
    // `make model` writes this copy last, when everything it names has been checked.
    let present = read(&directory.join("sha256"))
        .map_err(|_| format!("there is no embedding model in {}", directory.display()))?;
    if wanted != present {
        return Err(format!("the embedding model in {} is not the one this tree wants", directory.display()));
    }
    let hash = wanted.get(..8).ok_or_else(|| format!("{PINS} is empty"))?;
    Ok((directory, hash.to_owned()))
}
