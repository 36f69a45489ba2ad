use ftable_testkit::s3_server::S3Fault;
use opendal::ErrorKind;
use reqwest::Method;

use crate::client::{BUCKET, KEYS, Signed, get, operator, server};

#[tokio::test]
async fn faults_answer_before_anything_is_done() {
    let server = server();
    let put = Signed {
        method: Method::PUT,
        path: "/lake/a",
        query: "",
        headers: &[],
        body: "1",
    };
    for (status, code) in [
        (503, "SlowDown"),
        (500, "InternalError"),
        (403, "ExpiredToken"),
        (409, "ConditionalRequestConflict"),
    ] {
        server.fail(S3Fault::answer("PutObject", status, code).times(2));
        for _ in 0..2 {
            let reply = put.send(&server, KEYS).await.unwrap();
            assert_eq!(reply.error(), (status, code));
            assert_eq!(server.objects(BUCKET), Vec::<String>::new());
        }
    }
    // The faults have had their times.
    let reply = put.send(&server, KEYS).await.unwrap();
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(server.object(BUCKET, "a").unwrap(), "1");
    let refused = server.requests().iter().filter(|one| one.refused).count();
    assert_eq!(refused, 2);
}

#[tokio::test]
async fn faults_are_about_an_operation_and_a_key() {
    let server = server();
    let store = operator(&server, KEYS);
    server.fail(S3Fault::answer("PutObject", 503, "SlowDown").on_key("part-"));
    store.write("_SUCCESS", "1").await.unwrap();
    for _ in 0..3 {
        let error = store.write("t/part-0", "1").await.unwrap_err();
        assert!(error.to_string().contains("SlowDown"), "{error}");
        assert!(error.is_temporary());
    }
    server.put_object(BUCKET, "t/part-1", "1".into());
    store.read("t/part-1").await.unwrap();
    assert_eq!(server.objects(BUCKET), ["_SUCCESS", "t/part-1"]);

    server.fail(S3Fault::answer("ListObjectsV2", 500, "InternalError").times(1));
    let reply = get(&server, "/lake", "list-type=2").await;
    assert_eq!(reply.error(), (500, "InternalError"));
    let reply = get(&server, "/lake", "list-type=2").await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn a_lost_answer_is_of_what_was_done() {
    let server = server();
    let store = operator(&server, KEYS);
    server.fail(S3Fault::lost_answer("PutObject").times(1));
    let put = |content: &'static str| store.write_with("a", content).if_not_exists(true);
    let error = put("first").await.unwrap_err();
    assert!(error.is_temporary(), "{error}");
    assert_eq!(server.object(BUCKET, "a").unwrap(), "first");
    // Who repeats it finds what was put.
    let error = put("second").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConditionNotMatch);
    assert_eq!(server.object(BUCKET, "a").unwrap(), "first");

    server.fail(S3Fault::lost_answer("DeleteObject").times(1));
    store.delete("a").await.unwrap_err();
    assert_eq!(server.object(BUCKET, "a"), None);
}

#[tokio::test]
async fn refused_requests_use_no_fault_up() {
    let server = server();
    server.put_object(BUCKET, "a", "1".into());
    let store = operator(&server, KEYS);
    server.fail(S3Fault::answer("GetObject", 503, "SlowDown").times(1));
    server.credentials().revoke("AK");
    let error = store.read("a").await.unwrap_err();
    assert!(error.to_string().contains("ExpiredToken"), "{error}");
    server.credentials().allow("AK", "secret", None, None);
    let error = store.read("a").await.unwrap_err();
    assert!(error.to_string().contains("SlowDown"), "{error}");
    store.read("a").await.unwrap();
}
