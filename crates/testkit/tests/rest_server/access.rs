//! Who may ask.

use ftable_testkit::rest_server::{Authorization, DlfKeys};
use serde_json::{Value, json};

use crate::client::{Place, send};

fn config(place: &Place, headers: &[(&str, &str)]) -> u16 {
    let reply = send(place.server.address(), "GET", "/v1/config", headers, "").unwrap();
    if reply.status != 200 {
        assert_eq!(reply.error(), (401, Value::Null, Value::Null));
    }
    reply.status
}

#[test]
fn a_bearer_token_is_asked_for() {
    let bearer = |token: &str| Authorization::Bearer(token.to_owned());
    let place = Place::with(|options| options.authorization = bearer("one"));
    let [one, two] = ["Bearer one", "Bearer two"].map(|value| [("Authorization", value)]);
    assert_eq!(
        [
            config(&place, &[]),
            config(&place, &two),
            config(&place, &one)
        ],
        [401, 401, 200]
    );
    // What leads nowhere is not told to strangers.
    assert_eq!(place.send("GET", "/nowhere", "").unwrap().status, 401);

    place.server.expire_token();
    assert_eq!([config(&place, &one), config(&place, &two)], [401, 401]);
    place.server.set_authorization(bearer("two"));
    assert_eq!([config(&place, &one), config(&place, &two)], [401, 200]);
    place.server.expire_token();
    place.server.set_authorization(Authorization::None);
    assert_eq!(config(&place, &[]), 200);
}

/// The signatures are those of an independent implementation, for keys `AKID` and `SECRET` in region
/// cn-hangzhou.
#[test]
fn a_dlf_signature_is_verified() {
    let keys = |security_token: Option<&str>| DlfKeys {
        access_key_id: "AKID".to_owned(),
        access_key_secret: "SECRET".to_owned(),
        security_token: security_token.map(str::to_owned),
        region: "cn-hangzhou".to_owned(),
    };
    let place = Place::with(|options| {
        options.prefix = Some("cat".to_owned());
        options.authorization = Authorization::Dlf(keys(None));
    });
    let address = place.server.address();
    let shown = |signature: &str| {
        let credential = "AKID/20260822/cn-hangzhou/DlfNext/aliyun_v4_request";
        format!("DLF4-HMAC-SHA256 Credential={credential},Signature={signature}")
    };
    let common = [
        ("x-dlf-date", "20260822T010203Z"),
        ("x-dlf-content-sha256", "UNSIGNED-PAYLOAD"),
        ("x-dlf-version", "v1"),
    ];

    let body = r#"{"name":"db","options":{}}"#;
    let post = |signature: &str, body: &str| {
        let authorization = shown(signature);
        let mut headers = common.to_vec();
        headers.push(("Content-Type", "application/json"));
        headers.push(("Content-MD5", "O9GcoEH4s9EulQzEIq1JlA=="));
        headers.push(("Authorization", &authorization));
        send(address, "POST", "/v1/cat/databases", &headers, body).unwrap()
    };
    let right = "3bdc419492c6516776dd46b3c1d06732e84ee9939830f4c80bf9476ac43cadac";
    assert_eq!(post(&right.replace('3', "4"), body).status, 401);
    assert_eq!(post(right, r#"{"name":"dc","options":{}}"#).status, 401);
    post(right, body).assert_done();

    let target = "/v1/cat/databases/db/tables?maxResults=10&pageToken=dt%3D1";
    let get = |target: &str, signature: &str, token: Option<&str>| {
        let authorization = shown(signature);
        let mut headers = common.to_vec();
        headers.extend(token.map(|token| ("x-dlf-security-token", token)));
        headers.push(("Authorization", &authorization));
        send(address, "GET", target, &headers, "").unwrap()
    };
    let plain = "9795479fc6e4df4fb08c93194d89612b816c01c314a9cefb5e5726fa58a3a80c";
    let listed = get(target, plain, None);
    assert_eq!(listed.json(), json!({"tables": [], "nextPageToken": null}));
    assert_eq!(
        get(
            "/v1/cat/databases/db/tables?maxResults=11&pageToken=dt%3D1",
            plain,
            None
        )
        .status,
        401
    );
    assert_eq!(get(target, plain, Some("sts-token")).status, 401);

    place
        .server
        .set_authorization(Authorization::Dlf(keys(Some("sts-token"))));
    let temporary = "c081e39a741c496272e0a671714e4771b4812dfb311378664e262a631e9dc6a0";
    assert_eq!(get(target, temporary, Some("sts-token")).status, 200);
    assert_eq!(get(target, plain, None).status, 401);
}
