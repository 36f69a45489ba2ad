//! Who may ask.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use s3s::auth::SecretKey;
use s3s::{S3Error, S3ErrorCode, S3Result};

use super::access::forbidden;

/// The access keys of one server, which may change while it runs.
///
/// A request signed with a key that was never allowed is answered with 403 `InvalidAccessKeyId`, with
/// another secret with 403 `SignatureDoesNotMatch`, with a key that expired or was revoked with 403
/// `ExpiredToken`, and with another session token than the key's, or none, with 403 `InvalidToken`.
#[derive(Debug, Default)]
pub struct S3Credentials {
    keys: Mutex<BTreeMap<String, Key>>,
}

#[derive(Debug)]
struct Key {
    secret: String,
    session_token: Option<String>,
    /// When it expires; none when it never does.
    until: Option<Instant>,
}

impl S3Credentials {
    /// Accepts an access key from now on, for as long as it lives, in place of what was known of it.
    ///
    /// With a session token the header `x-amz-security-token` must have that value, without one it must
    /// not be sent.
    pub fn allow(
        &self,
        access_key: &str,
        secret_key: &str,
        session_token: Option<&str>,
        lives: Option<Duration>,
    ) {
        let key = Key {
            secret: secret_key.to_owned(),
            session_token: session_token.map(str::to_owned),
            until: lives.and_then(|lives| Instant::now().checked_add(lives)),
        };
        self.lock().insert(access_key.to_owned(), key);
    }

    /// Accepts an access key no longer, as if it expired now.
    pub fn revoke(&self, access_key: &str) {
        if let Some(key) = self.lock().get_mut(access_key) {
            key.until = Some(Instant::now());
        }
    }

    /// What requests of a key are signed with, one that expired too: the signature is checked first.
    pub(super) fn secret(&self, access_key: &str) -> S3Result<SecretKey> {
        let keys = self.lock();
        let key = keys
            .get(access_key)
            .ok_or_else(|| S3Error::new(S3ErrorCode::InvalidAccessKeyId))?;
        Ok(SecretKey::from(key.secret.as_str()))
    }

    /// Whether a key whose signature is right may ask now.
    pub(super) fn check(&self, access_key: &str, session_token: Option<&str>) -> S3Result {
        let keys = self.lock();
        let key = keys
            .get(access_key)
            .ok_or_else(|| S3Error::new(S3ErrorCode::InvalidAccessKeyId))?;
        if key.until.is_some_and(|until| Instant::now() >= until) {
            let message = "The provided token has expired.";
            return Err(forbidden(S3ErrorCode::ExpiredToken, message));
        }
        if key.session_token.as_deref() != session_token {
            let message = "The provided token is malformed or otherwise invalid.";
            return Err(forbidden(S3ErrorCode::InvalidToken, message));
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Key>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
