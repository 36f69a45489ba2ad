//! Buckets, their objects, and uploads that are not finished.

use std::collections::BTreeMap;
use std::time::SystemTime;

use bytes::{Bytes, BytesMut};
use md5::{Digest, Md5};
use s3s::{S3Error, S3Result, s3_error};

/// How many bytes every part but the last has at least.
const MIN_PART: usize = 5 << 20;

/// The number of the last part that an upload may have.
const MAX_PART_NUMBER: i32 = 10_000;

/// All that a server keeps.
#[derive(Debug, Default)]
pub(super) struct Store {
    buckets: BTreeMap<String, Bucket>,
}

/// Objects by their keys, and uploads by their ids.
#[derive(Debug, Default)]
pub(super) struct Bucket {
    objects: BTreeMap<String, Object>,
    uploads: BTreeMap<String, Upload>,
    /// How many uploads there were so far.
    uploads_made: usize,
}

/// One object.
#[derive(Debug, Clone)]
pub(super) struct Object {
    pub(super) body: Bytes,
    pub(super) content_type: Option<String>,
    /// Without quotes.
    pub(super) e_tag: String,
    pub(super) modified: SystemTime,
}

/// An upload that is neither completed nor aborted.
#[derive(Debug)]
pub(super) struct Upload {
    key: String,
    content_type: Option<String>,
    parts: BTreeMap<i32, Bytes>,
}

impl Store {
    pub(super) fn with_buckets(names: &[String]) -> Self {
        let mut store = Self::default();
        for name in names {
            store.make_bucket(name);
        }
        store
    }

    pub(super) fn make_bucket(&mut self, name: &str) -> &mut Bucket {
        self.buckets.entry(name.to_owned()).or_default()
    }

    pub(super) fn bucket(&self, name: &str) -> S3Result<&Bucket> {
        let bucket = self.buckets.get(name);
        bucket.ok_or_else(|| s3_error!(NoSuchBucket, "There is no bucket '{name}'."))
    }

    pub(super) fn bucket_mut(&mut self, name: &str) -> S3Result<&mut Bucket> {
        let bucket = self.buckets.get_mut(name);
        bucket.ok_or_else(|| s3_error!(NoSuchBucket, "There is no bucket '{name}'."))
    }
}

impl Bucket {
    pub(super) fn objects(&self) -> &BTreeMap<String, Object> {
        &self.objects
    }

    pub(super) fn uploads(&self) -> &BTreeMap<String, Upload> {
        &self.uploads
    }

    pub(super) fn object(&self, key: &str) -> S3Result<&Object> {
        let object = self.objects.get(key);
        object.ok_or_else(|| s3_error!(NoSuchKey, "There is no object '{key}'."))
    }

    /// Puts an object, in place of the one that is there, and gives its entity tag.
    pub(super) fn put(&mut self, key: &str, body: Bytes, content_type: Option<String>) -> String {
        let e_tag = hex(&Md5::digest(&body));
        self.insert(key, body, content_type, e_tag)
    }

    /// Refuses to overwrite: the condition `If-None-Match: *`.
    pub(super) fn check_absent(&self, key: &str) -> S3Result {
        if self.objects.contains_key(key) {
            return Err(condition_failed());
        }
        Ok(())
    }

    /// Takes an object away, if there is one.
    pub(super) fn remove(&mut self, key: &str) {
        self.objects.remove(key);
    }

    /// Begins an upload and gives its id.
    pub(super) fn begin(&mut self, key: String, content_type: Option<String>) -> String {
        self.uploads_made += 1;
        let id = format!("upload-{}", self.uploads_made);
        let upload = Upload {
            key,
            content_type,
            parts: BTreeMap::new(),
        };
        self.uploads.insert(id.clone(), upload);
        id
    }

    /// Keeps a part, in place of one of its number, and gives its entity tag.
    pub(super) fn put_part(
        &mut self,
        key: &str,
        id: &str,
        number: i32,
        body: Bytes,
    ) -> S3Result<String> {
        self.upload(key, id)?;
        if !(1..=MAX_PART_NUMBER).contains(&number) {
            return Err(s3_error!(
                InvalidArgument,
                "Part number must be an integer between 1 and {MAX_PART_NUMBER}, inclusive"
            ));
        }
        let e_tag = hex(&Md5::digest(&body));
        if let Some(upload) = self.uploads.get_mut(id) {
            upload.parts.insert(number, body);
        }
        Ok(e_tag)
    }

    /// Makes an object of parts, each named by its number and entity tag, and gives the object's entity
    /// tag. The upload is over.
    pub(super) fn complete(
        &mut self,
        key: &str,
        id: &str,
        named: &[(i32, String)],
    ) -> S3Result<String> {
        let (body, e_tag) = self.upload(key, id)?.assemble(named)?;
        let upload = self.uploads.remove(id);
        let content_type = upload.and_then(|upload| upload.content_type);
        Ok(self.insert(key, body, content_type, e_tag))
    }

    /// Forgets an upload and its parts.
    pub(super) fn abort(&mut self, key: &str, id: &str) -> S3Result {
        self.upload(key, id)?;
        self.uploads.remove(id);
        Ok(())
    }

    fn upload(&self, key: &str, id: &str) -> S3Result<&Upload> {
        let upload = self.uploads.get(id).filter(|upload| upload.key == key);
        upload.ok_or_else(|| s3_error!(NoSuchUpload, "There is no upload '{id}' of '{key}'."))
    }

    fn insert(
        &mut self,
        key: &str,
        body: Bytes,
        content_type: Option<String>,
        e_tag: String,
    ) -> String {
        let object = Object {
            body,
            content_type,
            e_tag: e_tag.clone(),
            modified: SystemTime::now(),
        };
        self.objects.insert(key.to_owned(), object);
        e_tag
    }
}

impl Upload {
    /// The content of the parts that are named, and its entity tag: the digest of their digests, and how
    /// many they are.
    fn assemble(&self, named: &[(i32, String)]) -> S3Result<(Bytes, String)> {
        if named.is_empty() {
            return Err(s3_error!(MalformedXML, "No part is named."));
        }
        if !named.is_sorted_by(|(one, _), (next, _)| one < next) {
            return Err(s3_error!(InvalidPartOrder));
        }
        let mut parts = Vec::new();
        for (number, e_tag) in named {
            let part = self.parts.get(number);
            let part = part.filter(|part| hex(&Md5::digest(part)) == *e_tag);
            parts.push(part.ok_or_else(|| s3_error!(InvalidPart, "Part {number} is another."))?);
        }
        let before_last = parts.len().saturating_sub(1);
        if parts
            .iter()
            .take(before_last)
            .any(|part| part.len() < MIN_PART)
        {
            return Err(s3_error!(
                EntityTooSmall,
                "A part before the last has less than {MIN_PART} bytes."
            ));
        }
        let mut body = BytesMut::new();
        let mut digests = Md5::new();
        for part in parts {
            digests.update(Md5::digest(part));
            body.extend_from_slice(part);
        }
        let e_tag = format!("{}-{}", hex(&digests.finalize()), named.len());
        Ok((body.freeze(), e_tag))
    }
}

/// The answer to a request whose condition does not hold.
pub(super) fn condition_failed() -> S3Error {
    s3_error!(
        PreconditionFailed,
        "At least one of the pre-conditions you specified did not hold"
    )
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
