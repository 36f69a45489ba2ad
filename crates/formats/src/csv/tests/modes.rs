//! Values that cannot be read, columns asked for, and what fails a scan.

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, RecordBatch};
use ftable_core::types::to_arrow_schema;

use super::{counted, decode, decoder};
use crate::lines::{BadLine, LineDecoder};
use crate::testing::{self, columns};

const MIXED: &str = "a INT, b INT, c STRING";

/// Cells as texts, NULL as `-`.
pub(super) fn cells(batch: &RecordBatch) -> Vec<String> {
    let cell = |array: &dyn Array, row| {
        if array.is_null(row) {
            "-".to_owned()
        } else {
            arrow_cast::display::array_value_to_string(array, row).unwrap()
        }
    };
    (0..batch.num_rows())
        .map(|row| {
            let cells: Vec<_> = batch
                .columns()
                .iter()
                .map(|array| cell(array, row))
                .collect();
            cells.join(" ")
        })
        .collect()
}

#[test]
fn permissive_is_null_from_the_bad_field_on() {
    let (mut reader, counts) = decoder(&columns(MIXED), &[], &[]);
    for line in [
        "1,x,a",
        "1,2,a",
        "x,2,a",
        "9999999999,2,a",
        "1,2",
        "1,\"2\",a",
        "1, 2,a",
    ] {
        reader.line(line).unwrap();
    }
    let expected = [
        "1 - -", "1 2 a", "- - -", "- - -", "1 2 -", "1 2 a", "1 - -",
    ];
    assert_eq!(cells(&reader.take_batch().unwrap()), expected);
    assert_eq!(counted(&counts), [1, 0, 4, 0]);
    // What was taken does not come again.
    assert_eq!(reader.rows(), 0);
    reader.line("7,8,b").unwrap();
    assert_eq!(cells(&reader.take_batch().unwrap()), ["7 8 b"]);
}

/// The order is that of the columns asked for, and what is not asked for is not looked at.
#[test]
fn permissive_by_the_columns_asked_for() {
    let table = columns(MIXED);
    for (names, line, expected) in [
        (&["c", "a"][..], "1,x,a", "a 1"),
        (&["c", "a"], "x,2,a", "a -"),
        (&["b", "a", "c"], "1,x,a", "- - -"),
        (&["c", "b", "a"], "1,x,a", "a - -"),
        (&["b"], "x,2,a", "2"),
    ] {
        let (mut reader, _) = decoder(&table, names, &[]);
        reader.line(line).unwrap();
        let batch = reader.take_batch().unwrap();
        assert_eq!(cells(&batch), [expected], "{names:?}");
        let found: Vec<_> = batch
            .schema()
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect();
        assert_eq!(found, names);
    }
}

#[test]
fn malformed_rows_are_dropped() {
    let options = &[("csv.mode", "dropmalformed")];
    let (mut reader, counts) = decoder(&columns(MIXED), &[], options);
    for line in ["1,x,a", "1,2,a", "3,99999999999,c", "", "4,5", "x"] {
        reader.line(line).unwrap();
    }
    assert_eq!(reader.rows(), 3);
    assert_eq!(
        cells(&reader.take_batch().unwrap()),
        ["1 2 a", "- - -", "4 5 -"]
    );
    assert_eq!(counted(&counts), [1, 0, 0, 3]);
    // A column that is not asked for drops nothing.
    let (mut reader, counts) = decoder(&columns(MIXED), &["a", "c"], options);
    reader.line("1,x,a").unwrap();
    assert_eq!((reader.rows(), counted(&counts)), (1, [0; 4]));
}

#[test]
fn failfast_names_column_and_text() {
    let options = &[("csv.mode", "failfast")];
    let bad = |line: &str| {
        let (mut reader, _) = decoder(&columns(MIXED), &[], options);
        reader.line("1,2,a").unwrap();
        let bad = reader.line(line).unwrap_err();
        assert_eq!(cells(&reader.take_batch().unwrap()), ["1 2 a"]);
        bad
    };
    let at = |column: &str, reason: &str| BadLine {
        column: Some(column.to_owned()),
        reason: reason.to_owned(),
    };
    assert_eq!(bad("1,x,a"), at("b", "'x' is not an integer in its range"));
    assert_eq!(
        bad("1,2147483648,a"),
        at("b", "'2147483648' is not an integer in its range")
    );
    assert_eq!(
        bad("\"\",x,a"),
        at("a", "'' is not an integer in its range")
    );
    assert_eq!(
        bad("1\u{7},x,a"),
        at("a", "'1\\u{7}' is not an integer in its range")
    );
    let long = "é".repeat(100);
    let reason = format!("'{}…' is not an integer in its range", "é".repeat(80));
    assert_eq!(bad(&long), at("a", &reason));
    // Too few fields and quotes that nothing closes are no fault of a value.
    let batch = decode(&columns(MIXED), options, &["1", "1,2,a,b", "", "1,\"2"]).unwrap();
    assert_eq!(cells(&batch), ["1 - -", "1 2 a", "- - -", "1 - -"]);
}

/// Values that Java would change in silence.
#[test]
fn what_is_no_value_is_malformed() {
    for (declared, text) in [
        ("DECIMAL(8, 2)", "99999999.99"),
        ("TIMESTAMP(3)", "2023-02-31 00:00:00"),
        ("BOOLEAN", "1"),
        ("BOOLEAN", "yes"),
        ("TIME(3)", "25:00:00"),
        // No hour of a day, though Java takes it for the next one.
        ("TIME(3)", "24:00:00"),
        ("TIMESTAMP(3)", "2024-01-05 24:00:00"),
        // Arrow's nanoseconds end in the years 1677 and 2262.
        ("TIMESTAMP(7)", "1677-09-21 00:12:43"),
        ("TIMESTAMP(9)", "2262-04-11 23:47:17"),
        ("TIMESTAMP(9) WITH LOCAL TIME ZONE", "9999-01-01 00:00:00"),
        // Digits of other scripts.
        ("INT", "١٢"),
        ("BIGINT", "１２"),
        // A year and an hour that are no counts for their blank.
        ("DATE", " 2024"),
        ("TIME(3)", " 12"),
    ] {
        let table = columns(&format!("v {declared}"));
        let batch = decode(&table, &[], &[text]).unwrap();
        assert_eq!(
            (batch.num_rows(), batch.column(0).null_count()),
            (1, 1),
            "{declared}"
        );
        let bad = decode(&table, &[("csv.mode", "failfast")], &[text]).unwrap_err();
        assert!(
            bad.reason.starts_with(&format!("'{text}' is not ")),
            "{}",
            bad.reason
        );
    }
    let days = decode(&columns("d DATE"), &[], &["2020"]).unwrap();
    let day = days
        .column(0)
        .as_primitive::<arrow_array::types::Date32Type>()
        .value(0);
    // 1975-07-14
    assert_eq!(day, 2020);
}

#[test]
fn not_null_columns() {
    let table = columns("a INT NOT NULL, b STRING NOT NULL, c INT");
    let read = |mode: &str, line: &str| decode(&table, &[("csv.mode", mode)], &[line]);
    let batch = read("permissive", "1,\"\",").unwrap();
    assert_eq!(cells(&batch), ["1  -"]);
    assert_eq!(batch.schema(), to_arrow_schema(&table).unwrap());
    for mode in ["permissive", "dropmalformed", "failfast"] {
        for (line, column) in [("", "a"), (",x,1", "a"), ("1,,1", "b"), ("1", "b")] {
            let bad = read(mode, line).unwrap_err();
            assert_eq!(bad.column.as_deref(), Some(column), "{line}");
            assert_eq!(
                bad.reason,
                "it is NOT NULL in the table but null in the line"
            );
        }
    }
    assert_eq!(
        read("permissive", "x,y,1").unwrap_err().column.as_deref(),
        Some("a")
    );
    assert_eq!(read("dropmalformed", "x,y,1").unwrap().num_rows(), 0);
    // Only columns asked for are looked at.
    let (mut reader, _) = decoder(&table, &["c"], &[]);
    reader.line("").unwrap();
    assert_eq!(cells(&reader.take_batch().unwrap()), ["-"]);
}

#[test]
fn no_columns_are_a_row_a_line() {
    let table = columns(MIXED);
    let request = crate::ReadRequest {
        file: testing::file(""),
        range: None,
        fields: Vec::new().into(),
        table_fields: table,
        batch_size: 10,
        options: testing::options(
            ftable_core::FileFormatKind::Csv,
            &[("csv.mode", "failfast")],
        ),
        records: std::sync::Arc::default(),
    };
    let mut reader = super::CsvDecoder::new(&request, super::dialect(&[])).unwrap();
    for line in ["", "x", "1,2,3,4", "\""] {
        reader.line(line).unwrap();
    }
    let batch = reader.take_batch().unwrap();
    assert_eq!((batch.num_rows(), batch.num_columns()), (4, 0));
    assert_eq!(counted(&request.records), [0; 4]);
}

#[test]
fn memory_is_that_of_the_rows() {
    let (mut reader, _) = decoder(
        &columns("a INT, s STRING"),
        &[],
        &[("csv.mode", "dropmalformed")],
    );
    let empty = reader.memory_size();
    reader.line("1,abc").unwrap();
    let one = reader.memory_size();
    assert!(one >= empty + 4 + 3, "{empty} {one}");
    reader.line("x,abc").unwrap();
    assert_eq!(reader.memory_size(), one);
    reader.take_batch().unwrap();
    assert_eq!(reader.memory_size(), empty);
}

#[test]
fn columns_of_unusual_types() {
    let request = |table: &str| crate::ReadRequest {
        file: testing::file(""),
        range: None,
        fields: columns(table),
        table_fields: columns(table),
        batch_size: 10,
        options: testing::options(ftable_core::FileFormatKind::Csv, &[]),
        records: std::sync::Arc::default(),
    };
    let table = "i INT, l ARRAY<INT>";
    let error = super::CsvDecoder::new(&request(table), super::dialect(&[]))
        .err()
        .unwrap()
        .to_string();
    let expected = "csv: column l of type ARRAY<INT> is not supported: a field of a line is one value; use json, parquet or orc";
    assert_eq!(error, expected);
    let error = super::CsvRenderer::new(super::dialect(&[]), &columns(table))
        .err()
        .unwrap()
        .to_string();
    assert_eq!(error, expected);
    // It is no obstacle where it is not asked for.
    let mut narrow = request(table);
    narrow.fields = columns("i INT");
    let mut reader = super::CsvDecoder::new(&narrow, super::dialect(&[])).unwrap();
    reader.line("1,[2]").unwrap();
    let batch = reader.take_batch().unwrap();
    assert_eq!(batch.column(0).as_primitive::<Int32Type>().values(), &[1]);
}
