//! Random values and names.

use super::*;

/// A type with a value of it that both settings of legacy can write.
fn typed_value() -> impl Strategy<Value = (String, Datum)> {
    // The years 0000 to 9999.
    let day = -719_528..2_932_897_i32;
    let clock =
        (day.clone(), 0..86_400_000_000_000_i64, 0..=9_u8).prop_map(|(day, of_day, precision)| {
            let unit = 10_i64.pow(9 - u32::from(precision));
            (
                precision,
                i128::from(day) * 86_400_000_000_000 + i128::from(of_day - of_day % unit),
            )
        });
    let numeric = (1..=38_u8, any::<i128>()).prop_flat_map(|(precision, bits)| {
        (0..=precision).prop_map(move |scale| {
            (
                format!("DECIMAL({precision}, {scale})"),
                decimal(bits % 10_i128.pow(u32::from(precision)), precision, scale),
            )
        })
    });
    let plain = |name: &'static str| move |value: Datum| (name.to_owned(), value);
    prop_oneof![
        any::<bool>()
            .prop_map(Datum::Boolean)
            .prop_map(plain("BOOLEAN")),
        any::<i8>()
            .prop_map(Datum::TinyInt)
            .prop_map(plain("TINYINT")),
        any::<i16>()
            .prop_map(Datum::SmallInt)
            .prop_map(plain("SMALLINT")),
        any::<i32>().prop_map(Datum::Int).prop_map(plain("INT")),
        any::<i64>()
            .prop_map(Datum::BigInt)
            .prop_map(plain("BIGINT")),
        any::<u32>()
            .prop_map(|bits| Datum::Float(f32::from_bits(bits)))
            .prop_map(plain("FLOAT")),
        any::<u64>()
            .prop_map(|bits| Datum::Double(f64::from_bits(bits)))
            .prop_map(plain("DOUBLE")),
        numeric,
        day.prop_map(Datum::Date).prop_map(plain("DATE")),
        (0..86_400_000_i32)
            .prop_map(Datum::Time)
            .prop_map(plain("TIME(3)")),
        clock
            .clone()
            .prop_map(|(p, nanos)| (format!("TIMESTAMP({p})"), timestamp(p, nanos))),
        clock.prop_map(|(precision, epoch_nanos)| {
            (
                format!("TIMESTAMP({precision}) WITH LOCAL TIME ZONE"),
                Datum::TimestampLtz {
                    epoch_nanos,
                    precision,
                },
            )
        }),
        "[a-z%/=.é日 _]{1,30}|\\PC{1,20}|[\\x00-\\x7F]{1,20}"
            .prop_map(|text| ("VARCHAR(30)".to_owned(), Datum::String(text))),
    ]
}

/// Floats of every kind, and many that lie in the middle of two short texts or at a power of two.
fn any_float() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<u32>().prop_map(f32::from_bits),
        (0..1_u32 << 24, 0..8_i32).prop_map(|(digits, shift)| digits as f32 / 2_f32.powi(shift)),
        (0..255_u32, 0..4_u32)
            .prop_map(|(exponent, below)| f32::from_bits((exponent << 23).saturating_sub(below))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn floats_read_back_bit_by_bit(value in any_float(), negative: bool) {
        let value = if negative { -value } else { value };
        let codec = PartitionCodec::new(keys(&[("k", "FLOAT")]), &options(&[])).unwrap();
        let name = codec.segment(0, Some(&Datum::Float(value))).unwrap();
        let Some(Datum::Float(read)) = read_back(&codec, 0, &name) else {
            panic!("{name}")
        };
        // All that is no number is `NaN`.
        let expected = if value.is_nan() { f32::NAN } else { value };
        prop_assert_eq!(read.to_bits(), expected.to_bits(), "{}", name);
        prop_assert_eq!(name == "k=NaN", value.is_nan());
        // The shortest text of another writer, which may choose the other digit of two.
        let other = if value.is_finite() { format!("{value:e}") } else { name[2..].to_owned() };
        prop_assert_eq!(read_back(&codec, 0, &format!("k={other}")), Some(Datum::Float(value)));
    }
}

proptest! {
    #[test]
    fn names_read_back((type_text, value) in typed_value(), legacy: bool, value_only: bool, null in 0..20) {
        let mut options = options(&[]);
        options.legacy_partition_name = legacy;
        options.value_only_layout = value_only;
        let codec = PartitionCodec::new(keys(&[("k=", &type_text)]), &options).unwrap();
        let value = (null > 0).then_some(value);
        match codec.segment(0, value.as_ref()) {
            Ok(name) => {
                let expected = value.filter(|value| !matches!(value, Datum::String(text) if is_blank(text)));
                prop_assert_eq!(read_back(&codec, 0, &name), expected.clone());
                prop_assert_eq!(codec.parse_path(&name).unwrap(), vec![expected]);
                prop_assert!(!name.contains('/') && name.len() <= 255);
            }
            Err(error) => {
                let hidden = matches!(&value, Some(Datum::String(text)) if is_hidden(text));
                prop_assert!(value_only && hidden, "{}", error);
            }
        }
    }

    #[test]
    fn no_name_is_too_strange(name in "\\PC*|[kK=%_.0-9a-fA-F]{0,20}|[\\x00-\\x7F]*", value_only: bool) {
        let mut options = options(&[]);
        options.value_only_layout = value_only;
        for type_text in ["BOOLEAN", "INT", "DECIMAL(38, 10)", "FLOAT", "DOUBLE", "CHAR(3)", "DATE", "TIME(3)", "TIMESTAMP(3)", "TIMESTAMP(9) WITH LOCAL TIME ZONE"] {
            let codec = PartitionCodec::new(keys(&[("k", type_text)]), &options).unwrap();
            if let DirectoryName::Value(raw) = codec.read_name(0, &name) {
                let _ = codec.parse(0, &raw);
            }
            let _ = codec.parse(0, &name);
        }
    }

    #[test]
    fn odd_times_do_not_panic(text in "[-+0-9:. TZe]{0,25}") {
        for type_text in ["DECIMAL(38, 10)", "FLOAT", "DATE", "TIME(3)", "TIMESTAMP(3)"] {
            let codec = PartitionCodec::new(keys(&[("k", type_text)]), &options(&[])).unwrap();
            let _ = codec.parse(0, &text);
        }
    }
}
