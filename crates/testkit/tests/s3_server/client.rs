//! Clients of the server, and what they are told.

use ftable_testkit::s3_server::{S3Options, S3Server};
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use opendal::services::S3;
use opendal::{HttpTransporter, OperationContext, Operator};
use opendal_http_transport_reqwest::ReqwestTransport;
use reqwest::Method;
use sha2::{Digest, Sha256};

pub(crate) const BUCKET: &str = "lake";
const REGION: &str = "eu-central-1";

/// What a request is signed with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keys {
    pub(crate) access_key: &'static str,
    pub(crate) secret_key: &'static str,
    pub(crate) session_token: Option<&'static str>,
}

/// Keys that every server of these tests knows.
pub(crate) const KEYS: Keys = Keys {
    access_key: "AK",
    secret_key: "secret",
    session_token: None,
};

/// A server with one bucket, where [`KEYS`] may ask.
pub(crate) fn server() -> S3Server {
    server_of(S3Options::new())
}

pub(crate) fn server_of(options: S3Options) -> S3Server {
    let server = S3Server::start(options.bucket(BUCKET)).unwrap();
    let Keys {
        access_key,
        secret_key,
        ..
    } = KEYS;
    server
        .credentials()
        .allow(access_key, secret_key, None, None);
    server
}

/// A client of HTTP that asks nobody but the server.
fn http() -> reqwest::Client {
    // Another test of this process may have installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// OpenDAL on the bucket. It repeats nothing.
pub(crate) fn operator(server: &S3Server, keys: Keys) -> Operator {
    let mut store = S3::default()
        .endpoint(&server.endpoint())
        .bucket(BUCKET)
        .region(REGION)
        .access_key_id(keys.access_key)
        .secret_access_key(keys.secret_key)
        .disable_config_load()
        .disable_ec2_metadata();
    if let Some(token) = keys.session_token {
        store = store.session_token(token);
    }
    let transport = HttpTransporter::new(ReqwestTransport::new(http()));
    let context = OperationContext::new().with_http_transport(transport);
    Operator::new(store).unwrap().with_context(context)
}

/// Status and body of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Reply {
    /// The texts of all elements of a name, in their order.
    pub(crate) fn texts(&self, element: &str) -> Vec<&str> {
        let open = format!("<{element}>");
        let close = format!("</{element}>");
        let pieces = self.body.split(&open).skip(1);
        pieces
            .map(|piece| piece.split(&close).next().unwrap())
            .collect()
    }

    /// Status and code of an error.
    pub(crate) fn error(&self) -> (u16, &str) {
        let codes = self.texts("Code");
        (self.status, codes.first().copied().unwrap_or_default())
    }
}

/// A request signed by hand, by the rules of Signature Version 4. The path is encoded, and the parameters
/// are encoded and sorted by their names.
#[derive(Debug)]
pub(crate) struct Signed<'a> {
    pub(crate) method: Method,
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
    pub(crate) headers: &'a [(&'a str, &'a str)],
    pub(crate) body: &'a str,
}

impl Signed<'_> {
    pub(crate) async fn send(&self, server: &S3Server, keys: Keys) -> reqwest::Result<Reply> {
        let host = server.endpoint().replace("http://", "");
        let now = Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
        let digest = hex(&Sha256::digest(self.body));
        let mut headers = vec![
            ("host", host.as_str()),
            ("x-amz-content-sha256", digest.as_str()),
            ("x-amz-date", now.as_str()),
        ];
        headers.extend(
            keys.session_token
                .map(|token| ("x-amz-security-token", token)),
        );
        headers.extend(self.headers);
        headers.sort_unstable();
        let authorization = self.authorization(&headers, &digest, &now, keys);
        let url = format!("{}{}?{}", server.endpoint(), self.path, self.query);
        let mut request = http().request(self.method.clone(), url);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let request = request.header("authorization", authorization);
        let response = request.body(self.body.to_owned()).send().await?;
        Ok(Reply {
            status: response.status().as_u16(),
            body: response.text().await?,
        })
    }

    fn authorization(
        &self,
        headers: &[(&str, &str)],
        digest: &str,
        now: &str,
        keys: Keys,
    ) -> String {
        let names: Vec<_> = headers.iter().map(|(name, _)| *name).collect();
        let names = names.join(";");
        let lines: String = headers
            .iter()
            .map(|(name, value)| format!("{name}:{value}\n"))
            .collect();
        let canonical = format!(
            "{}\n{}\n{}\n{lines}\n{names}\n{digest}",
            self.method, self.path, self.query
        );
        let date = &now[..8];
        let scope = format!("{date}/{REGION}/s3/aws4_request");
        let text = format!(
            "AWS4-HMAC-SHA256\n{now}\n{scope}\n{}",
            hex(&Sha256::digest(canonical))
        );
        let first = format!("AWS4{}", keys.secret_key).into_bytes();
        let parts = [date, REGION, "s3", "aws4_request", text.as_str()];
        let signature = parts.iter().fold(first, |key, part| hmac(&key, part));
        format!(
            "AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={}",
            keys.access_key,
            hex(&signature)
        )
    }
}

/// A signed `GET` of a path and a query.
pub(crate) async fn get(server: &S3Server, path: &str, query: &str) -> Reply {
    let request = Signed {
        method: Method::GET,
        path,
        query,
        headers: &[],
        body: "",
    };
    request.send(server, KEYS).await.unwrap()
}

fn hmac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
