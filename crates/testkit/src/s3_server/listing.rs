//! Pages of the keys of a bucket.

use std::collections::BTreeMap;
use std::ops::Bound;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use s3s::{S3Result, s3_error};

use super::store::Object;

/// Which keys are listed.
#[derive(Debug)]
pub(super) struct Listing<'a> {
    pub(super) prefix: &'a str,
    /// Keys with this text behind the prefix are listed as one common prefix; empty for none.
    pub(super) delimiter: &'a str,
    pub(super) start_after: &'a str,
    /// The name of the last entry of the page before.
    pub(super) continued: Option<&'a str>,
    /// How many entries a page has at most.
    pub(super) limit: usize,
}

/// One page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Page<'a> {
    pub(super) keys: Vec<&'a str>,
    pub(super) common_prefixes: Vec<&'a str>,
    /// The name of its last entry, if there is another page.
    pub(super) next: Option<&'a str>,
}

impl Listing<'_> {
    pub(super) fn page<'a>(&self, objects: &'a BTreeMap<String, Object>) -> Page<'a> {
        let mut page = Page::default();
        let mut last = None;
        for key in keys_from(objects, self.prefix) {
            if !key.starts_with(self.prefix) {
                break;
            }
            if !self.start_after.is_empty() && key <= self.start_after {
                continue;
            }
            let (entry, is_common) = self.entry_of(key);
            let seen = last == Some(entry) || self.continued.is_some_and(|name| entry <= name);
            if seen {
                continue;
            }
            if page.keys.len() + page.common_prefixes.len() == self.limit {
                page.next = last;
                break;
            }
            last = Some(entry);
            if is_common {
                page.common_prefixes.push(entry);
            } else {
                page.keys.push(entry);
            }
        }
        page
    }

    /// What a key is listed as, and whether that is a common prefix.
    fn entry_of<'a>(&self, key: &'a str) -> (&'a str, bool) {
        let behind = key.get(self.prefix.len()..).unwrap_or_default();
        let found = behind
            .find(self.delimiter)
            .filter(|_| !self.delimiter.is_empty());
        let end = found.map(|place| self.prefix.len() + place + self.delimiter.len());
        let common = end.and_then(|end| key.get(..end));
        common.map_or((key, false), |common| (common, true))
    }
}

fn keys_from<'a>(
    objects: &'a BTreeMap<String, Object>,
    first: &str,
) -> impl Iterator<Item = &'a str> {
    let range = objects.range::<str, _>((Bound::Included(first), Bound::Unbounded));
    range.map(|(key, _)| key.as_str())
}

/// What a client hands back to get the page behind an entry. It has `+`, `/` and `=` in it, so that a client
/// must encode it, and is no key, so that a client cannot make it up.
pub(super) fn token_of(name: &str) -> String {
    STANDARD.encode(name)
}

/// The name of the entry that a token is about.
pub(super) fn name_of(token: &str) -> S3Result<String> {
    let name = STANDARD.decode(token).ok().map(String::from_utf8);
    let name = name.and_then(Result::ok);
    name.ok_or_else(|| s3_error!(InvalidArgument, "The continuation token is incorrect"))
}

/// A name as `encoding-type=url` asks for it: slashes stay, a space is `%20`.
pub(super) fn url_encoded(name: &str) -> String {
    let mut encoded = String::new();
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                encoded.push(char::from(byte));
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::url_encoded;

    /// The example of the documentation of `ListObjectsV2`.
    #[test]
    fn names_are_encoded_as_documented() {
        assert_eq!(url_encoded("test_file(3).png"), "test_file%283%29.png");
        assert_eq!(url_encoded("a b/c+d%"), "a%20b/c%2Bd%25");
    }
}
