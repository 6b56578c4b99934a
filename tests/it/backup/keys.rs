//! The key `satchel backup` makes: gone only where there is surely nothing that it opens.

#![expect(clippy::disallowed_methods, reason = "looks at files")]

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    thread,
};

use satchel::{
    model::secret::Secret,
    store::dir::{DataDir, Running},
};

use crate::support::program::Home;

/// The answers of a server, each a status and a body.
type Answers = &'static [(u16, &'static str)];

/// A server in the way of a home's own, which gives these answers, one to each request, and then is gone. Nothing of the
/// home is let go while what is returned lives.
fn stand_in(home: &Home, answers: Answers) -> DataDir {
    let held = DataDir::hold(&home.path()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
    held.publish(&Running { url, token: Secret::new("local_x".to_owned()) }).unwrap();
    thread::spawn(move || {
        for (status, body) in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut line, mut length) = (String::new(), 0);
            while reader.read_line(&mut line).unwrap() > 2 {
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            reader.read_exact(&mut vec![0; length]).unwrap();
            let head = format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\n");
            write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
        }
    });
    held
}

const BEGUN: (u16, &str) = (202, r#"{"id": "one", "state": "running"}"#);

#[tokio::test(flavor = "multi_thread")]
async fn a_key_stays_unless_there_is_surely_no_backup() {
    let out = tempfile::tempdir().unwrap();
    let cases: [(&str, Answers, bool); 5] = [
        ("refused", &[(403, r#"{"detail": "No."}"#)], false),
        ("failed", &[BEGUN, (200, r#"{"id": "one", "state": "failed", "problem": "The disk is full."}"#)], false),
        ("silent", &[BEGUN, (408, r#"{"detail": "Too slow."}"#)], true),
        ("broken", &[BEGUN, (500, r#"{"detail": "Oh."}"#)], true),
        ("gone", &[BEGUN], true),
    ];
    for (name, answers, stays) in cases {
        let home = Home::empty();
        let held = stand_in(&home, answers);
        let file = out.path().join(format!("{name}.age"));
        let told = home.run(&["backup", file.to_str().unwrap()]).await;
        drop(held);
        let key = out.path().join(format!("{name}.age.key"));
        assert_eq!((told.code, key.exists(), told.err.contains("was kept")), (1, stays, stays), "{name}: {told:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_is_taken_is_known_before_there_is_a_key() {
    let out = tempfile::tempdir().unwrap();
    for ending in ["", ".part"] {
        let home = Home::empty();
        let _held = stand_in(&home, &[]);
        let file = out.path().join(format!("x{ending}.age"));
        fs::write(format!("{}{ending}", file.display()), "precious").unwrap();
        let told = home.run(&["backup", file.to_str().unwrap()]).await;
        assert!(told.code == 1 && told.err.contains("is there already"), "{told:?}");
        assert!(!out.path().join(format!("x{ending}.age.key")).exists());
    }
}
