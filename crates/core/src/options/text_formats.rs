//! What holds for the options of csv, json and text tables.

use super::format_kind::FileFormatKind;
use super::key::OptionKey;
use super::keys::*;
use super::map::Options;
use super::value::invalid_option;
use crate::error::Result;

/// Verifies the options of the table's own format; those of others may say anything.
pub(super) fn check_text_format(format: FileFormatKind, options: &Options) -> Result<()> {
    match format {
        FileFormatKind::Parquet | FileFormatKind::Orc => Ok(()),
        FileFormatKind::Csv => check_csv(options),
        FileFormatKind::Json => {
            not_empty(options, &JSON_LINE_DELIMITER)?;
            options.get(&JSON_IGNORE_PARSE_ERRORS)?;
            options.get(&JSON_MAP_NULL_KEY_MODE).map(|_| ())
        }
        FileFormatKind::Text => not_empty(options, &TEXT_LINE_DELIMITER).map(|_| ()),
    }
}

fn check_csv(options: &Options) -> Result<()> {
    let line = not_empty(options, &CSV_LINE_DELIMITER)?;
    let separator = one_character(options, &CSV_FIELD_DELIMITER)?;
    let quote = one_character(options, &CSV_QUOTE_CHARACTER)?;
    let escape = one_character(options, &CSV_ESCAPE_CHARACTER)?;
    options.get(&CSV_INCLUDE_HEADER)?;
    options.get(&CSV_MODE)?;
    let refuse = |key: &OptionKey<String>, c: char, message: &str| {
        Err(invalid_option(key.name(), &c.to_string(), message))
    };
    if separator == '\0' {
        return refuse(
            &CSV_FIELD_DELIMITER,
            separator,
            "U+0000 cannot separate fields",
        );
    }
    if line.contains(separator) {
        return refuse(
            &CSV_FIELD_DELIMITER,
            separator,
            "the line delimiter contains it; use another",
        );
    }
    if separator == quote {
        return refuse(
            &CSV_QUOTE_CHARACTER,
            quote,
            "the field delimiter is the same; use another",
        );
    }
    if separator == escape {
        return refuse(
            &CSV_ESCAPE_CHARACTER,
            escape,
            "the field delimiter is the same; use another",
        );
    }
    if quote == escape && quote != '\0' {
        return refuse(
            &CSV_ESCAPE_CHARACTER,
            escape,
            "the quote character is the same; a doubled quote is read as one anyway, so leave the option out",
        );
    }
    Ok(())
}

fn not_empty(options: &Options, key: &OptionKey<String>) -> Result<String> {
    let text = options.get(key)?;
    if text.is_empty() {
        return Err(invalid_option(
            key.name(),
            "",
            "the value must not be empty",
        ));
    }
    Ok(text)
}

fn one_character(options: &Options, key: &OptionKey<String>) -> Result<char> {
    let text = not_empty(options, key)?;
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Ok(c),
        _ => Err(invalid_option(
            key.name(),
            &text,
            "the value must be one character",
        )),
    }
}
