//! Lists, maps and rows, and nulls inside of them.

use super::*;

fn elements(array: ListArray, nullable: bool, name: &str, values: ArrayRef) -> ListArray {
    let field = Field::new(name, values.data_type().clone(), nullable);
    ListArray::new(
        Arc::new(field),
        array.offsets().clone(),
        values,
        array.nulls().cloned(),
    )
}

#[test]
fn lists_convert_element_by_element() {
    let given = list(vec![
        Some(vec![Some(1), None]),
        None,
        Some(vec![]),
        Some(vec![Some(3)]),
    ]);
    let wide: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(3)]));
    converts(
        given.clone(),
        "ARRAY<BIGINT>",
        elements(given.clone(), true, "element", wide),
    );
    // Every layout of lists.
    let values: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3, 4]));
    let field = Arc::new(Field::new("item", A::Int32, true));
    let expected = || {
        elements(
            list(vec![
                Some(vec![Some(1), Some(2)]),
                Some(vec![Some(3), Some(4)]),
            ]),
            true,
            "element",
            Arc::clone(&values),
        )
    };
    converts(
        FixedSizeListArray::new(Arc::clone(&field), 2, Arc::clone(&values), None),
        "ARRAY<INT>",
        expected(),
    );
    let offsets = OffsetBuffer::<i64>::from_lengths([2, 2]);
    converts(
        LargeListArray::new(Arc::clone(&field), offsets, Arc::clone(&values), None),
        "ARRAY<INT>",
        expected(),
    );
    let (starts, sizes) = (
        ScalarBuffer::from(vec![0, 2]),
        ScalarBuffer::from(vec![2, 2]),
    );
    converts(
        ListViewArray::new(field, starts, sizes, Arc::clone(&values), None),
        "ARRAY<INT>",
        expected(),
    );
    // The row is the list's.
    refuses(
        list(vec![
            Some(vec![Some(1), Some(2)]),
            Some(vec![]),
            Some(vec![Some(3), Some(i32::MAX)]),
        ]),
        "ARRAY<DECIMAL(9, 0)>",
        "/f: column c.element: file type Int32 cannot be read as DECIMAL(9, 0)",
    );
    let texts = StringArray::from(vec!["a", "b", "c", "dd"]);
    let nested = list(vec![
        Some(vec![Some(1), Some(2)]),
        Some(vec![]),
        Some(vec![Some(3), Some(4)]),
    ]);
    refuses(
        elements(nested, true, "item", Arc::new(texts)),
        "ARRAY<VARCHAR(1)>",
        "/f: column c.element: file type Utf8 cannot be read as VARCHAR(1): row 102 value dd",
    );
}

#[test]
fn null_elements_are_refused_where_they_are_seen() {
    let given = list(vec![Some(vec![Some(1)]), Some(vec![Some(2), None])]);
    refuses(
        given.clone(),
        "ARRAY<INT NOT NULL>",
        "/f: column c.element is NOT NULL in the table but null (row 101)",
    );
    // Outside of the slice, and under a null list, nothing is seen.
    let first: ArrayRef = Arc::new(given.slice(0, 1));
    let converted = convert_as(
        FileType::of_arrow(first.data_type()),
        first,
        "ARRAY<INT NOT NULL>",
    )
    .unwrap();
    assert_eq!(converted.len(), 1);
    let hidden = ListArray::new(
        Arc::new(Field::new("item", A::Int32, true)),
        given.offsets().clone(),
        Arc::clone(given.values()),
        Some(NullBuffer::from(vec![true, false])),
    );
    let expected = elements(
        list(vec![Some(vec![Some(1)]), None]),
        false,
        "element",
        Arc::new(Int32Array::from(vec![1])),
    );
    converts(hidden, "ARRAY<INT NOT NULL>", expected);
    // So too what is too long there.
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["a", "bb", "cc"]));
    let hidden = ListArray::new(
        Arc::new(Field::new("item", A::Utf8, true)),
        given.offsets().clone(),
        texts,
        Some(NullBuffer::from(vec![true, false])),
    );
    let converted = convert(hidden, "ARRAY<VARCHAR(1)>").unwrap();
    assert_eq!((converted.len(), converted.null_count()), (2, 1));
}

/// The entries of a map, or none for a null.
type Entries<'a> = Option<Vec<(&'a str, Option<i32>)>>;

fn map(names: (&str, &str), rows: Vec<Entries<'_>>) -> MapArray {
    let names = MapFieldNames {
        entry: "e".to_owned(),
        key: names.0.to_owned(),
        value: names.1.to_owned(),
    };
    let mut builder = MapBuilder::new(Some(names), StringBuilder::new(), Int32Builder::new());
    for row in rows {
        for (key, value) in row.iter().flatten() {
            builder.keys().append_value(key);
            builder.values().append_option(*value);
        }
        builder.append(row.is_some()).unwrap();
    }
    builder.finish()
}

#[test]
fn maps_convert_by_key_and_value_whatever_their_names() {
    let rows = vec![Some(vec![("a", Some(1)), ("b", None)]), None, Some(vec![])];
    let converted = convert(map(("keys", "values"), rows.clone()), "MAP<STRING, BIGINT>").unwrap();
    assert_eq!(
        *converted.data_type(),
        to_arrow_type(&data_type("MAP<STRING, BIGINT>")).unwrap()
    );
    let maps = converted.as_map();
    assert_eq!(
        &**maps.values(),
        &Int64Array::from(vec![Some(1), None]) as &dyn Array
    );
    assert_eq!((maps.len(), maps.null_count()), (3, 1));
    refuses(
        map(("k", "v"), rows.clone()),
        "MULTISET<STRING>",
        "/f: column c.value is NOT NULL in the table but null (row 100)",
    );
    let counted = vec![Some(vec![("a", Some(1)), ("b", Some(2))]), None];
    assert_eq!(
        convert(map(("k", "v"), counted), "MULTISET<STRING>")
            .unwrap()
            .len(),
        2
    );
    refuses(
        map(("k", "v"), rows.clone()),
        "MAP<INT, INT>",
        "/f: column c.key: file type Utf8 cannot be read as INT",
    );
    refuses(
        map(("k", "v"), rows),
        "MAP<STRING, STRING>",
        "/f: column c.value: file type Int32 cannot be read as STRING",
    );
}

fn row(fields: Vec<(&str, ArrayRef)>, nulls: Option<Vec<bool>>) -> StructArray {
    let (names, columns): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
    let fields = names
        .into_iter()
        .zip(&columns)
        .map(|(name, column)| Field::new(name, column.data_type().clone(), true));
    StructArray::new(
        fields.collect::<Fields>(),
        columns,
        nulls.map(NullBuffer::from),
    )
}

#[test]
fn rows_are_matched_by_name() {
    let given = || {
        row(
            vec![
                ("b", ints(vec![Some(2), Some(4)])),
                ("x", ints(vec![None, None])),
                ("a", ints(vec![Some(1), None])),
            ],
            None,
        )
    };
    let converted = convert(given(), "ROW<a BIGINT, missing STRING, b INT>").unwrap();
    let rows = converted.as_struct();
    assert_eq!(
        &**rows.column(0),
        &Int64Array::from(vec![Some(1), None]) as &dyn Array
    );
    assert_eq!(rows.column(1).null_count(), 2);
    assert_eq!(
        &**rows.column(2),
        &Int32Array::from(vec![2, 4]) as &dyn Array
    );
    refuses(
        given(),
        "ROW<a INT, n INT NOT NULL>",
        "/f: column c.n is NOT NULL in the table but missing in the file",
    );
    refuses(
        given(),
        "ROW<a INT NOT NULL>",
        "/f: column c.a is NOT NULL in the table but null (row 101)",
    );
    refuses(
        given(),
        "ROW<a STRING>",
        "/f: column c.a: file type Int32 cannot be read as STRING",
    );
    let twice = || {
        row(
            vec![("a", ints(vec![Some(1)])), ("a", ints(vec![Some(2)]))],
            None,
        )
    };
    assert!(
        convert(twice(), "ROW<a INT>")
            .unwrap_err()
            .contains("several columns named c.a")
    );
    assert!(convert(twice(), "ROW<b INT>").is_ok());
    let nothing = convert(given(), "ROW<p INT, q INT>").unwrap();
    assert_eq!((nothing.len(), nothing.null_count()), (2, 0));
}

#[test]
fn what_lies_under_a_null_row_is_not_seen() {
    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), Some("too long"), None]));
    let given = || {
        row(
            vec![("a", Arc::clone(&texts))],
            Some(vec![true, false, false]),
        )
    };
    let converted = convert(given(), "ROW<a VARCHAR(1) NOT NULL>").unwrap();
    assert_eq!((converted.len(), converted.null_count()), (3, 2));
    let seen = row(vec![("a", texts)], None);
    assert!(
        convert(seen, "ROW<a VARCHAR(1)>")
            .unwrap_err()
            .ends_with("row 101 value too long")
    );
}

#[test]
fn nesting_names_the_whole_path() {
    let inner = row(vec![("x", ints(vec![Some(1), Some(2), None]))], None);
    let shape = list(vec![
        Some(vec![Some(0)]),
        Some(vec![]),
        Some(vec![Some(0), Some(0)]),
    ]);
    let given = elements(shape, true, "item", Arc::new(inner));
    refuses(
        given.clone(),
        "ARRAY<ROW<x STRING>>",
        "/f: column c.element.x: file type Int32 cannot be read as STRING",
    );
    refuses(
        given,
        "ARRAY<ROW<x INT NOT NULL>>",
        "/f: column c.element.x is NOT NULL in the table but null (row 102)",
    );
}

#[test]
fn groups_around_a_repeated_field_are_lists_and_maps_where_declared_so() {
    let wrapper = |array: StructArray| {
        let file = FileType::of_arrow(array.data_type()).with_form(Form::Wrapper);
        move |declared: &str| convert_as(file.clone(), Arc::new(array.clone()), declared)
    };
    let nulls = Some(vec![true, false, true]);
    let shape = list(vec![
        Some(vec![Some(1), None]),
        Some(vec![]),
        Some(vec![Some(3)]),
    ]);
    let expected = elements(
        list(vec![Some(vec![Some(1), None]), None, Some(vec![Some(3)])]),
        true,
        "element",
        ints(vec![Some(1), None, Some(3)]),
    );
    // group { repeated group bag { optional int32 array_element } }
    let bag = row(
        vec![("array_element", ints(vec![Some(1), None, Some(3)]))],
        None,
    );
    let given = row(
        vec![(
            "bag",
            Arc::new(elements(shape.clone(), false, "bag", Arc::new(bag))),
        )],
        nulls.clone(),
    );
    let read = wrapper(given.clone());
    assert_eq!(&*read("ARRAY<INT>").unwrap(), &expected as &dyn Array);
    // The same shape is still a row where a row is declared, and nothing else.
    assert_eq!(
        read("ROW<bag ARRAY<ROW<array_element INT>>>")
            .unwrap()
            .len(),
        3
    );
    assert!(read("MAP<INT, INT>").is_err());
    let plain = FileType::of_arrow(given.data_type());
    assert!(convert_as(plain, Arc::new(given), "ARRAY<INT>").is_err());
    // group { repeated int32 x }
    let given = row(vec![("x", Arc::new(shape))], nulls.clone());
    assert_eq!(
        &*wrapper(given)("ARRAY<INT>").unwrap(),
        &expected as &dyn Array
    );
    // group { repeated group map { key, value } }
    let shape = list(vec![Some(vec![Some(0)]), Some(vec![]), Some(vec![Some(0)])]);
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let entries = row(
        vec![
            ("key", Arc::clone(&keys)),
            ("value", ints(vec![Some(1), None])),
        ],
        None,
    );
    let given = row(
        vec![(
            "map",
            Arc::new(elements(shape.clone(), false, "map", Arc::new(entries))),
        )],
        nulls.clone(),
    );
    let maps = wrapper(given)("MAP<STRING, INT>").unwrap();
    assert_eq!((maps.len(), maps.null_count()), (3, 1));
    let entries = row(vec![("k", keys), ("v", ints(vec![Some(1), None]))], None);
    let given = row(
        vec![(
            "map",
            Arc::new(elements(shape, false, "map", Arc::new(entries))),
        )],
        nulls,
    );
    assert!(wrapper(given)("MAP<STRING, INT>").is_err());
}

#[test]
fn nulls_are_refused_in_not_null_columns() {
    refuses(
        Int32Array::from(vec![Some(1), None]),
        "INT NOT NULL",
        "/f: column c is NOT NULL in the table but null (row 101)",
    );
    converts(
        Int32Array::from(vec![1]),
        "INT NOT NULL",
        Int32Array::from(vec![1]),
    );
}

#[test]
fn same_types_are_not_copied() {
    let array: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let file = FileType::of_arrow(array.data_type());
    let converted = convert_as(file, Arc::clone(&array), "BIGINT").unwrap();
    assert!(Arc::ptr_eq(&array, &converted));
    let lists: ArrayRef = Arc::new(list(vec![Some(vec![Some(1)])]));
    let converted = convert_as(
        FileType::of_arrow(lists.data_type()),
        Arc::clone(&lists),
        "ARRAY<INT>",
    )
    .unwrap();
    let values = |array: &ArrayRef| Arc::clone(array.as_list::<i32>().values());
    assert!(Arc::ptr_eq(&values(&lists), &values(&converted)));
}
