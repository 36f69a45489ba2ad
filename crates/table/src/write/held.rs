//! Memory that the encoders of a writer hold, all together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes held by all encoders of a writer.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory(Arc<AtomicU64>);

/// The share of one encoder.
#[derive(Debug)]
pub(super) struct Held {
    memory: Memory,
    own: u64,
}

impl Held {
    pub(super) fn new(memory: &Memory) -> Self {
        Self {
            memory: memory.clone(),
            own: 0,
        }
    }

    /// Says how much the encoder holds now; gives what all of them hold.
    pub(super) fn update(&mut self, bytes: u64) -> u64 {
        let total = &self.memory.0;
        total.fetch_add(bytes, Ordering::Relaxed);
        let before = std::mem::replace(&mut self.own, bytes);
        total.fetch_sub(before, Ordering::Relaxed) - before
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.memory.0.fetch_sub(self.own, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_end_with_their_encoders() {
        let memory = Memory::default();
        let (mut a, mut b) = (Held::new(&memory), Held::new(&memory));
        assert_eq!(a.update(10), 10);
        assert_eq!(b.update(5), 15);
        assert_eq!(a.update(2), 7);
        drop(a);
        assert_eq!(b.update(6), 6);
    }
}
