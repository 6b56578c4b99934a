//! A Rust result as the status the interface returns.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ort_sys::{OrtErrorCode, OrtStatusPtr, stub};

/// What goes wrong behind the interface, in words.
pub(super) type Outcome<T = ()> = Result<T, String>;

/// Runs a function's body. A panic must not pass through C's calling convention, so it becomes an error like others.
pub(super) fn of(body: impl FnOnce() -> Outcome) -> OrtStatusPtr {
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| Err("the engine panicked".to_owned()));
    match outcome {
        Ok(()) => OrtStatusPtr::default(),
        // A zero byte would end the C string early, and is refused.
        Err(message) => stub::Error::new_sys(OrtErrorCode::ORT_FAIL, message.replace('\0', " ")),
    }
}

/// Success, where nothing can fail.
pub(super) fn fine() -> OrtStatusPtr {
    OrtStatusPtr::default()
}
