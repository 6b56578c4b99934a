//! The binary: parse, run, print the error chain, exit code.

fn main() {
    satchel::host::sandbox::run_if_helper();
}
