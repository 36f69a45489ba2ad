//! Column defaults.

use crate::error::{Error, Result};
use crate::options::keys::PARTITION_DEFAULT_NAME;
use crate::types::MAX_LENGTH;
use crate::{DataField, DataType, Datum, FormatTableOptions, Options, PartitionCodec, TypeKind};

/// The value that a column's default stands for; `None` without a default.
///
/// As in Paimon, one pair of single quotes around the text is dropped and the rest is read like any
/// text of the column's type, which is how directory names are read too.
///
/// # Errors
/// [`Error::InvalidColumn`]: the text cannot be read as the type, or no text can.
pub fn default_value(field: &DataField) -> Result<Option<Datum>> {
    let Some(given) = &field.default_value else {
        return Ok(None);
    };
    let text = unquoted(given);
    let value = match field.data_type.kind() {
        TypeKind::VarChar { length: MAX_LENGTH } => Some(Datum::String(text.to_owned())),
        TypeKind::Binary { length } | TypeKind::VarBinary { length } => {
            let fits = u32::try_from(text.len()).is_ok_and(|bytes| bytes <= *length);
            fits.then(|| Datum::Binary(text.as_bytes().to_vec()))
        }
        _ => read(text, &field.data_type),
    };
    match value {
        Some(value) => Ok(Some(value)),
        None => Err(Error::InvalidColumn {
            column: field.name.clone(),
            message: format!(
                "the default '{given}' is no value of type {}",
                field.data_type
            ),
        }),
    }
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''))
        .unwrap_or(text)
}

/// Reads a text as the directory name of a partition column of this type, none of which means NULL.
fn read(text: &str, data_type: &DataType) -> Option<Datum> {
    let null_name = format!("{text}_");
    let options = Options::from([(PARTITION_DEFAULT_NAME.name(), null_name)]);
    let options = FormatTableOptions::resolve(&options).ok()?;
    let column = DataField::new(0, "default", data_type.clone());
    PartitionCodec::new(vec![column], &options)
        .ok()?
        .parse(0, text)
        .ok()?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(data_type: &str, text: &str) -> Result<Option<Datum>> {
        let data_type: DataType = data_type.parse().unwrap();
        default_value(&DataField::new(0, "c", data_type).with_default(text))
    }

    #[test]
    fn defaults_are_read_by_type() {
        for (data_type, text, expected) in [
            ("BOOLEAN", "true", Datum::Boolean(true)),
            ("TINYINT", "-128", Datum::TinyInt(-128)),
            ("SMALLINT", "'7'", Datum::SmallInt(7)),
            ("INT", "2147483647", Datum::Int(i32::MAX)),
            ("BIGINT", "-1", Datum::BigInt(-1)),
            ("FLOAT", "1.5", Datum::Float(1.5)),
            ("DOUBLE", "1e300", Datum::Double(1e300)),
            (
                "DECIMAL(4, 2)",
                "1.5",
                Datum::Decimal {
                    unscaled: 150,
                    precision: 4,
                    scale: 2,
                },
            ),
            ("VARCHAR(16)", "new", Datum::String("new".to_owned())),
            ("STRING", "'new'", Datum::String("new".to_owned())),
            ("STRING", "''", Datum::String(String::new())),
            ("STRING", "", Datum::String(String::new())),
            ("STRING", "'", Datum::String("'".to_owned())),
            (
                "STRING",
                "__DEFAULT_PARTITION__",
                Datum::String("__DEFAULT_PARTITION__".to_owned()),
            ),
            ("STRING", "..", Datum::String("..".to_owned())),
            ("CHAR(3)", "ab", Datum::String("ab".to_owned())),
            ("BYTES", "ab", Datum::Binary(b"ab".to_vec())),
            ("DATE", "1970-01-03", Datum::Date(2)),
            ("TIME(3)", "00:00:01.5", Datum::Time(1500)),
            (
                "TIMESTAMP(3)",
                "1970-01-01 00:00:01",
                Datum::Timestamp {
                    epoch_nanos: 1_000_000_000,
                    precision: 3,
                },
            ),
        ] {
            assert_eq!(
                value(data_type, text).unwrap(),
                Some(expected),
                "{data_type} {text}"
            );
        }
        assert_eq!(
            default_value(&DataField::new(0, "c", TypeKind::Int)).unwrap(),
            None
        );
    }

    #[test]
    fn what_cannot_be_cast_is_refused_by_column() {
        for (data_type, text) in [
            ("BOOLEAN", "maybe"),
            ("TINYINT", "128"),
            ("INT", ""),
            ("INT", "1.5"),
            ("DECIMAL(4, 2)", "1000"),
            ("VARCHAR(2)", "abc"),
            ("VARBINARY(2)", "abc"),
            ("DATE", "2024-02-30"),
            ("TIME(3)", "25:00:00"),
            ("ARRAY<INT>", "[1]"),
            ("ROW<a INT>", "{}"),
        ] {
            let error = value(data_type, text).unwrap_err().to_string();
            let expected = format!(
                "invalid schema: column 'c': the default '{text}' is no value of type {data_type}"
            );
            assert_eq!(error, expected);
        }
    }
}
