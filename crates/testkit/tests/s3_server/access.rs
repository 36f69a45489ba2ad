use std::time::Duration;

use ftable_testkit::s3_server::{S3Request, S3Server};
use opendal::ErrorKind;
use reqwest::Method;

use crate::client::{BUCKET, KEYS, Keys, Signed, operator, server};

/// How a request for the object `a` is answered: status and code, which are 200 and nothing if it is given.
async fn answer(server: &S3Server, keys: Keys) -> (u16, String) {
    let request = Signed {
        method: Method::GET,
        path: "/lake/a",
        query: "",
        headers: &[],
        body: "",
    };
    let reply = request.send(server, keys).await.unwrap();
    let (status, code) = reply.error();
    (status, code.to_owned())
}

fn refused(code: &str) -> (u16, String) {
    (403, code.to_owned())
}

fn given() -> (u16, String) {
    (200, String::new())
}

#[tokio::test]
async fn only_known_keys_with_their_secret_may_ask() {
    let server = server();
    server.put_object(BUCKET, "a", "1".into());
    assert_eq!(answer(&server, KEYS).await, given());

    let wrong_secret = Keys {
        secret_key: "guessed",
        ..KEYS
    };
    assert_eq!(
        answer(&server, wrong_secret).await,
        refused("SignatureDoesNotMatch")
    );
    let unknown = Keys {
        access_key: "OTHER",
        ..KEYS
    };
    assert_eq!(
        answer(&server, unknown).await,
        refused("InvalidAccessKeyId")
    );
    let error = operator(&server, wrong_secret).read("a").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);

    let unsigned = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("{}/lake/a", server.endpoint());
    let response = unsigned.get(url).send().await.unwrap();
    assert_eq!(response.status().as_u16(), 403);
    assert!(response.text().await.unwrap().contains("AccessDenied"));
}

#[tokio::test]
async fn keys_expire_and_are_allowed_anew() {
    let server = server();
    server.put_object(BUCKET, "a", "1".into());
    let keys = server.credentials();
    keys.allow("AK", "secret", None, Some(Duration::from_secs(3600)));
    assert_eq!(answer(&server, KEYS).await, given());
    keys.allow("AK", "secret", None, Some(Duration::ZERO));
    assert_eq!(answer(&server, KEYS).await, refused("ExpiredToken"));
    // Who cannot sign learns nothing of the key.
    let wrong_secret = Keys {
        secret_key: "guessed",
        ..KEYS
    };
    assert_eq!(
        answer(&server, wrong_secret).await,
        refused("SignatureDoesNotMatch")
    );
    keys.allow("AK", "renewed", None, Some(Duration::from_secs(3600)));
    let renewed = Keys {
        secret_key: "renewed",
        ..KEYS
    };
    assert_eq!(answer(&server, renewed).await, given());
    assert_eq!(
        answer(&server, KEYS).await,
        refused("SignatureDoesNotMatch")
    );
}

#[tokio::test]
async fn a_key_lives_as_long_as_was_said() {
    let server = server();
    server.put_object(BUCKET, "a", "1".into());
    let lives = Duration::from_millis(1500);
    server
        .credentials()
        .allow("AK", "secret", None, Some(lives));
    assert_eq!(answer(&server, KEYS).await, given());
    tokio::time::sleep(lives).await;
    assert_eq!(answer(&server, KEYS).await, refused("ExpiredToken"));
}

#[tokio::test]
async fn revoked_keys_are_refused() {
    let server = server();
    let store = operator(&server, KEYS);
    store.write("a", "1").await.unwrap();
    server.credentials().revoke("AK");
    assert_eq!(answer(&server, KEYS).await, refused("ExpiredToken"));
    let error = store.write("a", "2").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert!(error.to_string().contains("ExpiredToken"), "{error}");
    assert_eq!(server.object(BUCKET, "a").unwrap(), "1");
}

#[tokio::test]
async fn session_tokens_must_be_those_of_the_key() {
    let server = server();
    server.put_object(BUCKET, "a", "1".into());
    server
        .credentials()
        .allow("TEMPORARY", "secret", Some("token"), None);
    let with_token = |session_token| Keys {
        access_key: "TEMPORARY",
        session_token,
        ..KEYS
    };
    assert_eq!(answer(&server, with_token(Some("token"))).await, given());
    for other in [Some("tokens"), Some("toke"), None] {
        let told = answer(&server, with_token(other)).await;
        assert_eq!(told, refused("InvalidToken"), "{other:?}");
    }
    // A key without a token takes none.
    let superfluous = Keys {
        session_token: Some("token"),
        ..KEYS
    };
    assert_eq!(answer(&server, superfluous).await, refused("InvalidToken"));

    let store = operator(&server, with_token(Some("token")));
    assert_eq!(store.read("a").await.unwrap().to_vec(), b"1");
    let error = operator(&server, with_token(Some("other")))
        .read("a")
        .await
        .unwrap_err();
    assert!(error.to_string().contains("InvalidToken"), "{error}");
}

#[tokio::test]
async fn requests_are_recorded_in_their_order() {
    let server = server();
    let store = operator(&server, KEYS);
    store.write("x/a b", "1").await.unwrap();
    store.read("x/a b").await.unwrap();
    store.list("x/").await.unwrap();
    server.credentials().revoke("AK");
    store.delete("x/a b").await.unwrap_err();
    let wrong_secret = Keys {
        secret_key: "guessed",
        ..KEYS
    };
    answer(&server, wrong_secret).await;
    let unknown = Keys {
        access_key: "OTHER",
        ..KEYS
    };
    answer(&server, unknown).await;

    let request = |operation: &str, key: Option<&str>, access_key: &str, refused| S3Request {
        operation: operation.to_owned(),
        key: key.map(str::to_owned),
        access_key: Some(access_key.to_owned()),
        refused,
    };
    let requests = server.requests();
    assert_eq!(
        requests,
        [
            request("PutObject", Some("x/a b"), "AK", false),
            request("GetObject", Some("x/a b"), "AK", false),
            request("ListObjectsV2", None, "AK", false),
            request("DeleteObject", Some("x/a b"), "AK", true),
            request("", None, "AK", true),
            request("", None, "OTHER", true),
        ]
    );
}
