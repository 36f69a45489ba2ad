//! Which options say what of a bucket (Paimon's `s3.*`, with its aliases and those of pypaimon).

use ftable_core::Options;

use crate::error::{InvalidStoreOptionSnafu, Result};
use crate::location::Location;

/// A key of a setting begins with one of these. The keys of vended credentials come first.
const PREFIXES: [&str; 4] = ["fs.s3.", "fs.s3a.", "s3.", "s3a."];

const ACCESS_KEY: &[&str] = &["accessKeyId", "access.key", "access-key"];
const SECRET_KEY: &[&str] = &["accessKeySecret", "secret.key", "secret-key"];
const SESSION_TOKEN: &[&str] = &["securityToken", "session.token", "session-token"];
const ENDPOINT: &[&str] = &["endpoint"];
const REGION: &[&str] = &["region", "endpoint.region"];
const PATH_STYLE: &[&str] = &["path.style.access", "path-style-access"];
const PROVIDER: &[&str] = &["aws.credentials.provider"];
const SSL: &[&str] = &["connection.ssl.enabled"];

/// The service where no option names another.
const AWS: &str = "https://s3.amazonaws.com";

/// Parts of the names of Hadoop's classes that take keys from the options, or from where those of AWS usually lie.
const ORDINARY: [&str; 3] = ["simple", "temporary", "default"];

/// The region of a bucket whose options name none.
const DEFAULT_REGION: &str = "us-east-1";

/// What is known of a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) bucket: String,
    /// With its scheme.
    pub(super) endpoint: String,
    pub(super) region: String,
    /// `http://bucket.host/key` rather than `http://host/bucket/key`.
    pub(super) virtual_host: bool,
    /// Requests are not signed.
    pub(super) anonymous: bool,
}

impl Settings {
    /// # Errors
    /// `InvalidOption` for a location without a bucket, and a switch that is neither true nor false.
    pub(super) fn new(location: &Location, options: &Options) -> Result<Self> {
        let bucket = location.authority();
        if bucket.is_empty() {
            let message = format!("location '{location}' names no bucket: s3://bucket/path");
            return InvalidStoreOptionSnafu { message }.fail();
        }
        let secure = switch(options, SSL)?.unwrap_or(true);
        let given = find(options, ENDPOINT).map(|(_, text)| text.trim_end_matches('/'));
        let endpoint = match given {
            None => AWS.to_owned(),
            Some(text) if text.contains("://") => text.to_owned(),
            Some(text) if secure => format!("https://{text}"),
            Some(text) => format!("http://{text}"),
        };
        let region = match find(options, REGION) {
            Some((_, region)) => region,
            None => region_of(&endpoint).unwrap_or(DEFAULT_REGION),
        };
        // A bucket with a dot in its name is no name below a host that a certificate is for.
        let path_style = switch(options, PATH_STYLE)?
            .unwrap_or_else(|| is_machine(&endpoint) || bucket.contains('.'));
        if path_style && host(&endpoint).starts_with(&format!("{bucket}.")) {
            let message = format!(
                "the endpoint '{endpoint}' begins with the name of the bucket '{bucket}': set option \
                 's3.path-style-access' to false, or name the endpoint without the bucket"
            );
            return InvalidStoreOptionSnafu { message }.fail();
        }
        let anonymous = is_anonymous(options)?;
        let region = region.to_owned();
        Ok(Self {
            bucket: bucket.to_owned(),
            endpoint,
            region,
            virtual_host: !path_style,
            anonymous,
        })
    }
}

/// The access key of requests for which there is none.
const NO_KEY: &str = "none";

/// An access key, its secret, and the token of a session.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Keys {
    pub(super) access_key: String,
    pub(super) secret_key: String,
    pub(super) session_token: Option<String>,
}

impl Keys {
    /// The keys that options hold, if any.
    ///
    /// # Errors
    /// `InvalidOption` naming the one that is missing beside the other.
    pub(super) fn new(options: &Options) -> Result<Option<Self>> {
        // All of one spelling: a token of a session belongs to its key.
        for prefix in PREFIXES {
            let found = |names| find_under(options, prefix, names);
            match (found(ACCESS_KEY), found(SECRET_KEY)) {
                (Some((_, access_key)), Some((_, secret_key))) => {
                    return Ok(Some(Self {
                        access_key: access_key.to_owned(),
                        secret_key: secret_key.to_owned(),
                        session_token: found(SESSION_TOKEN).map(|(_, token)| token.to_owned()),
                    }));
                }
                (Some((given, _)), None) => return lonely(&given, &format!("{prefix}secret-key")),
                (None, Some((given, _))) => return lonely(&given, &format!("{prefix}access-key")),
                (None, None) => {}
            }
        }
        Ok(None)
    }

    /// Keys that stand for none.
    pub(super) fn none() -> Self {
        Self {
            access_key: NO_KEY.to_owned(),
            secret_key: NO_KEY.to_owned(),
            session_token: None,
        }
    }

    /// Whether an access key is that of [`Self::none`].
    pub(super) fn are_none(access_key: &str) -> bool {
        access_key == NO_KEY
    }
}

fn lonely<T>(given: &str, missing: &str) -> Result<T> {
    let message = format!("option '{given}' is set without '{missing}': set both, or neither");
    InvalidStoreOptionSnafu { message }.fail()
}

/// The first of the keys that has a value, and its value.
fn find<'a>(options: &'a Options, names: &[&str]) -> Option<(String, &'a str)> {
    let found = PREFIXES
        .iter()
        .map(|prefix| find_under(options, prefix, names));
    found.flatten().next()
}

/// The same under one prefix.
fn find_under<'a>(options: &'a Options, prefix: &str, names: &[&str]) -> Option<(String, &'a str)> {
    let keys = names.iter().map(|name| format!("{prefix}{name}"));
    keys.filter_map(|key| {
        let value = options.get_raw(&key).filter(|value| !value.is_empty())?;
        Some((key, value))
    })
    .next()
}

/// Whether requests are not to be signed.
fn is_anonymous(options: &Options) -> Result<bool> {
    let Some((key, value)) = find(options, PROVIDER) else {
        return Ok(false);
    };
    let class = value.to_ascii_lowercase();
    if class.contains("anonymous") {
        return Ok(true);
    }
    if ORDINARY.iter().any(|part| class.contains(part)) {
        return Ok(false);
    }
    let message = format!(
        "option '{key}' is '{value}': only an anonymous provider is known; leave it out and set the keys"
    );
    InvalidStoreOptionSnafu { message }.fail()
}

fn switch(options: &Options, names: &[&str]) -> Result<Option<bool>> {
    let Some((key, value)) = find(options, names) else {
        return Ok(None);
    };
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(Some(true)),
        "false" => Ok(Some(false)),
        _ => {
            let message = format!("option '{key}' is '{value}': set it to true or false");
            InvalidStoreOptionSnafu { message }.fail()
        }
    }
}

/// The host of an endpoint, without its port.
fn host(endpoint: &str) -> &str {
    let rest = endpoint
        .split_once("://")
        .map_or(endpoint, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or_default();
    match authority.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    }
}

/// Whether buckets cannot be names below a host: it is an address, or this machine.
fn is_machine(endpoint: &str) -> bool {
    let host = host(endpoint);
    host.eq_ignore_ascii_case("localhost") || host.parse::<std::net::IpAddr>().is_ok()
}

/// The region in an endpoint of AWS.
fn region_of(endpoint: &str) -> Option<&str> {
    let region = host(endpoint)
        .strip_prefix("s3.")?
        .strip_suffix(".amazonaws.com")?;
    (!region.is_empty() && !region.contains('.')).then_some(region)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn settings<const N: usize>(options: [(&str, &str); N]) -> Settings {
        Settings::new(&"s3://lake/wh".parse().unwrap(), &Options::from(options)).unwrap()
    }

    #[test]
    fn endpoints_get_a_scheme_and_tell_the_region_and_the_style() {
        let none = settings([]);
        assert_eq!(none.bucket, "lake");
        assert_eq!(none.endpoint, "https://s3.amazonaws.com");
        assert_eq!(none.region, "us-east-1");
        assert!(none.virtual_host);
        let dotted = Settings::new(&"s3://a.b/wh".parse().unwrap(), &Options::default());
        assert!(!dotted.unwrap().virtual_host);
        for (endpoint, with_scheme, region, virtual_host) in [
            ("minio:9000", "https://minio:9000", "us-east-1", true),
            (
                "http://127.0.0.1:9000/",
                "http://127.0.0.1:9000",
                "us-east-1",
                false,
            ),
            ("http://[::1]:9000", "http://[::1]:9000", "us-east-1", false),
            (
                "LOCALHOST:9000",
                "https://LOCALHOST:9000",
                "us-east-1",
                false,
            ),
            (
                "s3.eu-central-1.amazonaws.com",
                "https://s3.eu-central-1.amazonaws.com",
                "eu-central-1",
                true,
            ),
            (
                "s3.amazonaws.com",
                "https://s3.amazonaws.com",
                "us-east-1",
                true,
            ),
        ] {
            let found = settings([("s3.endpoint", endpoint)]);
            assert_eq!(found.endpoint, with_scheme);
            assert_eq!(found.region, region, "{endpoint}");
            assert_eq!(found.virtual_host, virtual_host, "{endpoint}");
        }
    }

    #[test]
    fn every_spelling_of_a_key_is_read() {
        for prefix in PREFIXES {
            let key = |name: &str| format!("{prefix}{name}");
            let options = |entries: &[(&str, &str)]| {
                let entries = entries
                    .iter()
                    .map(|(name, value)| (key(name), (*value).to_owned()));
                entries.collect::<Options>()
            };
            let set = options(&[
                ("endpoint", "e"),
                ("endpoint.region", "r"),
                ("path-style-access", "TRUE"),
                ("connection.ssl.enabled", "false"),
                (
                    "aws.credentials.provider",
                    "org.x.AnonymousAWSCredentialsProvider",
                ),
            ]);
            let found = Settings::new(&"s3a://b".parse().unwrap(), &set).unwrap();
            let expected = Settings {
                bucket: "b".to_owned(),
                endpoint: "http://e".to_owned(),
                region: "r".to_owned(),
                virtual_host: false,
                anonymous: true,
            };
            assert_eq!(found, expected, "{prefix}");
            for (access_key, secret_key, token) in [
                ("access.key", "secret.key", "session.token"),
                ("access-key", "secret-key", "session-token"),
                ("accessKeyId", "accessKeySecret", "securityToken"),
            ] {
                let keys = options(&[(access_key, "a"), (secret_key, "s"), (token, "t")]);
                let keys = Keys::new(&keys).unwrap().unwrap();
                assert_eq!(keys.access_key, "a");
                assert_eq!(keys.secret_key, "s");
                assert_eq!(keys.session_token.as_deref(), Some("t"));
            }
        }
    }

    #[test]
    fn vended_keys_come_before_those_of_the_catalog() {
        let options = Options::from([
            ("s3.access-key", "own"),
            ("s3.secret-key", "own secret"),
            ("fs.s3.accessKeyId", "vended"),
            ("fs.s3.accessKeySecret", "vended secret"),
        ]);
        let keys = Keys::new(&options).unwrap().unwrap();
        assert_eq!(
            (&*keys.access_key, &*keys.secret_key),
            ("vended", "vended secret")
        );
        assert!(Keys::new(&Options::default()).unwrap().is_none());
        // The token of the catalog's own session does not go with other keys.
        let options = options
            .into_iter()
            .chain([("s3.session-token".to_owned(), "own".to_owned())]);
        let keys = Keys::new(&options.collect()).unwrap().unwrap();
        assert_eq!((&*keys.access_key, keys.session_token), ("vended", None));
    }

    #[test]
    fn what_cannot_be_meant_is_refused_by_name() {
        let location: Location = "s3://b".parse().unwrap();
        let said = |options: Options| match Settings::new(&location, &options) {
            Err(error) => error.to_string(),
            Ok(_) => Keys::new(&options).err().unwrap().to_string(),
        };
        assert_eq!(
            said(Options::from([("s3.path.style.access", "yes")])),
            "option 's3.path.style.access' is 'yes': set it to true or false"
        );
        assert_eq!(
            said(Options::from([("s3.access-key", "a")])),
            "option 's3.access-key' is set without 's3.secret-key': set both, or neither"
        );
        assert_eq!(
            said(Options::from([("fs.s3a.secret.key", "a")])),
            "option 'fs.s3a.secret.key' is set without 'fs.s3a.access-key': set both, or neither"
        );
        assert_eq!(
            said(Options::from([(
                "fs.s3a.aws.credentials.provider",
                "org.x.VaultProvider"
            )])),
            "option 'fs.s3a.aws.credentials.provider' is 'org.x.VaultProvider': only an anonymous provider is known; \
             leave it out and set the keys"
        );
        let options = Options::from([
            ("s3.endpoint", "https://b.example.com"),
            ("s3.path-style-access", "true"),
        ]);
        assert_eq!(
            said(options),
            "the endpoint 'https://b.example.com' begins with the name of the bucket 'b': set option \
             's3.path-style-access' to false, or name the endpoint without the bucket"
        );
        let nowhere = Settings::new(&"s3:/wh".parse().unwrap(), &Options::default());
        assert_eq!(
            nowhere.unwrap_err().to_string(),
            "location 's3:/wh' names no bucket: s3://bucket/path"
        );
    }
}
