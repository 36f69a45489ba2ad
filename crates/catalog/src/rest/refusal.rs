//! What the refusal of a server means for what was asked.

use ftable_core::{ErrorKind, Identifier};
use snafu::IntoError;

use crate::Error;
use crate::error::RefusedSnafu;

/// What a request was about.
#[derive(Debug, Clone, Copy)]
pub(super) enum Subject<'a> {
    /// A database.
    Database(&'a str),
    /// A table.
    Table(&'a Identifier),
    /// A table that is to be made in a database.
    NewTable(&'a Identifier),
    /// A table that is to get another name.
    Rename(&'a Identifier, &'a Identifier),
    /// Partitions of a table.
    Partitions(&'a Identifier),
}

impl Subject<'_> {
    fn database(&self) -> &str {
        match self {
            Self::Database(name) => name,
            Self::Table(table)
            | Self::NewTable(table)
            | Self::Rename(table, _)
            | Self::Partitions(table) => table.database(),
        }
    }

    /// The subject in a sentence.
    fn name(&self) -> String {
        match self {
            Self::Database(name) => format!("database '{name}'"),
            Self::Table(table) | Self::NewTable(table) | Self::Rename(table, _) => {
                format!("table {table}")
            }
            Self::Partitions(table) => format!("partitions of table {table}"),
        }
    }

    /// What columns and partitions belong to, in a sentence.
    fn owner(&self) -> String {
        match self {
            Self::Partitions(table) => format!("table {table}"),
            other => other.name(),
        }
    }

    /// What is not there when the server does not say what.
    fn missing(&self) -> String {
        match self {
            // A table is made in a database, so that is what can be missing.
            Self::Database(name) => format!("database '{name}' does not exist"),
            Self::NewTable(table) => format!("database '{}' does not exist", table.database()),
            Self::Table(table) | Self::Rename(table, _) | Self::Partitions(table) => {
                format!("table {table} does not exist")
            }
        }
    }

    /// What is there already when the server does not say what.
    fn existing(&self) -> String {
        match self {
            Self::Database(name) => format!("database '{name}' already exists"),
            Self::Table(table) | Self::NewTable(table) | Self::Rename(_, table) => {
                format!("table {table} already exists")
            }
            Self::Partitions(table) => {
                format!(
                    "some of these partitions of table {table} are registered already, so none was registered"
                )
            }
        }
    }
}

/// The error with what it means, where the server refused; any other error as it is.
///
/// Which thing is missing or in the way is what the server says it is; where it says nothing, what the request
/// was about. Its message stays: a server without the called address says nothing either.
pub(super) fn explain(subject: Subject<'_>) -> impl Fn(Error) -> Error {
    move |error| {
        let Error::Server {
            code,
            resource_type,
            resource_name,
            ..
        } = &error
        else {
            return error;
        };
        let of_table = |what: &str| format!("{what} '{resource_name}' of {}", subject.owner());
        let (text, kind) = match (code, resource_type.to_ascii_uppercase().as_str()) {
            (404, "DATABASE") => {
                let name = match resource_name.as_str() {
                    "" => subject.database(),
                    name => name,
                };
                (
                    format!("database '{name}' does not exist"),
                    ErrorKind::NotFound,
                )
            }
            (404, "COLUMN") => (
                format!("{} does not exist", of_table("column")),
                ErrorKind::NotFound,
            ),
            (404, "PARTITION") => (
                format!("{} does not exist", of_table("partition")),
                ErrorKind::NotFound,
            ),
            (404, "TABLE" | "") => (subject.missing(), ErrorKind::NotFound),
            (409, "COLUMN") => (
                format!("{} already exists", of_table("column")),
                ErrorKind::AlreadyExists,
            ),
            (409, _) => (subject.existing(), ErrorKind::AlreadyExists),
            (403, _) => (
                format!("no permission for {}", subject.name()),
                ErrorKind::PermissionDenied,
            ),
            (501, _) => (
                format!("the server cannot do this with {}", subject.name()),
                ErrorKind::Unsupported,
            ),
            _ => return error,
        };
        RefusedSnafu {
            subject: text,
            kind,
        }
        .into_error(error)
    }
}

/// Whether the server has no such address: it says so, or it says that it found nothing and not what.
pub(super) fn lacks_endpoint(error: &Error) -> bool {
    match error {
        Error::Server {
            code,
            resource_type,
            ..
        } => *code == 501 || (*code == 404 && resource_type.is_empty()),
        _ => false,
    }
}

/// Whether the server answered with that code.
pub(super) fn has_code(error: &Error, expected: u16) -> bool {
    matches!(error, Error::Server { code, .. } if *code == expected)
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    fn refusal(code: u16, resource_type: &str, resource_name: &str) -> Error {
        Error::Server {
            request: "GET /v1/x".to_owned(),
            code,
            resource_type: resource_type.to_owned(),
            resource_name: resource_name.to_owned(),
            message: "from the test".to_owned(),
            request_id: None,
            attempts: 1,
        }
    }

    #[test]
    fn what_the_server_says_is_missing_comes_before_what_was_asked_for() {
        let table = Identifier::new("d", "t").unwrap();
        let other = Identifier::new("d", "u").unwrap();
        for (subject, code, kind_and_name, text, kind) in [
            (
                Subject::Table(&table),
                404,
                ("TABLE", "t"),
                "table d.t does not exist",
                ErrorKind::NotFound,
            ),
            (
                Subject::Table(&table),
                404,
                ("", ""),
                "table d.t does not exist",
                ErrorKind::NotFound,
            ),
            (
                Subject::Table(&table),
                404,
                ("DATABASE", "d"),
                "database 'd' does not exist",
                ErrorKind::NotFound,
            ),
            (
                Subject::NewTable(&table),
                404,
                ("", ""),
                "database 'd' does not exist",
                ErrorKind::NotFound,
            ),
            (
                Subject::Database("e"),
                404,
                ("", ""),
                "database 'e' does not exist",
                ErrorKind::NotFound,
            ),
            (
                Subject::Table(&table),
                404,
                ("COLUMN", "c"),
                "column 'c' of table d.t does not exist",
                ErrorKind::NotFound,
            ),
            (
                Subject::Partitions(&table),
                404,
                ("PARTITION", "dt=1"),
                "partition 'dt=1' of table d.t does not exist",
                ErrorKind::NotFound,
            ),
            (
                Subject::Table(&table),
                409,
                ("COLUMN", "c"),
                "column 'c' of table d.t already exists",
                ErrorKind::AlreadyExists,
            ),
            (
                Subject::Rename(&table, &other),
                404,
                ("TABLE", "t"),
                "table d.t does not exist",
                ErrorKind::NotFound,
            ),
            (
                Subject::Rename(&table, &other),
                409,
                ("TABLE", "u"),
                "table d.u already exists",
                ErrorKind::AlreadyExists,
            ),
            (
                Subject::Database("d"),
                409,
                ("DATABASE", "d"),
                "database 'd' already exists",
                ErrorKind::AlreadyExists,
            ),
            (
                Subject::Partitions(&table),
                409,
                ("", ""),
                "some of these partitions of table d.t are registered already, so none was registered",
                ErrorKind::AlreadyExists,
            ),
            (
                Subject::Table(&table),
                403,
                ("", ""),
                "no permission for table d.t",
                ErrorKind::PermissionDenied,
            ),
            (
                Subject::Partitions(&table),
                501,
                ("", ""),
                "the server cannot do this with partitions of table d.t",
                ErrorKind::Unsupported,
            ),
        ] {
            let error = explain(subject)(refusal(code, kind_and_name.0, kind_and_name.1));
            assert_eq!(error.to_string(), text);
            assert_eq!(error.kind(), kind, "{text}");
            // The server's own words stay.
            let source = error.source().unwrap().to_string();
            assert!(source.contains("from the test"), "{source}");
        }
    }

    #[test]
    fn other_refusals_stay_as_they_are() {
        for code in [400, 401, 500, 503] {
            let error = explain(Subject::Database("d"))(refusal(code, "", ""));
            assert!(matches!(error, Error::Server { .. }), "{error}");
        }
    }

    #[test]
    fn a_missing_address_is_told_from_a_missing_table() {
        assert!(lacks_endpoint(&refusal(501, "", "")));
        assert!(lacks_endpoint(&refusal(404, "", "")));
        assert!(!lacks_endpoint(&refusal(404, "TABLE", "t")));
        assert!(!lacks_endpoint(&refusal(500, "", "")));
    }
}
