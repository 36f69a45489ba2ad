//! Names of tables.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// What separates the tokens of an object name.
const SEPARATOR: char = '$';
/// What the branch token begins with, in exactly this case.
const BRANCH_PREFIX: &str = "branch_";
/// The branch every table has.
const MAIN_BRANCH: &str = "main";
/// The longest name a file system takes.
const MAX_NAME_BYTES: usize = 255;

/// The name of a table: a database and an object in it.
///
/// The object is a table name, possibly followed by a branch and a system table: `t`, `t$snapshots`,
/// `t$branch_dev`, `t$branch_dev$files`. As text, database and object are separated by the first dot;
/// with backquotes either may hold dots itself.
///
/// ```
/// use ftable_core::Identifier;
/// let table: Identifier = "db.events".parse()?;
/// assert_eq!((table.database(), table.table()), ("db", "events"));
/// let quoted: Identifier = "`a.b`.`c`".parse()?;
/// assert_eq!((quoted.database(), quoted.object()), ("a.b", "c"));
/// assert_eq!(quoted.to_string(), "`a.b`.`c`");
/// # Ok::<(), ftable_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Parts")]
pub struct Identifier {
    database: String,
    object: String,
}

/// The JSON form before it is verified.
#[derive(Deserialize)]
struct Parts {
    database: String,
    object: String,
}

impl TryFrom<Parts> for Identifier {
    type Error = Error;

    fn try_from(parts: Parts) -> Result<Self> {
        Self::new(parts.database, parts.object)
    }
}

/// The tokens of an object name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Tokens<'a> {
    table: &'a str,
    branch: Option<&'a str>,
    system_table: Option<&'a str>,
}

impl Identifier {
    /// The object `object` of the database `database`.
    ///
    /// # Errors
    /// [`Error::InvalidIdentifier`]: a name is blank or the object has tokens that mean nothing.
    pub fn new(database: impl Into<String>, object: impl Into<String>) -> Result<Self> {
        let (database, object) = (database.into(), object.into());
        if database.trim().is_empty() {
            return Err(invalid(
                &format!("{database}.{object}"),
                "the database name is blank",
            ));
        }
        tokens(&object)?;
        Ok(Self { database, object })
    }

    /// The table `table` on a branch, or one of its system tables. The main branch, in any case, adds
    /// nothing to the name.
    ///
    /// # Errors
    /// As [`Identifier::new`].
    pub fn from_parts(
        database: &str,
        table: &str,
        branch: Option<&str>,
        system_table: Option<&str>,
    ) -> Result<Self> {
        let mut object = table.to_owned();
        if let Some(branch) = branch.filter(|branch| !branch.eq_ignore_ascii_case(MAIN_BRANCH)) {
            object = format!("{object}{SEPARATOR}{BRANCH_PREFIX}{branch}");
        }
        if let Some(system_table) = system_table {
            object = format!("{object}{SEPARATOR}{system_table}");
        }
        let identifier = Self::new(database, object)?;
        let given = Tokens {
            table,
            branch: identifier.branch(),
            system_table,
        };
        if identifier.tokens() != given {
            return Err(invalid(
                &identifier.object,
                "a name holds '$', which separates the parts",
            ));
        }
        Ok(identifier)
    }

    /// The database.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// The object: table, branch and system table in one.
    pub fn object(&self) -> &str {
        &self.object
    }

    /// The table.
    pub fn table(&self) -> &str {
        self.tokens().table
    }

    /// The branch, if the object names one; `main` too when it is named.
    pub fn branch(&self) -> Option<&str> {
        self.tokens().branch
    }

    /// The system table, if the object names one. `t$` names the one with the empty name.
    pub fn system_table(&self) -> Option<&str> {
        self.tokens().system_table
    }

    /// Verifies that a database of a filesystem catalog can have this name: it becomes a directory.
    ///
    /// # Errors
    /// [`Error::InvalidIdentifier`]: blank, `.`, `..`, too long, or with a character that is special in
    /// a path.
    pub fn check_name(name: &str) -> Result<()> {
        let refuse = |message: &str| Err(invalid(name, message));
        if name.trim().is_empty() {
            return refuse("the name is blank");
        }
        if matches!(name, "." | "..") {
            return refuse("no directory can have this name");
        }
        if let Some(bad) = name
            .chars()
            .find(|c| matches!(c, '/' | '\\' | ':') || c.is_control())
        {
            return refuse(&format!(
                "the name becomes a directory and must not hold {bad:?}"
            ));
        }
        // A database directory ends in `.db`.
        if name.len() + ".db".len() > MAX_NAME_BYTES {
            return refuse("the name is longer than a directory name can be");
        }
        Ok(())
    }

    /// Verifies that a table of a filesystem catalog can have this name: as [`Identifier::check_name`],
    /// and not hidden.
    ///
    /// # Errors
    /// [`Error::InvalidIdentifier`].
    pub fn check_table_name(name: &str) -> Result<()> {
        Self::check_name(name)?;
        if name.starts_with(['.', '_']) {
            return Err(invalid(
                name,
                "a table name must not begin with '.' or '_': it would be hidden",
            ));
        }
        if name.contains(SEPARATOR) {
            return Err(invalid(
                name,
                "a table name must not hold '$', which separates branches and system tables",
            ));
        }
        Ok(())
    }

    fn tokens(&self) -> Tokens<'_> {
        // The object was verified when the identifier was made.
        tokens(&self.object).unwrap_or_default()
    }
}

/// Splits an object name; empty tokens are kept.
fn tokens(object: &str) -> Result<Tokens<'_>> {
    let parts: Vec<&str> = object.split(SEPARATOR).collect();
    let (table, branch, system_table) = match parts[..] {
        [table] => (table, None, None),
        [table, second] => match second.strip_prefix(BRANCH_PREFIX) {
            Some(branch) => (table, Some(branch), None),
            None => (table, None, Some(second)),
        },
        [table, second, third] => match second.strip_prefix(BRANCH_PREFIX) {
            Some(branch) => (table, Some(branch), Some(third)),
            None => {
                let message =
                    "of three parts separated by '$' the second must begin with 'branch_'";
                return Err(invalid(object, message));
            }
        },
        _ => {
            return Err(invalid(
                object,
                "an object name has at most three parts separated by '$'",
            ));
        }
    };
    if table.trim().is_empty() {
        return Err(invalid(object, "the table name is blank"));
    }
    Ok(Tokens {
        table,
        branch,
        system_table,
    })
}

impl FromStr for Identifier {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.trim().is_empty() {
            return Err(invalid(text, "the name is blank; write database.table"));
        }
        if text.contains('`') {
            return match &quoted_parts(text)?[..] {
                [database, object] => Self::new(database.as_str(), object.as_str()),
                parts => {
                    let message =
                        format!("a name with backquotes has two parts, not {}", parts.len());
                    Err(invalid(text, message))
                }
            };
        }
        match text.split_once('.') {
            Some((database, object)) => Self::new(database, object),
            None => Err(invalid(
                text,
                "the database is missing; write database.table",
            )),
        }
    }
}

/// Splits at dots outside backquotes. A part is quoted as a whole or not at all; inside, a doubled
/// backquote stands for one.
fn quoted_parts(text: &str) -> Result<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let part = match rest.strip_prefix('`') {
            Some(inner) => {
                let (part, behind) =
                    quoted_part(inner).ok_or_else(|| invalid(text, "a backquote is not closed"))?;
                rest = behind;
                part
            }
            None => {
                let end = rest.find('.').unwrap_or(rest.len());
                let (part, behind) = rest.split_at(end);
                rest = behind;
                if part.contains('`') {
                    return Err(invalid(
                        text,
                        "a backquote stands inside a name; quote the whole name",
                    ));
                }
                part.to_owned()
            }
        };
        parts.push(part);
        if rest.is_empty() {
            return Ok(parts);
        }
        rest = rest
            .strip_prefix('.')
            .ok_or_else(|| invalid(text, "a dot is expected behind a closing backquote"))?;
    }
}

/// The part up to the closing backquote, and the text behind it.
fn quoted_part(inner: &str) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut rest = inner;
    loop {
        let (before, behind) = rest.split_once('`')?;
        part.push_str(before);
        match behind.strip_prefix('`') {
            Some(more) => {
                part.push('`');
                rest = more;
            }
            None => return Some((part, behind)),
        }
    }
}

impl Display for Identifier {
    /// The text that parses back to this identifier: plain where that is possible, else both parts in
    /// backquotes.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let quote = self.database.contains(['.', '`']) || self.object.contains('`');
        if !quote {
            return write!(f, "{}.{}", self.database, self.object);
        }
        let quoted = |name: &str| name.replace('`', "``");
        write!(f, "`{}`.`{}`", quoted(&self.database), quoted(&self.object))
    }
}

fn invalid(text: &str, message: impl Into<String>) -> Error {
    Error::InvalidIdentifier {
        text: text.to_owned(),
        message: message.into(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Option<(String, String)> {
        let identifier = text.parse::<Identifier>().ok()?;
        Some((identifier.database, identifier.object))
    }

    #[test]
    fn full_names() {
        for (text, database, object) in [
            ("db.t", "db", "t"),
            ("a.b.c", "a", "b.c"),
            ("`a.b`.`c`", "a.b", "c"),
            ("`a.b`.c", "a.b", "c"),
            ("a.`b.c`", "a", "b.c"),
            ("`a``b`.c", "a`b", "c"),
            ("日.志", "日", "志"),
            ("db. t ", "db", " t "),
            ("db.t$branch_dev", "db", "t$branch_dev"),
        ] {
            assert_eq!(
                parse(text),
                Some((database.to_owned(), object.to_owned())),
                "{text}"
            );
        }
        for text in [
            "",
            "  ",
            "t",
            ".t",
            "db.",
            " .t",
            "db. ",
            "`a.b",
            "`a.b`",
            "a`b.c",
            "a`b`.c",
            "`a`b.c",
            "`a`.`b`.`c`",
            "`a`.b.c",
            "``.t",
            "`db`.",
            "`a`.`b",
            "db.$x",
            "db.t$a$b",
            "db.t$branch_a$b$c",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(
            "t".parse::<Identifier>().unwrap_err().to_string(),
            "identifier 't': the database is missing; write database.table"
        );
    }

    #[test]
    fn object_names() {
        for (object, table, branch, system_table) in [
            ("t", "t", None, None),
            ("t$snapshots", "t", None, Some("snapshots")),
            ("t$branch_dev", "t", Some("dev"), None),
            ("t$branch_dev$files", "t", Some("dev"), Some("files")),
            ("t$branch_main", "t", Some("main"), None),
            ("t$", "t", None, Some("")),
            ("t$branch_dev$", "t", Some("dev"), Some("")),
            ("t$Branch_dev", "t", None, Some("Branch_dev")),
            ("a.b$files", "a.b", None, Some("files")),
        ] {
            let identifier = Identifier::new("db", object).unwrap();
            assert_eq!(
                (
                    identifier.table(),
                    identifier.branch(),
                    identifier.system_table()
                ),
                (table, branch, system_table),
                "{object}"
            );
        }
        let message = |object: &str| Identifier::new("db", object).unwrap_err().to_string();
        assert_eq!(
            message("t$a$b"),
            "identifier 't$a$b': of three parts separated by '$' the second must begin with 'branch_'"
        );
        assert_eq!(
            message("t$a$b$c"),
            "identifier 't$a$b$c': an object name has at most three parts separated by '$'"
        );
        assert_eq!(
            message("$files"),
            "identifier '$files': the table name is blank"
        );
    }

    #[test]
    fn names_built_from_parts() {
        let built = |branch, system| {
            Identifier::from_parts("db", "t", branch, system)
                .map(|i| i.object().to_owned())
                .ok()
        };
        assert_eq!(built(None, None).as_deref(), Some("t"));
        assert_eq!(built(Some("MAIN"), None).as_deref(), Some("t"));
        assert_eq!(
            built(Some("main"), Some("files")).as_deref(),
            Some("t$files")
        );
        assert_eq!(built(Some("dev"), None).as_deref(), Some("t$branch_dev"));
        assert_eq!(
            built(Some("dev"), Some("files")).as_deref(),
            Some("t$branch_dev$files")
        );
        assert_eq!(built(None, Some("branch_x")), None);
        assert_eq!(built(Some("a$b"), None), None);
        assert!(Identifier::from_parts("db", "t$x", None, None).is_err());
    }

    #[test]
    fn json() {
        let identifier: Identifier =
            serde_json::from_str(r#"{"database": "db", "object": "t$files", "more": 1}"#).unwrap();
        assert_eq!(identifier, Identifier::new("db", "t$files").unwrap());
        let written = serde_json::to_string(&identifier).unwrap();
        assert_eq!(written, r#"{"database":"db","object":"t$files"}"#);
        for text in [
            r#"{"database": "db"}"#,
            r#"{"database": "", "object": "t"}"#,
            r#""db.t""#,
        ] {
            assert!(serde_json::from_str::<Identifier>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn names_that_become_directories() {
        let long = "x".repeat(253);
        for name in [
            "", " ", ".", "..", "a/b", "a\\b", "a:b", "a\0b", "a\nb", "a\u{7f}", &long,
        ] {
            assert!(Identifier::check_name(name).is_err(), "{name:?}");
            assert!(Identifier::check_table_name(name).is_err(), "{name:?}");
        }
        for name in ["a", "a b", "日志", "a.b", "a=b", "%41", &long[1..]] {
            Identifier::check_name(name).unwrap();
            Identifier::check_table_name(name).unwrap();
        }
        for name in [".a", "_a", "a$b"] {
            Identifier::check_name(name).unwrap();
            assert!(Identifier::check_table_name(name).is_err(), "{name:?}");
        }
        assert_eq!(
            Identifier::check_name("a/b").unwrap_err().to_string(),
            "identifier 'a/b': the name becomes a directory and must not hold '/'"
        );
    }

    proptest! {
        #[test]
        fn identifiers_are_read_back(
            database in "[a-c.`$ é]{1,6}",
            table in "[a-c.` é]{1,6}",
            suffix in "(\\$branch_[a-c.`]{0,3})?(\\$[a-c`]{0,3})?",
        ) {
            if let Ok(identifier) = Identifier::new(database, format!("{table}{suffix}")) {
                prop_assert_eq!(identifier.to_string().parse::<Identifier>().unwrap(), identifier.clone());
                let json = serde_json::to_string(&identifier).unwrap();
                prop_assert_eq!(serde_json::from_str::<Identifier>(&json).unwrap(), identifier);
            }
        }
    }
}
