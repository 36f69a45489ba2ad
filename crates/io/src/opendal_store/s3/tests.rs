#![allow(clippy::unwrap_used)]

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use ftable_core::ErrorKind;
use ftable_testkit::s3_server::{S3Fault, S3Options, S3Server};

use super::*;
use crate::file_system::{FileSystem, PublishOutcome};

const MIB: usize = 1024 * 1024;

/// Credentials `AK0`, `AK1`, …, each good once it was given, until the test revokes it.
#[derive(Debug)]
struct Source {
    server: Arc<S3Server>,
    current: Mutex<usize>,
    renewed: AtomicUsize,
}

impl Source {
    fn give(&self, number: usize) -> Options {
        let (key, secret) = (format!("AK{number}"), format!("secret {number}"));
        let token = format!("session {number}");
        Options::from([
            ("s3.endpoint", self.server.endpoint()),
            ("fs.s3.accessKeyId", key),
            ("fs.s3.accessKeySecret", secret),
            ("fs.s3.securityToken", token),
        ])
    }

    fn allow(&self, number: usize) {
        let (key, secret) = (format!("AK{number}"), format!("secret {number}"));
        let token = format!("session {number}");
        let credentials = self.server.credentials();
        credentials.allow(&key, &secret, Some(&token), None);
    }

    /// What was given last is not accepted any more, and nobody is told.
    fn revoke(&self) {
        let current = *self.current.lock().unwrap();
        self.server.credentials().revoke(&format!("AK{current}"));
    }
}

#[async_trait]
impl CredentialSource for Source {
    async fn options(&self) -> Result<Options> {
        Ok(self.give(*self.current.lock().unwrap()))
    }

    async fn renew(&self, refused: &Options) -> Result<Options> {
        let mut current = self.current.lock().unwrap();
        if self.give(*current) == *refused {
            *current += 1;
            self.renewed.fetch_add(1, Ordering::SeqCst);
            self.allow(*current);
        }
        Ok(self.give(*current))
    }
}

fn server() -> Arc<S3Server> {
    Arc::new(S3Server::start(S3Options::new().bucket("lake")).unwrap())
}

fn location() -> Location {
    "s3a://lake/t".parse().unwrap()
}

/// A bucket with a source of credentials.
fn vended(server: &Arc<S3Server>) -> (OpendalFileSystem, Arc<Source>) {
    let source = Arc::new(Source {
        server: Arc::clone(server),
        current: Mutex::new(0),
        renewed: AtomicUsize::new(0),
    });
    source.allow(0);
    let given = source.give(0);
    let credentials: Arc<dyn CredentialSource> = Arc::clone(&source) as _;
    let fs = OpendalFileSystem::s3(&location(), &given, Some(credentials)).unwrap();
    (fs, source)
}

/// A bucket with keys that stay.
fn plain(server: &S3Server) -> OpendalFileSystem {
    server.credentials().allow("AK", "secret", None, None);
    let options = Options::from([
        ("s3.endpoint", server.endpoint().as_str()),
        ("s3.access-key", "AK"),
        ("s3.secret-key", "secret"),
    ]);
    OpendalFileSystem::s3(&location(), &options, None).unwrap()
}

/// Bytes that differ from one place to another.
fn content(length: usize) -> Bytes {
    (0..length).map(|at| (at / 7 % 251) as u8).collect()
}

fn count(server: &S3Server, operation: &str) -> usize {
    let requests = server.requests();
    let of = requests
        .iter()
        .filter(|request| request.operation == operation);
    of.count()
}

#[tokio::test]
async fn a_refused_request_is_signed_anew_and_sent_again() {
    let server = server();
    let (fs, source) = vended(&server);
    assert!(
        fs.create_whole("/t/a", Bytes::from_static(b"1"))
            .await
            .unwrap()
    );
    source.revoke();
    assert_eq!(fs.stat("/t/a").await.unwrap().unwrap().size, 1);
    source.revoke();
    assert_eq!(fs.list("/t").await.unwrap().len(), 1);
    source.revoke();
    assert!(
        fs.create_whole("/t/b", Bytes::from_static(b"2"))
            .await
            .unwrap()
    );
    source.revoke();
    let file = fs.open("/t/b", None).await.unwrap();
    source.revoke();
    assert_eq!(file.read(0..1).await.unwrap(), "2");
    source.revoke();
    assert!(fs.delete_file("/t/b").await.unwrap());
    assert_eq!(source.renewed.load(Ordering::SeqCst), 6);
    assert_eq!(server.objects("lake"), ["t/a"]);
}

#[tokio::test]
async fn s3_says_with_400_that_credentials_have_expired() {
    for code in ["ExpiredToken", "InvalidToken"] {
        let server = server();
        let (fs, source) = vended(&server);
        for operation in ["PutObject", "HeadObject"] {
            server.fail(S3Fault::answer(operation, 400, code).times(1));
        }
        assert!(
            fs.create_whole("/t/a", Bytes::from_static(b"1"))
                .await
                .unwrap()
        );
        assert_eq!(fs.stat("/t/a").await.unwrap().unwrap().size, 1);
        assert_eq!(source.renewed.load(Ordering::SeqCst), 2);
    }
    // Another mistake is none of the credentials, and is told.
    let server = server();
    let (fs, source) = vended(&server);
    server.fail(S3Fault::answer("PutObject", 400, "InvalidDigest").times(1));
    let error = fs
        .create_whole("/t/a", Bytes::from_static(b"1"))
        .await
        .unwrap_err();
    assert_eq!(source.renewed.load(Ordering::SeqCst), 0);
    let told = std::error::Error::source(&error).unwrap().to_string();
    assert!(told.contains("InvalidDigest"), "{told}");
}

#[tokio::test]
async fn a_file_outlives_the_credentials_it_was_begun_with() {
    let server = server();
    let (fs, source) = vended(&server);
    let mut file = fs.create("/t/_temporary/a").await.unwrap();
    let whole = content(18 * MIB);
    for part in 0..6 {
        source.revoke();
        file.write(whole.slice(3 * part * MIB..3 * (part + 1) * MIB))
            .await
            .unwrap();
    }
    assert!(server.objects("lake").is_empty());
    source.revoke();
    assert_eq!(file.close().await.unwrap(), whole.len() as u64);
    assert!(server.object("lake", "t/_temporary/a").unwrap() == whole);
    assert!(source.renewed.load(Ordering::SeqCst) >= 3);
    source.revoke();
    let published = fs.publish("/t/_temporary/a", "/t/a").await.unwrap();
    assert_eq!(published, PublishOutcome::Published);
    assert_eq!(server.objects("lake"), ["t/a"]);
    assert!(server.object("lake", "t/a").unwrap() == whole);
}

#[tokio::test]
async fn credentials_that_stay_refused_are_renewed_once_and_told() {
    let server = server();
    let (fs, source) = vended(&server);
    server.fail(S3Fault::answer("PutObject", 403, "AccessDenied"));
    let error = fs
        .create_whole("/t/a", Bytes::from_static(b"1"))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert_eq!(count(&server, "PutObject"), 2);
    assert_eq!(source.renewed.load(Ordering::SeqCst), 1);
    // Keys that stay are never renewed.
    let server = self::server();
    let fs = plain(&server);
    server.credentials().revoke("AK");
    let error = fs.stat("/t/a").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert_eq!(server.requests().len(), 1);
    assert!(!format!("{error:?} {fs:?}").contains("secret"), "{error:?}");
}

/// A source that has nothing to give.
#[derive(Debug)]
struct Nothing;

#[async_trait]
impl CredentialSource for Nothing {
    async fn options(&self) -> Result<Options> {
        Ok(Options::default())
    }

    async fn renew(&self, _refused: &Options) -> Result<Options> {
        Ok(Options::default())
    }
}

/// A source that cannot be reached now.
#[derive(Debug)]
struct Away;

#[async_trait]
impl CredentialSource for Away {
    async fn options(&self) -> Result<Options> {
        Err(Error::Store {
            operation: "ask",
            path: "/".to_owned(),
            reason: "the catalog is away".to_owned(),
            kind: ErrorKind::Unavailable,
            source: "a test".into(),
        })
    }

    async fn renew(&self, _refused: &Options) -> Result<Options> {
        self.options().await
    }
}

#[tokio::test]
async fn a_source_that_fails_says_why() {
    let server = server();
    let options = Options::from([("s3.endpoint", server.endpoint())]);
    let fs = OpendalFileSystem::s3(&location(), &options, Some(Arc::new(Away))).unwrap();
    let error = fs
        .create_whole("/t/a", Bytes::from_static(b"1"))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let told = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(told, "cannot ask '/': the catalog is away");
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_source_without_keys_is_told() {
    let server = server();
    let options = Options::from([("s3.endpoint", server.endpoint())]);
    let fs = OpendalFileSystem::s3(&location(), &options, Some(Arc::new(Nothing))).unwrap();
    let error = fs.stat("/t/a").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    let told = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(told, "the credentials that were given hold no access key");
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn large_files_are_published_part_by_part_and_replace_nothing() {
    let server = server();
    let fs = plain(&server);
    let whole = content(17 * MIB);
    server.put_object("lake", "t/_temporary/a", whole.clone());
    let published = fs.publish("/t/_temporary/a", "/t/a").await.unwrap();
    assert_eq!(published, PublishOutcome::Published);
    assert!(server.object("lake", "t/a").unwrap() == whole);
    assert_eq!(count(&server, "UploadPart"), 2);
    server.put_object("lake", "t/_temporary/b", content(18 * MIB));
    let published = fs.publish("/t/_temporary/b", "/t/a").await.unwrap();
    assert_eq!(published, PublishOutcome::TargetExists);
    assert!(server.object("lake", "t/a").unwrap() == whole);
    assert_eq!(server.objects("lake"), ["t/_temporary/b", "t/a"]);
    // A part that cannot be written leaves nothing, neither a file nor an upload.
    server.fail(S3Fault::answer("UploadPart", 500, "InternalError"));
    let error = fs.publish("/t/_temporary/b", "/t/c").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(server.objects("lake"), ["t/_temporary/b", "t/a"]);
    assert_eq!(server.uploads("lake"), 0);
}

/// Waits until no upload is under way, and there must be no object then.
async fn assert_nothing_is_left(server: &S3Server) {
    let gone = async {
        while server.uploads("lake") > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), gone)
        .await
        .unwrap();
    assert!(server.objects("lake").is_empty());
}

#[tokio::test]
async fn a_file_that_is_dropped_half_way_leaves_no_upload() {
    let server = server();
    let fs = plain(&server);
    let mut file = fs.create("/t/_temporary/a").await.unwrap();
    for _ in 0..3 {
        file.write(content(6 * MIB)).await.unwrap();
    }
    assert_eq!(server.uploads("lake"), 1);
    drop(file);
    assert_nothing_is_left(&server).await;
}

#[tokio::test]
async fn a_write_that_is_given_up_half_way_leaves_no_upload() {
    let server = server();
    let fs = plain(&server);
    let mut file = fs.create("/t/_temporary/a").await.unwrap();
    for _ in 0..2 {
        file.write(content(12 * MIB)).await.unwrap();
    }
    assert_eq!(server.uploads("lake"), 1);
    // Too little time to send a part, but enough to begin.
    for _ in 0..3 {
        let part = file.write(content(12 * MIB));
        let _ = tokio::time::timeout(Duration::from_micros(500), part).await;
    }
    let error = file.write(Bytes::from_static(b"1")).await.unwrap_err();
    assert!(error.to_string().contains("given up"), "{error}");
    drop(file);
    assert_nothing_is_left(&server).await;
}

#[tokio::test]
async fn expired_keys_that_stay_are_no_internal_error() {
    let server = server();
    let fs = plain(&server);
    server.fail(S3Fault::answer("PutObject", 400, "ExpiredToken"));
    let error = fs
        .create_whole("/t/a", Bytes::from_static(b"1"))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
}

#[tokio::test]
async fn a_staged_file_that_cannot_be_removed_is_a_leftover_of_a_publish_that_succeeded() {
    let server = server();
    let fs = plain(&server);
    assert!(
        fs.create_whole("/t/_temporary/a", Bytes::from_static(b"1"))
            .await
            .unwrap()
    );
    server.fail(S3Fault::answer("DeleteObject", 403, "AccessDenied"));
    let published = fs.publish("/t/_temporary/a", "/t/a").await.unwrap();
    assert_eq!(published, PublishOutcome::Published);
    assert_eq!(server.objects("lake"), ["t/_temporary/a", "t/a"]);
}

#[tokio::test]
async fn what_changes_nothing_twice_is_tried_again_and_nothing_else() {
    let server = server();
    let fs = plain(&server);
    server.put_object("lake", "t/a", Bytes::from_static(b"1"));
    for operation in ["HeadObject", "ListObjectsV2", "GetObject", "DeleteObject"] {
        server.fail(S3Fault::answer(operation, 503, "SlowDown").times(2));
    }
    assert_eq!(fs.list("/t").await.unwrap().len(), 1);
    let file = fs.open("/t/a", None).await.unwrap();
    assert_eq!(file.read(0..1).await.unwrap(), "1");
    assert!(fs.delete_file("/t/a").await.unwrap());
    assert!(server.objects("lake").is_empty());
    // Whether a write was done that got no answer is for the caller to find out.
    server.fail(S3Fault::answer("PutObject", 503, "SlowDown").times(1));
    let error = fs
        .create_whole("/t/b", Bytes::from_static(b"2"))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(server.objects("lake").is_empty());
    server.fail(S3Fault::lost_answer("PutObject").times(1));
    assert!(
        fs.create_whole("/t/b", Bytes::from_static(b"2"))
            .await
            .is_err()
    );
    assert_eq!(server.objects("lake"), ["t/b"]);
    assert_eq!(count(&server, "PutObject"), 2);
}
