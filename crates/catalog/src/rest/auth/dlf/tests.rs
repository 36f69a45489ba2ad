//! Signatures that an independent implementation computed.

use super::super::credentials::Credentials;
use super::*;

const GET: (&str, &str) = ("GET", "/v1/cat/databases/db/tables");
const POST: (&str, &str) = ("POST", "/v1/cat/databases");
const BODY: &[u8] = br#"{"name":"db","options":{}}"#;
const HOST: &str = "dlfnext.cn-hangzhou.aliyuncs.com";

type Signer = fn(&Context<'_>, &Outgoing<'_>) -> Headers;

fn credentials(security_token: Option<&str>) -> Credentials {
    Credentials {
        access_key_id: "AKID".to_owned(),
        access_key_secret: "SECRET".to_owned(),
        security_token: security_token.map(str::to_owned),
        expires_at_millis: None,
    }
}

/// The headers of the listing (with a query) or of the creation (with a body).
fn sign(signer: Signer, (method, path): (&str, &str), security_token: Option<&str>) -> Headers {
    let credentials = credentials(security_token);
    let context = Context {
        credentials: &credentials,
        region: "cn-hangzhou",
        host: HOST,
        time: "2026-08-22T01:02:03Z".parse().unwrap(),
        nonce: "nonce-1",
    };
    let is_post = method == "POST";
    let query = [
        ("pageToken", "dt%3D1".to_owned()),
        ("maxResults", "10".to_owned()),
    ];
    let request = Outgoing {
        method,
        path,
        query: if is_post { &[] } else { &query },
        body: is_post.then_some(BODY),
        action: if is_post {
            "CreateDatabase"
        } else {
            "ListTables"
        },
    };
    signer(&context, &request)
}

fn header<'a>(headers: &'a Headers, name: &str) -> Option<&'a str> {
    let found = headers
        .iter()
        .find(|(header, _)| header.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

#[test]
fn default_signatures() {
    for (request, security_token, signature) in [
        (
            GET,
            None,
            "9795479fc6e4df4fb08c93194d89612b816c01c314a9cefb5e5726fa58a3a80c",
        ),
        (
            GET,
            Some("sts-token"),
            "c081e39a741c496272e0a671714e4771b4812dfb311378664e262a631e9dc6a0",
        ),
        (
            POST,
            None,
            "3bdc419492c6516776dd46b3c1d06732e84ee9939830f4c80bf9476ac43cadac",
        ),
        (
            POST,
            Some("sts-token"),
            "217315882df337842ce3e87c3c9a08c31c17dd6a929b082ee75a1f17e05b1d85",
        ),
    ] {
        let headers = sign(default::sign, request, security_token);
        assert_eq!(
            header(&headers, "Authorization").unwrap(),
            format!(
                "DLF4-HMAC-SHA256 Credential=AKID/20260822/cn-hangzhou/DlfNext/aliyun_v4_request,Signature={signature}"
            )
        );
        assert_eq!(header(&headers, "x-dlf-date"), Some("20260822T010203Z"));
        assert_eq!(
            header(&headers, "x-dlf-content-sha256"),
            Some("UNSIGNED-PAYLOAD")
        );
        assert_eq!(header(&headers, "x-dlf-version"), Some("v1"));
        assert_eq!(header(&headers, "x-dlf-security-token"), security_token);
        let is_post = request == POST;
        assert_eq!(
            header(&headers, "Content-MD5"),
            is_post.then_some("O9GcoEH4s9EulQzEIq1JlA==")
        );
        assert_eq!(
            header(&headers, "Content-Type"),
            is_post.then_some("application/json")
        );
    }
}

#[test]
fn openapi_signatures() {
    for (request, security_token, authorization) in [
        (GET, None, "acs AKID:bSJEjQe/S9Ua3RSKJ40Ennli+3Q="),
        (POST, None, "acs AKID:5W9YAY8A+SkGRb5EHzsY6WAbpVU="),
        (
            GET,
            Some("sts-token"),
            "acs AKID:8EWfxsjZYt0i6VNvKnZnrWZTIJY=",
        ),
    ] {
        let headers = sign(openapi::sign, request, security_token);
        assert_eq!(header(&headers, "Authorization"), Some(authorization));
        assert_eq!(
            header(&headers, "Date"),
            Some("Sat, 22 Aug 2026 01:02:03 GMT")
        );
        assert_eq!(header(&headers, "Accept"), Some("application/json"));
        assert_eq!(header(&headers, "Host"), Some(HOST));
        assert_eq!(header(&headers, "x-acs-signature-nonce"), Some("nonce-1"));
        assert_eq!(header(&headers, "x-acs-security-token"), security_token);
        let is_post = request == POST;
        assert_eq!(
            header(&headers, "Content-MD5"),
            is_post.then_some("O9GcoEH4s9EulQzEIq1JlA==")
        );
    }
}

#[test]
fn openapi_v4_signatures() {
    for (request, names, signature) in [
        (
            GET,
            "host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version",
            "c1a09210b9b802f91dfba0ba33f0f4fbbf1b4f217634941c47270294e6ce208c",
        ),
        (
            POST,
            "content-type;host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version",
            "83c5e0e5a79e66934830bb9761f25fc502d6b619f6aab2f71c0a600f97105b11",
        ),
    ] {
        let headers = sign(openapi_v4::sign, request, None);
        assert_eq!(
            header(&headers, "authorization").unwrap(),
            format!(
                "ACS4-HMAC-SHA256 Credential=AKID/20260822/cn-hangzhou/DlfNext/aliyun_v4_request,SignedHeaders={names},Signature={signature}"
            )
        );
        assert_eq!(header(&headers, "x-acs-date"), Some("2026-08-22T01:02:03Z"));
    }
    let headers = sign(openapi_v4::sign, GET, Some("sts-token"));
    assert_eq!(header(&headers, "x-acs-security-token"), Some("sts-token"));
    assert!(
        header(&headers, "authorization")
            .unwrap()
            .contains("x-acs-date;x-acs-security-token;x-acs-signature-nonce")
    );
}

#[test]
fn the_region_is_set_or_read_from_the_uri() {
    for (uri, region) in [
        ("https://cn-hangzhou-vpc.dlf.aliyuncs.com", "cn-hangzhou"),
        ("https://pre-cn-beijing.dlf.aliyuncs.com", "cn-beijing"),
        ("https://dlfnext.us-east-1.aliyuncs.com", "us-east-1"),
        ("https://ap-southeast-12x.example", "ap-southeast-12"),
        // Set the option behind a proxy.
        ("https://my-proxy.example", "my-proxy"),
    ] {
        assert_eq!(region_in(uri).as_deref(), Some(region), "{uri}");
    }
    assert_eq!(region_in("http://127.0.0.1:8080"), None);
    let base = BaseUri::parse("https://my-proxy.example").unwrap();
    let set = Options::from([("dlf.region", "cn-hangzhou")]);
    assert_eq!(region(&set, &base).unwrap(), "cn-hangzhou");
    let base = BaseUri::parse("http://127.0.0.1:8080").unwrap();
    let error = region(&Options::new(), &base).unwrap_err();
    assert!(
        error.to_string().contains("'dlf.region' is not set"),
        "{error}"
    );
}

#[test]
fn the_way_to_sign_is_set_or_read_from_the_uri() {
    let choose = |uri: &str, set: Option<&str>| {
        let options: Options = set
            .map(|value| ("dlf.signing-algorithm", value))
            .into_iter()
            .collect();
        Algorithm::choose(&options, &BaseUri::parse(uri).unwrap())
    };
    let plain = "https://cn-hangzhou.dlf.aliyuncs.com";
    let next = "https://DlfNext.cn-hangzhou.aliyuncs.com";
    assert_eq!(choose(plain, None).unwrap(), Algorithm::Default);
    assert_eq!(choose(next, None).unwrap(), Algorithm::OpenApi);
    assert_eq!(choose(next, Some("default")).unwrap(), Algorithm::Default);
    assert_eq!(choose(plain, Some("openapi")).unwrap(), Algorithm::OpenApi);
    assert_eq!(
        choose(plain, Some("openapi-v4")).unwrap(),
        Algorithm::OpenApiV4
    );
    let error = choose(plain, Some("v9")).unwrap_err();
    assert!(error.to_string().contains("'dlf.signing-algorithm' = 'v9'"));
}
