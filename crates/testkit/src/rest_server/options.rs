//! What a server is started with.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How a server behaves. Made by [`ServerOptions::new`] and changed field by field.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The local directory that databases and tables live under; it exists.
    pub root: PathBuf,
    /// The port on 127.0.0.1; 0 lets the system choose.
    pub port: u16,
    /// What stands before `/v1` in every path, for a server behind a path of its own: empty, or with a
    /// slash in front and none behind.
    pub base_path: String,
    /// The segment after `/v1`, before its encoding. The config call hands it out as default `prefix`;
    /// without one no path has it.
    pub prefix: Option<String>,
    /// The only warehouse that the config call knows; without one it takes any, or none.
    pub warehouse: Option<String>,
    /// What the config call hands out as `defaults`, beside the prefix. `None` is sent as null.
    pub defaults: Vec<(String, Option<String>)>,
    /// What the config call hands out as `overrides`. `None` is sent as null.
    pub overrides: Vec<(String, Option<String>)>,
    /// Who may ask.
    pub authorization: Authorization,
    /// How many elements a page has that says no `maxResults`, and has at most; at least 1.
    pub page_size: usize,
    /// Whether `partitions/list-by-names` answers at most 100 partitions and a page token, which it has
    /// no way to take back.
    pub cap_list_by_names: bool,
    /// Which tables have registered partitions.
    pub registry: Registry,
    /// The storage options that a table token carries, beside `fs.oss.securityToken`, whose value ends in
    /// the number of the token.
    pub data_token: Vec<(String, String)>,
    /// How long after its answer a table token expires.
    pub data_token_lifetime: Duration,
    /// What makes the storage options of a table token, in place of `data_token`.
    pub token_maker: Option<TokenMaker>,
    /// A location in a store that tables without a `path` are said to lie under, in place of `root`; the server does
    /// not look at it.
    pub store: Option<String>,
}

impl ServerOptions {
    /// Prefix `mock`, no authorization, pages of 100, partitions registered for every partitioned table,
    /// table tokens that live for twelve hours.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        Self {
            root: root.into(),
            port: 0,
            base_path: String::new(),
            prefix: Some("mock".to_owned()),
            warehouse: None,
            defaults: Vec::new(),
            overrides: Vec::new(),
            authorization: Authorization::None,
            page_size: 100,
            cap_list_by_names: false,
            registry: Registry::AllTables,
            data_token: vec![
                pair("fs.oss.accessKeyId", "STS.vended"),
                pair("fs.oss.accessKeySecret", "vended-secret"),
            ],
            data_token_lifetime: Duration::from_hours(12),
            token_maker: None,
            store: None,
        }
    }
}

/// Makes the storage options of each table token, so that a store can be told of them.
#[derive(Clone)]
pub struct TokenMaker(Arc<dyn Fn(usize) -> Vec<(String, String)> + Send + Sync>);

impl TokenMaker {
    /// `make` is given the number of the token, from 1.
    pub fn new(make: impl Fn(usize) -> Vec<(String, String)> + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }

    pub(super) fn make(&self, number: usize) -> Vec<(String, String)> {
        (self.0)(number)
    }
}

impl fmt::Debug for TokenMaker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("TokenMaker").finish()
    }
}

/// Which tables have registered partitions. Partition calls about others are answered with 501.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registry {
    /// Every partitioned table.
    AllTables,
    /// Partitioned tables with `metastore.partitioned-table` = `true`.
    ManagedTables,
    /// None.
    NoTables,
}

/// Who may ask. A request that does not show it is answered with 401.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Authorization {
    /// Anyone.
    None,
    /// Who sends this token.
    Bearer(String),
    /// Who signs with these keys, by the algorithm DLF4-HMAC-SHA256.
    Dlf(DlfKeys),
}

/// Access keys of Aliyun DLF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DlfKeys {
    /// The id of the key.
    pub access_key_id: String,
    /// What is signed with.
    pub access_key_secret: String,
    /// The token that temporary keys come with.
    pub security_token: Option<String>,
    /// The region that a signature is for.
    pub region: String,
}
