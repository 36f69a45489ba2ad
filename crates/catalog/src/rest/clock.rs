//! The time of day.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;

/// Tells the time; tests set it.
#[derive(Clone)]
pub(super) struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The clock of this machine.
    pub(super) fn system() -> Self {
        Self(Arc::new(Timestamp::now))
    }

    /// A clock that tells the milliseconds since the epoch that `millis` holds.
    #[cfg(test)]
    pub(super) fn at(millis: &Arc<std::sync::atomic::AtomicI64>) -> Self {
        let millis = Arc::clone(millis);
        Self(Arc::new(move || {
            let now = millis.load(std::sync::atomic::Ordering::SeqCst);
            Timestamp::from_millisecond(now).unwrap()
        }))
    }

    pub(super) fn now(&self) -> Timestamp {
        (self.0)()
    }

    /// Milliseconds since the epoch.
    pub(super) fn millis(&self) -> i64 {
        self.now().as_millisecond()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
