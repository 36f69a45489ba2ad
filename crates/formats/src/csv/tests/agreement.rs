//! Files without oddities are the same to another reader.

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use ftable_core::types::to_arrow_schema;
use proptest::prelude::*;

use super::{decode, strings};
use crate::testing::columns;

/// A field and whether it is in quotes, which every text with a mark is.
fn field() -> impl Strategy<Value = String> {
    let text = proptest::sample::select(
        &[
            "a", "b", " ", "é", "🦀", ",", "\"", "1", "\\", "'", "\t", ".",
        ][..],
    );
    let text = prop::collection::vec(text, 0..6).prop_map(|pieces| pieces.concat());
    (text, any::<bool>()).prop_map(|(text, quoted)| {
        if quoted || text.contains([',', '"']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text
        }
    })
}

/// NULL and the empty text are one to the other reader.
fn without_nulls(batch: &RecordBatch) -> Vec<ArrayRef> {
    let filled = |array: &ArrayRef| -> ArrayRef {
        let texts = array.as_string::<i32>().iter();
        Arc::new(
            texts
                .map(|text| Some(text.unwrap_or_default()))
                .collect::<StringArray>(),
        )
    };
    batch.columns().iter().map(filled).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn texts(rows in prop::collection::vec(prop::collection::vec(field(), 3), 1..6)) {
        // The first field keeps the line from being blank.
        let lines: Vec<String> = rows.iter().map(|row| format!("x,{}", row.join(","))).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let table = strings(4);
        let found = decode(&table, &[("csv.escape-character", "\0")], &lines).unwrap();
        let file = lines.join("\n");
        let other = arrow_csv::ReaderBuilder::new(to_arrow_schema(&table).unwrap())
            .build(Cursor::new(file.as_bytes()))
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        prop_assert_eq!(&without_nulls(&found), &without_nulls(&other), "{}", file);
    }

    #[test]
    fn values(
        rows in prop::collection::vec(
            (any::<i32>(), any::<i64>(), any::<f64>(), any::<bool>(), 0..99_999_999_i64, -719_162..2_932_896_i32),
            1..6,
        ),
    ) {
        let finite = |value: f64| if value.is_finite() { value } else { 0.5 };
        let lines: Vec<String> = rows
            .iter()
            .map(|(int, long, double, boolean, cents, days)| {
                let day = ftable_core::datum::calendar::CivilDate::from_days(i64::from(*days));
                let (whole, cents) = (cents / 100, cents % 100);
                format!("{int},{long},{:e},{boolean},{whole}.{cents:02},{day},{day}T12:34:56.789", finite(*double))
            })
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let table = columns("i INT, l BIGINT, d DOUBLE, b BOOLEAN, n DECIMAL(10, 2), t DATE, ts TIMESTAMP(3)");
        let found = decode(&table, &[("csv.mode", "failfast")], &lines).unwrap();
        let file = lines.join("\n");
        let other = arrow_csv::ReaderBuilder::new(to_arrow_schema(&table).unwrap())
            .build(Cursor::new(file.as_bytes()))
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        prop_assert_eq!(&found, &other, "{}", file);
    }
}
