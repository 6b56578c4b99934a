//! Signatures of messages as Standard Webhooks 1.0.0 has them: `v1,` and the base64 of an HMAC-SHA256 of the message's
//! number, its time and its body.

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use satchel_model::{
    error::{Error, Kind, Result},
    secret::Secret,
    time::Time,
};

/// The largest difference between the time of a message and ours, in milliseconds.
const TOLERANCE: i64 = 5 * 60 * 1_000;
/// Most characters of a message's number.
const LONGEST_ID: usize = 256;

/// A message as its headers sign it.
#[derive(Debug, Clone, Copy)]
pub struct Signed<'a> {
    /// `webhook-id`.
    pub id: Option<&'a str>,
    /// `webhook-timestamp`, in seconds since 1970.
    pub timestamp: Option<&'a str>,
    /// `webhook-signature`: one or several, apart by spaces.
    pub signature: Option<&'a str>,
    /// The body, as it came.
    pub body: &'a [u8],
}

impl Signed<'_> {
    /// Checks that whoever has the secret signed it not long ago, and gives its number.
    ///
    /// # Errors
    ///
    /// [`Kind::Unauthenticated`] if a header is missing, the time is too far from ours, or no signature fits.
    pub fn verify(&self, secret: &Secret, now: Time) -> Result<String> {
        let missing = || {
            refused(
                "Sign the message as Standard Webhooks has it: webhook-id, webhook-timestamp and webhook-signature.",
            )
        };
        let (id, timestamp) = (self.id.ok_or_else(missing)?, self.timestamp.ok_or_else(missing)?);
        let signature = self.signature.ok_or_else(missing)?;
        if id.is_empty() || id.len() > LONGEST_ID {
            return Err(refused("'webhook-id' is the number of the message, 256 characters at most."));
        }
        let seconds: i64 = timestamp.parse().map_err(|_| refused("'webhook-timestamp' is in seconds since 1970."))?;
        if seconds.saturating_mul(1_000).abs_diff(now.millis()) > TOLERANCE.unsigned_abs() {
            return Err(refused("The time of the message is more than five minutes from ours: it is not taken."));
        }
        let key = secret.expose().strip_prefix("whsec_").unwrap_or(secret.expose());
        let key = STANDARD.decode(key).map_err(Error::internal)?;
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).map_err(Error::internal)?;
        mac.update(id.as_bytes());
        mac.update(b".");
        mac.update(timestamp.as_bytes());
        mac.update(b".");
        mac.update(self.body);
        let given = signature.split(' ').filter_map(|one| STANDARD.decode(one.strip_prefix("v1,")?).ok());
        // Each is compared in constant time.
        match given.take(8).any(|given| mac.clone().verify_slice(&given).is_ok()) {
            true => Ok(id.to_owned()),
            false => {
                Err(refused("The signature does not fit: sign 'id.timestamp.body' with the secret of this webhook."))
            }
        }
    }
}

fn refused(message: &str) -> Error {
    Error::new(Kind::Unauthenticated, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the standard's own libraries.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;

    fn verify(id: &str, timestamp: &str, signature: &str, body: &[u8]) -> Result<String> {
        let signed = Signed { id: Some(id), timestamp: Some(timestamp), signature: Some(signature), body };
        signed.verify(&Secret::new(SECRET), Time::from_millis(1_614_265_330_000 + 200_000))
    }

    #[test]
    fn the_example_of_the_standard_is_genuine() {
        assert_eq!(verify(ID, "1614265330", SIGNATURE, BODY).unwrap(), ID);
        assert!(verify(ID, "1614265330", &format!("v1,AAAA v1a,x {SIGNATURE}"), BODY).is_ok(), "one of several");
    }

    #[test]
    fn what_is_changed_or_late_is_not() {
        let told =
            |id, timestamp, signature, body| verify(id, timestamp, signature, body).unwrap_err().message().to_owned();
        for (id, timestamp, signature, body) in [
            ("msg_other", "1614265330", SIGNATURE, BODY),
            (ID, "1614265331", SIGNATURE, BODY),
            (ID, "1614265330", SIGNATURE, &b"{}"[..]),
            (ID, "1614265330", "v1,", BODY),
            (ID, "1614265330", "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", BODY),
        ] {
            assert!(told(id, timestamp, signature, body).starts_with("The signature does not fit"), "{id} {timestamp}");
        }
        assert!(told(ID, "1613660530", SIGNATURE, BODY).contains("more than five minutes"), "of last week");
        assert!(told(ID, "1614266000", SIGNATURE, BODY).contains("more than five minutes"), "of the future");
        assert!(told(ID, "now", SIGNATURE, BODY).contains("seconds since 1970"));
    }
}
