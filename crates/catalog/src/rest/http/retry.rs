//! When a request is sent again, and after which wait.

use std::time::Duration;

use ftable_core::Options;
use ftable_core::options::OptionKey;
use ftable_core::options::keys::{REST_MAX_RETRIES, REST_MAX_RETRY_AFTER, REST_RETRY_DELAY};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use snafu::ResultExt;

use crate::Result;
use crate::error::{CoreSnafu, InvalidOptionSnafu};

/// The longest wait that doubling leads to, as in Paimon.
const MAX_BACKOFF: Duration = Duration::from_secs(64);

/// How often, and after which waits.
#[derive(Debug, Clone)]
pub(crate) struct RetryPolicy {
    max_retries: u32,
    base_delay: Duration,
    max_retry_after: Duration,
}

impl RetryPolicy {
    /// Reads the options `rest.client.max-retries`, `rest.client.retry-delay` and
    /// `rest.client.max-retry-after`.
    ///
    /// # Errors
    /// `InvalidOption` for a value that is none.
    pub(crate) fn from_options(options: &Options) -> Result<Self> {
        let retries: i32 = read(options, &REST_MAX_RETRIES)?;
        let Ok(max_retries) = u32::try_from(retries) else {
            return InvalidOptionSnafu {
                key: REST_MAX_RETRIES.name(),
                value: retries.to_string(),
                message: "it cannot be negative; use 0 to send every request once",
            }
            .fail();
        };
        Ok(Self {
            max_retries,
            base_delay: read(options, &REST_RETRY_DELAY)?,
            max_retry_after: read(options, &REST_MAX_RETRY_AFTER)?,
        })
    }

    /// How long to wait before the attempt after `attempts`, if there is to be one.
    ///
    /// What the server asks for (`Retry-After`, positive seconds or a date) counts up to a limit. Else the base
    /// delay is doubled each time and made longer by `jitter` (0 to 0.1), so that clients do not come back
    /// all at once.
    pub(crate) fn delay(
        &self,
        attempts: u32,
        retry_after: Option<&str>,
        now: Timestamp,
        jitter: f64,
    ) -> Option<Duration> {
        if attempts > self.max_retries {
            return None;
        }
        let asked = retry_after.and_then(|text| parse_retry_after(text, now));
        Some(match asked {
            Some(wait) => wait.min(self.max_retry_after),
            None => {
                let doublings = attempts.saturating_sub(1).min(31);
                let wait = self.base_delay.saturating_mul(1 << doublings);
                wait.min(MAX_BACKOFF).mul_f64(1.0 + jitter.clamp(0.0, 0.1))
            }
        })
    }
}

/// The wait that header `Retry-After` asks for; none unless it is positive.
fn parse_retry_after(text: &str, now: Timestamp) -> Option<Duration> {
    let text = text.trim();
    let wait = match text.parse::<u64>() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let date = DateTimeParser::new().parse_timestamp(text).ok()?;
            Duration::try_from(date.duration_since(now)).ok()?
        }
    };
    (!wait.is_zero()).then_some(wait)
}

/// The value of a key of the REST catalog.
pub(crate) fn read<T>(options: &Options, key: &OptionKey<T>) -> Result<T>
where
    T: ftable_core::options::OptionValue,
{
    options.get(key).context(CoreSnafu {
        subject: "the options of the REST catalog".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy() -> RetryPolicy {
        RetryPolicy::from_options(&Options::new()).unwrap()
    }

    fn now() -> Timestamp {
        "2026-08-22T01:02:03Z".parse().unwrap()
    }

    #[test]
    fn without_a_word_of_the_server_the_wait_doubles_up_to_a_minute() {
        let seconds: Vec<_> = (1..=6)
            .map(|attempts| policy().delay(attempts, None, now(), 0.0))
            .map(|wait| wait.map(|wait| wait.as_secs()))
            .collect();
        assert_eq!(
            seconds,
            [Some(1), Some(2), Some(4), Some(8), Some(16), None]
        );
        let many = Options::from([("rest.client.max-retries", "100")]);
        let many = RetryPolicy::from_options(&many).unwrap();
        for attempts in [7, 8, 32, 33, 100] {
            assert_eq!(
                many.delay(attempts, None, now(), 0.0),
                Some(Duration::from_secs(64))
            );
        }
    }

    #[test]
    fn jitter_adds_at_most_a_tenth() {
        let wait = |jitter| policy().delay(1, None, now(), jitter).unwrap();
        assert_eq!(wait(0.05), Duration::from_millis(1050));
        assert_eq!(wait(7.0), Duration::from_millis(1100));
    }

    #[test]
    fn the_server_may_ask_for_a_wait() {
        let wait = |text| policy().delay(1, Some(text), now(), 0.1).unwrap();
        for (text, millis) in [
            ("2", 2000),
            ("Sat, 22 Aug 2026 01:02:05 GMT", 2000),
            ("100000", 180_000),
            // No wait that makes sense: back-off.
            ("0", 1100),
            ("-1", 1100),
            ("soon", 1100),
            ("Sat, 22 Aug 2026 01:02:03 GMT", 1100),
            ("Sat, 22 Aug 2026 01:02:01 GMT", 1100),
        ] {
            assert_eq!(wait(text), Duration::from_millis(millis), "{text}");
        }
    }

    #[test]
    fn counts_and_delays_are_options() {
        let options = Options::from([
            ("rest.client.max-retries", "1"),
            ("rest.client.retry-delay", "10 ms"),
            ("rest.client.max-retry-after", "20 ms"),
        ]);
        let policy = RetryPolicy::from_options(&options).unwrap();
        assert_eq!(
            policy.delay(1, None, now(), 0.0),
            Some(Duration::from_millis(10))
        );
        assert_eq!(
            policy.delay(1, Some("7"), now(), 0.0),
            Some(Duration::from_millis(20))
        );
        assert_eq!(policy.delay(2, None, now(), 0.0), None);
        let options = Options::from([("rest.client.max-retries", "-1")]);
        let error = RetryPolicy::from_options(&options).unwrap_err();
        assert!(error.to_string().contains("rest.client.max-retries"));
    }
}
