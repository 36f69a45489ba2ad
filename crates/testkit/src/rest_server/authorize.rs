//! Whether a request may be done: a bearer token, or a signature by the algorithm DLF4-HMAC-SHA256.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest, Md5};
use sha2::Sha256;

use super::{Authorization, DlfKeys, Exchange};

/// The headers that are signed where they are there.
const SIGNED: [&str; 6] = [
    "content-md5",
    "content-type",
    "x-dlf-content-sha256",
    "x-dlf-date",
    "x-dlf-security-token",
    "x-dlf-version",
];
/// What a signature is for, beside day and region.
const SERVICE: &str = "DlfNext";
const REQUEST: &str = "aliyun_v4_request";

/// Whether a request shows what is asked for. `base_path` is no part of what is signed.
pub(super) fn is_authorized(
    authorization: &Authorization,
    request: &Exchange,
    base_path: &str,
) -> bool {
    let shown = request.header("authorization");
    match authorization {
        Authorization::None => true,
        Authorization::Bearer(token) => shown == Some(&format!("Bearer {token}")),
        Authorization::Dlf(keys) => {
            has_headers(keys, request)
                && shown.is_some_and(|shown| shown == signed(keys, request, base_path))
        }
    }
}

/// Whether the headers that a signature stands on are there and right.
fn has_headers(keys: &DlfKeys, request: &Exchange) -> bool {
    let is = |name: &str, value: &str| request.header(name) == Some(value);
    let has_body_headers = || {
        let digest = STANDARD.encode(Md5::digest(&request.body));
        is("content-md5", &digest) && is("content-type", "application/json")
    };
    is("x-dlf-version", "v1")
        && is("x-dlf-content-sha256", "UNSIGNED-PAYLOAD")
        && request.header("x-dlf-security-token") == keys.security_token.as_deref()
        && request.header("x-dlf-date").is_some_and(is_date_time)
        && (request.body.is_empty() || has_body_headers())
}

/// Whether a text is a moment such as `20260822T010203Z`.
fn is_date_time(text: &str) -> bool {
    let shape = b"00000000T000000Z";
    let fits = |(byte, like): (u8, &u8)| match like {
        b'0' => byte.is_ascii_digit(),
        _ => byte == *like,
    };
    text.len() == shape.len() && text.bytes().zip(shape).all(fits)
}

/// The header `Authorization` that belongs to a request.
fn signed(keys: &DlfKeys, request: &Exchange, base_path: &str) -> String {
    let moment = request.header("x-dlf-date").unwrap_or_default();
    let day = moment.get(..8).unwrap_or_default();
    let scope = format!("{day}/{}/{SERVICE}/{REQUEST}", keys.region);
    let digest = hex(&Sha256::digest(canonical(request, base_path)));
    let to_sign = format!("DLF4-HMAC-SHA256\n{moment}\n{scope}\n{digest}");
    let secret = format!("aliyun_v4{}", keys.access_key_secret);
    let parts = [day, &keys.region, SERVICE, REQUEST, &to_sign];
    let signature = parts
        .iter()
        .fold(secret.into_bytes(), |key, part| hmac(&key, part));
    let id = &keys.access_key_id;
    format!(
        "DLF4-HMAC-SHA256 Credential={id}/{scope},Signature={}",
        hex(&signature)
    )
}

/// The text that stands for a request: method, path, sorted query, signed headers, payload.
fn canonical(request: &Exchange, base_path: &str) -> String {
    let path = request.path.strip_prefix(base_path);
    let mut query: Vec<(&str, &str)> = request
        .query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .collect();
    query.sort_unstable();
    let query: Vec<String> = query
        .iter()
        .map(|(name, value)| match *value {
            "" => (*name).to_owned(),
            value => format!("{name}={value}"),
        })
        .collect();
    let mut lines = vec![
        request.method.clone(),
        path.unwrap_or(&request.path).to_owned(),
        query.join("&"),
    ];
    lines.extend(SIGNED.iter().filter_map(|name| {
        let value = request.header(name)?;
        Some(format!("{name}:{}", value.trim()))
    }));
    lines.push("UNSIGNED-PAYLOAD".to_owned());
    lines.join("\n")
}

/// HMAC-SHA256 as RFC 2104 says.
fn hmac(key: &[u8], message: &str) -> Vec<u8> {
    const BLOCK: usize = 64;
    let mut block = if key.len() > BLOCK {
        Sha256::digest(key).to_vec()
    } else {
        key.to_vec()
    };
    block.resize(BLOCK, 0);
    let padded = |pad: u8| block.iter().map(|byte| byte ^ pad).collect::<Vec<_>>();
    let inner = Sha256::digest([&padded(0x36), message.as_bytes()].concat());
    Sha256::digest([&padded(0x5C)[..], &inner].concat()).to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    const LIST: &str = "maxResults=10&pageToken=dt%3D1";

    fn keys(security_token: Option<&str>) -> DlfKeys {
        DlfKeys {
            access_key_id: "AKID".to_owned(),
            access_key_secret: "SECRET".to_owned(),
            security_token: security_token.map(str::to_owned),
            region: "cn-hangzhou".to_owned(),
        }
    }

    fn request(method: &str, path: &str, query: &str, body: &str) -> Exchange {
        let mut headers = vec![
            ("x-dlf-date", "20260822T010203Z"),
            ("x-dlf-content-sha256", "UNSIGNED-PAYLOAD"),
            ("x-dlf-version", "v1"),
        ];
        if !body.is_empty() {
            headers.push(("content-type", "application/json"));
            headers.push(("content-md5", "O9GcoEH4s9EulQzEIq1JlA=="));
        }
        let headers = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Exchange {
            route: None,
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers: headers.collect(),
            body: Bytes::from(body.to_owned()),
            status: None,
        }
    }

    fn with(mut request: Exchange, name: &str, value: &str) -> Exchange {
        request.headers.push((name.to_owned(), value.to_owned()));
        request
    }

    fn list() -> Exchange {
        request("GET", "/v1/cat/databases/db/tables", LIST, "")
    }

    fn create() -> Exchange {
        let body = r#"{"name":"db","options":{}}"#;
        request("POST", "/v1/cat/databases", "", body)
    }

    /// The signatures of an independent implementation of the algorithm.
    #[test]
    fn known_signatures_are_accepted_and_no_other() {
        let vectors = [
            (
                list(),
                None,
                "9795479fc6e4df4fb08c93194d89612b816c01c314a9cefb5e5726fa58a3a80c",
            ),
            (
                list(),
                Some("sts-token"),
                "c081e39a741c496272e0a671714e4771b4812dfb311378664e262a631e9dc6a0",
            ),
            (
                create(),
                None,
                "3bdc419492c6516776dd46b3c1d06732e84ee9939830f4c80bf9476ac43cadac",
            ),
            (
                create(),
                Some("sts-token"),
                "217315882df337842ce3e87c3c9a08c31c17dd6a929b082ee75a1f17e05b1d85",
            ),
        ];
        let credential = "AKID/20260822/cn-hangzhou/DlfNext/aliyun_v4_request";
        for (mut request, token, signature) in vectors {
            if let Some(token) = token {
                request = with(request, "x-dlf-security-token", token);
            }
            let shown = format!("DLF4-HMAC-SHA256 Credential={credential},Signature={signature}");
            let authorization = Authorization::Dlf(keys(token));
            let right = with(request.clone(), "authorization", &shown);
            assert!(is_authorized(&authorization, &right, ""), "{signature}");

            let mut moved = right.clone();
            moved.path = format!("/dlf{}", moved.path);
            assert!(!is_authorized(&authorization, &moved, ""));
            assert!(is_authorized(&authorization, &moved, "/dlf"));

            let wrong = with(request.clone(), "authorization", &format!("{shown}0"));
            assert!(!is_authorized(&authorization, &wrong, ""));
            assert!(!is_authorized(&authorization, &request, ""));
        }
    }

    #[test]
    fn what_is_not_signed_right_is_refused() {
        let keys = keys(None);
        let sign = |request: Exchange| {
            let shown = signed(&keys, &request, "");
            with(request, "authorization", &shown)
        };
        let authorization = Authorization::Dlf(keys.clone());
        assert!(is_authorized(&authorization, &sign(create()), ""));
        for left_out in [
            "x-dlf-version",
            "x-dlf-content-sha256",
            "x-dlf-date",
            "content-md5",
            "content-type",
        ] {
            let mut request = create();
            request.headers.retain(|(name, _)| name != left_out);
            assert!(
                !is_authorized(&authorization, &sign(request), ""),
                "{left_out}"
            );
        }
        let mut other_body = create();
        other_body.body = Bytes::from_static(b"{}");
        assert!(!is_authorized(&authorization, &sign(other_body), ""));
        let with_token = with(create(), "x-dlf-security-token", "unknown");
        assert!(!is_authorized(&authorization, &sign(with_token), ""));
        for moment in [
            "2026-08-22T01:02:03Z",
            "20260822T010203",
            "20260822T010203z",
        ] {
            let mut request = create();
            request.headers.retain(|(name, _)| name != "x-dlf-date");
            let request = with(request, "x-dlf-date", moment);
            assert!(
                !is_authorized(&authorization, &sign(request), ""),
                "{moment}"
            );
        }
    }

    #[test]
    fn a_bearer_token_is_compared_as_a_whole() {
        let authorization = Authorization::Bearer("secret".to_owned());
        for (shown, right) in [
            ("Bearer secret", true),
            ("Bearer secret2", false),
            ("bearer secret", false),
            ("secret", false),
        ] {
            let request = with(list(), "authorization", shown);
            assert_eq!(
                is_authorized(&authorization, &request, ""),
                right,
                "{shown}"
            );
        }
        assert!(!is_authorized(&authorization, &list(), ""));
        assert!(is_authorized(&Authorization::None, &list(), ""));
    }

    /// The second and sixth test case of RFC 4231.
    #[test]
    fn hmac_is_that_of_the_rfc() {
        assert_eq!(
            hex(&hmac(b"Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            hex(&hmac(
                &[0xAA; 131],
                "Test Using Larger Than Block-Size Key - Hash Key First"
            )),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }
}
