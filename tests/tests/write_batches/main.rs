//! What a batch may look like, how files are filled, and that what is written is what is read.

#![allow(clippy::unwrap_used, clippy::panic)] // what cannot be made fails the test that needs it

mod files;
mod round_trip;
mod shapes;

#[path = "../common/mod.rs"]
mod common;

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, DictionaryArray, Float64Array, Int8Array,
    Int16Array, Int32Array, Int64Array, LargeStringArray, RecordBatch, StringArray,
    StringViewArray, StructArray, TimestampMicrosecondArray, UInt32Array,
};
use arrow_cast::cast;
use arrow_schema::{DataType as ArrowType, Field, Schema as ArrowSchema};
use common::values::column;
use common::{
    ID_AND_P, Place, append, batch, commit, ids_and_p, lines, lines_of, name_parts, rows_in_order,
};
use ftable::{ErrorKind, TableWrite};
use ftable_core::{DataType, Datum};
use ftable_testkit::faulty::Operation;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

async fn refused(write: &mut Box<dyn TableWrite>, batch: RecordBatch) -> String {
    let error = write.write(batch).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TypeMismatch, "{error}");
    let text = error.to_string();
    assert!(text.contains("the batch cannot be written: "), "{text}");
    text
}

fn texts(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

/// A way to hold texts.
type Shape = fn(&[Option<&str>]) -> ArrayRef;
