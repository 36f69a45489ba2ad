//! Partition values as directory names, and back.
//!
//! A table with `n` partition keys has `n` levels of directories. With the key-value layout a name
//! is `escape(key)=escape(value)`, with `format-table.partition-path-only-value` it is
//! `escape(value)`. [`PartitionCodec`] does all of it for one table.
//!
//! # Value to text
//!
//! `partition.legacy-name` chooses between Java's internal text (`true`, the default) and its cast
//! to STRING (`false`). The table shows directories of a key `k`; reading accepts either.
//!
//! | type | value | legacy-name = true | legacy-name = false |
//! | --- | --- | --- | --- |
//! | BOOLEAN | true | `k=true` | `k=true` |
//! | TINYINT | -128 | `k=-128` | `k=-128` |
//! | SMALLINT | 7 | `k=7` | `k=7` |
//! | INT | -3 | `k=-3` | `k=-3` |
//! | BIGINT | 9223372036854775807 | `k=9223372036854775807` | `k=9223372036854775807` |
//! | DECIMAL(4, 2) | 1.5 | `k=1.50` | `k=1.50` |
//! | DECIMAL(38, 18) | -10^-18 | `k=-0.000000000000000001` | `k=-0.000000000000000001` |
//! | FLOAT | 0.25 | `k=0.25` | `k=0.25` |
//! | DOUBLE | 10^7 | `k=1.0E7` | `k=1.0E7` |
//! | DOUBLE | 0.0009999 | `k=9.999E-4` | `k=9.999E-4` |
//! | DOUBLE | -∞ | `k=-Infinity` | `k=-Infinity` |
//! | CHAR(5) | `ab` padded | `k=ab   ` | `k=ab   ` |
//! | VARCHAR(10) | `it's` | `k=it%27s` | `k=it%27s` |
//! | STRING | `a/b=c%d` | `k=a%2Fb%3Dc%25d` | `k=a%2Fb%3Dc%25d` |
//! | STRING | `中 文+&~` | `k=中 文+&~` | `k=中 文+&~` |
//! | STRING | empty, blank | `k=__DEFAULT_PARTITION__` | `k=__DEFAULT_PARTITION__` |
//! | DATE | 2024-01-01 | `k=19723` | `k=2024-01-01` |
//! | DATE | 1969-01-01 | `k=-365` | `k=1969-01-01` |
//! | TIME(0) | 12:34:56 | `k=45296000` | `k=12%3A34%3A56` |
//! | TIME(3) | 12:34:56.7 | `k=45296700` | `k=12%3A34%3A56.7` |
//! | TIME(3) | midnight | `k=0` | `k=00%3A00%3A00.0` |
//! | TIMESTAMP(0) | 2024-01-01 00:00 | `k=2024-01-01T00%3A00` | `k=2024-01-01 00%3A00%3A00` |
//! | TIMESTAMP(3) | 2024-01-01 00:00 | `k=2024-01-01T00%3A00` | `k=2024-01-01 00%3A00%3A00.000` |
//! | TIMESTAMP(3) | 2024-01-01 00:00:05 | `k=2024-01-01T00%3A00%3A05` | `k=2024-01-01 00%3A00%3A05.000` |
//! | TIMESTAMP(3) | 2024-01-01 12:34:56.12 | `k=2024-01-01T12%3A34%3A56.120` | `k=2024-01-01 12%3A34%3A56.120` |
//! | TIMESTAMP(6) | 2024-01-01 12:34:56.1203 | `k=2024-01-01T12%3A34%3A56.120300` | `k=2024-01-01 12%3A34%3A56.120300` |
//! | TIMESTAMP(9) | 2024-01-01 00:00:00.000000001 | `k=2024-01-01T00%3A00%3A00.000000001` | `k=2024-01-01 00%3A00%3A00.000000001` |
//! | TIMESTAMP(3) WITH LOCAL TIME ZONE | 2024-01-01 12:34:56Z | `k=2024-01-01T12%3A34%3A56` | `k=2024-01-01 12%3A34%3A56.000` |
//! | any | NULL | `k=__DEFAULT_PARTITION__` | `k=__DEFAULT_PARTITION__` |
//!
//! BINARY, VARBINARY and nested types cannot be partition columns: their text differs from run to
//! run or does not exist. Where Java Paimon does otherwise:
//!
//! - A local-zone timestamp is written and read as UTC in both settings. Java takes the zone of the
//!   process when `legacy-name` is `false`, and reads so always.
//! - A DATE or TIMESTAMP outside the years 0 to 9999 is refused when `legacy-name` is `false`: Java
//!   writes it as another date.
//! - A value with more digits or characters than its type has is refused; Java writes what it then
//!   reads as another value, or not at all.
//!
//! # Text to value
//!
//! Text equal to `partition.default-name` is NULL for every type; no other text is, so that `NULL`
//! is a string. The writer puts empty and blank text there too, blank being what Java's
//! `Character.isWhitespace` says; a reader takes a blank name as it is. Digits are ASCII.
//!
//! | type | accepted |
//! | --- | --- |
//! | BOOLEAN | `t true y yes 1`, `f false n no 0` in any case |
//! | integers | optional sign, digits, in range: `007`, `+7` |
//! | DECIMAL | decimal or exponent text, rounded half up to the scale; too many digits are an error (Java: NULL) |
//! | FLOAT, DOUBLE | decimal or exponent text, `NaN`, `Infinity`, `-Infinity`; for FLOAT as many digits as the float has, either of two texts it is in the middle of |
//! | CHAR, VARCHAR | as it is, at most so many characters |
//! | STRING | as it is |
//! | DATE | a count of days: `19723`, `-365`, also `2024` and `20240101`; else `y-M[-d]` |
//! | TIME | a count of milliseconds; else `H:m[:s[.f]]`; past midnight is an error (Java wraps) |
//! | TIMESTAMP | `y-M-d`, then nothing or ` H:m:s[.f]` or `TH:m[:s[.f]]`, cut to the precision; a count of seconds, milliseconds, microseconds or nanoseconds at precision 0, 3, 6, 9 |
//! | local-zone TIMESTAMP | as TIMESTAMP, in UTC, without counts |

mod codec;
mod name;
mod path;
mod read;
mod spec;
mod write;

pub use codec::PartitionCodec;
pub use name::{DirectoryName, ForeignReason, key_and_value};
pub use path::{escape, unescape};

/// How directories name partition values; `format-table.partition-path-only-value` chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// `dt=2024-01-01/hour=7`
    KeyValue,
    /// `2024-01-01/7`
    ValueOnly,
}

/// Whether a file or directory of this name is hidden: `_` or `.` comes first.
///
/// Hidden files are never data and hidden directories are never entered, with one exception:
/// [`PartitionCodec::read_name`] knows the directory of NULL in the value-only layout.
pub fn is_hidden(name: &str) -> bool {
    name.starts_with(['_', '.'])
}

#[cfg(test)]
mod tests;
