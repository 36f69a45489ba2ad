//! The key that signs, and getting a new one before it expires.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use serde::Deserialize;
use tokio::sync::Mutex as AsyncMutex;

use super::super::clock::Clock;
use super::loader::Loader;
use crate::Result;

/// A key is renewed when it is valid for less than this, as in Paimon.
const RENEW_MILLIS: i64 = 3_600_000;

/// After a load that failed, or gave a key that is to be renewed too, the next one waits for so long, or for half of what
/// is left if that is less.
const MAX_PAUSE_MILLIS: i64 = 30_000;

/// A key that signs requests.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Credentials {
    pub(super) access_key_id: String,
    pub(super) access_key_secret: String,
    /// What goes with a temporary key.
    pub(super) security_token: Option<String>,
    /// Milliseconds since the epoch; none for a key that does not expire.
    pub(super) expires_at_millis: Option<i64>,
}

/// The document that a loader reads.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Document {
    access_key_id: String,
    access_key_secret: String,
    security_token: Option<String>,
    expiration: Option<String>,
}

impl Credentials {
    /// Reads a document `{"AccessKeyId", "AccessKeySecret", "SecurityToken", "Expiration"}`.
    ///
    /// # Errors
    /// What is wrong, without any of its values.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let document: Document =
            serde_json::from_str(text).map_err(|error| super::super::models::describe(&error))?;
        let expires = match &document.expiration {
            None => None,
            Some(text) => Some(parse_expiration(text).ok_or_else(|| {
                format!("member 'Expiration' is '{text}' and not of the form 2026-08-22T01:02:03Z")
            })?),
        };
        Ok(Self {
            access_key_id: document.access_key_id,
            access_key_secret: document.access_key_secret,
            security_token: document.security_token.filter(|token| !token.is_empty()),
            expires_at_millis: expires,
        })
    }

    fn is_valid_for(&self, millis: i64, now: i64) -> bool {
        self.expires_at_millis
            .is_none_or(|expires| expires.saturating_sub(now) >= millis)
    }

    pub(super) fn secrets(&self) -> impl Iterator<Item = String> {
        let token = self.security_token.clone();
        std::iter::once(self.access_key_secret.clone()).chain(token)
    }
}

/// The exact form `yyyy-MM-ddTHH:mm:ssZ`, in UTC.
fn parse_expiration(text: &str) -> Option<i64> {
    let shape = text
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect::<String>();
    if shape != "0000-00-00T00:00:00Z" {
        return None;
    }
    let time: Timestamp = text.parse().ok()?;
    Some(time.as_millisecond())
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("expires_at_millis", &self.expires_at_millis)
            .finish_non_exhaustive()
    }
}

/// Where the key comes from.
#[derive(Debug)]
pub(super) enum CredentialSource {
    /// Options; such a key is never renewed.
    Static(Arc<Credentials>),
    /// A loader.
    Loaded(LoadedCredentials),
}

impl CredentialSource {
    /// The key to sign with now.
    ///
    /// # Errors
    /// When there is none and none can be loaded.
    pub(super) async fn get(&self) -> Result<Arc<Credentials>> {
        match self {
            Self::Static(credentials) => Ok(Arc::clone(credentials)),
            Self::Loaded(loaded) => loaded.get().await,
        }
    }

    /// What must not be shown of the keys used so far.
    pub(super) fn secrets(&self) -> Vec<String> {
        match self {
            Self::Static(credentials) => credentials.secrets().collect(),
            Self::Loaded(loaded) => {
                let seen = loaded.seen.lock().unwrap_or_else(PoisonError::into_inner);
                seen.clone()
            }
        }
    }
}

/// Keys that a loader reads, the next one before the last has expired.
#[derive(Debug)]
pub(super) struct LoadedCredentials {
    loader: Box<dyn Loader>,
    clock: Clock,
    current: Mutex<Option<Arc<Credentials>>>,
    /// Locked while a key is loaded. Who comes meanwhile signs with the one before while it is valid, and else waits;
    /// nobody loads a second one.
    loading: AsyncMutex<()>,
    /// No key is loaded before this time while the one before is valid.
    not_before: AtomicI64,
    /// The secrets of the last two keys: an answer may still be about the one before.
    seen: Mutex<Vec<String>>,
}

impl LoadedCredentials {
    pub(super) fn new(loader: Box<dyn Loader>, clock: Clock) -> Self {
        Self {
            loader,
            clock,
            current: Mutex::default(),
            loading: AsyncMutex::new(()),
            not_before: AtomicI64::new(i64::MIN),
            seen: Mutex::default(),
        }
    }

    fn current(&self) -> Option<Arc<Credentials>> {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.clone()
    }

    async fn get(&self) -> Result<Arc<Credentials>> {
        let now = self.clock.millis();
        let known = match self.current() {
            Some(known) if known.is_valid_for(RENEW_MILLIS, now) => return Ok(known),
            known => known,
        };
        let Some(valid) = known.clone().filter(|known| known.is_valid_for(1, now)) else {
            let _loading = self.loading.lock().await;
            return match self.current() {
                Some(current) if Some(&current) != known.as_ref() => Ok(current),
                _ => self.load().await,
            };
        };
        if now < self.not_before.load(Ordering::SeqCst) {
            return Ok(valid);
        }
        let Ok(_loading) = self.loading.try_lock() else {
            return Ok(valid);
        };
        // It still signs when no other can be had.
        let loaded = self.load().await.unwrap_or_else(|_| Arc::clone(&valid));
        if !loaded.is_valid_for(RENEW_MILLIS, now) {
            let left = loaded
                .expires_at_millis
                .unwrap_or(i64::MAX)
                .saturating_sub(now);
            let pause = (left / 2).min(MAX_PAUSE_MILLIS);
            self.not_before
                .store(now.saturating_add(pause), Ordering::SeqCst);
        }
        Ok(loaded)
    }

    async fn load(&self) -> Result<Arc<Credentials>> {
        let loaded = Arc::new(self.loader.load().await?);
        self.remember(&loaded);
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        *current = Some(Arc::clone(&loaded));
        Ok(loaded)
    }

    fn remember(&self, credentials: &Credentials) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for secret in credentials.secrets() {
            if !seen.contains(&secret) {
                seen.push(secret);
            }
        }
        let old = seen.len().saturating_sub(4);
        seen.drain(..old);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use async_trait::async_trait;

    use super::*;

    const DOCUMENT: &str = r#"{"AccessKeyId":"AKID","AccessKeySecret":"hunter2","SecurityToken":"sts-1",
        "Expiration":"2026-08-22T01:02:03Z","Code":"Success"}"#;
    /// 2026-08-22T01:02:03Z.
    const EXPIRES: i64 = 1_787_360_523_000;

    #[test]
    fn documents() {
        let read = Credentials::parse(DOCUMENT).unwrap();
        assert_eq!(read.access_key_id, "AKID");
        assert_eq!(read.access_key_secret, "hunter2");
        assert_eq!(read.security_token.as_deref(), Some("sts-1"));
        assert_eq!(read.expires_at_millis, Some(EXPIRES));
        let plain =
            Credentials::parse(r#"{"AccessKeyId":"a","AccessKeySecret":"b","Expiration":null}"#)
                .unwrap();
        assert_eq!(
            (plain.security_token, plain.expires_at_millis),
            (None, None)
        );
    }

    #[test]
    fn a_document_that_is_none_is_told_without_its_values() {
        for (text, word) in [
            (r#"{"AccessKeyId":"a"}"#, "AccessKeySecret"),
            (
                r#"{"AccessKeyId":"a","AccessKeySecret":"hunter2""#,
                "cut off",
            ),
            (
                r#"{"AccessKeyId":"a","AccessKeySecret":"hunter2","Expiration":"2026-08-22 01:02:03"}"#,
                "Expiration",
            ),
            (
                r#"{"AccessKeyId":"a","AccessKeySecret":["hunter2"]}"#,
                "type",
            ),
            ("hunter2", "no JSON"),
        ] {
            let message = Credentials::parse(text).unwrap_err();
            assert!(message.contains(word), "{message}");
            assert!(!message.contains("hunter2"), "{message}");
        }
    }

    #[test]
    fn debug_shows_no_secret() {
        let shown = format!("{:?}", Credentials::parse(DOCUMENT).unwrap());
        assert!(
            !shown.contains("hunter2") && !shown.contains("sts-1"),
            "{shown}"
        );
    }

    /// Gives keys `1`, `2`, … that expire an hour and a half after each other, until told to fail.
    #[derive(Debug, Default)]
    struct Counting {
        loads: Arc<AtomicUsize>,
        failing: Arc<std::sync::atomic::AtomicBool>,
    }

    #[async_trait]
    impl Loader for Counting {
        async fn load(&self) -> Result<Credentials> {
            let number = self.loads.fetch_add(1, Ordering::SeqCst) + 1;
            // Others get to run: they must wait and not load too.
            tokio::task::yield_now().await;
            if self.failing.load(Ordering::SeqCst) {
                return crate::error::CredentialsSnafu {
                    place: "the test",
                    message: "no",
                }
                .fail();
            }
            Ok(Credentials {
                access_key_id: number.to_string(),
                access_key_secret: format!("secret-{number}"),
                security_token: None,
                expires_at_millis: Some(i64::try_from(number).unwrap() * 5_400_000),
            })
        }
    }

    #[tokio::test]
    async fn a_key_is_renewed_in_its_last_hour_once_for_all_and_kept_while_it_is_valid() {
        let loader = Counting::default();
        let (loads, failing) = (Arc::clone(&loader.loads), Arc::clone(&loader.failing));
        let millis = Arc::new(AtomicI64::new(0));
        let loaded = LoadedCredentials::new(Box::new(loader), Clock::at(&millis));
        let source = CredentialSource::Loaded(loaded);
        let id = async || source.get().await.map(|key| key.access_key_id.clone());

        let all = futures::future::join_all((0..8).map(|_| id())).await;
        assert!(all.iter().all(|id| id.as_ref().unwrap() == "1"));
        assert_eq!(loads.load(Ordering::SeqCst), 1);
        // Exactly an hour is left.
        millis.store(1_800_000, Ordering::SeqCst);
        assert_eq!(id().await.unwrap(), "1");
        millis.store(1_800_001, Ordering::SeqCst);
        // One loads, and the others sign with what they have.
        let all = futures::future::join_all((0..8).map(|_| id())).await;
        let of = |number: &str| {
            all.iter()
                .filter(|id| id.as_ref().unwrap() == number)
                .count()
        };
        assert_eq!((of("1"), of("2")), (7, 1));
        assert_eq!(loads.load(Ordering::SeqCst), 2);
        assert_eq!(id().await.unwrap(), "2");
        assert_eq!(source.secrets(), ["secret-1", "secret-2"]);

        // The second expires at 10 800 000.
        failing.store(true, Ordering::SeqCst);
        millis.store(9_000_000, Ordering::SeqCst);
        for _ in 0..8 {
            assert_eq!(id().await.unwrap(), "2");
        }
        assert_eq!(loads.load(Ordering::SeqCst), 3);
        millis.store(9_029_999, Ordering::SeqCst);
        assert_eq!(id().await.unwrap(), "2");
        assert_eq!(loads.load(Ordering::SeqCst), 3);
        millis.store(9_030_000, Ordering::SeqCst);
        assert_eq!(id().await.unwrap(), "2");
        assert_eq!(loads.load(Ordering::SeqCst), 4);
        millis.store(10_800_000, Ordering::SeqCst);
        assert!(id().await.is_err());
    }
}
