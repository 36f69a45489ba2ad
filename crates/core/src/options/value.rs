//! Types of option values and the text they are written as.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::secret::{MASK, is_secret_key};
use crate::error::{Error, Result};

/// A type that option texts are read as.
pub trait OptionValue: Sized {
    /// The name of the type in the documentation.
    const TYPE_NAME: &'static str;

    /// Reads the text of option `key`.
    ///
    /// # Errors
    /// The text is no value of this type; the error names the key.
    fn parse(key: &str, text: &str) -> Result<Self>;
}

/// The error for an option value, which hides secrets.
pub(crate) fn invalid_option(key: &str, value: &str, message: impl Into<String>) -> Error {
    let value = if is_secret_key(key) { MASK } else { value };
    Error::InvalidOption {
        key: key.to_owned(),
        value: value.to_owned(),
        message: message.into(),
    }
}

impl OptionValue for String {
    const TYPE_NAME: &'static str = "string";

    fn parse(_key: &str, text: &str) -> Result<Self> {
        Ok(text.to_owned())
    }
}

impl OptionValue for bool {
    const TYPE_NAME: &'static str = "boolean";

    fn parse(key: &str, text: &str) -> Result<Self> {
        if text.eq_ignore_ascii_case("true") {
            Ok(true)
        } else if text.eq_ignore_ascii_case("false") {
            Ok(false)
        } else {
            Err(invalid_option(
                key,
                text,
                "not a boolean; use true or false",
            ))
        }
    }
}

impl OptionValue for i32 {
    const TYPE_NAME: &'static str = "int";

    fn parse(key: &str, text: &str) -> Result<Self> {
        text.parse().map_err(|_| {
            invalid_option(
                key,
                text,
                "not a 32-bit integer; use digits only, without blanks or unit",
            )
        })
    }
}

impl OptionValue for i64 {
    const TYPE_NAME: &'static str = "long";

    fn parse(key: &str, text: &str) -> Result<Self> {
        text.parse().map_err(|_| {
            invalid_option(
                key,
                text,
                "not a 64-bit integer; use digits only, without blanks or unit",
            )
        })
    }
}

impl OptionValue for f64 {
    const TYPE_NAME: &'static str = "double";

    fn parse(key: &str, text: &str) -> Result<Self> {
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(invalid_option(key, text, "not a number")),
        }
    }
}

/// A size in bytes, written as digits with an optional unit: `128 mb`, `1g`, `4096`.
///
/// Units are powers of 1024 in any case: `b`, `bytes`; `k`, `kb`, `kibibytes`; `m`, `mb`,
/// `mebibytes`; `g`, `gb`, `gibibytes`; `t`, `tb`, `tebibytes`. No unit means bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemorySize(pub u64);

const UNITS: [(u64, [&str; 3]); 5] = [
    (1, ["bytes", "b", "bytes"]),
    (1 << 10, ["kb", "k", "kibibytes"]),
    (1 << 20, ["mb", "m", "mebibytes"]),
    (1 << 30, ["gb", "g", "gibibytes"]),
    (1 << 40, ["tb", "t", "tebibytes"]),
];

impl MemorySize {
    fn read(text: &str) -> Result<Self, &'static str> {
        let text = text.trim_matches(|c: char| c <= ' ');
        if text.is_empty() {
            return Err("the size is empty; write digits and a unit such as `128 mb`");
        }
        let end = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        let (digits, unit) = text.split_at(end);
        if digits.is_empty() {
            return Err("a size starts with digits and has no sign; write it as `128 mb`");
        }
        let unit = unit.trim_matches(|c: char| c <= ' ').to_ascii_lowercase();
        let factor = if unit.is_empty() {
            1
        } else {
            let found = UNITS
                .iter()
                .find(|(_, names)| names.contains(&unit.as_str()));
            found.ok_or("unknown unit; use b, kb, mb, gb or tb")?.0
        };
        // Java keeps sizes in a signed long, so that is where they overflow.
        let bytes = digits
            .parse::<i64>()
            .ok()
            .and_then(|n| n.checked_mul(factor as i64));
        bytes
            .map(|bytes| Self(bytes as u64))
            .ok_or("the size does not fit 64 bits")
    }
}

impl FromStr for MemorySize {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse("size", text)
    }
}

impl fmt::Display for MemorySize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = UNITS
            .iter()
            .rev()
            .find(|(factor, _)| self.0 != 0 && self.0.is_multiple_of(*factor));
        let (factor, name) = exact.map_or((1, "bytes"), |(factor, names)| (*factor, names[0]));
        write!(f, "{} {name}", self.0 / factor)
    }
}

impl OptionValue for MemorySize {
    const TYPE_NAME: &'static str = "size";

    fn parse(key: &str, text: &str) -> Result<Self> {
        Self::read(text).map_err(|message| invalid_option(key, text, message))
    }
}

/// Units of time in milliseconds, with the names each has.
const TIME_UNITS: [(u64, &[&str]); 5] = [
    (1, &["ms", "milli", "millis", "millisecond", "milliseconds"]),
    (1000, &["s", "sec", "secs", "second", "seconds"]),
    (60_000, &["m", "min", "minute", "minutes"]),
    (3_600_000, &["h", "hour", "hours"]),
    (86_400_000, &["d", "day", "days"]),
];

impl OptionValue for Duration {
    const TYPE_NAME: &'static str = "duration";

    /// Digits and a unit in any case (`500 ms`, `3 min`, `1h`); milliseconds without one.
    fn parse(key: &str, text: &str) -> Result<Self> {
        let refuse = |message: &str| invalid_option(key, text, message);
        let trimmed = text.trim();
        let end = trimmed
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(trimmed.len());
        let (digits, unit) = trimmed.split_at(end);
        let unit = match unit.trim().to_ascii_lowercase() {
            unit if unit.is_empty() => "ms".to_owned(),
            unit => unit,
        };
        let factor = TIME_UNITS
            .iter()
            .find(|(_, names)| names.contains(&unit.as_str()))
            .map(|(factor, _)| *factor)
            .ok_or_else(|| refuse("unknown unit of time; use ms, s, min, h or d"))?;
        let count = digits.parse::<u64>().ok();
        count
            .and_then(|count| count.checked_mul(factor))
            .map(Self::from_millis)
            .ok_or_else(|| refuse("not a duration; write digits and a unit such as `3 min`"))
    }
}

/// Defines an enum whose values are compared without regard to case.
macro_rules! text_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$vmeta])* $variant),+
        }

        impl $name {
            /// The text of the value, in lower case.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl OptionValue for $name {
            const TYPE_NAME: &'static str = "enum";

            fn parse(key: &str, text: &str) -> Result<Self> {
                $(if text.eq_ignore_ascii_case($text) { return Ok(Self::$variant); })+
                let accepted = [$($text),+].join(", ");
                Err(invalid_option(key, text, format!("no such value; use one of {accepted}")))
            }
        }
    };
}

text_enum! {
    /// Option `type`: what kind of table a schema describes.
    TableType {
        /// A table managed by Paimon, with snapshots.
        Table = "table",
        /// A directory of files, which is what this library serves.
        FormatTable = "format-table",
        /// A materialized table.
        MaterializedTable = "materialized-table",
        /// A table of objects.
        ObjectTable = "object-table",
        /// A Lance table.
        LanceTable = "lance-table",
        /// An Iceberg table.
        IcebergTable = "iceberg-table",
    }
}

text_enum! {
    /// Option `format-table.commit.sync`: which commits make durable what they did.
    CommitSync {
        /// Those that replace or remove rows, before the old ones are deleted.
        Overwrite = "overwrite",
        /// Appends too.
        Always = "always",
    }
}

text_enum! {
    /// Option `csv.mode`: what happens to a line that cannot be read.
    CsvMode {
        /// NULL from the first field that cannot be read on.
        Permissive = "permissive",
        /// The line is left out.
        DropMalformed = "dropmalformed",
        /// The scan fails.
        FailFast = "failfast",
    }
}

text_enum! {
    /// Option `json.map-null-key-mode`: what the writer does with a NULL key of a map.
    MapNullKeyMode {
        /// The write fails.
        Fail = "fail",
        /// The entry is left out.
        Drop = "drop",
        /// The key is written as option `json.map-null-key-literal`.
        Literal = "literal",
    }
}

text_enum! {
    /// Option `format-table.implementation`: who reads and writes the files.
    TableImplementation {
        /// The table library.
        Paimon = "paimon",
        /// The engine's own file source.
        Engine = "engine",
    }
}

text_enum! {
    /// Option `partition.sink-strategy`: how an engine distributes rows to writers.
    PartitionSinkStrategy {
        /// As they come.
        None = "none",
        /// By partition.
        Hash = "hash",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn size(text: &str) -> Option<u64> {
        MemorySize::parse("k", text).ok().map(|size| size.0)
    }

    #[test]
    fn memory_sizes() {
        for (text, bytes) in [
            ("0", 0),
            ("12", 12),
            ("12b", 12),
            ("12 Bytes", 12),
            ("1k", 1 << 10),
            ("1 KB", 1 << 10),
            ("1kibibytes", 1 << 10),
            ("128 mb", 128 << 20),
            ("2m", 2 << 20),
            ("3 mebibytes", 3 << 20),
            ("1g", 1 << 30),
            ("1GB", 1 << 30),
            ("1 gibibytes", 1 << 30),
            ("5 t", 5 << 40),
            ("1tb", 1 << 40),
            ("1 TebiBytes", 1 << 40),
            ("  7   kb ", 7 << 10),
            ("9223372036854775807", i64::MAX as u64),
            ("8388607 tb", 8_388_607 << 40),
        ] {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
    }

    #[test]
    fn durations() {
        let read = |text| Duration::parse("k", text).ok();
        for (text, millis) in [
            ("0", 0),
            ("250", 250),
            ("250 ms", 250),
            ("8s", 8000),
            (" 3 Min ", 180_000),
            ("2 hours", 7_200_000),
            ("1d", 86_400_000),
        ] {
            assert_eq!(read(text), Some(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "s", "-1 s", "1.5 s", "1 week", "999999999999999999 d"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn texts_that_are_no_memory_size() {
        for text in [
            "",
            "  ",
            "mb",
            "-1",
            "+1",
            "1.5 mb",
            "1 mib",
            "1 kilobytes",
            "1 mb 2",
            "9223372036854775808",
            "8388608 tb",
            "99999999999999999999999",
            "١ kb",
            "1_000",
        ] {
            assert_eq!(size(text), None, "{text}");
        }
        let error = MemorySize::parse("target-file-size", "1 pb")
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "option 'target-file-size' = '1 pb': unknown unit; use b, kb, mb, gb or tb"
        );
    }

    #[test]
    fn booleans_and_numbers() {
        assert!(bool::parse("k", "TRUE").unwrap());
        assert!(!bool::parse("k", "False").unwrap());
        for text in ["yes", "1", "", " true"] {
            assert!(bool::parse("k", text).is_err(), "{text}");
        }
        assert_eq!(i32::parse("k", "-7").unwrap(), -7);
        assert_eq!(i64::parse("k", "+7").unwrap(), 7);
        for text in ["", " 7", "7 ", "7k", "0x7", "2147483648", "1.0"] {
            assert!(i32::parse("k", text).is_err(), "{text}");
        }
        assert!(i64::parse("k", "9223372036854775808").is_err());
        assert!(f64::parse("k", "NaN").is_err());
    }

    #[test]
    fn enums_have_any_case() {
        assert_eq!(
            TableType::parse("type", "FORMAT-TABLE").unwrap(),
            TableType::FormatTable
        );
        assert!(TableType::parse("type", "format_table").is_err());
        assert!(TableType::parse("type", " table").is_err());
    }

    proptest! {
        #[test]
        fn sizes_are_read_back(bytes in 0..=i64::MAX as u64, shift in 0u32..60) {
            let size = MemorySize(bytes >> shift << (shift / 2).min(40) & i64::MAX as u64);
            prop_assert_eq!(size.to_string().parse::<MemorySize>().unwrap(), size);
        }
    }
}
