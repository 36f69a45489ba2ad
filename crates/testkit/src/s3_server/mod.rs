//! An S3 server on 127.0.0.1, for tests of clients through real sockets.
//!
//! It keeps buckets in memory and answers, by path-style addresses, the calls that a store of files needs:
//! `GetObject` (whole or one range), `HeadObject`, `PutObject`, `CopyObject`, `DeleteObject`,
//! `DeleteObjects`, `ListObjectsV2`, `CreateMultipartUpload`, `UploadPart`, `CompleteMultipartUpload` and
//! `AbortMultipartUpload`. Every other call, and every header or parameter that would change what these
//! mean, is answered with 501 `NotImplemented`, so that nothing is ignored that a client relies on.
//! Signatures are verified, access keys come and go while it runs: [`S3Credentials`]. On command it fails:
//! [`S3Fault`]. Every request is recorded: [`S3Server::requests`].
//!
//! ```
//! use ftable_testkit::s3_server::{S3Fault, S3Options, S3Server};
//!
//! let server = S3Server::start(S3Options::new().bucket("lake").page_size(2))?;
//! server.credentials().allow("AK", "secret", None, None);
//! // The first object that is put is throttled.
//! server.fail(S3Fault::answer("PutObject", 503, "SlowDown").times(1));
//! // Here a client works with server.endpoint().
//! assert!(server.requests().is_empty());
//! # std::io::Result::Ok(())
//! ```
//!
//! `If-None-Match: *` of `PutObject` and `CompleteMultipartUpload` is honoured: 412 `PreconditionFailed`
//! when the object exists. A multipart upload that was completed is forgotten: completing it again is
//! answered with 404 `NoSuchUpload`. All parts but the last have 5 MiB or more, as the service demands. A
//! connection whose request has more than 256 MiB is closed.

mod access;
mod credentials;
mod faults;
mod listing;
mod log;
mod options;
mod protocol;
mod serve;
mod store;

use std::io;
use std::sync::Arc;

use bytes::Bytes;

pub use credentials::S3Credentials;
pub use faults::S3Fault;
pub use log::S3Request;
pub use options::S3Options;

use crate::loopback::Loopback;
use serve::Shared;

/// A running server. It stops when this is dropped.
///
/// It has a thread and a runtime of its own: it serves tests without a runtime, and tests that block
/// theirs.
#[derive(Debug)]
pub struct S3Server {
    loopback: Loopback,
    shared: Arc<Shared>,
}

impl S3Server {
    /// Starts a server on a port that the system chooses. Nobody may ask it anything until
    /// [`S3Credentials::allow`].
    ///
    /// # Errors
    /// No port can be listened on, or no thread started.
    pub fn start(options: S3Options) -> io::Result<Self> {
        let shared = Arc::new(Shared::new(options));
        let connection = serve::connections(&shared);
        Ok(Self {
            loopback: Loopback::start("s3-server", 0, connection)?,
            shared,
        })
    }

    /// Where clients find it: `http://127.0.0.1:port`, without a slash behind. A bucket's name is the first
    /// segment of the path.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.loopback.address())
    }

    /// Who may ask.
    pub fn credentials(&self) -> &S3Credentials {
        &self.shared.credentials
    }

    /// Lets requests go wrong. Of several faults that fit a request the one that was added first decides.
    pub fn fail(&self, fault: S3Fault) {
        self.shared.faults.add(fault);
    }

    /// What was asked so far, in the order in which it arrived.
    pub fn requests(&self) -> Vec<S3Request> {
        self.shared.log.all()
    }

    /// The keys of all objects in a bucket, in the order of their bytes; none when there is no such bucket.
    pub fn objects(&self, bucket: &str) -> Vec<String> {
        let store = self.shared.store();
        store.bucket(bucket).map_or_else(
            |_| Vec::new(),
            |bucket| bucket.objects().keys().cloned().collect(),
        )
    }

    /// The content of an object, if there is one.
    pub fn object(&self, bucket: &str, key: &str) -> Option<Bytes> {
        let store = self.shared.store();
        let found = store.bucket(bucket).ok()?.object(key).ok()?;
        Some(found.body.clone())
    }

    /// Puts an object without a request, in place of the one that is there; makes the bucket if there is
    /// none.
    pub fn put_object(&self, bucket: &str, key: &str, content: Bytes) {
        let mut store = self.shared.store();
        store.make_bucket(bucket).put(key, content, None);
    }

    /// How many multipart uploads of a bucket are neither completed nor aborted.
    pub fn uploads(&self, bucket: &str) -> usize {
        let store = self.shared.store();
        store
            .bucket(bucket)
            .map_or(0, |bucket| bucket.uploads().len())
    }
}
