//! Texts to a column.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time32MillisecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{ArrayRef, BinaryArray, BooleanArray, PrimitiveArray, StringArray};
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;
use base64::Engine as _;
use ftable_core::{DataType, TypeKind};

use super::parse::Timestamps;
use super::{BASE64, float, parse};
use crate::error::{EncodeSnafu, Error, Result, UnsupportedSnafu};

/// The zone of instants.
const UTC: &str = "UTC";

/// A text that is no value of its column's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rejected {
    /// What the type's texts look like, as in "is not ...".
    pub(crate) expected: &'static str,
}

/// Collects the values of one scalar column, read from texts; rows can be taken back.
#[derive(Debug)]
pub(crate) struct TextColumn {
    values: Values,
    len: usize,
    /// Rows that are NULL, ascending.
    nulls: Vec<usize>,
}

#[derive(Debug)]
enum Values {
    Boolean(Vec<bool>),
    TinyInt(Vec<i8>),
    SmallInt(Vec<i16>),
    Int(Vec<i32>),
    BigInt(Vec<i64>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Decimal(Vec<i128>, u8, u8),
    Date(Vec<i32>),
    Time(Vec<i32>),
    Timestamp(Vec<i64>, Timestamps),
    Text(Bytes),
    Binary(Bytes),
}

/// Values of any length, one after another.
#[derive(Debug)]
struct Bytes {
    /// Where values begin and end, 0 first.
    offsets: Vec<i32>,
    bytes: Vec<u8>,
    /// Whether some value ends beyond what an offset can say: the batch cannot be made.
    is_too_long: bool,
}

/// The same of every vector.
macro_rules! each {
    ($values:expr, $fixed:ident => $of_fixed:expr, $bytes:ident => $of_bytes:expr) => {
        match $values {
            Values::Boolean($fixed) => $of_fixed,
            Values::TinyInt($fixed) => $of_fixed,
            Values::SmallInt($fixed) => $of_fixed,
            Values::Int($fixed) | Values::Date($fixed) | Values::Time($fixed) => $of_fixed,
            Values::BigInt($fixed) | Values::Timestamp($fixed, _) => $of_fixed,
            Values::Float($fixed) => $of_fixed,
            Values::Double($fixed) => $of_fixed,
            Values::Decimal($fixed, ..) => $of_fixed,
            Values::Text($bytes) | Values::Binary($bytes) => $of_bytes,
        }
    };
}

impl TextColumn {
    /// An empty column; `None` for a type that has no texts.
    pub(crate) fn new(data_type: &DataType) -> Option<Self> {
        let values = match data_type.kind() {
            TypeKind::Boolean => Values::Boolean(Vec::new()),
            TypeKind::TinyInt => Values::TinyInt(Vec::new()),
            TypeKind::SmallInt => Values::SmallInt(Vec::new()),
            TypeKind::Int => Values::Int(Vec::new()),
            TypeKind::BigInt => Values::BigInt(Vec::new()),
            TypeKind::Float => Values::Float(Vec::new()),
            TypeKind::Double => Values::Double(Vec::new()),
            TypeKind::Decimal { precision, scale } => {
                Values::Decimal(Vec::new(), *precision, *scale)
            }
            TypeKind::Char { .. } | TypeKind::VarChar { .. } => Values::Text(Bytes::new()),
            TypeKind::Binary { .. } | TypeKind::VarBinary { .. } => Values::Binary(Bytes::new()),
            TypeKind::Date => Values::Date(Vec::new()),
            TypeKind::Time { .. } => Values::Time(Vec::new()),
            TypeKind::Timestamp { precision } => {
                Values::Timestamp(Vec::new(), timestamps(*precision, false))
            }
            TypeKind::TimestampLtz { precision } => {
                Values::Timestamp(Vec::new(), timestamps(*precision, true))
            }
            _ => return None,
        };
        Some(Self {
            values,
            len: 0,
            nulls: Vec::new(),
        })
    }

    /// Appends the value of a text.
    ///
    /// # Errors
    /// A text that is no value of the type: nothing is appended.
    #[inline]
    pub(crate) fn append(&mut self, text: &str) -> Result<(), Rejected> {
        let is_read = match &mut self.values {
            Values::Boolean(values) => push(values, parse::boolean(text)),
            Values::TinyInt(values) => push(values, parse::integer(text)),
            Values::SmallInt(values) => push(values, parse::integer(text)),
            Values::Int(values) => push(values, parse::integer(text)),
            Values::BigInt(values) => push(values, parse::integer(text)),
            Values::Float(values) => push(values, float::read(text)),
            Values::Double(values) => push(values, float::read(text)),
            Values::Decimal(values, precision, scale) => {
                push(values, parse::decimal(text, *precision, *scale))
            }
            Values::Date(values) => push(values, parse::date(text)),
            Values::Time(values) => push(values, parse::time(text)),
            Values::Timestamp(values, timestamps) => push(values, timestamps.read(text)),
            Values::Text(values) => values.append(text.as_bytes()),
            Values::Binary(values) => values.append_base64(text),
        };
        if is_read {
            self.len += 1;
            Ok(())
        } else {
            Err(self.rejected())
        }
    }

    #[inline]
    pub(crate) fn append_null(&mut self) {
        each!(&mut self.values, fixed => fixed.push(Default::default()), bytes => bytes.end());
        self.nulls.push(self.len);
        self.len += 1;
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Takes back the rows from `len` on.
    pub(crate) fn truncate(&mut self, len: usize) {
        if len >= self.len {
            return;
        }
        each!(&mut self.values, fixed => fixed.truncate(len), bytes => bytes.truncate(len));
        self.len = len;
        while self.nulls.pop_if(|row| *row >= len).is_some() {}
    }

    /// Bytes of the values held.
    pub(crate) fn memory_size(&self) -> usize {
        let values = each!(
            &self.values,
            fixed => size_of_val(fixed.as_slice()),
            bytes => size_of_val(bytes.offsets.as_slice()) + bytes.bytes.len()
        );
        values + size_of_val(self.nulls.as_slice())
    }

    /// The column, leaving none of it.
    ///
    /// # Errors
    /// More bytes than a batch can hold.
    pub(crate) fn finish(&mut self) -> Result<ArrayRef> {
        let nulls = self.take_nulls();
        self.len = 0;
        Ok(match &mut self.values {
            Values::Boolean(values) => {
                let bits = take(values).into_iter().collect();
                Arc::new(BooleanArray::new(bits, nulls))
            }
            Values::TinyInt(values) => Arc::new(primitive::<Int8Type>(values, nulls)),
            Values::SmallInt(values) => Arc::new(primitive::<Int16Type>(values, nulls)),
            Values::Int(values) => Arc::new(primitive::<Int32Type>(values, nulls)),
            Values::BigInt(values) => Arc::new(primitive::<Int64Type>(values, nulls)),
            Values::Float(values) => Arc::new(primitive::<Float32Type>(values, nulls)),
            Values::Double(values) => Arc::new(primitive::<Float64Type>(values, nulls)),
            Values::Decimal(values, precision, scale) => {
                let array = primitive::<Decimal128Type>(values, nulls)
                    .with_precision_and_scale(*precision, *scale as i8)
                    .map_err(failed)?;
                Arc::new(array)
            }
            Values::Date(values) => Arc::new(primitive::<Date32Type>(values, nulls)),
            Values::Time(values) => Arc::new(primitive::<Time32MillisecondType>(values, nulls)),
            Values::Timestamp(values, form) => {
                let zone = form.is_instant.then_some(UTC);
                match form.per_second {
                    1_000 => {
                        let array = primitive::<TimestampMillisecondType>(values, nulls);
                        Arc::new(array.with_timezone_opt(zone))
                    }
                    1_000_000 => {
                        let array = primitive::<TimestampMicrosecondType>(values, nulls);
                        Arc::new(array.with_timezone_opt(zone))
                    }
                    _ => {
                        let array = primitive::<TimestampNanosecondType>(values, nulls);
                        Arc::new(array.with_timezone_opt(zone))
                    }
                }
            }
            Values::Text(values) => {
                let (offsets, bytes) = values.take()?;
                Arc::new(StringArray::try_new(offsets, bytes, nulls).map_err(failed)?)
            }
            Values::Binary(values) => {
                let (offsets, bytes) = values.take()?;
                Arc::new(BinaryArray::try_new(offsets, bytes, nulls).map_err(failed)?)
            }
        })
    }

    fn take_nulls(&mut self) -> Option<NullBuffer> {
        if self.nulls.is_empty() {
            return None;
        }
        let mut valid = BooleanBufferBuilder::new(self.len);
        valid.append_n(self.len, true);
        for row in self.nulls.drain(..) {
            valid.set_bit(row, false);
        }
        Some(NullBuffer::new(valid.finish()))
    }

    #[cold]
    fn rejected(&self) -> Rejected {
        let expected = match &self.values {
            Values::Boolean(_) => "true or false",
            Values::TinyInt(_) | Values::SmallInt(_) | Values::Int(_) | Values::BigInt(_) => {
                "an integer in its range"
            }
            Values::Float(_) | Values::Double(_) => "a number, NaN or Infinity",
            Values::Decimal(..) => "a decimal number in its range",
            Values::Date(_) => "yyyy-MM-dd or a number of days since 1970-01-01",
            Values::Time(_) => "HH:mm:ss.fff or a number of milliseconds, within a day",
            Values::Timestamp(_, form) if form.is_instant => {
                "yyyy-MM-dd HH:mm:ss.f or yyyy-MM-ddTHH:mm:ss.f in UTC, in its range"
            }
            Values::Timestamp(..) => "yyyy-MM-dd HH:mm:ss.f or yyyy-MM-ddTHH:mm:ss.f, in its range",
            Values::Text(_) => "a text",
            Values::Binary(_) => "base64",
        };
        Rejected { expected }
    }
}

impl Bytes {
    fn new() -> Self {
        Self {
            offsets: vec![0],
            bytes: Vec::new(),
            is_too_long: false,
        }
    }

    #[inline]
    fn end(&mut self) {
        let end = i32::try_from(self.bytes.len()).unwrap_or_else(|_| {
            self.is_too_long = true;
            i32::MAX
        });
        self.offsets.push(end);
    }

    #[inline]
    fn append(&mut self, value: &[u8]) -> bool {
        self.bytes.extend_from_slice(value);
        self.end();
        true
    }

    fn append_base64(&mut self, text: &str) -> bool {
        let start = self.bytes.len();
        // No padding at all, or all of it.
        let is_whole = !text.ends_with('=') || text.len().is_multiple_of(4);
        let is_read = is_whole && BASE64.decode_vec(text, &mut self.bytes).is_ok();
        if is_read {
            self.end();
        } else {
            self.bytes.truncate(start);
        }
        is_read
    }

    fn truncate(&mut self, len: usize) {
        self.offsets.truncate(len + 1);
        let end = self.offsets.last().copied().unwrap_or_default();
        self.bytes.truncate(end as usize);
    }

    fn take(&mut self) -> Result<(OffsetBuffer<i32>, Buffer)> {
        if std::mem::take(&mut self.is_too_long) {
            *self = Self::new();
            return UnsupportedSnafu {
                format: "text",
                what: "a batch with more than 2 GiB in one column",
                reason: "use a smaller 'read.batch-size'",
            }
            .fail();
        }
        let mut next = Vec::with_capacity(self.offsets.len());
        next.push(0);
        let offsets = std::mem::replace(&mut self.offsets, next);
        // In order, as each is where the bytes ended when it was made.
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        Ok((offsets, Buffer::from_vec(take(&mut self.bytes))))
    }
}

#[inline]
fn push<T>(values: &mut Vec<T>, value: Option<T>) -> bool {
    match value {
        Some(value) => {
            values.push(value);
            true
        }
        None => false,
    }
}

/// All values, with room for as many again.
fn take<T>(values: &mut Vec<T>) -> Vec<T> {
    let next = Vec::with_capacity(values.len());
    std::mem::replace(values, next)
}

fn primitive<T: ArrowPrimitiveType>(
    values: &mut Vec<T::Native>,
    nulls: Option<NullBuffer>,
) -> PrimitiveArray<T> {
    PrimitiveArray::new(take(values).into(), nulls)
}

fn timestamps(precision: u8, is_instant: bool) -> Timestamps {
    Timestamps {
        per_second: match precision {
            0..=3 => 1_000,
            4..=6 => 1_000_000,
            _ => 1_000_000_000,
        },
        precision,
        is_instant,
    }
}

fn failed(error: ArrowError) -> Error {
    EncodeSnafu {
        format: "text",
        message: error.to_string(),
    }
    .build()
}
