//! Column lists as in `CREATE TABLE`.

use super::parse::{Parser, shortened};
use super::{DataField, assign_field_ids};
use crate::error::{Error, Result};

/// Reads a column list: `name TYPE [NOT NULL] [DEFAULT 'text'] [COMMENT 'text'], ...`.
///
/// Names may stand in `` `backquotes` `` or `"double quotes"`, and the list in parentheses. Fields
/// are numbered as in [`assign_field_ids`].
///
/// # Errors
/// [`Error::InvalidSchema`] with the list and what was unexpected in it; [`Error::InvalidType`] for a
/// parameter out of range.
///
/// ```
/// use ftable_core::types::parse_columns;
/// let columns = parse_columns("id BIGINT NOT NULL, dt DATE COMMENT 'day of sale'")?;
/// assert_eq!(columns[0].data_type.to_string(), "BIGINT NOT NULL");
/// assert_eq!(columns[1].description.as_deref(), Some("day of sale"));
/// # Ok::<(), ftable_core::Error>(())
/// ```
pub fn parse_columns(text: &str) -> Result<Vec<DataField>> {
    let mut fields = columns(text).map_err(|message| Error::InvalidSchema {
        message: format!("column list '{}': {message}", shortened(text)),
    })?;
    for field in &fields {
        field.data_type.check()?;
    }
    assign_field_ids(&mut fields);
    Ok(fields)
}

fn columns(text: &str) -> Result<Vec<DataField>, String> {
    let mut parser = Parser::new(text, true)?;
    if parser.at_end() {
        return Err("the list has no columns".to_owned());
    }
    let parenthesized = parser.symbol('(');
    let mut fields = Vec::new();
    loop {
        if parser.keywords_follow("PRIMARY", "KEY") {
            return Err("a format table has no primary key; leave PRIMARY KEY out".to_owned());
        }
        let field = parser.field(0)?;
        if parser.keywords_follow("PRIMARY", "KEY") {
            let name = field.name;
            return Err(format!(
                "column '{name}': a format table has no primary key"
            ));
        }
        fields.push(field);
        if !parser.symbol(',') {
            break;
        }
    }
    if parenthesized {
        parser.expect(')')?;
    }
    parser.end()?;
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::super::{DataType, TypeKind};
    use super::*;

    #[test]
    fn names_defaults_comments_and_nullability() {
        let text = "id BIGINT NOT NULL, `a ``b` STRING DEFAULT 'it''s' COMMENT 'x, y', \
                    \"select\" ROW<p INT 'inner', q: STRING> COMMENT 'r' NOT NULL, d DECIMAL(4,2) DEFAULT -1.50,\
                    day DATE DEFAULT DATE '2024-01-01', n INT NULL DEFAULT NULL";
        let fields = parse_columns(text).unwrap();
        let names: Vec<_> = fields.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["id", "a `b", "select", "d", "day", "n"]);
        let ids: Vec<_> = fields.iter().map(|f| f.id).collect();
        assert_eq!(ids, [0, 1, 2, 5, 6, 7]);
        let defaults: Vec<_> = fields.iter().map(|f| f.default_value.as_deref()).collect();
        assert_eq!(
            defaults,
            [
                None,
                Some("it's"),
                None,
                Some("-1.50"),
                Some("2024-01-01"),
                None
            ]
        );
        assert_eq!(fields[1].description.as_deref(), Some("x, y"));
        assert!(!fields[0].data_type.is_nullable());
        assert!(!fields[2].data_type.is_nullable());
        let TypeKind::Row { fields: inner } = fields[2].data_type.kind() else {
            unreachable!()
        };
        assert_eq!((inner[0].id, inner[1].id), (3, 4));
        assert_eq!(inner[0].description.as_deref(), Some("inner"));
        assert_eq!(inner[1].data_type, DataType::string());
    }

    #[test]
    fn parentheses_are_optional() {
        assert_eq!(
            parse_columns("(a INT, b INT)").unwrap(),
            parse_columns("a INT,b INT").unwrap()
        );
    }

    #[test]
    fn what_is_no_column_list_is_refused() {
        for (text, message) in [
            (
                "",
                "invalid schema: column list '': the list has no columns",
            ),
            (
                "a INT,",
                "invalid schema: column list 'a INT,': a field name is expected, not the end of the text",
            ),
            (
                "a",
                "invalid schema: column list 'a': field 'a': a type is expected, not the end of the text",
            ),
            (
                "a INT b INT",
                "invalid schema: column list 'a INT b INT': unexpected 'b'",
            ),
            (
                "(a INT",
                "invalid schema: column list '(a INT': ')' is expected, not the end of the text",
            ),
            (
                "a INT)",
                "invalid schema: column list 'a INT)': unexpected ')'",
            ),
            (
                "a INT COMMENT x",
                "invalid schema: column list 'a INT COMMENT x': field 'a': COMMENT needs a 'text'",
            ),
            (
                "a INT PRIMARY KEY",
                "invalid schema: column list 'a INT PRIMARY KEY': column 'a': a format table has no primary key",
            ),
            (
                "a INT, PRIMARY KEY (a)",
                "invalid schema: column list 'a INT, PRIMARY KEY (a)': a format table has no primary key; leave PRIMARY KEY out",
            ),
            (
                "'a' INT",
                "invalid schema: column list ''a' INT': a field name is expected, not ''a''",
            ),
            (
                "a DECIMAL(3, 9)",
                "type 'DECIMAL(3, 9)': the scale of a DECIMAL must be between 0 and its precision",
            ),
        ] {
            assert_eq!(
                parse_columns(text).unwrap_err().to_string(),
                message,
                "{text}"
            );
        }
    }
}
