//! What is known of the values of a column: of a row group, a stripe, the file (specification: "Column Statistics").

use crate::proto::{
    BinaryStatistics, BucketStatistics, CollectionStatistics, ColumnStatistics, DateStatistics,
    DecimalStatistics, DoubleStatistics, IntegerStatistics, StringStatistics, TimestampStatistics,
};
use crate::types::OrcKind;

/// A text bound that is longer is cut and marked as a bound.
const LONGEST_BOUND: usize = 1024;

/// Statistics of some values of a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Statistics {
    /// Values that are not null.
    pub(crate) count: u64,
    pub(crate) has_null: bool,
    pub(crate) values: Values,
}

/// What is kept beside the count, by type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Values {
    /// STRUCT: nothing.
    None,
    /// How many are true.
    Boolean(u64),
    Integer(Range<i64, Option<i64>>),
    /// Days.
    Date(Range<i64, Option<i64>>),
    /// Nanoseconds since the epoch.
    Timestamp(Range<i128, ()>),
    /// `None` in the bounds once a NaN was seen, which no bound can tell.
    Double {
        bounds: Option<Range<f64, f64>>,
    },
    Text(TextRange),
    /// Bytes.
    Binary(u64),
    Decimal {
        range: Range<i128, Option<i128>>,
        scale: u8,
    },
    Collection(Range<u64, u64>),
}

/// Bounds and a sum; without values the bounds mean nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Range<T, S> {
    pub(crate) least: T,
    pub(crate) most: T,
    pub(crate) sum: S,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct TextRange {
    bounds: Option<(Vec<u8>, Vec<u8>)>,
    bytes: u64,
}

const INTEGERS: Range<i64, Option<i64>> = Range {
    least: i64::MAX,
    most: i64::MIN,
    sum: Some(0),
};

impl Statistics {
    /// Of no values yet.
    pub(crate) fn new(kind: &OrcKind) -> Self {
        let wide = |sum| Range {
            least: i128::MAX,
            most: i128::MIN,
            sum,
        };
        let values = match kind {
            OrcKind::Boolean => Values::Boolean(0),
            OrcKind::Byte | OrcKind::Short | OrcKind::Int | OrcKind::Long => {
                Values::Integer(INTEGERS)
            }
            OrcKind::Date => Values::Date(INTEGERS),
            OrcKind::Timestamp | OrcKind::TimestampInstant => Values::Timestamp(Range {
                least: i128::MAX,
                most: i128::MIN,
                sum: (),
            }),
            OrcKind::Float | OrcKind::Double => Values::Double {
                bounds: Some(Range {
                    least: f64::INFINITY,
                    most: f64::NEG_INFINITY,
                    sum: 0.0,
                }),
            },
            OrcKind::String | OrcKind::Char { .. } | OrcKind::Varchar { .. } => {
                Values::Text(TextRange::default())
            }
            OrcKind::Binary => Values::Binary(0),
            OrcKind::Decimal { scale, .. } => Values::Decimal {
                range: wide(Some(0)),
                scale: *scale,
            },
            OrcKind::List(_) | OrcKind::Map(..) => Values::Collection(Range {
                least: u64::MAX,
                most: 0,
                sum: 0,
            }),
            OrcKind::Struct(_) => Values::None,
        };
        Self {
            count: 0,
            has_null: false,
            values,
        }
    }

    /// Takes what is known of further values of the same column.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.has_null |= other.has_null;
        match (&mut self.values, &other.values) {
            (Values::Boolean(left), Values::Boolean(right))
            | (Values::Binary(left), Values::Binary(right)) => *left += right,
            (Values::Integer(left), Values::Integer(right))
            | (Values::Date(left), Values::Date(right)) => left.merge(right),
            (Values::Timestamp(left), Values::Timestamp(right)) => {
                left.least = left.least.min(right.least);
                left.most = left.most.max(right.most);
            }
            (Values::Double { bounds: left }, Values::Double { bounds: right }) => {
                *left = left.zip(*right).map(|(left, right)| Range {
                    least: left.least.min(right.least),
                    most: left.most.max(right.most),
                    sum: left.sum + right.sum,
                });
            }
            (Values::Text(left), Values::Text(right)) => left.merge(right),
            (Values::Decimal { range: left, .. }, Values::Decimal { range: right, .. }) => {
                left.merge(right);
            }
            (Values::Collection(left), Values::Collection(right)) => {
                left.least = left.least.min(right.least);
                left.most = left.most.max(right.most);
                left.sum += right.sum;
            }
            _ => {}
        }
    }

    /// The message that readers get.
    pub(crate) fn message(&self, bytes_on_disk: Option<u64>) -> ColumnStatistics {
        let mut message = ColumnStatistics {
            number_of_values: Some(self.count),
            has_null: Some(self.has_null),
            bytes_on_disk,
            ..ColumnStatistics::default()
        };
        if self.count == 0 {
            return message;
        }
        match &self.values {
            Values::None => {}
            Values::Boolean(trues) => {
                message.bucket = Some(BucketStatistics {
                    count: vec![*trues],
                });
            }
            Values::Integer(range) => {
                message.integer = Some(IntegerStatistics {
                    minimum: Some(range.least),
                    maximum: Some(range.most),
                    sum: range.sum,
                });
            }
            Values::Date(range) => {
                message.date = Some(DateStatistics {
                    minimum: i32::try_from(range.least).ok(),
                    maximum: i32::try_from(range.most).ok(),
                });
            }
            Values::Timestamp(range) => message.timestamp = timestamp_message(range),
            Values::Double { bounds } => message.double = bounds.as_ref().map(double_message),
            Values::Text(range) => message.string = range.message(),
            Values::Binary(bytes) => {
                let sum = i64::try_from(*bytes).ok();
                message.binary = Some(BinaryStatistics { sum });
            }
            Values::Decimal { range, scale } => {
                message.decimal = Some(DecimalStatistics {
                    minimum: Some(decimal_text(range.least, *scale)),
                    maximum: Some(decimal_text(range.most, *scale)),
                    sum: range.sum.map(|sum| decimal_text(sum, *scale)),
                });
            }
            Values::Collection(range) => {
                message.collection = Some(CollectionStatistics {
                    minimum_children: Some(range.least),
                    maximum_children: Some(range.most),
                    total_children: Some(range.sum),
                });
            }
        }
        message
    }
}

impl<T: Copy + Ord + Checked> Range<T, Option<T>> {
    fn merge(&mut self, other: &Self) {
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
        let sums = self.sum.zip(other.sum);
        self.sum = sums.and_then(|(left, right)| left.plus(right));
    }
}

/// Addition that tells when it does not fit.
pub(crate) trait Checked: Sized {
    fn plus(self, other: Self) -> Option<Self>;
}

impl Checked for i64 {
    fn plus(self, other: Self) -> Option<Self> {
        self.checked_add(other)
    }
}

impl Checked for i128 {
    fn plus(self, other: Self) -> Option<Self> {
        self.checked_add(other)
    }
}

impl Range<i64, Option<i64>> {
    /// Takes values in.
    pub(crate) fn add(&mut self, values: &[i64]) {
        let mut sum: i128 = 0;
        for &value in values {
            self.least = self.least.min(value);
            self.most = self.most.max(value);
            sum += i128::from(value);
        }
        let sum = self.sum.map(|before| i128::from(before) + sum);
        self.sum = sum.and_then(|sum| i64::try_from(sum).ok());
    }
}

impl Range<i128, Option<i128>> {
    /// Takes a value in.
    pub(crate) fn add(&mut self, value: i128) {
        self.least = self.least.min(value);
        self.most = self.most.max(value);
        self.sum = self.sum.and_then(|sum| sum.checked_add(value));
    }
}

impl TextRange {
    /// Takes a text in; one that is known to lie within the bounds already need not be compared.
    pub(crate) fn add(&mut self, text: &[u8], new: bool) {
        self.bytes += text.len() as u64;
        if new {
            self.widen(text, text);
        }
    }

    fn widen(&mut self, least: &[u8], most: &[u8]) {
        match &mut self.bounds {
            None => self.bounds = Some((least.to_vec(), most.to_vec())),
            Some((low, high)) => {
                if least < low.as_slice() {
                    low.clear();
                    low.extend_from_slice(least);
                }
                if most > high.as_slice() {
                    high.clear();
                    high.extend_from_slice(most);
                }
            }
        }
    }

    fn merge(&mut self, other: &Self) {
        self.bytes += other.bytes;
        if let Some((least, most)) = &other.bounds {
            self.widen(least, most);
        }
    }

    fn message(&self) -> Option<StringStatistics> {
        let (least, most) = self.bounds.as_ref()?;
        let mut message = StringStatistics {
            sum: i64::try_from(self.bytes).ok(),
            ..StringStatistics::default()
        };
        let least = std::str::from_utf8(least).ok()?;
        let most = std::str::from_utf8(most).ok()?;
        if least.len() <= LONGEST_BOUND {
            message.minimum = Some(least.to_owned());
        } else {
            message.lower_bound = Some(cut(least).to_owned());
        }
        if most.len() <= LONGEST_BOUND {
            message.maximum = Some(most.to_owned());
        } else {
            // Without a text above, both are left out: readers take a maximum without a minimum amiss.
            message.upper_bound = Some(above(cut(most))?);
        }
        Some(message)
    }
}

/// The longest beginning that a bound may have.
fn cut(text: &str) -> &str {
    let end = text.floor_char_boundary(LONGEST_BOUND);
    text.get(..end).unwrap_or(text)
}

/// The least text of the same length that is above every text with this beginning: its last character that has a
/// successor is replaced by it.
fn above(text: &str) -> Option<String> {
    let mut characters: Vec<char> = text.chars().collect();
    while let Some(last) = characters.pop() {
        let next = match last {
            // The surrogates lie between these two.
            '\u{d7ff}' => Some('\u{e000}'),
            _ => char::from_u32(u32::from(last) + 1),
        };
        if let Some(next) = next {
            characters.push(next);
            return Some(characters.into_iter().collect());
        }
    }
    None
}

fn double_message(range: &Range<f64, f64>) -> DoubleStatistics {
    // Readers that compare bits or order -0.0 below 0.0 must find both between the bounds.
    let least = if range.least == 0.0 {
        -0.0
    } else {
        range.least
    };
    let most = if range.most == 0.0 { 0.0 } else { range.most };
    DoubleStatistics {
        minimum: Some(least),
        maximum: Some(most),
        sum: Some(range.sum),
    }
}

/// Nanoseconds as milliseconds, and one more than what is left of them below.
fn timestamp_message(range: &Range<i128, ()>) -> Option<TimestampStatistics> {
    const MILLI: i128 = 1_000_000;
    let millis = |nanos: i128| i64::try_from(nanos.div_euclid(MILLI)).ok();
    let below = |nanos: i128| i32::try_from(nanos.rem_euclid(MILLI) + 1).ok();
    Some(TimestampStatistics {
        minimum_utc: Some(millis(range.least)?),
        maximum_utc: Some(millis(range.most)?),
        minimum_nanos: below(range.least),
        maximum_nanos: below(range.most),
    })
}

/// A decimal without an exponent, with all digits of its scale.
pub(crate) fn decimal_text(unscaled: i128, scale: u8) -> String {
    let digits = unscaled.unsigned_abs().to_string();
    let scale = usize::from(scale);
    let sign = if unscaled < 0 { "-" } else { "" };
    if scale == 0 {
        return format!("{sign}{digits}");
    }
    let padded = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = padded.split_at(padded.len() - scale);
    format!("{sign}{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn decimals_have_all_digits_of_their_scale() {
        assert_eq!(decimal_text(1234, 2), "12.34");
        assert_eq!(decimal_text(-5, 3), "-0.005");
        assert_eq!(decimal_text(0, 2), "0.00");
        assert_eq!(decimal_text(-7, 0), "-7");
    }

    #[test]
    fn sums_that_do_not_fit_are_left_out() {
        let mut statistics = Statistics::new(&OrcKind::Long);
        statistics.count = 2;
        if let Values::Integer(range) = &mut statistics.values {
            range.add(&[i64::MAX, 1]);
        }
        let integer = statistics.message(None).integer.unwrap();
        assert_eq!(integer.minimum, Some(1));
        assert_eq!(integer.maximum, Some(i64::MAX));
        assert_eq!(integer.sum, None);
        // And stay out.
        let before = statistics.clone();
        statistics.merge(&before);
        assert_eq!(statistics.message(None).integer.unwrap().sum, None);
    }

    #[test]
    fn long_texts_become_bounds_between_characters() {
        let mut range = TextRange::default();
        let long = format!("{}é", "x".repeat(1023));
        range.add(long.as_bytes(), true);
        let message = range.message().unwrap();
        assert_eq!(message.minimum, None);
        assert_eq!(message.maximum, None);
        assert_eq!(message.lower_bound, Some("x".repeat(1023)));
        assert_eq!(message.upper_bound, Some(format!("{}y", "x".repeat(1022))));
        assert_eq!(message.sum, Some(1025));
    }

    #[test]
    fn the_text_above_skips_what_is_no_character() {
        assert_eq!(above("a\u{d7ff}"), Some("a\u{e000}".to_owned()));
        assert_eq!(above("a\u{10ffff}"), Some("b".to_owned()));
        assert_eq!(above("\u{10ffff}"), None);
    }

    #[test]
    fn timestamps_are_milliseconds_and_the_nanoseconds_below() {
        let range = Range {
            least: -1,
            most: 1_500_000,
            sum: (),
        };
        let message = timestamp_message(&range).unwrap();
        assert_eq!(message.minimum_utc, Some(-1));
        assert_eq!(message.minimum_nanos, Some(1_000_000));
        assert_eq!(message.maximum_utc, Some(1));
        assert_eq!(message.maximum_nanos, Some(500_001));
    }
}
