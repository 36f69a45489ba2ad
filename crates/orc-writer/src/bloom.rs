//! Bloom filters over the values of a row group (specification: "Bloom Filter Index").

use crate::proto::BloomFilter as Message;

/// The seed of the hash of texts.
const SEED: u64 = 104_729;

/// A bloom filter that values are added to.
pub(crate) struct BloomFilter {
    words: Vec<u64>,
    hash_functions: u32,
}

impl BloomFilter {
    /// For `entries` values, of which a foreign one is taken for known with probability `fpp`.
    pub(crate) fn new(entries: usize, fpp: f64) -> Self {
        let ln2 = std::f64::consts::LN_2;
        let entries = entries.max(1) as f64;
        let bits = -entries * fpp.ln() / (ln2 * ln2);
        // ORC's writers always add a word, also to whole ones: the filters have to be of one size to be compared.
        let words = (bits as usize) / 64 + 1;
        let hash_functions = ((words * 64) as f64 / entries * ln2).round();
        Self {
            words: vec![0; words],
            hash_functions: (hash_functions as u32).max(1),
        }
    }

    /// Adds a text or bytes.
    pub(crate) fn add_bytes(&mut self, bytes: &[u8]) {
        self.add_hash(murmur(bytes));
    }

    /// Adds an integer, days, or milliseconds.
    pub(crate) fn add_integer(&mut self, value: i64) {
        self.add_hash(wang(value));
    }

    /// Adds a number by its bits.
    pub(crate) fn add_double(&mut self, value: f64) {
        // Java has one NaN.
        let value = if value.is_nan() { f64::NAN } else { value };
        self.add_integer(value.to_bits() as i64);
    }

    fn add_hash(&mut self, hash: u64) {
        let (low, high) = (hash as i32, (hash >> 32) as i32);
        let bits = self.words.len() as u64 * 64;
        for function in 1..=self.hash_functions as i32 {
            let mixed = low.wrapping_add(function.wrapping_mul(high));
            let mixed = if mixed < 0 { !mixed } else { mixed };
            let bit = u64::from(mixed.unsigned_abs()) % bits;
            if let Some(word) = self.words.get_mut((bit / 64) as usize) {
                *word |= 1 << (bit % 64);
            }
        }
    }

    /// The message that readers get.
    pub(crate) fn message(&self) -> Message {
        let bytes = self.words.iter().flat_map(|word| word.to_le_bytes());
        Message {
            hash_functions: Some(self.hash_functions),
            utf8_bitset: Some(bytes.collect()),
        }
    }
}

/// Thomas Wang's hash of 64 bits.
fn wang(value: i64) -> u64 {
    let mut hash = value;
    hash = (!hash).wrapping_add(hash << 21);
    hash ^= hash >> 24;
    hash = hash.wrapping_add(hash << 3).wrapping_add(hash << 8);
    hash ^= hash >> 14;
    hash = hash.wrapping_add(hash << 2).wrapping_add(hash << 4);
    hash ^= hash >> 28;
    hash.wrapping_add(hash << 31) as u64
}

/// The 64-bit variant of Murmur3 that Hive and ORC use.
fn murmur(bytes: &[u8]) -> u64 {
    const C1: u64 = 0x87c3_7b91_1142_53d5;
    const C2: u64 = 0x4cf5_ad43_2745_937f;
    let mix = |block: u64| block.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
    let mut hash = SEED;
    let blocks = bytes.chunks_exact(8);
    let tail = blocks.remainder();
    for block in blocks {
        let block = block
            .iter()
            .rev()
            .fold(0, |all, byte| all << 8 | u64::from(*byte));
        hash = (hash ^ mix(block)).rotate_left(27);
        hash = hash.wrapping_mul(5).wrapping_add(0x52dc_e729);
    }
    if !tail.is_empty() {
        let block = tail
            .iter()
            .rev()
            .fold(0, |all, byte| all << 8 | u64::from(*byte));
        hash ^= mix(block);
    }
    hash ^= bytes.len() as u64;
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ hash >> 33
}
