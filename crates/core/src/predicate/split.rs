//! The part of a predicate that partitions decide.

use super::BoundPredicate;

impl BoundPredicate {
    /// Divides a predicate into what partition columns alone say and what rows must still satisfy.
    ///
    /// The first part mentions only partition columns and is true wherever the predicate is true, so
    /// that a partition on which it cannot be true holds no matching row. Of each conjunct it keeps
    /// what mentions no other column; an `OR` survives only where each of its branches leaves
    /// something: `(p = 1 AND x > 2) OR p = 3` gives `p = 1 OR p = 3`.
    ///
    /// The second part holds the conjuncts that mention another column, whole, and those that
    /// mention no column and are not simply true. Together with the first part, applied exactly, it
    /// is equivalent to the predicate as a filter.
    pub fn split(self, is_partition: &dyn Fn(usize) -> bool) -> (Option<Self>, Option<Self>) {
        let mut conjuncts = Vec::new();
        flatten(self, &mut conjuncts);
        conjuncts.retain(|conjunct| *conjunct != Self::Constant(Some(true)));

        let partition = conjuncts
            .iter()
            .filter_map(|conjunct| conjunct.project(is_partition))
            .collect();
        let rows = conjuncts.into_iter().filter(|conjunct| {
            let columns = conjunct.columns();
            columns.is_empty() || columns.into_iter().any(|column| !is_partition(column))
        });
        (join(partition), join(rows.collect()))
    }

    /// What is true wherever this is true and mentions only partition columns.
    fn project(&self, is_partition: &dyn Fn(usize) -> bool) -> Option<Self> {
        match self {
            Self::Constant(_) => Some(self.clone()),
            Self::Compare { column, .. }
            | Self::In { column, .. }
            | Self::Like { column, .. }
            | Self::IsNull { column, .. } => is_partition(*column).then(|| self.clone()),
            Self::And(children) => join(
                children
                    .iter()
                    .filter_map(|child| child.project(is_partition))
                    .collect(),
            ),
            Self::Or(children) => children
                .iter()
                .map(|child| child.project(is_partition))
                .collect::<Option<Vec<_>>>()
                .map(Self::Or),
            Self::Not(child) => match child.as_ref() {
                Self::Not(inner) => inner.project(is_partition),
                other => other.clone().negate().project(is_partition),
            },
        }
    }
}

/// Collects the conjuncts of a predicate, also those of `NOT (a OR b)`.
fn flatten(predicate: BoundPredicate, conjuncts: &mut Vec<BoundPredicate>) {
    match predicate {
        BoundPredicate::And(children) => {
            children
                .into_iter()
                .for_each(|child| flatten(child, conjuncts));
        }
        BoundPredicate::Not(child) => match child.negate() {
            negated @ BoundPredicate::Not(_) => conjuncts.push(negated),
            negated => flatten(negated, conjuncts),
        },
        other => conjuncts.push(other),
    }
}

/// The conjunction, `None` when there is nothing to say.
fn join(mut conjuncts: Vec<BoundPredicate>) -> Option<BoundPredicate> {
    match conjuncts.len() {
        0 => None,
        1 => conjuncts.pop(),
        _ => Some(BoundPredicate::And(conjuncts)),
    }
}
