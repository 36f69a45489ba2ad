//! The calls of the protocol: method and path of each.

use std::collections::BTreeMap;

use axum::routing::MethodFilter;

/// One call of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    /// Options that the server hands out.
    Config,
    /// Names of databases, page by page.
    ListDatabases,
    /// A new database.
    CreateDatabase,
    /// One database.
    GetDatabase,
    /// Options of a database, set and removed.
    AlterDatabase,
    /// A database and all in it, removed.
    DropDatabase,
    /// Names of the tables of a database, page by page.
    ListTables,
    /// The tables of a database, page by page.
    ListTableDetails,
    /// Identifiers of the tables of all databases, page by page.
    ListTablesGlobally,
    /// A new table.
    CreateTable,
    /// One table.
    GetTable,
    /// One table, by its id.
    GetTableById,
    /// Changes of a schema.
    AlterTable,
    /// Another name for a table.
    RenameTable,
    /// Another schema for a table.
    ReplaceTable,
    /// A table that lies somewhere already.
    RegisterTable,
    /// A table, removed.
    DropTable,
    /// Storage options for the files of a table.
    GetTableToken,
    /// Which rows and columns may be read.
    AuthorizeQuery,
    /// Partitions of a table, page by page.
    ListPartitions,
    /// Partitions registered, and their statistics.
    CreatePartitions,
    /// Partitions unregistered.
    DropPartitions,
    /// Partitions marked as complete.
    MarkPartitionsDone,
    /// Those of the named partitions that are registered.
    ListPartitionsByNames,
    /// Partitions that may match a predicate, page by page.
    ListPartitionsByFilter,
}

impl Route {
    /// All of them.
    pub const ALL: [Self; 25] = [
        Self::Config,
        Self::ListDatabases,
        Self::CreateDatabase,
        Self::GetDatabase,
        Self::AlterDatabase,
        Self::DropDatabase,
        Self::ListTables,
        Self::ListTableDetails,
        Self::ListTablesGlobally,
        Self::CreateTable,
        Self::GetTable,
        Self::GetTableById,
        Self::AlterTable,
        Self::RenameTable,
        Self::ReplaceTable,
        Self::RegisterTable,
        Self::DropTable,
        Self::GetTableToken,
        Self::AuthorizeQuery,
        Self::ListPartitions,
        Self::CreatePartitions,
        Self::DropPartitions,
        Self::MarkPartitionsDone,
        Self::ListPartitionsByNames,
        Self::ListPartitionsByFilter,
    ];

    /// The method and what follows the prefix in the path.
    fn signature(self) -> (MethodFilter, &'static str) {
        const GET: MethodFilter = MethodFilter::GET;
        const POST: MethodFilter = MethodFilter::POST;
        const DELETE: MethodFilter = MethodFilter::DELETE;
        match self {
            Self::Config => (GET, "/config"),
            Self::ListDatabases => (GET, "/databases"),
            Self::CreateDatabase => (POST, "/databases"),
            Self::GetDatabase => (GET, "/databases/{database}"),
            Self::AlterDatabase => (POST, "/databases/{database}"),
            Self::DropDatabase => (DELETE, "/databases/{database}"),
            Self::ListTables => (GET, "/databases/{database}/tables"),
            Self::ListTableDetails => (GET, "/databases/{database}/table-details"),
            Self::ListTablesGlobally => (GET, "/tables"),
            Self::CreateTable => (POST, "/databases/{database}/tables"),
            Self::GetTable => (GET, "/databases/{database}/tables/{table}"),
            Self::GetTableById => (GET, "/tables/id/{id}"),
            Self::AlterTable => (POST, "/databases/{database}/tables/{table}"),
            Self::RenameTable => (POST, "/tables/rename"),
            Self::ReplaceTable => (POST, "/databases/{database}/tables/{table}/replace"),
            Self::RegisterTable => (POST, "/databases/{database}/register"),
            Self::DropTable => (DELETE, "/databases/{database}/tables/{table}"),
            Self::GetTableToken => (GET, "/databases/{database}/tables/{table}/token"),
            Self::AuthorizeQuery => (POST, "/databases/{database}/tables/{table}/auth"),
            Self::ListPartitions => (GET, "/databases/{database}/tables/{table}/partitions"),
            Self::CreatePartitions => (POST, "/databases/{database}/tables/{table}/partitions"),
            Self::DropPartitions => (POST, "/databases/{database}/tables/{table}/partitions/drop"),
            Self::MarkPartitionsDone => {
                (POST, "/databases/{database}/tables/{table}/partitions/mark")
            }
            Self::ListPartitionsByNames => (
                POST,
                "/databases/{database}/tables/{table}/partitions/list-by-names",
            ),
            Self::ListPartitionsByFilter => (
                POST,
                "/databases/{database}/tables/{table}/partitions/list-by-filter",
            ),
        }
    }

    pub(super) fn method(self) -> MethodFilter {
        self.signature().0
    }

    /// The whole path, with a name in braces for each segment that is a parameter.
    pub(super) fn template(self, base_path: &str, has_prefix: bool) -> String {
        let prefix = match self {
            // The prefix is what this call is there to find out.
            Self::Config => "",
            _ if has_prefix => "/{prefix}",
            _ => "",
        };
        format!("{base_path}/v1{prefix}{}", self.signature().1)
    }
}

/// The decoded segments of a path that stand where its template has a name in braces.
pub(super) fn parameters(template: &str, path: &str) -> BTreeMap<String, String> {
    let segments = template.split('/').zip(path.split('/'));
    segments
        .filter_map(|(name, value)| {
            let name = name.strip_prefix('{')?.strip_suffix('}')?;
            Some((name.to_owned(), decode(value)))
        })
        .collect()
}

/// The decoded names and values of a query.
pub(super) fn query(text: &str) -> BTreeMap<String, String> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        })
        .collect()
}

/// Undoes the encoding of a form: `+` is a space, `%XX` a byte of UTF-8. Java's client writes paths in
/// it, and what RFC 3986 writes reads the same.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    loop {
        rest = match rest {
            [] => return String::from_utf8_lossy(&bytes).into_owned(),
            [b'+', rest @ ..] => {
                bytes.push(b' ');
                rest
            }
            [b'%', high, low, rest @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16).unwrap_or_default() as u8;
                bytes.push(digit(high) << 4 | digit(low));
                rest
            }
            [byte, rest @ ..] => {
                bytes.push(*byte);
                rest
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_both_encodings() {
        // Form encoding as Java's client writes it, then the same by RFC 3986.
        for (encoded, name) in [
            ("a+b", "a b"),
            ("a%20b", "a b"),
            ("a%2Bb", "a+b"),
            ("a%2Fb", "a/b"),
            ("a%25b", "a%b"),
            ("t%24branch_dev", "t$branch_dev"),
            ("a*b%7Ec", "a*b~c"),
            ("a%2Ab~c", "a*b~c"),
            ("%C3%A9", "é"),
            ("%E6%97%A5%20%E5%BF%97%2F%CE%B1", "日 志/α"),
            ("50%", "50%"),
        ] {
            assert_eq!(decode(encoded), name, "{encoded}");
        }
    }

    #[test]
    fn parameters_stand_where_the_template_says() {
        let template = Route::GetTable.template("/dlf", true);
        assert_eq!(
            template,
            "/dlf/v1/{prefix}/databases/{database}/tables/{table}"
        );
        let found = parameters(&template, "/dlf/v1/p%2Fq/databases/d/tables/a%2Fb");
        let expected = [("database", "d"), ("prefix", "p/q"), ("table", "a/b")];
        assert!(
            found
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .eq(expected)
        );
        assert_eq!(
            Route::GetTable.template("", false),
            "/v1/databases/{database}/tables/{table}"
        );
        assert_eq!(Route::Config.template("", true), "/v1/config");
    }

    #[test]
    fn a_query_is_names_and_values() {
        let found = query("maxResults=10&pageToken=dt%3D1&flag&x=a=b");
        let expected = [
            ("flag", ""),
            ("maxResults", "10"),
            ("pageToken", "dt=1"),
            ("x", "a=b"),
        ];
        assert!(
            found
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .eq(expected)
        );
        assert!(query("").is_empty());
    }
}
