//! The formats a data file can have.

use std::fmt;
use std::str::FromStr;

use super::value::{OptionValue, invalid_option};
use crate::error::{Error, Result};

/// The format of every data file of a table, option `file.format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileFormatKind {
    /// Apache Parquet.
    Parquet,
    /// Apache ORC.
    Orc,
    /// Delimited text.
    Csv,
    /// One JSON object a line.
    Json,
    /// One value a line.
    Text,
}

impl FileFormatKind {
    /// Every format, in the order of the documentation.
    pub const ALL: [Self; 5] = [Self::Parquet, Self::Orc, Self::Csv, Self::Json, Self::Text];

    /// The name in lower case, also the file extension.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Orc => "orc",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Text => "text",
        }
    }

    /// Whether files of this format hold lines of text.
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Csv | Self::Json | Self::Text)
    }
}

impl fmt::Display for FileFormatKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for FileFormatKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse("file.format", text)
    }
}

impl OptionValue for FileFormatKind {
    const TYPE_NAME: &'static str = "enum";

    fn parse(key: &str, text: &str) -> Result<Self> {
        const SUPPORTED: &str = "parquet, orc, csv, json, text";
        let lower = text.to_ascii_lowercase();
        if let Some(kind) = Self::ALL.into_iter().find(|kind| kind.name() == lower) {
            return Ok(kind);
        }
        match lower.as_str() {
            // Formats that Paimon knows for its other tables.
            "avro" | "mosaic" | "lance" | "blob" | "vortex" => Err(Error::Unsupported {
                what: format!("file format '{lower}' (option '{key}')"),
                reason: "format tables are read and written in other formats only".to_owned(),
                instead: format!("use one of {SUPPORTED}"),
            }),
            _ => Err(invalid_option(
                key,
                text,
                format!("no such format; use one of {SUPPORTED}"),
            )),
        }
    }
}
