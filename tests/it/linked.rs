//! The linking of the tested binary: as that of the one that ships, which needs no library and no `/dev` of the machine
//! it runs on.

#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "reads the tested binary")]

/// Types of a program header: a part that is loaded, and the name of a dynamic loader.
const LOAD: usize = 1;
const INTERPRETER: usize = 3;

/// The types of the program headers of an ELF file: 64 bits, the lowest byte first.
fn program_headers(file: &[u8]) -> Vec<usize> {
    assert!(file.starts_with(b"\x7fELF\x02\x01"), "no such file: {:?}", &file[..6]);
    let number = |at: usize, bytes: usize| {
        file[at..at + bytes].iter().rev().fold(0, |number, byte| (number << 8) + usize::from(*byte))
    };
    let (table, size, count) = (number(0x20, 8), number(0x36, 2), number(0x38, 2));
    (0..count).map(|nth| number(table + nth * size, 4)).collect()
}

#[test]
fn what_is_tested_is_static_and_asks_the_kernel_itself_for_random_numbers() {
    let flags = (cfg!(target_feature = "crt-static"), cfg!(getrandom_backend = "linux_raw"));
    assert_eq!(flags, (true, true), "RUSTFLAGS or CARGO_BUILD_TARGET took the place of .cargo/config.toml");
    let headers = program_headers(&std::fs::read(crate::support::program::binary()).unwrap());
    assert!(headers.contains(&LOAD) && !headers.contains(&INTERPRETER), "it asks for a dynamic loader: {headers:?}");
}
