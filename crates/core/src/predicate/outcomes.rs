//! What can come out of a predicate when not every column is known.

use super::{BoundPredicate, LikePattern};
use crate::datum::Datum;

/// What is known of a column.
#[derive(Debug, Clone, Copy)]
pub enum Known<'a> {
    /// Nothing: it may be any value or NULL.
    Unknown,
    /// It is NULL.
    Null,
    /// It has this value.
    Value(&'a Datum),
}

impl<'a> From<&'a Option<Datum>> for Known<'a> {
    fn from(value: &'a Option<Datum>) -> Self {
        value.as_ref().map_or(Self::Null, Self::Value)
    }
}

/// The results a predicate may have, in SQL's three-valued logic.
///
/// A result that is marked may still be impossible; one that is not marked is impossible. At least
/// one is marked. When every column is known exactly one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Outcomes {
    /// It may be true.
    pub can_true: bool,
    /// It may be false.
    pub can_false: bool,
    /// It may be NULL.
    pub can_null: bool,
}

impl Outcomes {
    /// Anything may come out.
    pub const ANY: Self = Self {
        can_true: true,
        can_false: true,
        can_null: true,
    };
    /// Only true.
    pub const TRUE: Self = Self {
        can_true: true,
        can_false: false,
        can_null: false,
    };
    /// Only false.
    pub const FALSE: Self = Self {
        can_true: false,
        can_false: true,
        can_null: false,
    };
    /// Only NULL.
    pub const NULL: Self = Self {
        can_true: false,
        can_false: false,
        can_null: true,
    };

    /// The one outcome of a result, `None` being NULL.
    pub fn of(result: Option<bool>) -> Self {
        match result {
            Some(true) => Self::TRUE,
            Some(false) => Self::FALSE,
            None => Self::NULL,
        }
    }

    /// What `AND` of two may be.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            can_true: self.can_true && other.can_true,
            can_false: self.can_false || other.can_false,
            can_null: (self.can_null && (other.can_null || other.can_true))
                || (other.can_null && self.can_true),
        }
    }

    /// What `OR` of two may be.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.negate().and(other.negate()).negate()
    }

    /// What `NOT` of it may be.
    #[must_use]
    pub fn negate(self) -> Self {
        Self {
            can_true: self.can_false,
            can_false: self.can_true,
            can_null: self.can_null,
        }
    }

    fn negate_if(self, negated: bool) -> Self {
        if negated { self.negate() } else { self }
    }
}

impl BoundPredicate {
    /// Which results are possible, given what is known of each column.
    ///
    /// Sound: the result on any row that agrees with what is known is among them.
    pub fn outcomes<'a>(&self, value: &dyn Fn(usize) -> Known<'a>) -> Outcomes {
        match self {
            Self::Constant(result) => Outcomes::of(*result),
            Self::IsNull { column, negated } => match value(*column) {
                Known::Unknown => Outcomes {
                    can_null: false,
                    ..Outcomes::ANY
                },
                Known::Null => Outcomes::of(Some(!negated)),
                Known::Value(_) => Outcomes::of(Some(*negated)),
            },
            Self::Compare {
                column,
                op,
                value: literal,
            } => on_value(value(*column), |found| {
                found
                    .compare(literal)
                    .map_or(Outcomes::ANY, |order| Outcomes::of(Some(op.holds(order))))
            }),
            Self::In {
                column,
                values,
                has_null,
                negated,
            } => {
                let found = on_value(value(*column), |found| in_list(found, values, *has_null));
                found.negate_if(*negated)
            }
            Self::Like {
                column,
                pattern,
                negated,
            } => on_value(value(*column), |found| like(found, pattern)).negate_if(*negated),
            Self::And(children) => fold(
                children,
                value,
                Outcomes::TRUE,
                Outcomes::FALSE,
                Outcomes::and,
            ),
            Self::Or(children) => fold(
                children,
                value,
                Outcomes::FALSE,
                Outcomes::TRUE,
                Outcomes::or,
            ),
            Self::Not(child) => child.outcomes(value).negate(),
        }
    }

    /// Whether a row that agrees with what is known can satisfy the predicate.
    ///
    /// Exact when every column it mentions is known.
    pub fn might_match<'a>(&self, value: &dyn Fn(usize) -> Known<'a>) -> bool {
        self.outcomes(value).can_true
    }
}

fn fold<'a>(
    children: &[BoundPredicate],
    value: &dyn Fn(usize) -> Known<'a>,
    start: Outcomes,
    settled: Outcomes,
    join: fn(Outcomes, Outcomes) -> Outcomes,
) -> Outcomes {
    let mut result = start;
    for child in children {
        result = join(result, child.outcomes(value));
        if result == settled {
            break;
        }
    }
    result
}

fn on_value(known: Known<'_>, test: impl FnOnce(&Datum) -> Outcomes) -> Outcomes {
    match known {
        Known::Unknown => Outcomes::ANY,
        Known::Null => Outcomes::NULL,
        Known::Value(value) => test(value),
    }
}

fn in_list(found: &Datum, values: &[Datum], has_null: bool) -> Outcomes {
    let position = values.binary_search_by(|value| {
        // Values are of the column's type; anything else means a caller's mistake, seen below.
        value.compare(found).unwrap_or(std::cmp::Ordering::Less)
    });
    let comparable = values
        .first()
        .is_none_or(|value| value.compare(found).is_some());
    match position {
        _ if !comparable => Outcomes::ANY,
        Ok(_) => Outcomes::TRUE,
        Err(_) => Outcomes::of(if has_null { None } else { Some(false) }),
    }
}

fn like(found: &Datum, pattern: &LikePattern) -> Outcomes {
    match found {
        Datum::String(text) => Outcomes::of(Some(pattern.matches(text))),
        _ => Outcomes::ANY,
    }
}
