//! Values as texts: what csv and json files hold, to Arrow columns and back.
//!
//! The texts are those of Java Paimon's casts. Reading is as tolerant as they are, with three exceptions that would
//! change a value in silence: BOOLEAN is `true` or `false` in any case and nothing else, a DECIMAL with too many digits is
//! none, and neither is a day that its month does not have or an hour that the day does not have. Instants are in UTC.
//!
//! | type | read | written |
//! | --- | --- | --- |
//! | `BOOLEAN` | `true`, `false`, any case | `true`, `false` |
//! | integers | a sign or none, digits | `-3` |
//! | `DECIMAL(p, s)` | `[+-]digits[.digits][e[+-]digits]`, rounded half up to `s` places | plain, with `s` places |
//! | `FLOAT`, `DOUBLE` | `Double.parseDouble`: blanks around it, `NaN`, `Infinity`, `0x1p3`, `1.5f` | `Double.toString`: `1.0E7` |
//! | `CHAR`, `VARCHAR`, `STRING` | as it is | as it is |
//! | `BINARY`, `VARBINARY`, `BYTES` | base64, padding optional | base64 with padding |
//! | `DATE` | digits, days since 1970-01-01; else `y-M[-d]`, what follows a blank left out | `yyyy-MM-dd` |
//! | `TIME(p)` | digits, milliseconds; else `H:m[:s[.f]]`, an offset added | `HH:mm:ss[.f]` |
//! | `TIMESTAMP(p)` | digits, a count of units of `p` 0, 3, 6 or 9; else `y-M-d`, `y-M-d H:m:s[.f]` or `y-M-dTH:m[:s[.f]]`, cut to `p` | `yyyy-MM-dd HH:mm:ss[.f]`, at least `p` places |
//! | `TIMESTAMP(p) WITH LOCAL TIME ZONE` | the same, but no counts | the same |
//!
//! | module | what it answers |
//! | --- | --- |
//! | `column` | texts to a column |
//! | `parse`, `float` | one text to one value |
//! | `texts` | a column to texts |
//! | `digits` | numbers to texts |

mod column;
mod digits;
mod float;
mod parse;
mod texts;

pub(crate) use column::{Rejected, TextColumn};
pub(crate) use texts::Texts;

use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// RFC 4648, as Java's basic decoder reads it: the padding may be left out, and bits past the last byte mean nothing.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

#[cfg(test)]
mod tests;
