//! What comes from outside is read in a process that the kernel ends where it takes too much, and that is told from a file
//! that is refused.

use std::{io::Read, time::Duration};

use crate::support::program::binary;
use satchel::{
    formats::worker::{DocumentForm, Head, Task},
    host::workers::{Death, Ended, Limits as ProcessLimits, ReadLimits, Readers},
};

fn readers() -> Readers {
    Readers::new(binary().into())
}

fn limits() -> ReadLimits {
    let process = ProcessLimits { memory: 128 << 20, cpu_seconds: 60 };
    ReadLimits { process, wall: Duration::from_secs(600), answer: 1 << 20 }
}

/// The head of a task: read a text.
fn head(bytes: &[u8]) -> Vec<u8> {
    let task = Task::Document { name: "a.txt".to_owned(), form: DocumentForm::Text };
    let mut head = serde_json::to_vec(&Head { task, lengths: vec![bytes.len() as u64] }).unwrap();
    head.push(b'\n');
    head
}

fn read(bytes: &[u8], limits: &ReadLimits) -> Result<String, Ended> {
    let answer = readers().run(&mut head(bytes).as_slice().chain(bytes), limits)?;
    Ok(String::from_utf8(answer).unwrap())
}

#[test]
fn a_process_reads_and_ends() {
    let answer = read(b"Tea is 2.50.", &limits()).unwrap();
    assert!(answer.starts_with("{\"Done\":") && answer.contains("Tea is 2.50."), "{answer}");
    let refused = read(b"", &limits()).unwrap();
    assert!(refused.contains("Refused") && refused.contains("The file is empty."), "{refused}");
}

#[test]
fn one_that_takes_more_than_it_may_is_ended_and_its_end_says_of_what() {
    let large = "word ".repeat(4 << 20);
    let process = ProcessLimits { memory: 24 << 20, ..limits().process };
    let ended = read(large.as_bytes(), &ReadLimits { process, ..limits() }).unwrap_err();
    assert!(matches!(ended, Ended::Died(Death::Memory)), "{ended:?}");
    let ended = read(large.as_bytes(), &ReadLimits { answer: 100, ..limits() }).unwrap_err();
    assert!(matches!(ended, Ended::TooLong), "{ended:?}");
    let ended = read(large.as_bytes(), &ReadLimits { wall: Duration::ZERO, ..limits() }).unwrap_err();
    assert!(matches!(ended, Ended::Time), "{ended:?}");
}

#[test]
fn one_that_cannot_begin_says_why() {
    let ended = readers().run(&mut b"no head\n".as_slice(), &limits()).unwrap_err();
    assert!(matches!(&ended, Ended::Died(Death::Exit(1, words)) if words.contains("cannot go on")), "{ended:?}");
    let nowhere = Readers::new("/nonexistent/satchel".into());
    assert!(matches!(nowhere.run(&mut std::io::empty(), &limits()), Err(Ended::Unstarted(_))));
}
