use ftable_testkit::s3_server::S3Server;
use opendal::ErrorKind;
use reqwest::Method;

use crate::client::{BUCKET, KEYS, Reply, Signed, operator, server};

const MIB: usize = 1 << 20;

async fn send(server: &S3Server, method: Method, query: &str, body: &str) -> Reply {
    send_with(server, method, query, &[], body).await
}

/// A request about the object `a`.
async fn send_with(
    server: &S3Server,
    method: Method,
    query: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Reply {
    let request = Signed {
        method,
        path: "/lake/a",
        query,
        headers,
        body,
    };
    request.send(server, KEYS).await.unwrap()
}

/// Begins an upload of the object `a`, sends these parts and gives its id.
async fn begun(server: &S3Server, parts: &[&str]) -> String {
    let reply = send(server, Method::POST, "uploads=", "").await;
    let id = reply.texts("UploadId")[0].to_owned();
    for (place, part) in parts.iter().enumerate() {
        let query = format!("partNumber={}&uploadId={id}", place + 1);
        let reply = send(server, Method::PUT, &query, part).await;
        assert_eq!(reply.status, 200, "{reply:?}");
    }
    id
}

/// The body that completes an upload of parts with these numbers and entity tags.
fn list_of(parts: &[(usize, &str)]) -> String {
    let parts = parts.iter().map(|(number, tag)| {
        format!("<Part><PartNumber>{number}</PartNumber><ETag>\"{tag}\"</ETag></Part>")
    });
    let parts: String = parts.collect();
    format!("<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>")
}

/// The MD5 digests of `x` and `y`.
const X: &str = "9dd4e461268c8034f5c8564e155c67a6";
const Y: &str = "415290769594460e2e485922904f345d";

#[tokio::test]
async fn nothing_is_visible_before_an_upload_is_complete() {
    let server = server();
    let store = operator(&server, KEYS);
    let mut writer = store
        .writer_with("a")
        .chunk(5 * MIB)
        .concurrent(1)
        .await
        .unwrap();
    let content: Vec<u8> = (0..12 * MIB).map(|place| (place % 251) as u8).collect();
    writer.write(content.clone()).await.unwrap();
    assert_eq!(server.uploads(BUCKET), 1);
    assert_eq!(server.objects(BUCKET), Vec::<String>::new());
    let error = store.stat("a").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    writer.close().await.unwrap();
    assert_eq!(server.uploads(BUCKET), 0);
    assert_eq!(server.object(BUCKET, "a").unwrap(), content);
    assert_eq!(store.read("a").await.unwrap().to_vec(), content);
}

#[tokio::test]
async fn a_conditional_completion_overwrites_nothing() {
    let server = server();
    let id = begun(&server, &["x"]).await;
    let query = format!("uploadId={id}");
    let body = list_of(&[(1, X)]);
    server.put_object(BUCKET, "a", "first".into());
    let condition = [("if-none-match", "*")];
    let reply = send_with(&server, Method::POST, &query, &condition, &body).await;
    assert_eq!(reply.error(), (412, "PreconditionFailed"));
    assert_eq!(server.object(BUCKET, "a").unwrap(), "first");
    assert_eq!(server.uploads(BUCKET), 1);

    operator(&server, KEYS).delete("a").await.unwrap();
    let reply = send_with(&server, Method::POST, &query, &condition, &body).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    // The digest of the one digest, and the number of parts.
    let e_tag = "\"9affad555af89da9b0bfcd5e45bc93da-1\"";
    assert_eq!(reply.texts("ETag"), [e_tag]);
    assert_eq!(server.object(BUCKET, "a").unwrap(), "x");
    assert_eq!(server.uploads(BUCKET), 0);
    let reply = send(&server, Method::POST, &query, &body).await;
    assert_eq!(reply.error(), (404, "NoSuchUpload"));
}

#[tokio::test]
async fn opendal_is_told_that_the_object_exists() {
    let server = server();
    let store = operator(&server, KEYS);
    let mut writer = store
        .writer_with("a")
        .chunk(5 * MIB)
        .if_not_exists(true)
        .await
        .unwrap();
    writer.write(vec![1; 11 * MIB]).await.unwrap();
    server.put_object(BUCKET, "a", "first".into());
    let error = writer.close().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConditionNotMatch);
    assert_eq!(server.object(BUCKET, "a").unwrap(), "first");
}

#[tokio::test]
async fn parts_must_be_those_that_were_sent() {
    let server = server();
    let id = begun(&server, &["x", "y"]).await;
    let query = format!("uploadId={id}");
    for (parts, right) in [
        (&[][..], (400, "MalformedXML")),
        (&[(1, X), (3, Y)], (400, "InvalidPart")),
        (&[(1, Y)], (400, "InvalidPart")),
        (&[(2, Y), (1, X)], (400, "InvalidPartOrder")),
        (&[(1, X), (2, Y)], (400, "EntityTooSmall")),
    ] {
        let reply = send(&server, Method::POST, &query, &list_of(parts)).await;
        assert_eq!(reply.error(), right, "{parts:?}");
        assert_eq!(server.objects(BUCKET), Vec::<String>::new());
    }
    // Parts that are not named are left out.
    let reply = send(&server, Method::POST, &query, &list_of(&[(2, Y)])).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(server.object(BUCKET, "a").unwrap(), "y");
    let reply = send(&server, Method::PUT, "partNumber=1&uploadId=other", "x").await;
    assert_eq!(reply.error(), (404, "NoSuchUpload"));
}

#[tokio::test]
async fn an_aborted_upload_leaves_nothing() {
    let server = server();
    let store = operator(&server, KEYS);
    let mut writer = store.writer_with("a").chunk(5 * MIB).await.unwrap();
    writer.write(vec![1; 11 * MIB]).await.unwrap();
    assert_eq!(server.uploads(BUCKET), 1);
    writer.abort().await.unwrap();
    assert_eq!(server.uploads(BUCKET), 0);
    assert_eq!(server.objects(BUCKET), Vec::<String>::new());
}
