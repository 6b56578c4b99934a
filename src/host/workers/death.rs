//! The reason a worker ended by itself: read from its exit status and from what it wrote to its standard error.

use std::{fmt, os::unix::process::ExitStatusExt, process::ExitStatus};

use satchel_model::text::{clip, one_line};

/// Most characters of a worker's own words that are passed on.
const MAX_WORDS: usize = 600;

/// The line the standard library writes before it aborts.
const ALLOCATION: &str = "memory allocation of ";
const OVERFLOW: &str = "has overflowed its stack";
const PANIC: &str = " panicked at ";
/// The words of a panic for more memory than there are addresses, which nobody was asked for.
const CAPACITY: &str = "capacity overflow";
const HINT: &str = "\nnote: run with `RUST_BACKTRACE";

/// The reason a worker ended by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Death {
    /// It was refused more memory.
    Memory,
    /// Its stack was full.
    Stack,
    /// It used the processor time of its whole life.
    Processor,
    /// It panicked: where, and with which words.
    Panic(String),
    /// Somebody else killed it: a person, or the kernel where the machine runs out of memory.
    Killed,
    /// Another signal ended it.
    Signal(i32),
    /// It gave up: its exit code, and what it said.
    Exit(i32, String),
    /// It closed its pipes, and did not end.
    Silent,
}

impl Death {
    /// Finds out. `errors` is what it wrote to its standard error.
    pub(super) fn from_exit(status: Option<ExitStatus>, errors: &str) -> Self {
        let Some(status) = status else { return Self::Silent };
        // A panic may quote what a script said; the other two are said by the library alone, at the beginning of a line.
        if let Some(panic) = panic(errors) {
            return if panic.starts_with(CAPACITY) { Self::Memory } else { Self::Panic(panic) };
        }
        if errors.lines().any(|line| line.starts_with(ALLOCATION) && line.ends_with(" failed")) {
            return Self::Memory;
        }
        if errors.lines().any(|line| line.contains(OVERFLOW)) {
            return Self::Stack;
        }
        match status.signal() {
            Some(libc::SIGXCPU) => Self::Processor,
            Some(libc::SIGKILL) => Self::Killed,
            Some(signal) => Self::Signal(signal),
            None => Self::Exit(status.code().unwrap_or(-1), short_line(errors)),
        }
    }
}

/// `thread 'main' (7) panicked at src/a.rs:1:2:`, the words, and a hint about backtraces.
fn panic(errors: &str) -> Option<String> {
    let (_, after) = errors.split_once(PANIC).filter(|(before, _)| before.contains("thread '"))?;
    let (place, words) = after.split_once('\n')?;
    let words = words.split(HINT).next().unwrap_or_default();
    // Of a library's file its name and version say all; where it lay when it was built says nothing.
    let file = place.split_once("/registry/src/").and_then(|(_, file)| file.split_once('/'));
    let place = file.map_or(place, |(_, file)| file).trim_end_matches(':');
    Some(short_line(&format!("{} at {place}", words.trim())))
}

/// On one line, and not long.
fn short_line(text: &str) -> String {
    clip(&one_line(text), MAX_WORDS).into_owned()
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => write!(f, "it was refused more memory"),
            Self::Stack => write!(f, "its stack was full"),
            Self::Processor => write!(f, "it used the processor time of its whole life"),
            Self::Panic(words) => write!(f, "it panicked: {words}"),
            Self::Killed => write!(f, "it was killed from outside, as by a machine that runs out of memory"),
            Self::Signal(signal) => write!(f, "signal {signal} ended it"),
            Self::Exit(code, words) if words.is_empty() => write!(f, "it exited with code {code} and said nothing"),
            Self::Exit(code, words) => write!(f, "it exited with code {code}: {words}"),
            Self::Silent => write!(f, "it closed its pipes without a word"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_death_is_told_by_its_own_cause() {
        let exit = |code: i32| Some(ExitStatus::from_raw(code << 8));
        let signal = |number: i32| Some(ExitStatus::from_raw(number));
        let panicked = "\nthread 'main' (7) panicked at src/a.rs:1:2:\ngetrandom::fill() failed: EPERM\nnote: run with \
                        `RUST_BACKTRACE=1` environment variable to display a backtrace\n";
        let library = "thread 'main' panicked at /cargo/registry/src/index-1/ahash-0.8.12/src/a.rs:5:6:\nno\n";
        let quoting = "thread 'main' panicked at src/b.rs:3:4:\nmemory allocation of 9 bytes failed\n";
        let beyond = "thread 'main' (7) panicked at library/alloc/src/raw_vec/mod.rs:28:5:\ncapacity overflow\n";
        let full = "\nthread 'main' (7) has overflowed its stack\nfatal runtime error: stack overflow, aborting\n";
        let told = |words: &str| words.to_owned();
        for (status, errors, expected) in [
            (exit(101), panicked, Death::Panic(told("getrandom::fill() failed: EPERM at src/a.rs:1:2"))),
            (exit(101), library, Death::Panic(told("no at ahash-0.8.12/src/a.rs:5:6"))),
            (exit(101), quoting, Death::Panic(told("memory allocation of 9 bytes failed at src/b.rs:3:4"))),
            (signal(libc::SIGABRT), "memory allocation of 80 bytes failed\n", Death::Memory),
            (exit(101), beyond, Death::Memory),
            (signal(libc::SIGABRT), full, Death::Stack),
            (signal(libc::SIGABRT), "", Death::Signal(libc::SIGABRT)),
            (signal(libc::SIGSEGV), "", Death::Signal(libc::SIGSEGV)),
            (signal(libc::SIGXCPU), "", Death::Processor),
            (signal(libc::SIGKILL), "", Death::Killed),
            (exit(1), "satchel: it cannot be\nconfined\n", Death::Exit(1, told("satchel: it cannot be confined"))),
            (exit(0), "", Death::Exit(0, String::new())),
            (None, "memory allocation of 80 bytes failed\n", Death::Silent),
        ] {
            assert_eq!(Death::from_exit(status, errors), expected, "{status:?} {errors:?}");
        }
    }

    #[test]
    fn what_a_worker_says_is_cut() {
        let Death::Exit(_, words) = Death::from_exit(Some(ExitStatus::from_raw(256)), &"é".repeat(5_000)) else {
            panic!()
        };
        assert_eq!(words.chars().count(), MAX_WORDS + 1);
    }
}
