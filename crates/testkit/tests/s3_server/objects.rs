use ftable_testkit::s3_server::S3Server;
use opendal::ErrorKind;
use reqwest::Method;

use crate::client::{BUCKET, KEYS, Reply, Signed, get, operator, server};

#[tokio::test]
async fn objects_are_put_read_and_deleted() {
    let server = server();
    let store = operator(&server, KEYS);
    store.write("dir/a", "0123456789").await.unwrap();
    assert_eq!(server.objects(BUCKET), ["dir/a"]);
    assert_eq!(server.object(BUCKET, "dir/a").unwrap(), "0123456789");

    let read = store.read("dir/a").await.unwrap();
    assert_eq!(read.to_vec(), b"0123456789");
    let part = store.read_with("dir/a").range(3..6).await.unwrap();
    assert_eq!(part.to_vec(), b"345");
    let tail = store.read_with("dir/a").range(8..).await.unwrap();
    assert_eq!(tail.to_vec(), b"89");
    let about = store.stat("dir/a").await.unwrap();
    assert_eq!(about.content_length(), 10);
    // The MD5 digest of the ten digits.
    assert_eq!(about.etag(), Some("\"781e5e245d69b566979b86e28d23f2c7\""));
    assert!(about.last_modified().is_some());

    store.write("dir/a", "other").await.unwrap();
    assert_eq!(server.object(BUCKET, "dir/a").unwrap(), "other");
    store.delete("dir/a").await.unwrap();
    assert_eq!(server.objects(BUCKET), Vec::<String>::new());
    let error = store.read("dir/a").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let error = store.stat("dir/a").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    // Deleting what is not there is no error.
    store.delete("dir/a").await.unwrap();
}

#[tokio::test]
async fn ranges_are_those_of_http() {
    let server = server();
    server.put_object(BUCKET, "a", "0123456789".into());
    server.put_object(BUCKET, "empty", "".into());
    let cases = [
        ("a", "bytes=0-0", (206, "0")),
        ("a", "bytes=7-100", (206, "789")),
        ("a", "bytes=-4", (206, "6789")),
        ("a", "bytes=-40", (206, "0123456789")),
    ];
    for (key, range, right) in cases {
        let reply = get_range(&server, key, range).await;
        assert_eq!((reply.status, reply.body.as_str()), right, "{range}");
    }
    for (key, range) in [
        ("a", "bytes=10-"),
        ("a", "bytes=-0"),
        ("empty", "bytes=0-"),
        ("empty", "bytes=-1"),
    ] {
        let reply = get_range(&server, key, range).await;
        assert_eq!(reply.error(), (416, "InvalidRange"), "{key} {range}");
    }
}

async fn get_range(server: &S3Server, key: &str, range: &str) -> Reply {
    let request = Signed {
        method: Method::GET,
        path: &format!("/lake/{key}"),
        query: "",
        headers: &[("range", range)],
        body: "",
    };
    request.send(server, KEYS).await.unwrap()
}

#[tokio::test]
async fn a_conditional_put_overwrites_nothing() {
    let server = server();
    let store = operator(&server, KEYS);
    let put = |content: &'static str| store.write_with("a", content).if_not_exists(true);
    put("first").await.unwrap();
    let error = put("second").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConditionNotMatch);
    assert_eq!(server.object(BUCKET, "a").unwrap(), "first");

    let reply = put_with(&server, ("if-none-match", "*")).await;
    assert_eq!(reply.error(), (412, "PreconditionFailed"));
    assert_eq!(server.object(BUCKET, "a").unwrap(), "first");
    store.delete("a").await.unwrap();
    put("third").await.unwrap();
    assert_eq!(server.object(BUCKET, "a").unwrap(), "third");
}

/// Puts `x` into the object `a`, with one more header.
async fn put_with(server: &S3Server, header: (&str, &str)) -> Reply {
    let request = Signed {
        method: Method::PUT,
        path: "/lake/a",
        query: "",
        headers: &[header],
        body: "x",
    };
    request.send(server, KEYS).await.unwrap()
}

#[tokio::test]
async fn what_is_not_implemented_is_said() {
    let server = server();
    server.put_object(BUCKET, "a", "1".into());
    for header in [
        ("if-match", "\"1\""),
        ("if-none-match", "\"1\""),
        ("cache-control", "no-cache"),
        ("x-amz-meta-colour", "red"),
        ("x-amz-checksum-crc32", "jNW7pA=="),
        ("x-amz-storage-class", "GLACIER"),
        ("range", "bytes=0-1"),
    ] {
        let reply = put_with(&server, header).await;
        assert_eq!(reply.error(), (501, "NotImplemented"), "{header:?}");
    }
    assert_eq!(server.object(BUCKET, "a").unwrap(), "1");
    for (path, query) in [
        // ListBuckets, ListObjects, GetBucketLocation, ListParts, and a version of an object.
        ("/", ""),
        ("/lake", ""),
        ("/lake", "location="),
        ("/lake/a", "uploadId=1"),
        ("/lake/a", "versionId=1"),
    ] {
        let reply = get(&server, path, query).await;
        assert_eq!(reply.error(), (501, "NotImplemented"), "{path} {query}");
    }
    let reply = get(&server, "/ocean/a", "").await;
    assert_eq!(reply.error(), (404, "NoSuchBucket"));
}

#[tokio::test]
async fn bodies_must_be_what_was_signed() {
    let server = server();
    // The MD5 digest of `y`.
    let reply = put_with(&server, ("content-md5", "QVKQdpWURg4uSFkikE80XQ==")).await;
    assert_eq!(reply.error(), (400, "BadDigest"));
    assert_eq!(server.objects(BUCKET), Vec::<String>::new());
    // The MD5 digest of `x`.
    let reply = put_with(&server, ("content-md5", "ndTkYSaMgDT1yFZOFVxnpg==")).await;
    assert_eq!(reply.status, 200, "{reply:?}");
}

#[tokio::test]
async fn objects_are_copied() {
    let server = server();
    let store = operator(&server, KEYS);
    store.write("from a+b%/x", "1").await.unwrap();
    store.copy("from a+b%/x", "to").await.unwrap();
    assert_eq!(server.objects(BUCKET), ["from a+b%/x", "to"]);
    assert_eq!(server.object(BUCKET, "to").unwrap(), "1");
    let error = store.copy("nothing", "to").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);

    let copy = |condition| copy_if(&server, condition);
    // The MD5 digests of `y` and of `1`.
    let reply = copy("\"415290769594460e2e485922904f345d\"").await;
    assert_eq!(reply.error(), (412, "PreconditionFailed"));
    let reply = copy("\"c4ca4238a0b923820dcc509a6f75849b\"").await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(
        reply.texts("ETag"),
        ["\"c4ca4238a0b923820dcc509a6f75849b\""]
    );
    assert_eq!(server.object(BUCKET, "to").unwrap(), "1");
}

/// Copies the object `to` to `a` if it has this entity tag.
async fn copy_if(server: &S3Server, e_tag: &str) -> Reply {
    let request = Signed {
        method: Method::PUT,
        path: "/lake/a",
        query: "",
        headers: &[
            ("x-amz-copy-source", "lake/to"),
            ("x-amz-copy-source-if-match", e_tag),
        ],
        body: "",
    };
    request.send(server, KEYS).await.unwrap()
}

#[tokio::test]
async fn many_objects_are_deleted_at_once() {
    let server = server();
    let store = operator(&server, KEYS);
    for key in ["a b", "a+b", "a%20b", "kept"] {
        server.put_object(BUCKET, key, "1".into());
    }
    let gone = ["a b", "a+b", "nothing"].map(str::to_owned);
    store.delete_iter(gone).await.unwrap();
    assert_eq!(server.objects(BUCKET), ["a%20b", "kept"]);
    let requests = server.requests();
    let operations: Vec<_> = requests.iter().map(|one| one.operation.as_str()).collect();
    assert_eq!(operations, ["DeleteObjects"]);
}
