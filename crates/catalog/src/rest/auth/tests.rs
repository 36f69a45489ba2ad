use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use ftable_core::ErrorKind;

use super::super::http::{RetryPolicy, Timeouts};
use super::super::testing::{Reply, Server};
use super::*;

const REQUEST: Outgoing<'_> = Outgoing {
    method: "GET",
    path: "/v1/config",
    query: &[],
    body: None,
    action: "GetConfig",
};

fn auth(options: &[(&str, &str)]) -> Result<Auth> {
    let options: Options = options.iter().copied().collect();
    // 2026-08-22T01:02:03Z.
    let clock = Clock::at(&Arc::new(AtomicI64::new(1_787_360_523_000)));
    let transport = Transport::new(
        false,
        &Timeouts::from_options(&options)?,
        RetryPolicy::from_options(&options)?,
        clock.clone(),
    )?;
    let base = BaseUri::parse("https://cn-hangzhou.dlf.aliyuncs.com")?;
    Auth::from_options(&options, &base, &transport, &clock)
}

#[tokio::test]
async fn a_bearer_token_is_one_header() {
    let auth = auth(&[("token.provider", "bear"), ("token", "abc.def-7")]).unwrap();
    let headers = auth.headers(&REQUEST).await.unwrap();
    assert_eq!(headers.len(), 1);
    assert_eq!(headers[0].0, "authorization");
    assert_eq!(headers[0].1, "Bearer abc.def-7");
    assert!(headers[0].1.is_sensitive());
    assert_eq!(auth.secrets(), ["abc.def-7"]);
}

#[tokio::test]
async fn a_loader_comes_before_a_file_and_a_file_before_a_key() {
    let document = |key: &str| format!(r#"{{"AccessKeyId":"{key}","AccessKeySecret":"hunter2"}}"#);
    let of_ecs = document("ECS");
    let server = Server::start(move |asked| match asked.target.ends_with("/meta/") {
        true => Reply::Raw(200, Vec::new(), "reader".to_owned()),
        false => Reply::Raw(200, Vec::new(), of_ecs.clone()),
    })
    .await;
    let metadata = format!("{}/meta/", server.uri());
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("key.json");
    std::fs::write(&file, document("FILE")).unwrap();
    let provider = ("token.provider", "dlf");
    let key = [
        ("dlf.access-key-id", "STATIC"),
        ("dlf.access-key-secret", "hunter2"),
    ];
    let path = ("dlf.token-path", file.to_str().unwrap());
    let ecs = [
        ("dlf.token-loader", "ecs"),
        ("dlf.token-ecs-metadata-url", metadata.as_str()),
    ];
    let role = ("dlf.token-ecs-role-name", "writer");
    for (options, used) in [
        ([&[provider][..], &key].concat(), "STATIC"),
        ([&[provider, path][..], &key].concat(), "FILE"),
        (
            [
                &[provider, path, ("dlf.token-loader", "local_file")][..],
                &key,
            ]
            .concat(),
            "FILE",
        ),
        ([&[provider, path][..], &key, &ecs].concat(), "ECS"),
        ([&[provider, role][..], &ecs].concat(), "ECS"),
    ] {
        let headers = auth(&options).unwrap().headers(&REQUEST).await.unwrap();
        let mut values = headers.iter().filter_map(|(_, value)| value.to_str().ok());
        assert!(
            values.any(|value| value.contains(used)),
            "{used}: {headers:?}"
        );
    }
    assert_eq!(
        server.lines(),
        ["GET /meta/", "GET /meta/reader", "GET /meta/writer"]
    );
}

#[test]
fn what_cannot_sign_is_refused_by_the_name_of_its_option_and_without_its_value() {
    for (options, kind, words) in [
        (
            &[][..],
            ErrorKind::InvalidOption,
            "'token.provider' is not set",
        ),
        (
            &[("token.provider", "Bear")],
            ErrorKind::Unsupported,
            "'token.provider' = 'Bear'",
        ),
        (
            &[("token.provider", "bear")],
            ErrorKind::InvalidOption,
            "'token' is not set",
        ),
        (
            &[("token.provider", "bear"), ("token", "  ")],
            ErrorKind::InvalidOption,
            "'token' is not set",
        ),
        (
            &[("token.provider", "bear"), ("token", "hunter2\nX: y")],
            ErrorKind::InvalidOption,
            "option 'token' = '******'",
        ),
        (
            &[("token.provider", "bear"), ("token", "hunter2\t")],
            ErrorKind::InvalidOption,
            "option 'token' = '******'",
        ),
        (
            &[("token.provider", "dlf")],
            ErrorKind::InvalidOption,
            "dlf.token-path",
        ),
        (
            &[("token.provider", "dlf"), ("dlf.access-key-id", "a")],
            ErrorKind::InvalidOption,
            "dlf.access-key-secret",
        ),
        (
            &[("token.provider", "dlf"), ("dlf.token-loader", "vault")],
            ErrorKind::Unsupported,
            "'dlf.token-loader' = 'vault'",
        ),
        (
            &[
                ("token.provider", "dlf"),
                ("dlf.token-loader", "local_file"),
            ],
            ErrorKind::InvalidOption,
            "'dlf.token-path' is not set",
        ),
    ] {
        let error = auth(options).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}

#[tokio::test]
async fn a_key_of_the_options_signs_and_is_never_shown() {
    let auth = auth(&[
        ("token.provider", "dlf"),
        ("dlf.access-key-id", "AKID"),
        ("dlf.access-key-secret", "SECRET"),
        ("dlf.security-token", "sts-token"),
    ])
    .unwrap();
    let headers = auth.headers(&REQUEST).await.unwrap();
    let value = |name: &str| {
        let found = headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.to_str().unwrap())
    };
    assert_eq!(value("x-dlf-date"), Some("20260822T010203Z"));
    assert!(value("authorization").unwrap().starts_with(
        "DLF4-HMAC-SHA256 Credential=AKID/20260822/cn-hangzhou/DlfNext/aliyun_v4_request,Signature="
    ));
    assert_eq!(auth.secrets(), ["SECRET", "sts-token"]);
    let shown = format!("{auth:?}");
    assert!(
        !shown.contains("SECRET") && !shown.contains("sts-token"),
        "{shown}"
    );
}

#[tokio::test]
async fn a_file_comes_before_a_key_of_the_options() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let document = r#"{"AccessKeyId":"FROM-FILE","AccessKeySecret":"s3cret"}"#;
    std::fs::write(file.path(), document).unwrap();
    let auth = auth(&[
        ("token.provider", "dlf"),
        ("dlf.token-path", file.path().to_str().unwrap()),
        ("dlf.access-key-id", "AKID"),
        ("dlf.access-key-secret", "SECRET"),
        ("dlf.signing-algorithm", "openapi"),
    ])
    .unwrap();
    let headers = auth.headers(&REQUEST).await.unwrap();
    let (_, value) = headers.last().unwrap();
    assert!(value.to_str().unwrap().starts_with("acs FROM-FILE:"));
    assert_eq!(auth.secrets(), ["s3cret"]);
}
