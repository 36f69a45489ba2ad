//! Predicates as SQL text.

use std::fmt::{self, Formatter};

use super::{Literal, MAX_DEPTH, Predicate};
use crate::datum::calendar::CivilDate;
use crate::datum::text;

/// How tightly an expression binds; what binds less tightly than its place wants parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Test,
}

/// SQL text, with parentheses where they are needed. Beyond [`MAX_DEPTH`] levels it says `…`.
impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_predicate(self, f, Binding::Or, 0)
    }
}

fn write_predicate(
    predicate: &Predicate,
    f: &mut Formatter<'_>,
    place: Binding,
    depth: usize,
) -> fmt::Result {
    if depth > MAX_DEPTH {
        return f.write_str("…");
    }
    let own = match predicate {
        Predicate::And(children) if children.len() > 1 => Binding::And,
        Predicate::Or(children) if children.len() > 1 => Binding::Or,
        _ => Binding::Test,
    };
    if own < place {
        f.write_str("(")?;
        write_expression(predicate, f, depth)?;
        return f.write_str(")");
    }
    write_expression(predicate, f, depth)
}

fn write_expression(predicate: &Predicate, f: &mut Formatter<'_>, depth: usize) -> fmt::Result {
    let not = |negated: &bool| if *negated { "NOT " } else { "" };
    match predicate {
        Predicate::Constant(value) => f.write_str(if *value { "TRUE" } else { "FALSE" }),
        Predicate::Compare { column, op, value } => {
            write!(f, "{} {} {value}", Name(column), op.as_str())
        }
        Predicate::In {
            column,
            values,
            negated,
        } => {
            write!(f, "{} {}IN (", Name(column), not(negated))?;
            write_values(values, f)?;
            f.write_str(")")
        }
        Predicate::Between {
            column,
            low,
            high,
            negated,
        } => {
            write!(
                f,
                "{} {}BETWEEN {low} AND {high}",
                Name(column),
                not(negated)
            )
        }
        Predicate::Like {
            column,
            pattern,
            escape,
            negated,
        } => {
            write!(
                f,
                "{} {}LIKE {}",
                Name(column),
                not(negated),
                Quoted(pattern)
            )?;
            escape.map_or(Ok(()), |escape| {
                write!(f, " ESCAPE {}", Quoted(&escape.to_string()))
            })
        }
        Predicate::IsNull { column, negated } => {
            write!(f, "{} IS {}NULL", Name(column), not(negated))
        }
        Predicate::And(children) => write_list(children, f, ("TRUE", " AND "), Binding::And, depth),
        Predicate::Or(children) => write_list(children, f, ("FALSE", " OR "), Binding::Or, depth),
        Predicate::Not(child) => {
            f.write_str("NOT (")?;
            write_predicate(child, f, Binding::Or, depth + 1)?;
            f.write_str(")")
        }
    }
}

fn write_values(values: &[Literal], f: &mut Formatter<'_>) -> fmt::Result {
    for (at, value) in values.iter().enumerate() {
        write!(f, "{}{value}", if at > 0 { ", " } else { "" })?;
    }
    Ok(())
}

fn write_list(
    children: &[Predicate],
    f: &mut Formatter<'_>,
    (empty, joint): (&str, &str),
    place: Binding,
    depth: usize,
) -> fmt::Result {
    if children.is_empty() {
        return f.write_str(empty);
    }
    // A list of one is written as its child, which keeps its own parentheses.
    let place = if children.len() == 1 {
        Binding::Test
    } else {
        place
    };
    for (at, child) in children.iter().enumerate() {
        if at > 0 {
            f.write_str(joint)?;
        }
        write_predicate(child, f, place, depth + 1)?;
    }
    Ok(())
}

/// The SQL literal.
impl fmt::Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Boolean(value) => f.write_str(if *value { "TRUE" } else { "FALSE" }),
            Self::Int(value) => write!(f, "{value}"),
            Self::BigNumber(value) => f.write_str(value),
            Self::Double(value) if value.is_finite() => write!(f, "{value:?}"),
            Self::Double(value) => write!(f, "DOUBLE '{}'", text::java_float(*value)),
            Self::String(value) => write!(f, "{}", Quoted(value)),
            Self::Binary(value) => write!(f, "X'{}'", text::hex(value)),
            Self::Date(days) => write!(f, "DATE '{}'", CivilDate::from_days(i64::from(*days))),
            Self::Time(millis) => write!(f, "TIME '{}'", text::iso_time(*millis)),
            Self::Timestamp { epoch_nanos } => {
                write!(f, "TIMESTAMP '{}'", sql_timestamp(*epoch_nanos))
            }
            Self::TimestampLtz { epoch_nanos } => {
                write!(f, "TIMESTAMP '{}Z'", sql_timestamp(*epoch_nanos))
            }
        }
    }
}

fn sql_timestamp(epoch_nanos: i128) -> String {
    let precision = if epoch_nanos % 1000 == 0 { 6 } else { 9 };
    text::iso_timestamp(epoch_nanos, precision).replacen('T', " ", 1)
}

/// Text in single quotes, quotes doubled.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.0.replace('\'', "''"))
    }
}

/// A column name, in double quotes unless it is a plain lower-case word that is no keyword.
struct Name<'a>(&'a str);

/// Words of SQL expressions, which mean something else without quotes.
const KEYWORDS: [&str; 26] = [
    "all",
    "and",
    "any",
    "as",
    "between",
    "by",
    "case",
    "cast",
    "date",
    "else",
    "end",
    "exists",
    "false",
    "from",
    "in",
    "interval",
    "is",
    "like",
    "not",
    "null",
    "or",
    "select",
    "time",
    "timestamp",
    "true",
    "when",
];

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let plain = self
            .0
            .starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
            && self
                .0
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
            && !KEYWORDS.contains(&self.0);
        if plain {
            f.write_str(self.0)
        } else {
            write!(f, "\"{}\"", self.0.replace('"', "\"\""))
        }
    }
}
