//! The text of `--where` as a predicate.
//!
//! One SQL boolean expression over columns and literals. What a filter of a table cannot say is refused by name,
//! never reinterpreted.

use ftable_core::predicate::{CompareOp, Literal};
use ftable_core::{Predicate, col};
use sqlparser::ast::{BinaryOperator, Expr, FunctionArguments, UnaryOperator, Value};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use crate::error::{FilterSnafu, Result};

mod literal;

/// How much of an expression a message shows.
const SHOWN: usize = 60;

/// Reads the text of a filter.
///
/// `= <> != < <= > >=`, `IN`, `BETWEEN`, `LIKE … ESCAPE …`, `IS NULL`, each with `NOT`; `AND`, `OR`, `NOT`, parentheses,
/// `TRUE`, `FALSE` and columns of type BOOLEAN alone. Literals are numbers, texts, `DATE '…'`, `TIME '…'`,
/// `TIMESTAMP '…'`, `X'…'`, `TRUE`, `FALSE` and `NULL`. Column names keep their case and may be quoted with `"` or `` ` ``.
///
/// ```
/// let filter = ftable_cli::parse_filter("dt >= DATE '2024-01-01' AND NOT id IN (1, 2)")?;
/// assert_eq!(filter.to_string(), "dt >= DATE '2024-01-01' AND NOT (id IN (1, 2))");
/// # Ok::<(), ftable_cli::Error>(())
/// ```
///
/// # Errors
/// [`Filter`](crate::Error::Filter), naming what is not understood.
pub fn parse_filter(text: &str) -> Result<Predicate> {
    let parsed = parse(text)
        .map_err(|error| syntax(&error))
        .and_then(predicate);
    parsed.or_else(|message| FilterSnafu { text, message }.fail())
}

fn parse(text: &str) -> Result<Expr, ParserError> {
    let mut parser = Parser::new(&GenericDialect {}).try_with_sql(text)?;
    let expression = parser.parse_expr()?;
    match parser.peek_token().token {
        Token::EOF => Ok(expression),
        other => Err(ParserError::ParserError(format!(
            "'{other}' is not expected after the expression"
        ))),
    }
}

fn syntax(error: &ParserError) -> String {
    match error {
        ParserError::TokenizerError(message) | ParserError::ParserError(message) => message.clone(),
        ParserError::RecursionLimitExceeded => "it is nested too deeply".to_owned(),
    }
}

/// The expression as a condition.
fn predicate(expression: Expr) -> Result<Predicate, String> {
    match expression {
        Expr::Nested(inner) => predicate(*inner),
        Expr::UnaryOp {
            op: UnaryOperator::Not,
            expr,
        } => Ok(predicate(*expr)?.negate()),
        Expr::BinaryOp {
            op: BinaryOperator::And,
            ..
        } => Ok(Predicate::And(chain(expression, &BinaryOperator::And)?)),
        Expr::BinaryOp {
            op: BinaryOperator::Or,
            ..
        } => Ok(Predicate::Or(chain(expression, &BinaryOperator::Or)?)),
        Expr::BinaryOp { left, op, right } => comparison(*left, &op, *right),
        Expr::InList { .. } | Expr::Between { .. } | Expr::Like { any: false, .. } => {
            test(expression)
        }
        Expr::IsNull(expr) => Ok(col(tested(*expr)?).is_null()),
        Expr::IsNotNull(expr) => Ok(col(tested(*expr)?).is_not_null()),
        Expr::Value(value) => match value.value {
            Value::Boolean(constant) => Ok(Predicate::Constant(constant)),
            other => Err(format!("{other} alone is no condition")),
        },
        other => match column(other) {
            Ok(name) => Ok(col(name).eq(true)),
            Err(other) => Err(refusal(&other)),
        },
    }
}

/// `IN`, `BETWEEN` and `LIKE`.
fn test(expression: Expr) -> Result<Predicate, String> {
    match expression {
        Expr::InList {
            expr,
            list,
            negated,
        } => {
            let values = list
                .into_iter()
                .map(literal::read)
                .collect::<Result<Vec<_>, _>>()?;
            Ok(Predicate::In {
                column: tested(*expr)?,
                values,
                negated,
            })
        }
        Expr::Between {
            expr,
            negated,
            low,
            high,
        } => {
            let (low, high) = (literal::read(*low)?, literal::read(*high)?);
            Ok(Predicate::Between {
                column: tested(*expr)?,
                low,
                high,
                negated,
            })
        }
        Expr::Like {
            negated,
            any: _,
            expr,
            pattern,
            escape_char,
        } => {
            let pattern = match literal::read(*pattern)? {
                Literal::String(pattern) => pattern,
                other => return Err(format!("LIKE wants a pattern in quotes, not {other}")),
            };
            let escape = escape_char
                .map(|escape| escape_character(escape.value))
                .transpose()?;
            Ok(Predicate::Like {
                column: tested(*expr)?,
                pattern,
                escape,
                negated,
            })
        }
        other => Err(refusal(&other)),
    }
}

/// The operands of a chain of one operator, in order. Chains may be long, so this does not recurse along them.
fn chain(expression: Expr, operator: &BinaryOperator) -> Result<Vec<Predicate>, String> {
    let mut operands = Vec::new();
    let mut rest = expression;
    loop {
        match rest {
            Expr::BinaryOp { left, op, right } if op == *operator => {
                operands.push(*right);
                rest = *left;
            }
            first => {
                operands.push(first);
                break;
            }
        }
    }
    operands.into_iter().rev().map(predicate).collect()
}

fn comparison(left: Expr, operator: &BinaryOperator, right: Expr) -> Result<Predicate, String> {
    let op = match operator {
        BinaryOperator::Eq => CompareOp::Eq,
        BinaryOperator::NotEq => CompareOp::NotEq,
        BinaryOperator::Lt => CompareOp::Lt,
        BinaryOperator::LtEq => CompareOp::LtEq,
        BinaryOperator::Gt => CompareOp::Gt,
        BinaryOperator::GtEq => CompareOp::GtEq,
        other => {
            return Err(format!(
                "operator {other} is not supported; use = <> < <= > >=, IN, BETWEEN or LIKE"
            ));
        }
    };
    match (column(left), column(right)) {
        (Ok(name), Err(value)) => Ok(Predicate::Compare {
            column: name,
            op,
            value: literal::read(*value)?,
        }),
        (Err(value), Ok(name)) => Ok(Predicate::Compare {
            column: name,
            op: op.flip(),
            value: literal::read(*value)?,
        }),
        (Ok(left), Ok(right)) => Err(format!(
            "comparing columns {left} and {right} is not supported; compare a column with a literal"
        )),
        (Err(left), Err(right)) => {
            // The side that is neither a column nor a literal is the one to name.
            literal::read(*left)?;
            literal::read(*right)?;
            Err("a comparison of two literals names no column".to_owned())
        }
    }
}

/// The name of a column, or the expression if it is none.
fn column(expression: Expr) -> Result<String, Box<Expr>> {
    match expression {
        Expr::Nested(inner) => column(*inner),
        Expr::Identifier(name) => Ok(name.value),
        // Words such as `user` and `current_date` parse as functions without arguments; there are none here, so
        // they are columns.
        Expr::Function(function)
            if function.args == FunctionArguments::None && function.over.is_none() =>
        {
            let name = function
                .name
                .0
                .first()
                .and_then(|part| part.as_ident())
                .map(|name| name.value.clone());
            match name {
                Some(name) if function.name.0.len() == 1 => Ok(name),
                _ => Err(Box::new(Expr::Function(function))),
            }
        }
        other => Err(Box::new(other)),
    }
}

/// The column that a test is about.
fn tested(expression: Expr) -> Result<String, String> {
    column(expression).map_err(|other| match literal::read(Expr::clone(&other)) {
        Ok(literal) => format!("a test of the literal {literal} names no column"),
        Err(_) => refusal(&other),
    })
}

fn escape_character(value: Value) -> Result<char, String> {
    let text = match value {
        Value::SingleQuotedString(text) => text,
        other => return Err(format!("ESCAPE wants one character in quotes, not {other}")),
    };
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => Ok(character),
        _ => Err(format!("ESCAPE wants one character, not '{text}'")),
    }
}

/// Says what an expression is that a filter cannot hold.
fn refusal(expression: &Expr) -> String {
    let what = match expression {
        Expr::Function(function) => format!("function {}", function.name),
        Expr::CompoundIdentifier(_) | Expr::CompoundFieldAccess { .. } => {
            format!("the nested field {expression}")
        }
        Expr::Cast { .. } | Expr::Convert { .. } => "CAST".to_owned(),
        Expr::Case { .. } => "CASE".to_owned(),
        Expr::Like { .. } => "LIKE ANY".to_owned(),
        Expr::ILike { .. } => "ILIKE".to_owned(),
        Expr::RLike { .. } => "RLIKE".to_owned(),
        Expr::SimilarTo { .. } => "SIMILAR TO".to_owned(),
        Expr::InSubquery { .. } | Expr::Exists { .. } | Expr::Subquery(_) => {
            "a subquery".to_owned()
        }
        Expr::IsTrue(_) | Expr::IsNotTrue(_) | Expr::IsFalse(_) | Expr::IsNotFalse(_) => {
            "IS TRUE or IS FALSE".to_owned()
        }
        Expr::IsDistinctFrom(..) | Expr::IsNotDistinctFrom(..) => "IS DISTINCT FROM".to_owned(),
        Expr::Interval(_) => "INTERVAL".to_owned(),
        Expr::Tuple(_) => "a list of columns".to_owned(),
        other => format!("'{}'", shortened(&other.to_string())),
    };
    format!("{what} is not supported in a filter; test columns against literals")
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
