//! The rows of the table, and what is not in it.

mod nested;
mod numbers;
mod table;
mod texts;
mod times;

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, MapBuilder, MapFieldNames, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal256Type, Float16Type, Float64Type, Int32Type};
use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer, i256};
use arrow_schema::{DataType as A, Field, Fields, TimeUnit};
use ftable_core::types::to_arrow_type;

use super::*;
use crate::testing::data_type;

fn plan(file: &FileType, declared: &str) -> Result<Conversion, String> {
    Conversion::plan(file, &data_type(declared))
        .map_err(|mismatch| mismatch.in_file("/f", "c").to_string())
}

fn convert_as(file: FileType, array: ArrayRef, declared: &str) -> Result<ArrayRef, String> {
    let conversion = plan(&file, declared)?;
    conversion
        .apply(&array, &Site::root("c"))
        .map_err(|failure| failure.in_file("/f", "test", 100).to_string())
}

fn convert(array: impl Array + 'static, declared: &str) -> Result<ArrayRef, String> {
    let array: ArrayRef = Arc::new(array);
    convert_as(FileType::of_arrow(array.data_type()), array, declared)
}

/// Converts, and expects exactly these values in the declared Arrow type.
fn converts(array: impl Array + 'static, declared: &str, expected: impl Array + 'static) {
    let target = to_arrow_type(&data_type(declared)).unwrap();
    assert_eq!(
        *expected.data_type(),
        target,
        "the test is wrong about {declared}"
    );
    let converted = convert(array, declared).unwrap();
    assert_eq!(&*converted, &expected as &dyn Array, "as {declared}");
    converted.to_data().validate_full().unwrap();
}

fn refuses(array: impl Array + 'static, declared: &str, message: &str) {
    assert_eq!(convert(array, declared).unwrap_err(), message);
}

fn list(values: Vec<Option<Vec<Option<i32>>>>) -> ListArray {
    ListArray::from_iter_primitive::<Int32Type, _, _>(values)
}

fn ints(values: Vec<Option<i32>>) -> ArrayRef {
    Arc::new(Int32Array::from(values))
}
