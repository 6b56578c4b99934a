//! The state of a question that a client carries: sealed, so that it comes back as it was given, from whom it was given to.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use super::principal::Principal;
use satchel_model::{call::TicketId, time::Time};

/// The key of one start of the server: no state outlives it.
pub(in crate::http) struct Seal([u8; 32]);

/// A question that waits for a client's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::http) struct Waiting {
    /// The question.
    pub(in crate::http) ticket: TicketId,
    /// The time at which it lapses.
    pub(in crate::http) until: Time,
}

impl Seal {
    /// A key that nobody else has.
    pub(in crate::http) fn new() -> Self {
        Self(rand::random())
    }

    /// Seals the state of a question about a call for whoever asked it.
    pub(in crate::http) fn close(&self, waiting: &Waiting, principal: Principal, call: &str) -> Option<String> {
        let text = serde_json::to_string(waiting).ok()?;
        let mark = self.mark(&text, principal, call)?.finalize().into_bytes();
        Some(format!("{}.{}", URL_SAFE_NO_PAD.encode(&text), URL_SAFE_NO_PAD.encode(mark)))
    }

    /// The state that was sealed for this caller and this call; `None` if it was not, or has lapsed.
    pub(in crate::http) fn open(&self, sealed: &str, principal: Principal, call: &str, now: Time) -> Option<Waiting> {
        let (text, mark) = sealed.split_once('.')?;
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let mark = URL_SAFE_NO_PAD.decode(mark).ok()?;
        self.mark(&text, principal, call)?.verify_slice(&mark).ok()?;
        serde_json::from_str::<Waiting>(&text).ok().filter(|waiting| waiting.until > now)
    }

    fn mark(&self, text: &str, principal: Principal, call: &str) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        for part in [text, &format!("{principal:?}"), call] {
            mac.update(&part.len().to_be_bytes());
            mac.update(part.as_bytes());
        }
        Some(mac)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::{
        caller::{Caller, Credential, Door},
        id::Id,
        user::UserId,
    };

    fn principal() -> Principal {
        Principal::of(&Caller {
            user: UserId::new(),
            username: "ada".to_owned(),
            permissions: Default::default(),
            door: Door::Mcp,
            credential: Credential::Key(Id::new()),
            personal: true,
            agent: None,
        })
    }

    #[test]
    fn a_state_comes_back_from_whom_it_was_given_to_unchanged_and_in_time() {
        let (seal, ada, bob) = (Seal::new(), principal(), principal());
        let waiting = Waiting { ticket: TicketId::new(), until: Time::from_millis(1_000) };
        let now = Time::from_millis(0);
        let sealed = seal.close(&waiting, ada, "call").unwrap();
        assert_eq!(seal.open(&sealed, ada, "call", now), Some(waiting.clone()));
        assert_eq!(seal.open(&sealed, bob, "call", now), None, "another caller");
        assert_eq!(seal.open(&sealed, ada, "another", now), None, "another call");
        assert_eq!(seal.open(&sealed, ada, "call", waiting.until), None, "too late");
        assert_eq!(Seal::new().open(&sealed, ada, "call", now), None, "another server");
        for at in 0..sealed.len() {
            let mut tampered = sealed.clone().into_bytes();
            tampered[at] ^= 1;
            let tampered = String::from_utf8(tampered).unwrap();
            assert_eq!(seal.open(&tampered, ada, "call", now), None, "{tampered}");
        }
        for nothing in ["", ".", "a", "a.b", "=.="] {
            assert_eq!(seal.open(nothing, ada, "call", now), None);
        }
    }
}
