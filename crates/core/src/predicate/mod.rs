//! Filters: what they say, which values of a table can satisfy them, and how they divide into the
//! part that partitions decide and the part that rows decide.
//!
//! A [`Predicate`] names columns and holds literals. [`Predicate::bind`] gives it the types of a
//! table; the [`BoundPredicate`] can then be split and evaluated, also where only some of the
//! columns are known.
//!
//! ```
//! use ftable_core::{DataField, TypeKind, col};
//!
//! let filter = col("dt").gt_eq("2024-01-01").and(col("id").in_list([1, 2, 3]));
//! assert_eq!(filter.to_string(), "dt >= '2024-01-01' AND id IN (1, 2, 3)");
//!
//! let fields = [DataField::new(0, "id", TypeKind::BigInt), DataField::new(1, "dt", TypeKind::Date)];
//! let (partitions, rows) = filter.bind(&fields)?.split(&|column| column == 1);
//! assert!(partitions.is_some() && rows.is_some());
//! # Ok::<(), ftable_core::Error>(())
//! ```
//!
//! # What a comparison means
//!
//! Logic is three-valued as in SQL: a comparison with NULL is neither true nor false, and a filter
//! keeps what is true. Column names match exactly, case included.
//!
//! | column | literals | notes |
//! | --- | --- | --- |
//! | BOOLEAN | boolean; text `true`, `false` in any case | false is less than true |
//! | TINYINT … BIGINT | numbers; text of a number | compared exactly: `= 3000000000` on INT is false, `> 1.5` is `>= 2` |
//! | DECIMAL | numbers; text of a number | exact; a double stands for the shortest decimal that reads back as it, which is what its author wrote |
//! | FLOAT, DOUBLE | numbers; text of a number | integers and doubles exact, so FLOAT `= 0.1` is false as in Spark; decimals become the nearest double, texts the nearest value of the column; NaN equals NaN and is greatest, `-0.0` equals `0.0` |
//! | CHAR, VARCHAR, STRING | text | by code point, nothing is padded; also LIKE |
//! | DATE | date; timestamp; text `yyyy-MM-dd` | a date is its midnight |
//! | TIME | time; text `HH:mm[:ss[.f]]` | |
//! | TIMESTAMP | timestamp; date; text `yyyy-MM-dd[( \|T)HH:mm[:ss[.f]]]` | |
//! | TIMESTAMP WITH LOCAL TIME ZONE | instant; timestamp and date, as UTC; text as for TIMESTAMP with `Z` or `±HH:mm`, UTC without | |
//! | BINARY, VARBINARY | binary | only `=`, `<>`, `IN` and `IS NULL` |
//! | everything else | none | only `IS NULL` |
//!
//! A literal that cannot be of the column's kind is an error that names column and type. One exception, as in
//! Spark and Hive: a text that is no number equals no number, so `=` and `IN` find nothing and `<>` everything
//! that is not NULL; it has no order, so `<` and the like are refused. A literal
//! finer or larger than the column's type is no error and is never rounded: the comparison is
//! rewritten to one that has the same answer for every value.

mod bind;
mod bound;
mod coerce;
mod display;
mod iso;
mod like;
mod literal;
mod outcomes;
mod split;
mod unbind;

use serde::{Deserialize, Serialize};

pub use bound::BoundPredicate;
pub use like::LikePattern;
pub use literal::Literal;
pub use outcomes::{Known, Outcomes};

/// How deep a predicate may nest; [`Predicate::bind`] refuses what is deeper.
pub const MAX_DEPTH: usize = 256;

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompareOp {
    /// `=`
    Eq,
    /// `<>`
    NotEq,
    /// `<`
    Lt,
    /// `<=`
    LtEq,
    /// `>`
    Gt,
    /// `>=`
    GtEq,
}

impl CompareOp {
    /// The comparison that is true where this one is false.
    #[must_use]
    pub fn negate(self) -> Self {
        match self {
            Self::Eq => Self::NotEq,
            Self::NotEq => Self::Eq,
            Self::Lt => Self::GtEq,
            Self::LtEq => Self::Gt,
            Self::Gt => Self::LtEq,
            Self::GtEq => Self::Lt,
        }
    }

    /// The comparison with its sides swapped.
    #[must_use]
    pub fn flip(self) -> Self {
        match self {
            Self::Eq => Self::Eq,
            Self::NotEq => Self::NotEq,
            Self::Lt => Self::Gt,
            Self::LtEq => Self::GtEq,
            Self::Gt => Self::Lt,
            Self::GtEq => Self::LtEq,
        }
    }

    /// Whether a value that compares so with the literal satisfies the comparison.
    pub fn holds(self, ordering: std::cmp::Ordering) -> bool {
        match self {
            Self::Eq => ordering.is_eq(),
            Self::NotEq => ordering.is_ne(),
            Self::Lt => ordering.is_lt(),
            Self::LtEq => ordering.is_le(),
            Self::Gt => ordering.is_gt(),
            Self::GtEq => ordering.is_ge(),
        }
    }

    /// The SQL spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Eq => "=",
            Self::NotEq => "<>",
            Self::Lt => "<",
            Self::LtEq => "<=",
            Self::Gt => ">",
            Self::GtEq => ">=",
        }
    }
}

/// A filter over named columns.
///
/// Built with [`col`], shown as SQL by `Display`, and serializable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Predicate {
    /// Always true or always false.
    Constant(bool),
    /// `column op value`.
    Compare {
        /// The column.
        column: String,
        /// The comparison.
        op: CompareOp,
        /// What it is compared with; NULL makes the comparison NULL.
        value: Literal,
    },
    /// `column [NOT] IN (values)`. NULL when the column is NULL, even with no values.
    In {
        /// The column.
        column: String,
        /// The values, in any order.
        values: Vec<Literal>,
        /// `NOT IN`.
        negated: bool,
    },
    /// `column [NOT] BETWEEN low AND high`, both ends included.
    Between {
        /// The column.
        column: String,
        /// The lower end.
        low: Literal,
        /// The upper end.
        high: Literal,
        /// `NOT BETWEEN`.
        negated: bool,
    },
    /// `column [NOT] LIKE pattern [ESCAPE escape]`.
    Like {
        /// The column, a string one.
        column: String,
        /// The pattern: `%` for any characters, `_` for one.
        pattern: String,
        /// What makes the next `%`, `_` or itself an ordinary character; nothing without it.
        escape: Option<char>,
        /// `NOT LIKE`.
        negated: bool,
    },
    /// `column IS [NOT] NULL`.
    IsNull {
        /// The column, of any type.
        column: String,
        /// `IS NOT NULL`.
        negated: bool,
    },
    /// All of them; true when empty.
    And(Vec<Predicate>),
    /// Any of them; false when empty.
    Or(Vec<Predicate>),
    /// The opposite.
    Not(Box<Predicate>),
}

impl Predicate {
    /// Both of them.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match self {
            Self::And(mut all) => {
                all.push(other);
                Self::And(all)
            }
            first => Self::And(vec![first, other]),
        }
    }

    /// Either of them.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match self {
            Self::Or(mut any) => {
                any.push(other);
                Self::Or(any)
            }
            first => Self::Or(vec![first, other]),
        }
    }

    /// The opposite; `!predicate` is the same.
    #[must_use]
    pub fn negate(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// The names of the columns it mentions.
    pub fn column_names(&self) -> std::collections::BTreeSet<&str> {
        let mut names = std::collections::BTreeSet::new();
        let mut open = vec![self];
        while let Some(predicate) = open.pop() {
            match predicate {
                Self::Constant(_) => {}
                Self::Compare { column, .. }
                | Self::In { column, .. }
                | Self::Between { column, .. }
                | Self::Like { column, .. }
                | Self::IsNull { column, .. } => {
                    names.insert(column.as_str());
                }
                Self::And(children) | Self::Or(children) => open.extend(children),
                Self::Not(child) => open.push(child),
            }
        }
        names
    }
}

impl std::ops::Not for Predicate {
    type Output = Self;

    fn not(self) -> Self {
        self.negate()
    }
}

/// A column, to build predicates from.
///
/// ```
/// # use ftable_core::col;
/// let filter = col("m").eq(7).or(col("m").is_null());
/// assert_eq!(filter.to_string(), "m = 7 OR m IS NULL");
/// ```
pub fn col(name: impl Into<String>) -> Column {
    Column { name: name.into() }
}

/// A column named by [`col`].
#[derive(Debug, Clone)]
pub struct Column {
    name: String,
}

impl Column {
    fn compare(self, op: CompareOp, value: impl Into<Literal>) -> Predicate {
        Predicate::Compare {
            column: self.name,
            op,
            value: value.into(),
        }
    }

    /// `column = value`.
    pub fn eq(self, value: impl Into<Literal>) -> Predicate {
        self.compare(CompareOp::Eq, value)
    }

    /// `column <> value`.
    pub fn not_eq(self, value: impl Into<Literal>) -> Predicate {
        self.compare(CompareOp::NotEq, value)
    }

    /// `column < value`.
    pub fn lt(self, value: impl Into<Literal>) -> Predicate {
        self.compare(CompareOp::Lt, value)
    }

    /// `column <= value`.
    pub fn lt_eq(self, value: impl Into<Literal>) -> Predicate {
        self.compare(CompareOp::LtEq, value)
    }

    /// `column > value`.
    pub fn gt(self, value: impl Into<Literal>) -> Predicate {
        self.compare(CompareOp::Gt, value)
    }

    /// `column >= value`.
    pub fn gt_eq(self, value: impl Into<Literal>) -> Predicate {
        self.compare(CompareOp::GtEq, value)
    }

    /// `column IN (values)`.
    pub fn in_list<V: Into<Literal>>(self, values: impl IntoIterator<Item = V>) -> Predicate {
        let values = values.into_iter().map(Into::into).collect();
        Predicate::In {
            column: self.name,
            values,
            negated: false,
        }
    }

    /// `column NOT IN (values)`.
    pub fn not_in_list<V: Into<Literal>>(self, values: impl IntoIterator<Item = V>) -> Predicate {
        let values = values.into_iter().map(Into::into).collect();
        Predicate::In {
            column: self.name,
            values,
            negated: true,
        }
    }

    /// `column BETWEEN low AND high`, both ends included.
    pub fn between(self, low: impl Into<Literal>, high: impl Into<Literal>) -> Predicate {
        Predicate::Between {
            column: self.name,
            low: low.into(),
            high: high.into(),
            negated: false,
        }
    }

    /// `column LIKE pattern` without an escape character.
    pub fn like(self, pattern: impl Into<String>) -> Predicate {
        Predicate::Like {
            column: self.name,
            pattern: pattern.into(),
            escape: None,
            negated: false,
        }
    }

    /// `column IS NULL`.
    pub fn is_null(self) -> Predicate {
        Predicate::IsNull {
            column: self.name,
            negated: false,
        }
    }

    /// `column IS NOT NULL`.
    pub fn is_not_null(self) -> Predicate {
        Predicate::IsNull {
            column: self.name,
            negated: true,
        }
    }
}

#[cfg(test)]
mod tests;
