//! What a server is started with.

/// How a server behaves.
#[derive(Debug, Clone)]
pub struct S3Options {
    pub(super) buckets: Vec<String>,
    pub(super) page_size: usize,
}

impl Default for S3Options {
    fn default() -> Self {
        Self::new()
    }
}

impl S3Options {
    /// No bucket, and pages of 1000 entries, which is what S3 gives at most.
    pub fn new() -> Self {
        Self {
            buckets: Vec::new(),
            page_size: 1000,
        }
    }

    /// Starts with this bucket too, empty.
    #[must_use]
    pub fn bucket(mut self, name: impl Into<String>) -> Self {
        self.buckets.push(name.into());
        self
    }

    /// How many keys and common prefixes a page of a listing has at most, whatever `max-keys` says; at
    /// least 1.
    #[must_use]
    pub fn page_size(mut self, entries: usize) -> Self {
        self.page_size = entries.max(1);
        self
    }
}
