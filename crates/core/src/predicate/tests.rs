mod comparisons;
mod logic;
mod random;

use proptest::prelude::*;

use super::*;
use crate::datum::Datum;
use crate::error::{Error, ErrorKind};
use crate::types::{DataField, DataType};

fn fields(columns: &[(&str, &str)]) -> Vec<DataField> {
    let field = |(at, (name, text)): (usize, &(&str, &str))| {
        DataField::new(at as i32, *name, text.parse::<DataType>().unwrap())
    };
    columns.iter().enumerate().map(field).collect()
}

/// What a predicate says of one value of a column `k`.
fn test_value(predicate: &Predicate, type_text: &str, value: Option<Datum>) -> Option<bool> {
    let bound = predicate.bind(&fields(&[("k", type_text)])).unwrap();
    let outcomes = bound.outcomes(&|_| Known::from(&value));
    result(outcomes)
}

fn result(outcomes: Outcomes) -> Option<bool> {
    let all = [Some(true), Some(false), None];
    let [only] = all
        .into_iter()
        .filter(|r| Outcomes::of(*r) == outcomes)
        .collect::<Vec<_>>()[..]
    else {
        panic!("not decided: {outcomes:?}")
    };
    only
}

fn decimal(unscaled: i128, precision: u8, scale: u8) -> Datum {
    Datum::Decimal {
        unscaled,
        precision,
        scale,
    }
}

fn big(text: &str) -> Literal {
    Literal::BigNumber(text.to_owned())
}
