//! Columns in any order, of other shapes, and what is refused of them.

use super::*;

#[tokio::test]
async fn columns_are_matched_by_name_in_any_order() {
    let place = Place::new("a INT, p STRING, b STRING", &["p"], &[]).await;
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None]));
    let (p, b) = (texts(&[Some("x"), Some("y")]), texts(&[None, Some("b")]));
    let columns = [("a", numbers), ("p", p), ("b", b)];
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    let mut write = place.table.write().build().unwrap();
    for order in orders {
        let ordered = order.map(|index| columns[index].clone());
        write.write(batch(ordered)).await.unwrap();
    }
    commit(&place.table, write.prepare_commit().await.unwrap())
        .await
        .unwrap();
    let expected = [["1 \"x\" NULL"; 6], ["NULL \"y\" \"b\""; 6]].concat();
    assert_eq!(place.rows().await, expected);
}

#[tokio::test]
async fn inputs_of_other_shapes_are_converted_without_loss() {
    let columns = "s STRING, p STRING, n BIGINT, d DOUBLE, y BYTES";
    let place = Place::new(columns, &["p"], &[]).await;
    let text: Vec<Option<&str>> = vec![Some("é"), None, Some("long enough to be out of line")];
    let keys: Vec<Option<&str>> = vec![Some("k"), Some("k"), None];
    let shapes: [Shape; 4] = [
        texts,
        |values| Arc::new(LargeStringArray::from(values.to_vec())),
        |values| Arc::new(StringViewArray::from(values.to_vec())),
        |values| {
            Arc::new(
                values
                    .iter()
                    .copied()
                    .collect::<DictionaryArray<Int32Type>>(),
            )
        },
    ];
    let numbers: [ArrayRef; 3] = [
        Arc::new(Int64Array::from(vec![Some(7), None, Some(-1)])),
        Arc::new(Int8Array::from(vec![Some(7), None, Some(-1)])),
        Arc::new(Int16Array::from(vec![Some(7), None, Some(-1)])),
    ];
    let bytes = Arc::new(BinaryViewArray::from(vec![
        Some(&b"\xff"[..]),
        None,
        Some(b""),
    ]));
    let mut write = place.table.write().build().unwrap();
    let mut batches = 0;
    for shape in shapes {
        for number in &numbers {
            let columns = [
                ("s", shape(&text)),
                ("p", shape(&keys)),
                ("n", Arc::clone(number)),
                (
                    "d",
                    Arc::new(Float64Array::from(vec![0.5, -0.0, f64::NAN])) as ArrayRef,
                ),
                ("y", Arc::clone(&bytes) as ArrayRef),
            ];
            // A part of a batch too: its columns do not begin at their first value.
            let whole = batch(columns);
            write.write(whole.slice(0, 1)).await.unwrap();
            write.write(whole.slice(1, 2)).await.unwrap();
            batches += 1;
        }
    }
    commit(&place.table, write.prepare_commit().await.unwrap())
        .await
        .unwrap();
    let mut expected = [
        "\"é\" \"k\" 7 0.5 /w==",
        "NULL \"k\" NULL -0.0 NULL",
        "\"long enough to be out of line\" NULL -1 NaN ",
    ]
    .repeat(batches);
    expected.sort_unstable();
    assert_eq!(place.rows().await, expected);
}

#[tokio::test]
async fn unsigned_numbers_go_into_the_next_wider_type() {
    let place = Place::new("n BIGINT", &[], &[]).await;
    let numbers: ArrayRef = Arc::new(UInt32Array::from(vec![u32::MAX, 0]));
    append(&place.table, batch([("n", numbers)])).await.unwrap();
    assert_eq!(place.rows().await, ["0", "4294967295"]);
}

fn with_kinds(kinds: ArrayRef) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    batch([
        ("_VALUE_KIND", kinds),
        ("id", ids),
        ("p", texts(&[Some("a"), Some("b")])),
    ])
}

#[tokio::test]
async fn rows_that_are_no_inserts_are_refused() {
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    let mut write = place.table.write().build().unwrap();
    for kinds in [vec![0, 1], vec![3, 0], vec![-1, 0]] {
        let kinds = Arc::new(Int8Array::from(kinds));
        let text = refused(&mut write, with_kinds(kinds)).await;
        assert!(
            text.contains("_VALUE_KIND") && text.contains("write inserts only"),
            "{text}"
        );
    }
    let not_kinds: [ArrayRef; 3] = [
        Arc::new(Int8Array::from(vec![Some(0), None])),
        Arc::new(Int32Array::from(vec![0, 0])),
        texts(&[Some("+I"), Some("+I")]),
    ];
    for kinds in not_kinds {
        assert!(
            refused(&mut write, with_kinds(kinds))
                .await
                .contains("_VALUE_KIND")
        );
    }
    let inserts = with_kinds(Arc::new(Int8Array::from(vec![0, 0])));
    write.write(inserts.clone()).await.unwrap();
    let spec = [("p".to_owned(), "c".to_owned())];
    write.write_partition(&spec, inserts).await.unwrap();
    commit(&place.table, write.prepare_commit().await.unwrap())
        .await
        .unwrap();
    let expected = [
        (1, Some("a")),
        (2, Some("b")),
        (1, Some("c")),
        (2, Some("c")),
    ];
    assert_eq!(place.rows().await, lines_of(&expected));
}

#[tokio::test]
async fn what_a_scan_gives_can_be_written_as_it_is() {
    use futures::TryStreamExt;
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    append(&place.table, ids_and_p(&[(1, Some("a")), (2, None)]))
        .await
        .unwrap();
    let plan = place.table.scan().build().unwrap().plan().await.unwrap();
    let read = place.table.read().build().unwrap();
    let batches: Vec<RecordBatch> = read.stream(&plan).unwrap().try_collect().await.unwrap();
    for batch in batches {
        assert_eq!(batch.schema().field(0).name(), "_VALUE_KIND");
        append(&place.table, batch).await.unwrap();
    }
    let expected = [(1, Some("a")), (1, Some("a")), (2, None), (2, None)];
    assert_eq!(place.rows().await, lines_of(&expected));
}

#[tokio::test]
async fn columns_that_do_not_fit_are_refused_by_name() {
    let place = Place::new("id BIGINT, p STRING, d DATE", &["p"], &[]).await;
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let days: ArrayRef = Arc::new(arrow_array::Date32Array::from(vec![0]));
    let p = texts(&[Some("a")]);
    let good = batch([("id", ids.clone()), ("p", p.clone()), ("d", days.clone())]);
    let twice = ArrowSchema::new(vec![
        Field::new("id", ArrowType::Int64, true),
        Field::new("p", ArrowType::Utf8, true),
        Field::new("d", ArrowType::Date32, true),
        Field::new("id", ArrowType::Int64, true),
    ]);
    let columns = vec![ids.clone(), p.clone(), days.clone(), ids.clone()];
    let twice = RecordBatch::try_new(Arc::new(twice), columns).unwrap();
    let micros: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![0]));
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![1.0]));
    let flags: ArrayRef = Arc::new(BooleanArray::from(vec![true]));
    let cases = [
        (
            batch([("id", ids.clone()), ("p", p.clone())]),
            "column 'd' is missing",
        ),
        (
            batch([("id", ids.clone()), ("d", days.clone())]),
            "column 'p' is missing",
        ),
        (
            batch([("ID", ids.clone()), ("p", p.clone()), ("d", days.clone())]),
            "column 'ID' is not one of the table's: id, p, d",
        ),
        (twice, "column 'id' is there twice"),
        (
            batch([("id", floats), ("p", p.clone()), ("d", days.clone())]),
            "column 'id'",
        ),
        (
            batch([("id", p.clone()), ("p", p.clone()), ("d", days.clone())]),
            "column 'id'",
        ),
        (
            batch([("id", ids.clone()), ("p", ids.clone()), ("d", days.clone())]),
            "column 'p'",
        ),
        (
            batch([("id", ids.clone()), ("p", flags), ("d", days)]),
            "column 'p'",
        ),
        (
            batch([("id", ids.clone()), ("p", p.clone()), ("d", micros)]),
            "column 'd'",
        ),
        (
            batch([("id", ids), ("p", p.clone()), ("d", p)]),
            "column 'd'",
        ),
    ];
    let mut write = place.table.write().build().unwrap();
    for (wrong, words) in cases {
        write.write(good.clone()).await.unwrap();
        let text = refused(&mut write, wrong).await;
        assert!(text.contains(words), "{text}");
    }
    commit(&place.table, write.prepare_commit().await.unwrap())
        .await
        .unwrap();
    assert_eq!(place.rows().await, ["1 \"a\" 1970-01-01"; 10]);
}

#[tokio::test]
async fn values_that_would_be_changed_are_refused_by_column_and_row() {
    let columns = "v VARCHAR(3), t TIMESTAMP(3), n DECIMAL(3, 1)";
    let place = Place::new(columns, &[], &[]).await;
    let rows = |text: &str, micros: i64, unscaled: i128| {
        let decimal = |unscaled| {
            Some(Datum::Decimal {
                unscaled,
                precision: 5,
                scale: 1,
            })
        };
        let wide: DataType = "DECIMAL(5, 1)".parse().unwrap();
        batch([
            ("v", texts(&[Some("é中x"), Some(text)])),
            (
                "t",
                Arc::new(TimestampMicrosecondArray::from(vec![1_000, micros])) as ArrayRef,
            ),
            ("n", column(&wide, &[decimal(999), decimal(unscaled)])),
        ])
    };
    let mut write = place.table.write().build().unwrap();
    for (wrong, column) in [
        (rows("four", 2_000, -999), "column v"),
        (rows("abc", 2_001, -999), "column t"),
        (rows("abc", 2_000, -1000), "column n"),
    ] {
        let text = refused(&mut write, wrong).await;
        assert!(text.contains(column) && text.contains("row 1"), "{text}");
    }
    write.write(rows("abc", 2_000, -999)).await.unwrap();
    commit(&place.table, write.prepare_commit().await.unwrap())
        .await
        .unwrap();
    let expected = [
        "\"abc\" 1970-01-01T00:00:00.002000 -99.9",
        "\"é中x\" 1970-01-01T00:00:00.001000 99.9",
    ];
    assert_eq!(place.rows().await, expected);
}

#[tokio::test]
async fn a_null_in_a_not_null_column_is_refused_and_the_writer_goes_on() {
    let columns = "f0 STRING, f1 INT NOT NULL, p STRING NOT NULL";
    for format in ["parquet", "orc"] {
        let place = Place::new(columns, &["p"], &[("file.format", format)]).await;
        let rows = |numbers: [Option<i32>; 2], keys: [Option<&str>; 2]| {
            let numbers: ArrayRef = Arc::new(Int32Array::from(numbers.to_vec()));
            batch([
                ("f0", texts(&[Some("mouse"), None])),
                ("f1", numbers),
                ("p", texts(&keys)),
            ])
        };
        let keys = [Some("a"), Some("b")];
        let mut write = place.table.write().build().unwrap();
        write.write(rows([Some(1), Some(2)], keys)).await.unwrap();
        let text = refused(&mut write, rows([Some(3), None], keys)).await;
        assert!(
            text.contains("column f1 is NOT NULL but row 1 is null"),
            "{text}"
        );
        let text = refused(&mut write, rows([Some(3), Some(4)], [None, Some("b")])).await;
        assert!(
            text.contains("column p is NOT NULL but row 0 is null"),
            "{text}"
        );
        write.write(rows([Some(5), Some(6)], keys)).await.unwrap();
        commit(&place.table, write.prepare_commit().await.unwrap())
            .await
            .unwrap();
        let expected = [
            "\"mouse\" 1 \"a\"",
            "\"mouse\" 5 \"a\"",
            "NULL 2 \"b\"",
            "NULL 6 \"b\"",
        ];
        assert_eq!(place.rows().await, expected);
    }
}

/// A struct column of one nullable child `x`, where `valid` says which rows are there.
fn structs(x: ArrayRef, valid: &[bool]) -> ArrayRef {
    let fields = vec![Field::new("x", x.data_type().clone(), true)];
    let nulls = Some(valid.to_vec().into());
    Arc::new(StructArray::new(fields.into(), vec![x], nulls))
}

#[tokio::test]
async fn a_null_inside_a_nested_value_is_refused_where_it_may_not_be() {
    let numbers =
        |values: [Option<i32>; 2]| Arc::new(Int32Array::from(values.to_vec())) as ArrayRef;
    let list = |values: [Option<i32>; 2]| {
        let mut lists = ListBuilder::new(Int32Builder::new());
        lists.append_value([Some(1)]);
        lists.append_value(values);
        Arc::new(lists.finish()) as ArrayRef
    };
    let map = |value: Option<i32>| {
        let mut maps = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
        for value in [Some(1), value] {
            maps.keys().append_value("k");
            maps.values().append_option(value);
            maps.append(true).unwrap();
        }
        Arc::new(maps.finish()) as ArrayRef
    };
    let inner = structs(numbers([Some(1), None]), &[true, true]);
    let cases = [
        (
            "ROW<x INT NOT NULL>",
            structs(numbers([Some(1), Some(2)]), &[true, false]),
            structs(numbers([Some(1), None]), &[true, true]),
            "c.x",
        ),
        (
            "ROW<x ROW<x INT NOT NULL>>",
            structs(
                structs(numbers([Some(1), None]), &[true, false]),
                &[true, true],
            ),
            structs(inner, &[true, true]),
            "c.x.x",
        ),
        (
            "ARRAY<INT NOT NULL>",
            list([Some(2), Some(3)]),
            list([Some(2), None]),
            "c.element",
        ),
        (
            "MAP<STRING, INT NOT NULL>",
            map(Some(2)),
            map(None),
            "c.value",
        ),
    ];
    for (data_type, good, wrong, site) in cases {
        let place = Place::new(&format!("id BIGINT, c {data_type}"), &[], &[]).await;
        let rows = |column: ArrayRef| {
            let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
            batch([("id", ids), ("c", column)])
        };
        let mut write = place.table.write().build().unwrap();
        write.write(rows(good.clone())).await.unwrap();
        let text = refused(&mut write, rows(wrong)).await;
        assert!(
            text.contains(&format!("column {site} is NOT NULL")),
            "{text}"
        );
        write.write(rows(good)).await.unwrap();
        commit(&place.table, write.prepare_commit().await.unwrap())
            .await
            .unwrap();
        let read = place.rows().await;
        assert_eq!(read.len(), 4, "{data_type}");
        assert!(
            read[0] == read[1] && read[2] == read[3] && read[0] != read[2],
            "{read:?}"
        );
    }
}

#[tokio::test]
async fn a_dictionary_of_a_dictionary_is_no_special_case() {
    // Keys that repeat, and one that nothing points to.
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    let packed = cast(
        &texts(&[Some("a"), Some("b"), Some("a"), None]),
        &ArrowType::Dictionary(Box::new(ArrowType::Int32), Box::new(ArrowType::Utf8)),
    );
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3, 4]));
    let whole = batch([("id", ids), ("p", packed.unwrap())]);
    append(&place.table, whole.slice(2, 2)).await.unwrap();
    assert_eq!(place.rows().await, lines_of(&[(3, Some("a")), (4, None)]));
    assert_eq!(place.data_files().len(), 2);
}
