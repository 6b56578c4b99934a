//! Compresses the fonts of new PDFs for the binary.

#![expect(clippy::disallowed_methods, reason = "a build script writes what goes into the binary")]

use std::{
    env, fs,
    io::{self, Write},
    path::PathBuf,
};

use flate2::{Compression, write::GzEncoder};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    for (name, font) in [("regular.ttf", dejavu::sans::regular()), ("bold.ttf", dejavu::sans::bold())] {
        let mut packed = GzEncoder::new(fs::File::create(out.join(name))?, Compression::best());
        packed.write_all(font)?;
        packed.finish()?;
    }
    Ok(())
}
