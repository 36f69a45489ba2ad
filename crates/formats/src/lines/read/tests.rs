use std::sync::atomic::{AtomicU64, Ordering};

use futures::TryStreamExt;

use super::*;
use crate::lines::testing::{
    Lines, Recorded, csv, named, read_all, read_batches, request, text_options, texts,
};
use crate::testing::run;
use ftable_core::ErrorKind;
use ftable_io::InputFile;

#[test]
fn batches_have_as_many_rows_as_asked_for() {
    let file = || named("/t/a.csv", &b"1\n2\n3\n4\n5\ndrop\n6\n7"[..]);
    let batches = read_batches(&request(file(), None, 3), csv()).unwrap();
    assert_eq!(
        batches,
        [vec!["1", "2", "3"], vec!["4", "5", "6"], vec!["7"]]
    );
    let batches = read_batches(&request(file(), None, 7), csv()).unwrap();
    assert_eq!(batches, [["1", "2", "3", "4", "5", "6", "7"]]);
    assert_eq!(
        read_batches(&request(file(), None, 0), csv())
            .unwrap()
            .len(),
        7
    );
    let empty = named("/t/a.csv", &b""[..]);
    assert!(
        read_batches(&request(empty, None, 3), csv())
            .unwrap()
            .is_empty()
    );
    let dropped = named("/t/a.csv", &b"drop\ndrop"[..]);
    assert!(
        read_batches(&request(dropped, None, 3), csv())
            .unwrap()
            .is_empty()
    );
}

/// Lines of ten bytes.
fn byte_of_line(at: u64) -> u8 {
    match at % 10 {
        9 => b'\n',
        place => b'0' + ((at / 10 * 7 + place) % 10) as u8,
    }
}

#[test]
fn large_files_are_read_in_order_over_all_blocks() {
    let size = 1_500_003;
    let file = Arc::new(Recorded::of("/t/a.csv", size, byte_of_line));
    let all = file.bytes(0..size);
    let expected: Vec<_> = all.split(|byte| *byte == b'\n').collect();
    let ranges = [0..size, 0..400_001, 400_001..1_400_005, 1_400_005..size];
    let mut parts = 0;
    for range in ranges {
        let shared = Arc::clone(&file) as Arc<dyn InputFile>;
        let lines = read_batches(&request(shared, Some(range.clone()), 5_000), csv())
            .unwrap()
            .concat();
        // The line that starts at `10 * n` is the one after n others.
        let first = if range.start == 0 {
            0
        } else {
            range.start as usize / 10 + 1
        };
        let last = (range.end as usize / 10 + 1).min(expected.len());
        assert_eq!(lines.len(), last - first);
        for (line, expected) in lines.iter().zip(&expected[first..last]) {
            assert_eq!(line.as_bytes(), *expected);
        }
        parts += lines.len();
    }
    assert_eq!(parts, 2 * expected.len());
}

#[test]
fn a_range_is_read_no_further_than_its_last_line() {
    let file = Arc::new(Recorded::of("/t/a.csv", 1 << 40, byte_of_line));
    let shared = Arc::clone(&file) as Arc<dyn InputFile>;
    let lines = read_all(shared, Some(1_000_000..1_001_000), csv()).unwrap();
    assert_eq!(lines.len(), 100);
    assert!(
        file.asked().iter().all(|range| range.end < 2_000_000),
        "{:?}",
        file.asked()
    );
}

#[test]
fn nobody_reads_on_when_the_stream_is_dropped() {
    let file = Arc::new(Recorded::of("/t/a.csv", 1 << 40, byte_of_line));
    let shared = Arc::clone(&file) as Arc<dyn InputFile>;
    run(async {
        let mut stream = read_lines(&request(shared, None, 2), csv(), Lines::new())
            .await
            .unwrap();
        let first = stream.try_next().await.unwrap().unwrap();
        assert_eq!(texts(&first), ["012345678", "789012345"]);
    });
    // The first block, and the one after it.
    assert!(file.asked().len() <= 2, "{:?}", file.asked());
}

#[test]
fn a_line_that_fails_is_named() {
    let content = &b"x\nx\nbad\nx\nbad:age\nx\n"[..];
    let error = |range| read_all(named("/t/a.csv", content), range, csv()).unwrap_err();
    let bad = error(None);
    assert_eq!(bad.to_string(), "/t/a.csv: line 3: bad is no value");
    assert_eq!(bad.kind(), ErrorKind::CorruptFile);
    assert_eq!(
        error(Some(0..5)).to_string(),
        "/t/a.csv: line 3: bad is no value"
    );
    let of_column = error(Some(5..20));
    assert_eq!(
        of_column.to_string(),
        "/t/a.csv: the line at byte 10: column age: bad:age is no value"
    );
    assert_eq!(of_column.kind(), ErrorKind::TypeMismatch);
    // The header is a line, too.
    let headed = LineFormat {
        header: true,
        ..csv()
    };
    let bad = read_all(named("/t/a.csv", &b"bad\nbad"[..]), None, headed).unwrap_err();
    assert_eq!(bad.to_string(), "/t/a.csv: line 2: bad is no value");
}

#[test]
fn parts_of_what_is_read_as_a_whole_are_refused() {
    let delimited = LineFormat {
        delimiter: ";".to_owned(),
        ..csv()
    };
    let content = &b"a;b;c"[..];
    let read = |path, range, format| read_all(named(path, content), range, format);
    assert_eq!(
        read("/t/a.csv", Some(0..3), delimited.clone())
            .unwrap_err()
            .to_string(),
        "csv: /t/a.csv: reading a byte range of a file with a line delimiter of its own is not supported: where its \
         lines begin cannot be told; read it as a whole"
    );
    assert_eq!(
        read("/t/a.csv.gz", Some(1..5), csv())
            .unwrap_err()
            .to_string(),
        "csv: /t/a.csv.gz: reading a byte range of a compressed file is not supported: where its lines begin cannot be \
         told; read it as a whole"
    );
    assert_eq!(
        read("/t/a.csv", Some(0..9), delimited).unwrap(),
        ["a", "b", "c"]
    );
}

#[test]
fn compressed_content_under_a_plain_name_is_refused_in_every_range() {
    let mut content = b"\x1f\x8b\x08\x00".to_vec();
    content.resize(1000, b'\n');
    for range in [None, Some(0..500), Some(500..1000)] {
        let error = read_all(named("/t/a.csv", content.clone()), range, csv()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "/t/a.csv: not a readable csv file: its content is compressed with gzip but its name does not end with \
             .gz; rename it"
        );
        assert_eq!(error.kind(), ErrorKind::CorruptFile);
    }
}

#[test]
fn a_line_without_end_is_refused_before_it_is_held() {
    let file = Arc::new(Recorded::of("/t/a.csv", 2 << 30, |_| b'a'));
    let shared = Arc::clone(&file) as Arc<dyn InputFile>;
    let mut request = request(shared, None, 3);
    request.options = text_options(&[("format-table.read.max-line-length", "2 mb")]);
    let error = read_batches(&request, csv()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "/t/a.csv: line 1: it is longer than 2097152 bytes; raise the option 'format-table.read.max-line-length' if \
         lines are so long, which takes as much memory"
    );
    assert_eq!(error.kind(), ErrorKind::CorruptFile);
    let read = file.asked().last().unwrap().end;
    assert!(read <= 12 << 20, "{read}");
}

#[test]
fn a_batch_ends_early_where_lines_are_long() {
    let line = [vec![b'a'; 6 << 20], vec![b'\n']].concat();
    let file = named("/t/a.csv", line.repeat(8));
    let batches = read_batches(&request(file, None, 100), csv()).unwrap();
    let rows: Vec<_> = batches.iter().map(Vec::len).collect();
    // Five of them are 30 MiB.
    assert_eq!(rows, [5, 3]);
}

/// Counts rows, and says of each batch that it is large.
struct Counted(u64, Arc<AtomicU64>);

impl LineDecoder for Counted {
    fn line(&mut self, _line: &str) -> Result<(), crate::lines::BadLine> {
        self.0 += 1;
        Ok(())
    }

    fn rows(&self) -> usize {
        self.0 as usize
    }

    fn memory_size(&self) -> usize {
        self.0 as usize * 1_000
    }

    fn take_batch(&mut self) -> Result<RecordBatch> {
        self.1.fetch_add(1, Ordering::Relaxed);
        let rows = std::mem::take(&mut self.0) as usize;
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
        let schema = Arc::new(arrow_schema::Schema::empty());
        Ok(RecordBatch::try_new_with_options(schema, Vec::new(), &options).unwrap())
    }
}

#[test]
fn a_batch_ends_early_where_rows_are_large() {
    let file = named("/t/a.csv", b"0\n".repeat(300_000));
    let batches = Arc::new(AtomicU64::new(0));
    let rows: usize = run(async {
        let decoder = Counted(0, Arc::clone(&batches));
        let stream = read_lines(&request(file, None, usize::MAX), csv(), decoder)
            .await
            .unwrap();
        stream
            .map_ok(|batch| batch.num_rows())
            .try_fold(0, async |sum, rows| Ok(sum + rows))
            .await
    })
    .unwrap();
    assert_eq!(rows, 300_000);
    // A window of 128 KiB is 65,536 rows, which say they are more than 32 MiB.
    assert_eq!(batches.load(Ordering::Relaxed), 5);
}
