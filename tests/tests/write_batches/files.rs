//! How files are filled.

use super::*;

#[tokio::test]
async fn files_have_exactly_the_rows_of_the_option() {
    for format in ["parquet", "orc"] {
        let options = [("target-file-row-num", "30"), ("file.format", format)];
        let place = Place::new("id BIGINT", &[], &options).await;
        let ids = |range: std::ops::Range<i64>| {
            let ids: ArrayRef = Arc::new(range.collect::<Int64Array>());
            batch([("id", ids)])
        };
        let mut write = place.table.write().build().unwrap();
        let mut next = 0;
        for size in [1, 7, 29, 30, 31, 2] {
            write.write(ids(next..next + size)).await.unwrap();
            next += size;
        }
        let messages = write.prepare_commit().await.unwrap();
        let of_messages = |messages: &[ftable::CommitMessage]| {
            messages
                .iter()
                .map(ftable::CommitMessage::rows)
                .collect::<Vec<_>>()
        };
        assert_eq!(of_messages(&messages), [30, 30, 30, 10]);
        // A file that is just full is not followed by an empty one.
        write.write(ids(100..160)).await.unwrap();
        let more = write.prepare_commit().await.unwrap();
        assert_eq!(of_messages(&more), [30, 30]);
        commit(&place.table, [messages, more].concat())
            .await
            .unwrap();
        let numbers = place.data_files().into_iter();
        let numbers = numbers.map(|file| name_parts(&file, "data-", &format!(".{format}")).1);
        assert_eq!(numbers.collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
        let expected: Vec<String> = (0..160).map(|id| id.to_string()).collect();
        assert_eq!(rows_in_order(&place.seen).await.unwrap(), expected);
    }
}

/// Texts that no codec makes smaller.
fn noise(rows: std::ops::Range<u64>) -> ArrayRef {
    let word = |seed: u64| {
        let mixed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (seed >> 7);
        format!("{:016x}", mixed.wrapping_mul(0xBF58_476D_1CE4_E5B9))
    };
    let text = |row| {
        (0..10)
            .map(|part| word(row * 10 + part))
            .collect::<String>()
    };
    Arc::new(rows.map(|row| Some(text(row))).collect::<StringArray>())
}

#[tokio::test]
async fn files_end_at_the_first_look_past_their_size() {
    const ROWS: u64 = 12_500;
    for format in ["parquet", "orc"] {
        let options = [
            ("target-file-size", "50 kb"),
            ("file.format", format),
            ("file.compression", "none"),
            ("write.batch-size", "500"),
        ];
        let place = Place::new("s STRING", &[], &options).await;
        let mut write = place.table.write().build().unwrap();
        for start in (0..ROWS).step_by(2_500) {
            write
                .write(batch([("s", noise(start..start + 2_500))]))
                .await
                .unwrap();
        }
        let messages = write.prepare_commit().await.unwrap();
        // A thousand rows have 160 kB; ORC counts a fifth of what it holds back, as Java does.
        let (most, files) = (
            messages.iter().map(|m| m.rows()).max().unwrap(),
            messages.len(),
        );
        assert!(
            files > 4 && most <= 2_000,
            "{format}: {files} files, {most} rows"
        );
        assert_eq!(messages.iter().map(|m| m.rows()).sum::<u64>(), ROWS);
        commit(&place.table, messages).await.unwrap();
        let mut expected = lines(place.table.fields(), &batch([("s", noise(0..ROWS))]));
        expected.sort();
        assert_eq!(place.rows().await, expected, "{format}");
    }
}

#[tokio::test]
async fn interleaved_partitions_keep_the_order_of_their_rows() {
    const KEYS: [Option<&str>; 4] = [Some("a"), None, Some("b"), Some("c")];
    for format in ["parquet", "orc"] {
        let place = Place::new(ID_AND_P, &["p"], &[("file.format", format)]).await;
        let mut write = place.table.write().build().unwrap();
        // More than is encoded at once, so that several steps follow each other.
        let row = |id: i64| (id, KEYS[(id * 7919 % 13 % 4) as usize]);
        for start in (0..90_000).step_by(9_000) {
            let rows: Vec<_> = (start..start + 9_000).map(row).collect();
            write.write(ids_and_p(&rows)).await.unwrap();
        }
        let messages = write.prepare_commit().await.unwrap();
        assert_eq!(messages.len(), 4);
        commit(&place.table, messages).await.unwrap();
        let read = rows_in_order(&place.seen).await.unwrap();
        let line = |key: Option<&str>| key.map_or("NULL".to_owned(), |key| format!("{key:?}"));
        for key in KEYS.map(line) {
            let of_key = |line: &&String| line.ends_with(&format!(" {key}"));
            let read = read
                .iter()
                .filter(of_key)
                .map(|line| line.split_once(' ').unwrap().0);
            let written = (0..90_000).map(row).filter(|(_, p)| line(*p) == key);
            let written: Vec<String> = written.map(|(id, _)| id.to_string()).collect();
            assert_eq!(read.collect::<Vec<_>>(), written, "{format} {key}");
        }
    }
}

#[tokio::test]
async fn no_more_than_so_many_files_are_open_at_once() {
    const PARTITIONS: i32 = 60;
    let options = [("format-table.write.max-open-files", "16")];
    let place = Place::new("s STRING, p INT", &["p"], &options).await;
    // Each row holds on to the whole column, and so is encoded at once.
    let large = StringArray::from_iter_values(["x", &"y".repeat(9_000_000)]);
    let keys = |p: i32| Arc::new(Int32Array::from(vec![p; 2])) as ArrayRef;
    let large: ArrayRef = Arc::new(large);
    let mut write = place.table.write().parallelism(2).build().unwrap();
    for _ in 0..2 {
        for p in 0..PARTITIONS {
            let whole = batch([("s", Arc::clone(&large)), ("p", keys(p))]);
            write.write(whole.slice(0, 1)).await.unwrap();
        }
    }
    let messages = write.prepare_commit().await.unwrap();
    commit(&place.table, messages).await.unwrap();
    let (mut open, mut most) = (0, 0);
    for call in place.files.trace() {
        match call.operation {
            Operation::Create => open += 1,
            Operation::Close => open -= 1,
            _ => {}
        }
        most = most.max(open);
    }
    // Those that wait for rows, and those that are being ended.
    assert!((10..=16 + 2).contains(&most), "{most}");
    let mut expected: Vec<String> = (0..PARTITIONS)
        .flat_map(|p| vec![format!("\"x\" {p}"); 2])
        .collect();
    expected.sort();
    assert_eq!(place.rows().await, expected);
}
