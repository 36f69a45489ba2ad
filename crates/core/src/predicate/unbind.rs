//! A bound predicate in words again, for others to evaluate.

use super::{BoundPredicate, Literal, Predicate};

impl BoundPredicate {
    /// The same predicate over columns by name, its literals of the columns' types.
    ///
    /// `None` where a column has no name, and for a predicate that is always NULL: nothing that names
    /// a column says so.
    pub fn to_predicate<'a>(&self, name: &dyn Fn(usize) -> Option<&'a str>) -> Option<Predicate> {
        let all = |children: &[Self]| -> Option<Vec<Predicate>> {
            children
                .iter()
                .map(|child| child.to_predicate(name))
                .collect()
        };
        let named = |column: usize| name(column).map(str::to_owned);
        Some(match self {
            Self::Constant(result) => Predicate::Constant((*result)?),
            Self::Compare { column, op, value } => Predicate::Compare {
                column: named(*column)?,
                op: *op,
                value: value.clone().into(),
            },
            Self::In {
                column,
                values,
                has_null,
                negated,
            } => {
                let values = values.iter().cloned().map(Literal::from);
                Predicate::In {
                    column: named(*column)?,
                    values: values.chain(has_null.then_some(Literal::Null)).collect(),
                    negated: *negated,
                }
            }
            Self::Like {
                column,
                pattern,
                negated,
            } => Predicate::Like {
                column: named(*column)?,
                pattern: pattern.as_str().to_owned(),
                escape: pattern.escape(),
                negated: *negated,
            },
            Self::IsNull { column, negated } => Predicate::IsNull {
                column: named(*column)?,
                negated: *negated,
            },
            Self::And(children) => Predicate::And(all(children)?),
            Self::Or(children) => Predicate::Or(all(children)?),
            Self::Not(child) => Predicate::Not(Box::new(child.to_predicate(name)?)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DataField, DataType, TypeKind, col};

    #[test]
    fn what_was_bound_is_said_again() {
        let fields = [
            DataField::new(0, "dt", TypeKind::Date),
            DataField::new(1, "p", DataType::string()),
        ];
        let name = |column: usize| fields.get(column).map(|field| field.name.as_str());
        let filter = col("dt")
            .gt_eq("2024-01-01")
            .and(col("p").in_list(["a", "b"]).or(col("p").is_null()))
            .and(!col("p").like("x%"));
        let bound = filter.bind(&fields).unwrap();
        let said = bound.to_predicate(&name).unwrap();
        assert_eq!(
            said.to_string(),
            "dt >= DATE '2024-01-01' AND (p IN ('a', 'b') OR p IS NULL) AND p NOT LIKE 'x%'"
        );
        assert_eq!(said.bind(&fields).unwrap(), bound);
        assert_eq!(
            bound.to_predicate(&|column| (column == 0).then_some("dt")),
            None
        );
        assert_eq!(BoundPredicate::Constant(None).to_predicate(&name), None);
    }
}
