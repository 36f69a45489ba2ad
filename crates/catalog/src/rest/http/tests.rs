//! What is sent, what is sent again, and what comes of answers that are none.

use ftable_core::ErrorKind;
use serde_json::{Value, json};

use super::super::RestCatalog;
use super::super::testing::{Reply, Server};
use super::*;
use crate::Error;

fn get() -> Request {
    Request::get("ListDatabases", "/v1/p/databases".to_owned())
}

fn post() -> Request {
    Request::post(
        "CreateDatabase",
        "/v1/p/databases".to_owned(),
        &json!({"name": "db"}),
    )
}

async fn send(catalog: &RestCatalog, request: &Request) -> Sent {
    catalog.client.http().send(request).await
}

#[tokio::test]
async fn a_busy_server_is_asked_again_whatever_the_method() {
    for request in [
        get(),
        post(),
        Request::delete("DropDatabase", "/v1/p/databases/d".to_owned()),
    ] {
        for busy in [429, 503] {
            let reply = Reply::Json(busy, json!({"message": "busy", "code": busy}));
            let server = Server::scripted([reply.clone(), reply, Reply::ok(json!({}))]).await;
            let sent = send(&server.catalog().await, &request).await;
            assert!(sent.result.is_ok());
            assert_eq!((sent.attempts, sent.retried()), (3, true));
            assert_eq!(server.lines().len(), 3);
        }
    }
}

#[tokio::test]
async fn five_retries_are_enough() {
    let server = Server::scripted(vec![Reply::busy(); 6]).await;
    let error = send(&server.catalog().await, &post())
        .await
        .result
        .unwrap_err();
    assert_eq!(server.lines().len(), 6);
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(
        error
            .to_string()
            .contains("503 at the last of 6 attempts: busy"),
        "{error}"
    );
}

#[tokio::test]
async fn a_wait_that_the_server_asks_for_is_limited() {
    let day = vec![("Retry-After", "86400".to_owned())];
    let busy = Reply::Raw(429, day, String::new());
    let server = Server::scripted([busy, Reply::ok(json!({}))]).await;
    assert!(send(&server.catalog().await, &get()).await.result.is_ok());
}

#[tokio::test]
async fn what_must_not_be_done_twice_is_sent_once() {
    let server = Server::scripted([Reply::busy()]).await;
    let sent = send(&server.catalog().await, &post().once()).await;
    assert_eq!(sent.attempts, 1);
    assert_eq!(sent.result.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(server.lines().len(), 1);
}

#[tokio::test]
async fn other_refusals_are_final() {
    for code in [400, 401, 403, 404, 409, 500, 501, 502, 504] {
        let server = Server::scripted([Reply::error(code, "", "")]).await;
        let error = send(&server.catalog().await, &get())
            .await
            .result
            .unwrap_err();
        assert!(matches!(error, Error::Server { code: found, .. } if found == code));
    }
}

#[tokio::test]
async fn the_id_of_a_request_is_told_under_whatever_name_it_comes() {
    for headers in [
        vec![("x-request-id", "r-7".to_owned())],
        vec![("x-acs-request-id", "r-7".to_owned())],
        vec![
            ("x-acs-request-id", "r-8".to_owned()),
            ("x-request-id", "r-7".to_owned()),
        ],
    ] {
        let server = Server::scripted([Reply::Raw(404, headers, "{}".to_owned())]).await;
        let sent = send(&server.catalog().await, &get()).await;
        let told = sent.result.unwrap_err().to_string();
        assert!(told.contains("r-7"), "{told}");
    }
}

#[tokio::test]
async fn a_reset_connection_is_tried_again_where_that_does_no_harm() {
    let server = Server::scripted([Reply::Reset, Reply::ok(json!({}))]).await;
    let sent = send(&server.catalog().await, &get()).await;
    assert!(sent.result.is_ok());
    assert_eq!(sent.attempts, 2);

    let server = Server::scripted([Reply::Reset]).await;
    let error = send(&server.catalog().await, &post())
        .await
        .result
        .unwrap_err();
    assert_eq!(server.lines().len(), 1);
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    // It may have been done.
    assert!(!error.retryable());
    assert_eq!(
        error.to_string(),
        "POST /v1/p/databases: the connection broke before the answer was whole; whether the server did it is not known"
    );
}

#[tokio::test]
async fn an_answer_that_was_lost_or_cut_is_not_asked_for_again() {
    for reply in [Reply::Close, Reply::Cut(r#"{"databases": ["#.to_owned())] {
        for request in [get(), post()] {
            let server = Server::scripted([reply.clone()]).await;
            let sent = send(&server.catalog().await, &request).await;
            assert_eq!(sent.attempts, 1);
            let error = sent.result.unwrap_err();
            assert!(
                error.to_string().contains("the connection broke"),
                "{error}"
            );
            assert_eq!(
                error.to_string().contains("is not known"),
                request.method == reqwest::Method::POST
            );
        }
    }
}

#[tokio::test]
async fn a_server_that_is_silent_is_not_waited_for_without_end() {
    let server = Server::scripted([Reply::Hang]).await;
    let catalog = server
        .catalog_with(&[("rest.client.response-timeout", "30 ms")])
        .await
        .unwrap();
    let sent = send(&catalog, &get()).await;
    assert_eq!(sent.attempts, 1);
    let error = sent.result.unwrap_err();
    assert!(
        error.to_string().contains("rest.client.response-timeout"),
        "{error}"
    );
    assert!(error.retryable());
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_by_its_option() {
    let gone = {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    let options = Options::from([
        ("uri", gone.as_str()),
        ("token.provider", "bear"),
        ("token", "t-secret"),
    ]);
    let error = RestCatalog::open(options).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains("option 'uri'"), "{error}");
    assert!(!format!("{error:?}").contains("t-secret"));
}

#[tokio::test]
async fn a_redirect_is_an_error_and_nothing_follows_it() {
    let elsewhere = Server::start(|_| Reply::ok(json!({}))).await;
    for code in [301, 302, 307, 308] {
        let to = vec![("Location", format!("{}/v1/p/databases", elsewhere.uri()))];
        let server = Server::scripted([Reply::Raw(code, to, String::new())]).await;
        let error = send(&server.catalog().await, &get())
            .await
            .result
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains("never followed"), "{error}");
    }
    assert!(elsewhere.lines().is_empty());
}

#[tokio::test]
async fn headers_of_every_request() {
    let server = Server::scripted([Reply::done(), Reply::done()]).await;
    let catalog = server
        .catalog_with(&[("header.X-Team", "lake"), ("header.User-Agent", "mine/1")])
        .await
        .unwrap();
    for request in [get(), post()] {
        send(&catalog, &request).await.result.unwrap();
    }
    let received = server.received();
    for request in &received {
        assert_eq!(request.header("accept"), Some("application/json"));
        assert_eq!(request.header("authorization"), Some("Bearer demo-token"));
        assert_eq!(request.header("x-team"), Some("lake"));
        assert_eq!(request.header("user-agent"), Some("mine/1"));
    }
    assert_eq!(received[0].header("content-type"), None);
    assert_eq!(received[1].header("content-type"), Some("application/json"));
    assert_eq!(received[1].body, r#"{"name":"db"}"#);
}

#[tokio::test]
async fn headers_of_the_server_lie_over_those_of_the_client() {
    let config = json!({"defaults": {"header.X-A": "s", "header.X-B": "s"}, "overrides": {"header.X-C": "s"}});
    let server = Server::of_catalog(config, |_| Reply::done()).await;
    let catalog = server
        .catalog_with(&[("header.X-B", "c"), ("header.X-C", "c")])
        .await
        .unwrap();
    send(&catalog, &get()).await.result.unwrap();
    let request = &server.received()[0];
    let headers = ["x-a", "x-b", "x-c"].map(|name| request.header(name).unwrap().to_owned());
    assert_eq!(headers, ["s", "c", "s"]);
}

#[tokio::test]
async fn a_header_that_http_cannot_carry_is_refused() {
    let server = Server::scripted([]).await;
    for (key, value) in [
        ("header.X Y", "v"),
        ("header.X", "a\nb"),
        ("header.Api-Key", "hunter2\n"),
    ] {
        let error = server.catalog_with(&[(key, value)]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidOption);
        assert!(error.to_string().contains(key), "{error}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}

#[tokio::test]
async fn each_attempt_is_signed_anew() {
    let server = Server::scripted([Reply::busy(), Reply::done()]).await;
    let catalog = server
        .catalog_with(&[
            ("token.provider", "dlf"),
            ("dlf.access-key-id", "AKID"),
            ("dlf.access-key-secret", "SECRET"),
            ("dlf.region", "cn-hangzhou"),
            ("dlf.signing-algorithm", "openapi"),
        ])
        .await
        .unwrap();
    send(&catalog, &post()).await.result.unwrap();
    let received = server.received();
    let nonces: Vec<_> = received
        .iter()
        .map(|request| request.header("x-acs-signature-nonce").unwrap())
        .collect();
    assert_eq!(nonces.len(), 2);
    assert_ne!(nonces[0], nonces[1]);
    for request in &received {
        let host = server.uri().strip_prefix("http://");
        assert_eq!(request.header("host"), host);
        let authorization = request.header("authorization").unwrap();
        assert!(authorization.starts_with("acs AKID:"), "{authorization}");
        assert!(request.header("content-md5").is_some());
    }
}

#[tokio::test]
async fn success_is_200_to_204_and_an_empty_body_is_none() {
    for status in [200, 201, 202, 204] {
        let server = Server::scripted([Reply::Raw(status, Vec::new(), String::new())]).await;
        let sent = send(&server.catalog().await, &get()).await;
        assert!(sent.result.unwrap().is_empty());
    }
    for body in ["", " \n"] {
        let server = Server::scripted([Reply::Raw(200, Vec::new(), body.to_owned())]).await;
        let asked = server
            .catalog()
            .await
            .client
            .http()
            .ask::<Value>(&get())
            .await;
        let error = asked.unwrap_err();
        assert!(error.to_string().contains("empty response"), "{error}");
    }
    for status in [206, 299] {
        let server = Server::scripted([Reply::Raw(status, Vec::new(), "{}".to_owned())]).await;
        assert!(send(&server.catalog().await, &get()).await.result.is_err());
    }
}

#[tokio::test]
async fn no_error_shows_a_secret_or_a_body() {
    for reply in [
        Reply::Json(
            400,
            json!({"message": "token demo-token, key=demo-token, password: hunter2", "code": 400}),
        ),
        Reply::Raw(
            502,
            Vec::new(),
            "<html>demo-token hunter2</html>".to_owned(),
        ),
        Reply::Raw(200, Vec::new(), "demo-token hunter2".to_owned()),
    ] {
        let server = Server::scripted([reply]).await;
        let catalog = server.catalog().await;
        let error = catalog
            .client
            .http()
            .ask::<Value>(&get())
            .await
            .unwrap_err();
        for shown in [
            format!("{error}"),
            format!("{error:?}"),
            format!("{catalog:?}"),
        ] {
            assert!(
                !shown.contains("demo-token") && !shown.contains("hunter2"),
                "{shown}"
            );
        }
    }
}
