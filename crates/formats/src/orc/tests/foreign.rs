//! Files as other writers lay them out: zones, fractions, blanks, scales, names by position.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use bytes::Bytes;

use super::super::stripe::{DATA, LENGTH, PRESENT, SECONDARY};
use super::*;
use crate::testing::{PATH, columns};

fn read(bytes: &Bytes, declared: &str) -> RecordBatch {
    reader(&columns(declared)).read(bytes).unwrap()
}

fn error(bytes: &Bytes, declared: &str) -> String {
    reader(&columns(declared)).error(bytes)
}

/// The rows of a column as text.
fn texts(batch: &RecordBatch, column: usize) -> Vec<String> {
    let options = FormatOptions::new().with_null("null");
    let formatter = ArrayFormatter::try_new(batch.column(column), &options).unwrap();
    (0..batch.num_rows())
        .map(|row| formatter.value(row).to_string())
        .collect()
}

/// The start of 2015, which timestamps count from.
const EPOCH: i64 = 1_420_070_400;

/// One timestamp column `t` of a kind, stored as these seconds and fractions.
fn timestamps(kind: u64, stored: &[(i64, i64)]) -> FileDef {
    let (seconds, fractions): (Vec<i64>, Vec<i64>) = stored.iter().copied().unzip();
    FileDef::types(vec![row(&[("t", 1)]), leaf(kind)], stored.len() as u64)
        .stream(DATA, 1, &numbers(&seconds, true))
        .stream(SECONDARY, 1, &numbers(&fractions, false))
}

/// Half a second and the like: digits with the number of zeros behind them.
fn fraction(nanos: i64) -> i64 {
    match nanos {
        0 => 0,
        nanos if nanos % 100 != 0 => nanos << 3,
        nanos => {
            let (mut digits, mut zeros) = (nanos / 100, 1);
            while digits % 10 == 0 && zeros < 7 {
                digits /= 10;
                zeros += 1;
            }
            digits << 3 | zeros
        }
    }
}

#[test]
fn the_wall_clock_of_the_writer_is_kept() {
    // 2024-07-01T12:00 and 2024-01-01T12:00 as if in UTC.
    let (summer, winter) = (1_719_835_200_i64, 1_704_110_400_i64);
    // New York was 5 hours behind at the start of 2015 and is 4 behind in summer.
    let new_york = [
        (summer - EPOCH - 3_600, fraction(500_000_000)),
        (winter - EPOCH, 0),
    ];
    let expected = ["2024-07-01T12:00:00.500", "2024-01-01T12:00:00"];
    let file = timestamps(TIMESTAMP, &new_york).zone("America/New_York");
    assert_eq!(texts(&read(&file.build(), "t TIMESTAMP(6)"), 0), expected);
    // At a fixed distance from UTC the distance does not matter.
    let fixed = [(summer - EPOCH, fraction(500_000_000)), (winter - EPOCH, 0)];
    for zone in [
        "UTC",
        "GMT",
        "Z",
        "GMT+08:00",
        "GMT-3",
        "UTC+05:30",
        "+08:00",
        "-0330",
        "GMT+8",
        "UT+14:00",
        "Asia/Shanghai",
        "Etc/GMT-8",
        "CTT",
        "JST",
    ] {
        let file = timestamps(TIMESTAMP, &fixed).zone(zone);
        assert_eq!(
            texts(&read(&file.build(), "t TIMESTAMP(6)"), 0),
            expected,
            "{zone}"
        );
    }
    assert_eq!(
        texts(
            &read(&timestamps(TIMESTAMP, &fixed).build(), "t TIMESTAMP(6)"),
            0
        ),
        expected
    );
    // Instants have no zone.
    for zone in ["America/New_York", "Mars/Olympus"] {
        let file = timestamps(INSTANT, &fixed).zone(zone);
        let read = read(&file.build(), "t TIMESTAMP(6) WITH LOCAL TIME ZONE");
        assert_eq!(
            texts(&read, 0),
            ["2024-07-01T12:00:00.500Z", "2024-01-01T12:00:00Z"]
        );
    }
}

#[test]
fn a_zone_that_is_not_known_is_refused_by_name() {
    for zone in ["Mars/Olympus", "GMT+99:00", "XYZ", "GMT+", "+1:2:3:4"] {
        let file = timestamps(TIMESTAMP, &[(0, 0)]).zone(zone);
        let message = error(&file.build(), "t TIMESTAMP(6)");
        let expected = format!("orc: {PATH}: column t: writer time zone '{zone}' is not supported");
        assert!(message.starts_with(&expected), "{message}");
    }
    // It matters to timestamps alone.
    let file = FileDef::types(vec![row(&[("n", 1)]), leaf(LONG)], 1)
        .stream(DATA, 1, &numbers(&[7], true))
        .zone("Mars/Olympus");
    assert_eq!(texts(&read(&file.build(), "n BIGINT"), 0), ["7"]);
}

#[test]
fn the_second_that_writers_add_before_1970_is_taken_back() {
    let half = fraction(500_000_000);
    // 1969-12-31T23:59:58.5 and 1969-12-31T23:59:59.0005.
    let utc = [(-1 - EPOCH, half), (-1 - EPOCH, fraction(500_000))];
    let expected = ["1969-12-31T23:59:58.500", "1969-12-31T23:59:59.000500"];
    let bytes = timestamps(TIMESTAMP, &utc).zone("UTC").build();
    assert_eq!(texts(&read(&bytes, "t TIMESTAMP(6)"), 0), expected);
    // It is the sign of the instant that counts: four o'clock of 1970 in Shanghai was before 1970 in UTC.
    let shanghai = [(14_400 + 1 - EPOCH, half)];
    for zone in ["Asia/Shanghai", "GMT+08:00"] {
        let bytes = timestamps(TIMESTAMP, &shanghai).zone(zone).build();
        assert_eq!(
            texts(&read(&bytes, "t TIMESTAMP(6)"), 0),
            ["1970-01-01T04:00:00.500"],
            "{zone}"
        );
    }
    // The C++ library stores a negative fraction instead.
    let negative = [
        (-EPOCH, fraction(-500_000_000)),
        (-10 - EPOCH, fraction(-1)),
    ];
    let bytes = timestamps(INSTANT, &negative).build();
    let read = read(&bytes, "t TIMESTAMP(9) WITH LOCAL TIME ZONE");
    assert_eq!(
        read.column(0)
            .as_primitive::<TimestampNanosecondType>()
            .values(),
        &[-500_000_000, -10_000_000_001]
    );
}

#[test]
fn timestamps_that_the_declared_precision_cannot_tell_are_refused() {
    // 9999-12-31T23:59:59.999999999 and 0001-01-01.
    let (last, first) = (253_402_300_799_i64, -62_135_596_800_i64);
    let bytes = timestamps(
        TIMESTAMP,
        &[(first - EPOCH, 0), (last - EPOCH, fraction(999_999_999))],
    )
    .build();
    let refused = |declared: &str, row: usize, value: &str| {
        format!(
            "{PATH}: column t: file type TIMESTAMP cannot be read as {declared}: row {row} value {value}"
        )
    };
    assert_eq!(
        error(&bytes, "t TIMESTAMP(9)"),
        refused("TIMESTAMP(9)", 0, "0001-01-01T00:00:00")
    );
    assert_eq!(
        error(&bytes, "t TIMESTAMP(6)"),
        refused("TIMESTAMP(6)", 1, "9999-12-31T23:59:59.999999999")
    );
    let bytes = timestamps(
        TIMESTAMP,
        &[(first - EPOCH, 0), (last - EPOCH, fraction(999_000_000))],
    )
    .build();
    let micros = read(&bytes, "t TIMESTAMP(6)");
    let expected = [-62_135_596_800_000_000, 253_402_300_799_999_000];
    assert_eq!(
        micros
            .column(0)
            .as_primitive::<TimestampMicrosecondType>()
            .values(),
        &expected
    );
    let millis = read(&bytes, "t TIMESTAMP(3)");
    let expected = [-62_135_596_800_000, 253_402_300_799_999];
    assert_eq!(
        millis
            .column(0)
            .as_primitive::<TimestampMillisecondType>()
            .values(),
        &expected
    );
    // Both ends of nanoseconds, in any zone.
    for zone in ["UTC", "GMT+02:00"] {
        let ends = [
            (-9_223_372_036 - EPOCH, fraction(145_224_192)),
            (9_223_372_036 - EPOCH, fraction(854_775_807)),
        ];
        let bytes = timestamps(TIMESTAMP, &ends).zone(zone).build();
        let read = read(&bytes, "t TIMESTAMP(9)");
        assert_eq!(
            read.column(0)
                .as_primitive::<TimestampNanosecondType>()
                .values(),
            &[i64::MIN, i64::MAX]
        );
    }
    // More than any calendar.
    let bytes = timestamps(TIMESTAMP, &[(i64::MAX / 2, 0)]).build();
    assert!(
        error(&bytes, "t TIMESTAMP(6)")
            .contains("column t: file type TIMESTAMP cannot be read as TIMESTAMP(6): row 0 value")
    );
    let bytes = timestamps(TIMESTAMP, &[(0, 1_000_000_000 << 3)]).build();
    assert!(error(&bytes, "t TIMESTAMP(6)").contains("column t: its fractions of seconds"));
}

#[test]
fn wall_clocks_and_instants_are_not_confused() {
    let wall = timestamps(TIMESTAMP, &[(0, 0)]).build();
    let instant = timestamps(INSTANT, &[(0, 0)]).build();
    assert_eq!(
        error(&wall, "t TIMESTAMP(6) WITH LOCAL TIME ZONE"),
        format!(
            "{PATH}: column t: file type TIMESTAMP cannot be read as TIMESTAMP(6) WITH LOCAL TIME ZONE"
        )
    );
    assert_eq!(
        error(&instant, "t TIMESTAMP(6)"),
        format!("{PATH}: column t: file type TIMESTAMP_INSTANT cannot be read as TIMESTAMP(6)")
    );
    assert!(error(&wall, "t BIGINT").ends_with("file type TIMESTAMP cannot be read as BIGINT"));
}

#[test]
fn timestamps_inside_of_lists_and_rows_keep_step_with_their_fractions() {
    // [[1.5, null], null, [2.25]], beside rows {3.125}, null, {null}.
    let types = vec![
        row(&[("l", 1), ("r", 3), ("m", 6)]),
        group(LIST, &[2]),
        leaf(TIMESTAMP),
        row(&[("x", 4), ("t", 5)]),
        leaf(LONG),
        leaf(INSTANT),
        group(MAP, &[7, 8]),
        leaf(LONG),
        leaf(TIMESTAMP),
    ];
    let file = FileDef::types(types, 3)
        .stream(PRESENT, 1, &bits(&[true, false, true]))
        .stream(LENGTH, 1, &numbers(&[2, 1], false))
        .stream(PRESENT, 2, &bits(&[true, false, true]))
        .stream(DATA, 2, &numbers(&[1 - EPOCH, 2 - EPOCH], true))
        .stream(
            SECONDARY,
            2,
            &numbers(&[fraction(500_000_000), fraction(250_000_000)], false),
        )
        .stream(PRESENT, 3, &bits(&[true, false, true]))
        .stream(DATA, 4, &numbers(&[10, 30], true))
        .stream(PRESENT, 5, &bits(&[true, false]))
        .stream(DATA, 5, &numbers(&[3 - EPOCH], true))
        .stream(SECONDARY, 5, &numbers(&[fraction(125_000_000)], false))
        .stream(LENGTH, 6, &numbers(&[1, 0, 1], false))
        .stream(DATA, 7, &numbers(&[7, 8], true))
        .stream(DATA, 8, &numbers(&[4 - EPOCH, 5 - EPOCH], true))
        .stream(SECONDARY, 8, &numbers(&[0, fraction(1)], false));
    let bytes = file.build();
    let declared = "m MAP<BIGINT, TIMESTAMP(9)>, l ARRAY<TIMESTAMP(3)>, r ROW<t TIMESTAMP(6) WITH LOCAL TIME ZONE, x BIGINT>";
    for batch_size in [1, 2, 3] {
        let read = reader(&columns(declared))
            .batch_size(batch_size)
            .read(&bytes)
            .unwrap();
        assert_eq!(
            texts(&read, 0),
            [
                "{7: 1970-01-01T00:00:04}",
                "{}",
                "{8: 1970-01-01T00:00:05.000000001}"
            ]
        );
        assert_eq!(
            texts(&read, 1),
            [
                "[1970-01-01T00:00:01.500, null]",
                "null",
                "[1970-01-01T00:00:02.250]"
            ]
        );
        assert_eq!(
            texts(&read, 2),
            [
                "{t: 1970-01-01T00:00:03.125Z, x: 10}",
                "null",
                "{t: null, x: 30}"
            ]
        );
    }
    assert!(error(&bytes, "m MAP<BIGINT, TIMESTAMP(6)>").contains("column m.value: file type TIMESTAMP cannot be read as TIMESTAMP(6): row 2 value 1970-01-01T00:00:05.000000001"));
    // A timestamp that is not asked for is none of our business.
    assert_eq!(
        texts(&read(&bytes, "r ROW<x BIGINT>"), 0),
        ["{x: 10}", "null", "{x: 30}"]
    );
}

#[test]
fn blanks_that_pad_char_are_cut_at_any_depth() {
    let char = |length| TypeDef {
        kind: CHAR,
        length,
        ..TypeDef::default()
    };
    let types = vec![
        row(&[("c", 1), ("l", 2)]),
        char(5),
        group(LIST, &[3]),
        char(5),
    ];
    let text = |values: &[&str]| values.concat().into_bytes();
    let lengths = |values: &[&str]| {
        numbers(
            &values
                .iter()
                .map(|value| value.len() as i64)
                .collect::<Vec<_>>(),
            false,
        )
    };
    let (c, l) = (["ab   ", "é    ", "     "], ["x    ", " y   "]);
    let file = FileDef::types(types, 3)
        .stream(DATA, 1, &text(&c))
        .stream(LENGTH, 1, &lengths(&c))
        .stream(LENGTH, 2, &numbers(&[2, 0, 0], false))
        .stream(DATA, 3, &text(&l))
        .stream(LENGTH, 3, &lengths(&l));
    let bytes = file.build();
    for declared in [
        "c CHAR(5), l ARRAY<CHAR(5)>",
        "c STRING, l ARRAY<STRING>",
        "c VARCHAR(2), l ARRAY<VARCHAR(2)>",
    ] {
        let read = read(&bytes, declared);
        assert_eq!(texts(&read, 0), ["ab", "é", ""]);
        assert_eq!(texts(&read, 1), ["[x,  y]", "[]", "[]"]);
    }
    assert_eq!(
        error(&bytes, "c CHAR(1)"),
        format!("{PATH}: column c: file type CHAR(5) cannot be read as CHAR(1): row 0 value ab")
    );
}

#[test]
fn every_decimal_has_a_scale_of_its_own() {
    let decimal = |precision, scale| TypeDef {
        kind: DECIMAL,
        precision,
        scale,
        ..TypeDef::default()
    };
    let file = |values: &[i128], scales: &[i64], precision, scale| {
        let stored = values
            .iter()
            .flat_map(|value| varint((value << 1 ^ value >> 127) as u128));
        FileDef::types(
            vec![row(&[("d", 1)]), decimal(precision, scale)],
            values.len() as u64,
        )
        .stream(DATA, 1, &stored.collect::<Vec<_>>())
        .stream(SECONDARY, 1, &numbers(scales, true))
        .build()
    };
    // 1.50 and -7 without the zeros at their end, as Java writes them.
    let bytes = file(&[15, -7, 1234], &[1, 0, 2], 10, 2);
    assert_eq!(
        texts(&read(&bytes, "d DECIMAL(10, 2)"), 0),
        ["1.50", "-7.00", "12.34"]
    );
    assert_eq!(
        texts(&read(&bytes, "d DECIMAL(12, 4)"), 0),
        ["1.5000", "-7.0000", "12.3400"]
    );
    assert!(
        error(&bytes, "d DECIMAL(10, 1)")
            .ends_with("file type DECIMAL(10, 2) cannot be read as DECIMAL(10, 1)")
    );
    let bytes = file(&[12345], &[3], 10, 2);
    assert!(
        error(&bytes, "d DECIMAL(10, 2)")
            .contains("column d: type 1: a value has the scale 3, its type 2")
    );
    let bytes = file(&[1], &[-1], 10, 2);
    assert!(error(&bytes, "d DECIMAL(10, 2)").contains("scale -1"));
    // Multiplied by a hundred in 128 bits it would be another number of 38 digits.
    let bytes = file(&[4 * 10_i128.pow(36), -4 * 10_i128.pow(36)], &[0, 0], 38, 2);
    assert!(
        error(&bytes, "d DECIMAL(38, 2)")
            .contains("column d: type 1: a value has more digits than DECIMAL(38, 2)")
    );
    let bytes = file(&[10_i128.pow(36) - 1], &[0], 38, 2);
    assert_eq!(
        texts(&read(&bytes, "d DECIMAL(38, 2)"), 0),
        [format!("{}.00", "9".repeat(36))]
    );
    let bytes = file(&[123456], &[2], 5, 2);
    assert!(error(&bytes, "d DECIMAL(5, 2)").contains("column d:"));
    let bytes = file(&[1], &[2], 39, 2);
    assert!(
        error(&bytes, "d DECIMAL(38, 2)")
            .ends_with("file type DECIMAL(39, 2) cannot be read as DECIMAL(38, 2)")
    );
}

#[test]
fn placeholder_names_are_matched_by_position_among_the_data_columns() {
    let types = || {
        vec![
            row(&[("_col0", 1), ("_col1", 2), ("_col2", 3)]),
            leaf(LONG),
            leaf(STRING),
            leaf(TIMESTAMP),
        ]
    };
    let bytes = FileDef::types(types(), 2)
        .stream(DATA, 1, &numbers(&[1, 2], true))
        .stream(DATA, 2, b"ab")
        .stream(LENGTH, 2, &numbers(&[1, 1], false))
        .stream(DATA, 3, &numbers(&[-EPOCH, 1 - EPOCH], true))
        .stream(SECONDARY, 3, &numbers(&[0, 1 << 3], false))
        .build();
    let mut asked = reader(&columns("t TIMESTAMP(6), id BIGINT, later STRING"));
    asked.table_fields = columns("id BIGINT, name STRING, t TIMESTAMP(6), later STRING");
    let read = asked.read(&bytes);
    let message = read.unwrap_err().to_string();
    assert!(
        message.contains("column t: file type TIMESTAMP cannot be read as TIMESTAMP(6): row 1"),
        "{message}"
    );
    asked.fields = columns("t TIMESTAMP(9), id BIGINT, later STRING");
    asked.table_fields = columns("id BIGINT, name STRING, t TIMESTAMP(9), later STRING");
    let read = asked.read(&bytes).unwrap();
    assert_eq!(
        texts(&read, 0),
        ["1970-01-01T00:00:00", "1970-01-01T00:00:01.000000001"]
    );
    assert_eq!(texts(&read, 1), ["1", "2"]);
    assert_eq!(read.column(2).null_count(), 2);
    asked.fields = columns("later STRING NOT NULL");
    asked.table_fields = columns("id BIGINT, name STRING, t TIMESTAMP(9), later STRING NOT NULL");
    assert!(
        asked
            .error(&bytes)
            .contains("column later is NOT NULL in the table but missing")
    );
    // One real name, and names count again.
    let mut types = types();
    types[0].names[1] = "name";
    let named = FileDef::types(types, 0).build();
    assert_eq!(
        reader(&columns("id BIGINT"))
            .read(&named)
            .unwrap()
            .num_rows(),
        0
    );
    assert!(
        reader(&columns("id BIGINT NOT NULL"))
            .error(&named)
            .contains("missing")
    );
}

#[test]
fn integers_stand_for_times_where_the_table_says_so() {
    let file = |value| {
        FileDef::types(vec![row(&[("t", 1)]), leaf(INT)], 1)
            .stream(DATA, 1, &numbers(&[value], true))
            .build()
    };
    assert_eq!(
        texts(&read(&file(86_399_999), "t TIME(3)"), 0),
        ["23:59:59.999"]
    );
    assert_eq!(texts(&read(&file(86_399_999), "t BIGINT"), 0), ["86399999"]);
    assert_eq!(
        error(&file(86_400_000), "t TIME(0)"),
        format!("{PATH}: column t: file type INT cannot be read as TIME(0): row 0 value 86400000")
    );
    assert!(error(&file(1), "t TINYINT").ends_with("file type INT cannot be read as TINYINT"));
}

#[test]
fn columns_that_cannot_be_decoded_are_refused_only_where_asked_for() {
    let types = vec![
        row(&[("u", 1), ("n", 4), ("l", 5), ("g", 7), ("e", 8)]),
        group(UNION, &[2, 3]),
        leaf(LONG),
        leaf(STRING),
        leaf(LONG),
        group(LIST, &[6]),
        TypeDef {
            kind: STRUCT,
            ..TypeDef::default()
        },
        leaf(19),
        leaf(BOOLEAN),
    ];
    let bytes = FileDef::types(types, 1)
        .stream(DATA, 4, &numbers(&[5], true))
        .stream(DATA, 8, &[0xff, 0x80])
        .build();
    assert_eq!(texts(&read(&bytes, "n BIGINT, e BOOLEAN"), 0), ["5"]);
    let refused = |declared: &str| {
        let message = error(&bytes, declared);
        message.split("file type ").nth(1).unwrap().to_owned()
    };
    assert_eq!(refused("u BIGINT"), "UNION cannot be read as BIGINT");
    assert_eq!(
        refused("l ARRAY<ROW<a INT>>"),
        "LIST with a STRUCT without fields cannot be read as ARRAY<ROW<a INT>>"
    );
    assert_eq!(refused("g BYTES"), "of kind 19 cannot be read as BYTES");
}

#[test]
fn stripes_without_rows_are_passed_over() {
    let mut file = FileDef::types(vec![row(&[("a", 1)]), leaf(LONG)], 2).stream(
        DATA,
        1,
        &numbers(&[7, -8], true),
    );
    file.empty_stripes = true;
    let bytes = file.build();
    assert_eq!(texts(&read(&bytes, "a BIGINT"), 0), ["7", "-8"]);
    assert_eq!(reader(&columns("a BIGINT")).count(&bytes).unwrap(), 2);
    // Nothing but empty stripes.
    let mut file = FileDef::types(vec![row(&[("a", 1)]), leaf(LONG)], 0);
    file.empty_stripes = true;
    assert_eq!(read(&file.build(), "a BIGINT").num_rows(), 0);
}

#[test]
fn null_keys_of_maps_are_refused() {
    let types = vec![
        row(&[("m", 1)]),
        group(MAP, &[2, 3]),
        leaf(LONG),
        leaf(LONG),
    ];
    let file = FileDef::types(types, 1)
        .stream(LENGTH, 1, &numbers(&[2], false))
        .stream(PRESENT, 2, &bits(&[true, false]))
        .stream(DATA, 2, &numbers(&[1], true))
        .stream(DATA, 3, &numbers(&[1, 2], true));
    assert!(
        error(&file.build(), "m MAP<BIGINT, BIGINT>")
            .contains("column m: type 1: a key of a map is null")
    );
}

/// The deepest type that a table may have is read on threads with small stacks.
#[test]
fn deep_types_do_not_overflow_the_stack() {
    let levels = 100;
    let mut types = vec![row(&[("a", 1)])];
    types.extend((1..=levels).map(|id| group(LIST, &[id + 1])));
    types.push(leaf(TIMESTAMP));
    let mut file = FileDef::types(types, 1);
    for id in 1..=levels {
        file = file.stream(LENGTH, id, &numbers(&[1], false));
    }
    let last = levels + 1;
    let file = file.stream(DATA, last, &numbers(&[-EPOCH], true)).stream(
        SECONDARY,
        last,
        &numbers(&[0], false),
    );
    let mut declared = "TIMESTAMP(3)".to_owned();
    (0..levels).for_each(|_| declared = format!("ARRAY<{declared}>"));
    let read = read(&file.build(), &format!("a {declared}"));
    let text = texts(&read, 0).remove(0);
    assert_eq!(text.trim_matches(['[', ']']), "1970-01-01T00:00:00");
}
