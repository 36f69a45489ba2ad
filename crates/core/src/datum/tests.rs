use std::collections::HashSet;

use serde_json::json;

use super::*;

fn timestamp(epoch_nanos: i128, precision: u8) -> Datum {
    Datum::Timestamp {
        epoch_nanos,
        precision,
    }
}

#[test]
fn json_spelling() {
    let second = 1_704_067_200_000_000_000_i128; // 2024-01-01T00:00
    for (datum, expected) in [
        (Datum::Boolean(true), json!(true)),
        (Datum::TinyInt(-128), json!(-128)),
        (
            Datum::BigInt(9_007_199_254_740_993),
            json!(9_007_199_254_740_993_i64),
        ),
        (Datum::Float(0.1), json!(0.1)),
        (Datum::Float(f32::NAN), json!("NaN")),
        (Datum::Double(f64::NEG_INFINITY), json!("-Infinity")),
        (Datum::Double(51.051), json!(51.051)),
        (
            Datum::Decimal {
                unscaled: 150,
                precision: 4,
                scale: 2,
            },
            json!("1.50"),
        ),
        (Datum::String("é".into()), json!("é")),
        (Datum::Binary(vec![0xFF, 0x00]), json!("/wA=")),
        (Datum::Date(19_723), json!("2024-01-01")),
        (Datum::Time(45_296_700), json!("12:34:56.700")),
        (
            timestamp(second + 123_456_000, 6),
            json!("2024-01-01T00:00:00.123456"),
        ),
        (timestamp(second, 0), json!("2024-01-01T00:00:00.000000")),
        (
            timestamp(second + 1, 9),
            json!("2024-01-01T00:00:00.000000001"),
        ),
        (
            timestamp(-1_000_000, 3),
            json!("1969-12-31T23:59:59.999000"),
        ),
        (
            Datum::TimestampLtz {
                epoch_nanos: second,
                precision: 3,
            },
            json!("2024-01-01T00:00:00.000000Z"),
        ),
    ] {
        assert_eq!(datum.to_json(), expected);
    }
    assert_eq!(Datum::Double(-0.0).to_json().to_string(), "-0.0");
}

#[test]
fn keys_are_structural() {
    let values = [
        Datum::Double(0.0),
        Datum::Double(-0.0),
        Datum::Double(f64::NAN),
        Datum::Double(-f64::NAN),
        Datum::Float(0.0),
        Datum::Decimal {
            unscaled: 15,
            precision: 4,
            scale: 1,
        },
        Datum::Decimal {
            unscaled: 150,
            precision: 4,
            scale: 2,
        },
        timestamp(0, 3),
        timestamp(0, 6),
        Datum::Date(0),
        Datum::Int(0),
    ];
    let distinct: HashSet<_> = values.iter().cloned().collect();
    assert_eq!(
        distinct.len(),
        values.len() - 1,
        "only the two NaN are one key"
    );
}

#[test]
fn order_of_sql() {
    use Ordering::{Equal, Greater, Less};
    let nan = Datum::Float(f32::NAN);
    for (left, right, expected) in [
        (nan.clone(), nan.clone(), Some(Equal)),
        (nan.clone(), Datum::Float(f32::INFINITY), Some(Greater)),
        (Datum::Float(f32::NEG_INFINITY), nan, Some(Less)),
        (Datum::Double(-0.0), Datum::Double(0.0), Some(Equal)),
        (Datum::Boolean(false), Datum::Boolean(true), Some(Less)),
        (
            Datum::Decimal {
                unscaled: 15,
                precision: 4,
                scale: 1,
            },
            Datum::Decimal {
                unscaled: 150,
                precision: 4,
                scale: 2,
            },
            Some(Equal),
        ),
        (timestamp(0, 3), timestamp(0, 6), Some(Equal)),
        (timestamp(-1, 9), timestamp(0, 0), Some(Less)),
        (
            Datum::String("B".into()),
            Datum::String("a".into()),
            Some(Less),
        ),
        (Datum::Date(0), Datum::Int(0), None),
    ] {
        assert_eq!(left.compare(&right), expected, "{left:?} {right:?}");
    }
}
