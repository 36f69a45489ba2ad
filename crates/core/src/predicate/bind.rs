//! From names and literals to columns and typed values.

use super::coerce::{Support, Typed, incomparable, support, typed};
use super::{BoundPredicate, CompareOp, LikePattern, Literal, MAX_DEPTH, Predicate};
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::types::{DataField, TypeKind};

impl Predicate {
    /// Gives columns their index in `fields` and literals the type of their column.
    ///
    /// The result has no `NOT`: it is turned into the opposite test. Comparisons whose literal the
    /// column's type cannot hold are rewritten to exact ones.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` naming the column: there is none of that name, a literal cannot be of its
    /// type, its type has no such test, or a LIKE pattern is malformed. `Unsupported` when the
    /// predicate nests deeper than [`MAX_DEPTH`].
    pub fn bind(&self, fields: &[DataField]) -> Result<BoundPredicate> {
        bind(self, fields, 0)
    }
}

fn bind(predicate: &Predicate, fields: &[DataField], depth: usize) -> Result<BoundPredicate> {
    if depth > MAX_DEPTH {
        return Err(Error::Unsupported {
            what: format!("a filter nested deeper than {MAX_DEPTH} levels"),
            reason: "evaluating it could exhaust the stack".to_owned(),
            instead: "write long lists with IN, or AND and OR without parentheses".to_owned(),
        });
    }
    let all = |children: &[Predicate]| {
        children
            .iter()
            .map(|child| bind(child, fields, depth + 1))
            .collect::<Result<Vec<_>>>()
    };
    Ok(match predicate {
        Predicate::Constant(value) => BoundPredicate::Constant(Some(*value)),
        Predicate::Compare { column, op, value } => {
            Target::find(column, fields)?.compare(*op, value)?
        }
        Predicate::In {
            column,
            values,
            negated,
        } => Target::find(column, fields)?.in_list(values, *negated)?,
        Predicate::Between {
            column,
            low,
            high,
            negated,
        } => {
            let target = Target::find(column, fields)?;
            let both = BoundPredicate::And(vec![
                target.compare(CompareOp::GtEq, low)?,
                target.compare(CompareOp::LtEq, high)?,
            ]);
            if *negated { both.negate() } else { both }
        }
        Predicate::Like {
            column,
            pattern,
            escape,
            negated,
        } => Target::find(column, fields)?.like(pattern, *escape, *negated)?,
        Predicate::IsNull { column, negated } => {
            let column = Target::find(column, fields)?.column;
            BoundPredicate::IsNull {
                column,
                negated: *negated,
            }
        }
        Predicate::And(children) => BoundPredicate::And(all(children)?),
        Predicate::Or(children) => BoundPredicate::Or(all(children)?),
        Predicate::Not(child) => bind(child, fields, depth + 1)?.negate(),
    })
}

/// The column a test is about.
struct Target<'a> {
    column: usize,
    field: &'a DataField,
}

impl<'a> Target<'a> {
    fn find(name: &str, fields: &'a [DataField]) -> Result<Self> {
        let found = fields
            .iter()
            .enumerate()
            .find(|(_, field)| field.name == name);
        if let Some((column, field)) = found {
            return Ok(Self { column, field });
        }
        let alike = fields
            .iter()
            .find(|field| field.name.to_lowercase() == name.to_lowercase());
        let message = match alike {
            Some(field) => format!("no such column; did you mean '{}'", field.name),
            None => "no such column".to_owned(),
        };
        Err(Error::InvalidPredicate {
            column: name.to_owned(),
            message,
        })
    }

    fn refuse<T>(&self, message: String) -> Result<T> {
        Err(Error::InvalidPredicate {
            column: self.field.name.clone(),
            message,
        })
    }

    fn compare(&self, op: CompareOp, literal: &Literal) -> Result<BoundPredicate> {
        let kind = self.field.data_type.kind();
        match support(kind) {
            Support::Nothing => {
                return self.refuse(format!(
                    "type {} can only be tested with IS NULL",
                    self.field.data_type
                ));
            }
            Support::Equality if !matches!(op, CompareOp::Eq | CompareOp::NotEq) => {
                return self.refuse(format!(
                    "type {} can only be compared with =, <> and IN, not with {}",
                    self.field.data_type,
                    op.as_str()
                ));
            }
            _ => {}
        }
        let Some(value) = typed(literal, self.field)? else {
            return Ok(BoundPredicate::Constant(None));
        };
        let (low, high) = match value {
            Typed::Exact(value) => {
                return Ok(BoundPredicate::Compare {
                    column: self.column,
                    op,
                    value,
                });
            }
            Typed::Between { low, high } => (low, high),
            Typed::NoNumber => {
                return match op {
                    CompareOp::Eq => Ok(self.for_every_value(false)),
                    CompareOp::NotEq => Ok(self.for_every_value(true)),
                    _ => Err(incomparable(literal, self.field)),
                };
            }
        };
        Ok(match op {
            CompareOp::Eq => self.for_every_value(false),
            CompareOp::NotEq => self.for_every_value(true),
            CompareOp::Lt | CompareOp::LtEq => self.bounded(CompareOp::LtEq, low),
            CompareOp::Gt | CompareOp::GtEq => self.bounded(CompareOp::GtEq, high),
        })
    }

    fn bounded(&self, op: CompareOp, bound: Option<Datum>) -> BoundPredicate {
        match bound {
            Some(value) => BoundPredicate::Compare {
                column: self.column,
                op,
                value,
            },
            None => self.for_every_value(false),
        }
    }

    /// The same result for every value, and NULL for NULL.
    fn for_every_value(&self, result: bool) -> BoundPredicate {
        let (values, has_null) = (Vec::new(), false);
        BoundPredicate::In {
            column: self.column,
            values,
            has_null,
            negated: result,
        }
    }

    fn in_list(&self, literals: &[Literal], negated: bool) -> Result<BoundPredicate> {
        if support(self.field.data_type.kind()) == Support::Nothing {
            return self.refuse(format!(
                "type {} can only be tested with IS NULL",
                self.field.data_type
            ));
        }
        let mut values = Vec::with_capacity(literals.len());
        let mut has_null = false;
        for literal in literals {
            match typed(literal, self.field)? {
                Some(Typed::Exact(value)) => values.push(value),
                // No value of the column equals it.
                Some(Typed::Between { .. } | Typed::NoNumber) => {}
                None => has_null = true,
            }
        }
        values.sort_by(|a, b| a.compare(b).unwrap_or(std::cmp::Ordering::Equal));
        values.dedup_by(|a, b| a.compare(b).is_some_and(std::cmp::Ordering::is_eq));
        Ok(BoundPredicate::In {
            column: self.column,
            values,
            has_null,
            negated,
        })
    }

    fn like(&self, pattern: &str, escape: Option<char>, negated: bool) -> Result<BoundPredicate> {
        match self.field.data_type.kind() {
            TypeKind::Char { .. } | TypeKind::VarChar { .. } => {}
            _ => {
                return self.refuse(format!(
                    "LIKE wants a string column, not type {}",
                    self.field.data_type
                ));
            }
        }
        match LikePattern::new(pattern, escape) {
            Ok(pattern) => Ok(BoundPredicate::Like {
                column: self.column,
                pattern,
                negated,
            }),
            Err(message) => self.refuse(message),
        }
    }
}
