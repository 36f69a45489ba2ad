//! Random predicates over random rows.

use super::*;

/// Values and predicates over two INT columns, a STRING and a DOUBLE, small enough to collide.
mod generated {
    use super::*;

    pub(super) const NAMES: [&str; 4] = ["p", "q", "s", "d"];

    pub(super) fn columns() -> Vec<DataField> {
        fields(&[("p", "INT"), ("q", "INT"), ("s", "STRING"), ("d", "DOUBLE")])
    }

    /// A literal as halves of one, or text.
    fn literal(column: usize) -> BoxedStrategy<Literal> {
        if column == 2 {
            return prop_oneof![4 => "[ab]{0,2}".prop_map(Literal::String), 1 => Just(Literal::Null)].boxed();
        }
        prop_oneof![
            4 => (-2..3_i64).prop_map(Literal::Int),
            2 => (-4..5_i64).prop_map(|halves| Literal::Double(halves as f64 / 2.0)),
            1 => (-4..5_i64).prop_map(|halves| Literal::BigNumber(format!("{:.1}", halves as f64 / 2.0))),
            1 => Just(Literal::Null),
            1 => Just(Literal::Int(1 << 40)),
        ]
        .boxed()
    }

    fn leaf() -> impl Strategy<Value = Predicate> {
        let ops = prop::sample::select(vec![
            CompareOp::Eq,
            CompareOp::NotEq,
            CompareOp::Lt,
            CompareOp::LtEq,
            CompareOp::Gt,
            CompareOp::GtEq,
        ]);
        (0..4_usize, any::<bool>()).prop_flat_map(move |(at, negated)| {
            let column = NAMES[at].to_owned();
            let (c1, c2, c3, c4) = (column.clone(), column.clone(), column.clone(), column.clone());
            let pattern = "[ab%_]{0,3}".prop_map(move |pattern| Predicate::Like { column: c4.clone(), pattern, escape: None, negated });
            let is_null = Just(Predicate::IsNull { column, negated });
            prop_oneof![
                4 => (ops.clone(), literal(at)).prop_map(move |(op, value)| Predicate::Compare { column: c1.clone(), op, value }),
                2 => prop::collection::vec(literal(at), 0..4).prop_map(move |values| Predicate::In { column: c2.clone(), values, negated }),
                1 => (literal(at), literal(at)).prop_map(move |(low, high)| Predicate::Between { column: c3.clone(), low, high, negated }),
                1 => if at == 2 { pattern.boxed() } else { is_null.clone().boxed() },
                1 => is_null,
            ]
        })
    }

    pub(super) fn predicate() -> impl Strategy<Value = Predicate> {
        let base = prop_oneof![8 => leaf(), 1 => any::<bool>().prop_map(Predicate::Constant)];
        base.prop_recursive(4, 24, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Predicate::And),
                prop::collection::vec(inner.clone(), 0..3).prop_map(Predicate::Or),
                inner.prop_map(Predicate::negate),
            ]
        })
    }

    pub(super) fn row() -> impl Strategy<Value = Vec<Option<Datum>>> {
        let int = || prop::option::of((-2..3_i32).prop_map(Datum::Int));
        let text = prop::option::of("[ab]{0,2}".prop_map(Datum::String));
        let double = prop::option::of(prop_oneof![
            4 => (-4..5_i32).prop_map(|halves| Datum::Double(f64::from(halves) / 2.0)),
            1 => Just(Datum::Double(f64::NAN)),
        ]);
        (int(), int(), text, double).prop_map(|(p, q, s, d)| vec![p, q, s, d])
    }

    /// How a value compares with a literal, written without the code under test.
    fn order(value: &Datum, literal: &Literal) -> std::cmp::Ordering {
        let number = match literal {
            Literal::Int(value) => *value as f64,
            Literal::Double(value) => *value,
            Literal::BigNumber(text) => text.parse().unwrap(),
            Literal::String(text) => {
                let Datum::String(value) = value else {
                    panic!()
                };
                return value.cmp(text);
            }
            _ => panic!(),
        };
        match value {
            Datum::Int(value) => f64::from(*value).partial_cmp(&number).unwrap(),
            Datum::Double(value) if value.is_nan() => std::cmp::Ordering::Greater,
            Datum::Double(value) => value.partial_cmp(&number).unwrap(),
            _ => panic!(),
        }
    }

    fn negate(result: Option<bool>, negated: bool) -> Option<bool> {
        result.map(|r| r != negated)
    }

    fn and(results: impl Iterator<Item = Option<bool>>) -> Option<bool> {
        let results: Vec<_> = results.collect();
        if results.contains(&Some(false)) {
            return Some(false);
        }
        (!results.contains(&None)).then_some(true)
    }

    /// SQL's three-valued logic by its definition.
    pub(super) fn oracle(predicate: &Predicate, row: &[Option<Datum>]) -> Option<bool> {
        let value = |name: &str| row[NAMES.iter().position(|n| *n == name).unwrap()].as_ref();
        let compare = |column: &str, op: CompareOp, literal: &Literal| {
            if *literal == Literal::Null {
                return None;
            }
            Some(op.holds(order(value(column)?, literal)))
        };
        match predicate {
            Predicate::Constant(result) => Some(*result),
            Predicate::Compare { column, op, value } => compare(column, *op, value),
            Predicate::In {
                column,
                values,
                negated,
            } => {
                value(column)?;
                let equals = values
                    .iter()
                    .map(|v| negate(compare(column, CompareOp::Eq, v), true));
                negate(and(equals), !negated)
            }
            Predicate::Between {
                column,
                low,
                high,
                negated,
            } => {
                let both = [
                    compare(column, CompareOp::GtEq, low),
                    compare(column, CompareOp::LtEq, high),
                ];
                negate(and(both.into_iter()), *negated)
            }
            Predicate::Like {
                column,
                pattern,
                negated,
                ..
            } => {
                let Datum::String(text) = value(column)? else {
                    panic!()
                };
                Some(LikePattern::new(pattern, None).unwrap().matches(text) != *negated)
            }
            Predicate::IsNull { column, negated } => Some(value(column).is_none() != *negated),
            Predicate::And(children) => and(children.iter().map(|child| oracle(child, row))),
            Predicate::Or(children) => negate(
                and(children
                    .iter()
                    .map(|child| negate(oracle(child, row), true))),
                true,
            ),
            Predicate::Not(child) => negate(oracle(child, row), true),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn outcomes_are_sound(predicate in generated::predicate(), row in generated::row(), mask: [bool; 4]) {
        let bound = predicate.bind(&generated::columns()).unwrap();
        let truth = generated::oracle(&predicate, &row);
        let full = bound.outcomes(&|column| Known::from(&row[column]));
        prop_assert_eq!(full, Outcomes::of(truth), "{}", predicate);
        prop_assert_eq!(bound.clone().negate().outcomes(&|column| Known::from(&row[column])), full.negate());

        let partial = bound.outcomes(&|column| if mask[column] { Known::from(&row[column]) } else { Known::Unknown });
        let contained = match truth {
            Some(true) => partial.can_true,
            Some(false) => partial.can_false,
            None => partial.can_null,
        };
        prop_assert!(contained, "{} {:?} {:?}", predicate, truth, partial);
    }

    #[test]
    fn split_is_sound(predicate in generated::predicate(), row in generated::row(), mask: [bool; 4]) {
        let bound = predicate.bind(&generated::columns()).unwrap();
        let truth = generated::oracle(&predicate, &row);
        let (partition, rows) = bound.split(&|column| mask[column]);
        let is_true = |part: &Option<BoundPredicate>| {
            part.as_ref().is_none_or(|part| part.outcomes(&|column| Known::from(&row[column])) == Outcomes::TRUE)
        };
        if let Some(partition) = &partition {
            prop_assert!(partition.columns().into_iter().all(|column| mask[column]));
        }
        prop_assert!(truth != Some(true) || is_true(&partition), "{}", predicate);
        prop_assert_eq!(truth == Some(true), is_true(&partition) && is_true(&rows), "{}", predicate);
    }

    #[test]
    fn predicates_survive_serialization(predicate in generated::predicate()) {
        let json = serde_json::to_string(&predicate).unwrap();
        prop_assert_eq!(serde_json::from_str::<Predicate>(&json).unwrap(), predicate);
    }
}
