//! Files of any bytes, in each mode.

use std::sync::Arc;

use arrow_array::RecordBatch;
use ftable_core::FileFormatKind;
use futures::TryStreamExt;
use proptest::prelude::*;
use proptest::sample::select;

use super::counted;
use super::modes::cells;
use crate::csv::CsvFormat;
use crate::format::{FileFormat, ReadRequest};
use crate::testing::{self, columns};

/// A file read in one of the modes: its rows or why there are none, what was counted, and the count of rows alone.
type Outcome = (crate::Result<RecordBatch>, [u64; 4], Option<u64>);

fn read_in(mode: &str, bytes: &[u8]) -> Outcome {
    let table = columns(
        "i INT, b BOOLEAN, d DECIMAL(5, 2), f DOUBLE, t DATE, ts TIMESTAMP(3), y BYTES, s STRING",
    );
    let request = ReadRequest {
        file: testing::file(bytes.to_vec()),
        range: None,
        fields: table.clone(),
        table_fields: table.clone(),
        batch_size: 3,
        options: testing::options(FileFormatKind::Csv, &[("csv.mode", mode)]),
        records: Arc::default(),
    };
    let records = Arc::clone(&request.records);
    let alone = ReadRequest {
        records: Arc::default(),
        ..request.clone()
    };
    testing::run(async {
        let read = async {
            let stream = CsvFormat.read(request).await?;
            stream.try_collect::<Vec<_>>().await
        };
        let rows = read.await.map(|batches| testing::concat(&table, &batches));
        let counted_alone = CsvFormat.count_rows(alone).await.ok();
        (rows, counted(&records), counted_alone)
    })
}

/// How many lines there are, by hand.
fn line_count(bytes: &[u8]) -> u64 {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let ends = |(at, byte): &(usize, &u8)| match byte {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    let is_open = !matches!(bytes.last(), None | Some(b'\n' | b'\r'));
    bytes.iter().enumerate().filter(ends).count() as u64 + u64::from(is_open)
}

fn nearly_csv() -> impl Strategy<Value = Vec<u8>> {
    let good = select(
        &[
            "1,true,1.25,1e5,2024-01-05,2024-01-05 10:20:30,AP8=,x",
            ",,,,,,,",
            "-7,FALSE,,NaN,1,7,,\"a,b\"",
            "2",
            "",
        ][..],
    );
    let piece = select(
        &[
            "1",
            "x",
            ",",
            ",",
            ",",
            "\"",
            "\\",
            "\n",
            "\r",
            "é",
            "\u{feff}",
            "true",
            "1.5",
            " ",
            "\0",
            "2024-02-30",
            "99999999999",
            "=",
        ][..],
    );
    let pieces = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
    let line = prop_oneof![
        4 => good.prop_map(|line| line.as_bytes().to_vec()),
        2 => pieces.prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..30),
    ];
    let end = select(&["\n", "\r\n", "\r", ""][..]);
    let lines = prop::collection::vec((line, end), 0..10);
    lines.prop_map(|lines| {
        let lines = lines.into_iter();
        lines
            .flat_map(|(line, end)| [line, end.as_bytes().to_vec()])
            .flatten()
            .collect()
    })
}

proptest! {
    /// Whatever a file holds, every line is a row, a row with NULLs, none, or the error, and the modes agree on which.
    #[test]
    fn no_file_does_harm(bytes in nearly_csv()) {
        let lines = line_count(&bytes);
        let (rows, [_, _, malformed, dropped], count) = read_in("permissive", &bytes);
        let permissive = rows.unwrap();
        prop_assert_eq!((permissive.num_rows() as u64, count, dropped), (lines, Some(lines), 0));

        let (rows, [_, _, nulls, dropped], count) = read_in("dropmalformed", &bytes);
        let left = lines - malformed;
        prop_assert_eq!((rows.unwrap().num_rows() as u64, count), (left, Some(left)));
        prop_assert_eq!((nulls, dropped), (0, malformed));

        let (rows, [_, _, nulls, dropped], _) = read_in("failfast", &bytes);
        let is_text = std::str::from_utf8(&bytes).is_ok();
        match rows {
            Ok(rows) => {
                prop_assert!(is_text && malformed == 0);
                // NaN is no equal of itself.
                prop_assert_eq!(cells(&rows), cells(&permissive));
            }
            Err(error) => {
                prop_assert!(!is_text || malformed > 0, "{}", error);
                let place = format!("{}: line ", testing::PATH);
                prop_assert!(error.to_string().starts_with(&place), "{}", error);
            }
        }
        prop_assert_eq!((nulls, dropped), (0, 0));
    }
}
