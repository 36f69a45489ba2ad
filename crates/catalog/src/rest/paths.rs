//! The paths of requests.

use ftable_core::Identifier;
use snafu::ensure;

use super::encoding::encode;
use crate::Result;
use crate::error::UnsupportedSnafu;

/// Where the configuration is asked for; the only path without the prefix.
pub(super) const CONFIG: &str = "/v1/config";

/// The paths of one catalog: all below `/v1` and the prefix that the server names.
#[derive(Debug, Clone, Default)]
pub(super) struct Paths {
    root: String,
}

impl Paths {
    /// Those below a prefix, which is one segment whatever it holds; a blank one is none.
    ///
    /// # Errors
    /// As for names: a prefix `.` or `..` is refused.
    pub(super) fn new(prefix: Option<&str>) -> Result<Self> {
        let root = match prefix.map(str::trim).filter(|prefix| !prefix.is_empty()) {
            Some(prefix) => format!("/v1/{}", segment("prefix", prefix)?),
            None => "/v1".to_owned(),
        };
        Ok(Self { root })
    }

    pub(super) fn databases(&self) -> String {
        format!("{}/databases", self.root)
    }

    pub(super) fn database(&self, name: &str) -> Result<String> {
        Ok(format!(
            "{}/{}",
            self.databases(),
            segment("database", name)?
        ))
    }

    pub(super) fn tables(&self, database: &str) -> Result<String> {
        Ok(format!("{}/tables", self.database(database)?))
    }

    pub(super) fn table_details(&self, database: &str) -> Result<String> {
        Ok(format!("{}/table-details", self.database(database)?))
    }

    /// The tables of all databases.
    pub(super) fn all_tables(&self) -> String {
        format!("{}/tables", self.root)
    }

    pub(super) fn rename_table(&self) -> String {
        format!("{}/tables/rename", self.root)
    }

    pub(super) fn table(&self, table: &Identifier) -> Result<String> {
        let tables = self.tables(table.database())?;
        Ok(format!("{tables}/{}", segment("table", table.object())?))
    }

    pub(super) fn token(&self, table: &Identifier) -> Result<String> {
        Ok(format!("{}/token", self.table(table)?))
    }

    pub(super) fn partitions(&self, table: &Identifier) -> Result<String> {
        Ok(format!("{}/partitions", self.table(table)?))
    }

    /// An operation on partitions: `drop`, `mark`, `list-by-names`, `list-by-filter`.
    pub(super) fn partitions_operation(
        &self,
        table: &Identifier,
        operation: &str,
    ) -> Result<String> {
        Ok(format!("{}/{operation}", self.partitions(table)?))
    }
}

/// A name as a segment. URL libraries and proxies take `.` and `..`, encoded too, for steps in the
/// tree: the request would be about something else.
fn segment(what: &str, name: &str) -> Result<String> {
    ensure!(
        !matches!(name, "." | ".." | ""),
        UnsupportedSnafu {
            what: format!("{what} name '{name}' in a REST catalog"),
            reason: "a path of a request cannot hold it",
            instead: "use another name",
        }
    );
    Ok(encode(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(object: &str) -> Identifier {
        Identifier::new("d", object).unwrap()
    }

    #[test]
    fn paths_below_a_prefix() {
        let paths = Paths::new(Some("p")).unwrap();
        let t = table("t");
        assert_eq!(paths.databases(), "/v1/p/databases");
        assert_eq!(paths.database("a b").unwrap(), "/v1/p/databases/a%20b");
        assert_eq!(paths.tables("d").unwrap(), "/v1/p/databases/d/tables");
        assert_eq!(
            paths.table_details("d").unwrap(),
            "/v1/p/databases/d/table-details"
        );
        assert_eq!(paths.all_tables(), "/v1/p/tables");
        assert_eq!(paths.rename_table(), "/v1/p/tables/rename");
        assert_eq!(paths.token(&t).unwrap(), "/v1/p/databases/d/tables/t/token");
        assert_eq!(
            paths.partitions(&t).unwrap(),
            "/v1/p/databases/d/tables/t/partitions"
        );
        assert_eq!(
            paths.partitions_operation(&t, "list-by-names").unwrap(),
            "/v1/p/databases/d/tables/t/partitions/list-by-names"
        );
        assert_eq!(
            paths.table(&table("日 志/α")).unwrap(),
            "/v1/p/databases/d/tables/%E6%97%A5%20%E5%BF%97%2F%CE%B1"
        );
        assert_eq!(
            paths.table(&table("t$branch_dev")).unwrap(),
            "/v1/p/databases/d/tables/t%24branch_dev"
        );
    }

    #[test]
    fn a_prefix_is_one_segment_or_none() {
        for (prefix, databases) in [
            (Some("paimon/aaaa"), "/v1/paimon%2Faaaa/databases"),
            (None, "/v1/databases"),
            (Some(""), "/v1/databases"),
            (Some("  "), "/v1/databases"),
        ] {
            assert_eq!(Paths::new(prefix).unwrap().databases(), databases);
        }
    }

    #[test]
    fn names_that_walk_the_tree_are_refused() {
        let paths = Paths::default();
        for name in [".", ".."] {
            let error = paths.table(&table(name)).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
            assert!(paths.database(name).is_err());
            assert!(Paths::new(Some(name)).is_err());
        }
    }
}
