//! Random tables in both layouts, with the spellings of other writers: what is planned and filtered is what a read of
//! everything and an evaluation of SQL by hand would keep.

use ftable::{FormatTable, Predicate, col};
use ftable_core::Datum;
use ftable_core::predicate::{CompareOp, Literal};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use crate::support::oracle::evaluate;
use crate::support::rows::{Row, id, parquet};
use crate::support::{Store, VALUE_ONLY, ids, int, partitions, plan, read, select};

const DEFAULT: &str = "__DEFAULT_PARTITION__";

/// A directory name without its key, and the value that it stands for.
type Spelled = (String, Option<Datum>);

fn number() -> impl Strategy<Value = Spelled> {
    let spelled = (-2..4_i32, 0..4_usize).prop_map(|(value, form)| {
        let magnitude = value.abs();
        let sign = if value < 0 { "-" } else { ["", "+"][form % 2] };
        (
            format!("{sign}{:0width$}", magnitude, width = form / 2 * 3),
            int(value),
        )
    });
    prop_oneof![5 => spelled, 1 => Just((DEFAULT.to_owned(), None))]
}

fn date() -> impl Strategy<Value = Spelled> {
    let names = [
        (19_723, "19723"),
        (19_723, "2024-01-01"),
        (19_723, "2024-1-1"),
        (19_723, "2024-01"),
        (19_724, "2024-01-02"),
        (19_724, "019724"),
        (-1, "-1"),
        (-1, "1969-12-31"),
    ];
    let spelled = proptest::sample::select(names.to_vec())
        .prop_map(|(days, name)| (name.to_owned(), Some(Datum::Date(days))));
    prop_oneof![5 => spelled, 1 => Just((DEFAULT.to_owned(), None))]
}

/// Text of which any byte may be escaped, in either case of the digits.
fn word() -> impl Strategy<Value = Spelled> {
    let characters =
        proptest::sample::select(vec!['a', 'b', '/', '=', '%', 'é', '中', ' ', '.', '+', '1']);
    let written = (characters, 0..3_u8).prop_map(|(character, form)| {
        let must = matches!(character, '/' | '=' | '%');
        let mut buffer = [0; 4];
        let escaped = character
            .encode_utf8(&mut buffer)
            .bytes()
            .map(|byte| match form {
                1 => format!("%{byte:02x}"),
                _ => format!("%{byte:02X}"),
            });
        let name = if must || form > 0 {
            escaped.collect()
        } else {
            character.to_string()
        };
        (name, character)
    });
    let spelled = vec(written, 1..4).prop_map(|parts| {
        let name: String = parts.iter().map(|(name, _)| name.as_str()).collect();
        let value: String = parts.iter().map(|(_, character)| character).collect();
        (name, Some(Datum::String(value)))
    });
    prop_oneof![5 => spelled, 1 => Just((DEFAULT.to_owned(), None))]
}

/// A partition: the spellings of its keys, and the values of a column of its rows.
#[derive(Debug, Clone)]
struct Partition {
    values: Vec<Option<Datum>>,
    rows: Vec<Option<i32>>,
}

#[derive(Debug, Clone)]
struct Tree {
    value_only: bool,
    partitions: Vec<(String, Partition)>,
}

fn tree() -> impl Strategy<Value = Tree> {
    let rows = vec(proptest::option::of(0..4_i32), 0..4);
    let partition = (number(), word(), date(), rows);
    (any::<bool>(), vec(partition, 0..10)).prop_map(|(value_only, found)| {
        let mut partitions = std::collections::BTreeMap::new();
        for (number, word, date, rows) in found {
            let names = [("k", &number.0), ("s", &word.0), ("d", &date.0)].map(|(key, name)| {
                match value_only {
                    // What is hidden without its key is no partition.
                    true if name.starts_with('.') => format!("x{name}"),
                    true => name.clone(),
                    false => format!("{key}={name}"),
                }
            });
            let word = match (&word.1, names[1].starts_with("x.")) {
                (Some(Datum::String(text)), true) => Some(Datum::String(format!("x{text}"))),
                (value, _) => value.clone(),
            };
            let values = vec![number.1, word, date.1];
            partitions
                .entry(names.join("/"))
                .or_insert(Partition { values, rows });
        }
        Tree {
            value_only,
            partitions: partitions.into_iter().collect(),
        }
    })
}

fn op() -> impl Strategy<Value = CompareOp> {
    use CompareOp::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    proptest::sample::select(vec![Eq, Eq, NotEq, Lt, LtEq, Gt, GtEq])
}

fn or_null(literal: impl Strategy<Value = Literal>) -> impl Strategy<Value = Literal> {
    prop_oneof![9 => literal, 1 => Just(Literal::Null)]
}

/// A test of one column by literals of its type.
fn test_of(column: &'static str, literal: BoxedStrategy<Literal>) -> BoxedStrategy<Predicate> {
    let literal = || or_null(literal.clone());
    prop_oneof![
        (op(), literal()).prop_map(move |(op, value)| Predicate::Compare {
            column: column.into(),
            op,
            value
        }),
        (vec(literal(), 0..4), any::<bool>()).prop_map(move |(values, negated)| Predicate::In {
            column: column.into(),
            values,
            negated
        }),
        (literal(), literal(), any::<bool>()).prop_map(move |(low, high, negated)| {
            Predicate::Between {
                column: column.into(),
                low,
                high,
                negated,
            }
        }),
        any::<bool>().prop_map(move |negated| Predicate::IsNull {
            column: column.into(),
            negated
        }),
    ]
    .boxed()
}

fn predicate(with_rows: bool) -> impl Strategy<Value = Predicate> {
    let numbers = (-2..4_i64).prop_map(Literal::Int).boxed();
    let texts = "[ab/é1]{0,2}".prop_map(Literal::String).boxed();
    let days = proptest::sample::select(vec![-1, 0, 19_723, 19_724])
        .prop_map(Literal::Date)
        .boxed();
    let like = ("[ab/é%_]{0,3}", any::<bool>()).prop_map(|(pattern, negated)| Predicate::Like {
        column: "s".into(),
        pattern,
        escape: None,
        negated,
    });
    let weight = u32::from(with_rows) * 2;
    let leaf = prop_oneof![
        3 => test_of("k", numbers.clone()),
        2 => test_of("s", texts),
        2 => test_of("d", days),
        1 => like,
        weight => test_of("v", numbers),
        1 => any::<bool>().prop_map(Predicate::Constant),
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Predicate::And),
            vec(inner.clone(), 0..4).prop_map(Predicate::Or),
            inner.prop_map(|child| !child),
        ]
    })
}

/// Lays the tree out and gives the table with the rows it must hold, ids ascending.
async fn lay_out(store: &Store, tree: &Tree) -> (FormatTable, Vec<Row>) {
    let options = if tree.value_only {
        &[VALUE_ONLY][..]
    } else {
        &[]
    };
    let table = store
        .table_with(
            "id INT, v INT, k INT, s STRING, d DATE",
            &["k", "s", "d"],
            options,
        )
        .await;
    let data = &table.fields()[..2];
    let mut rows: Vec<Row> = Vec::new();
    for (path, partition) in &tree.partitions {
        let mut own = Vec::new();
        for value in &partition.rows {
            let mut row = vec![
                int(i32::try_from(rows.len() + own.len()).unwrap()),
                value.map(Datum::Int),
            ];
            row.extend(partition.values.iter().cloned());
            own.push(row);
        }
        let written: Vec<Row> = own.iter().map(|row| row[..2].to_vec()).collect();
        let file = parquet(&crate::support::rows::batch(data, &written), 100);
        store.put(&format!("{path}/part-0"), file).await;
        rows.extend(own);
    }
    (table, rows)
}

async fn check(tree: &Tree, mixed: &[Predicate], on_keys: &[Predicate]) {
    for store in Store::each() {
        let (table, rows) = lay_out(&store, tree).await;
        assert_eq!(select(&table, None).await, rows);
        let paths = |keep: &dyn Fn(&Row) -> bool| -> Vec<String> {
            // The tree's paths are in the order of a listing: sorted.
            let matching = tree.partitions.iter().filter(|(_, partition)| {
                keep(&[vec![None, None], partition.values.clone()].concat())
            });
            matching.map(|(path, _)| path.clone()).collect()
        };
        assert_eq!(partitions(&table, None).await, paths(&|_| true));
        for filter in mixed.iter().chain(on_keys) {
            let kept = rows
                .iter()
                .filter(|row| evaluate(filter, table.fields(), row) == Some(true));
            assert_eq!(
                ids(&table, filter.clone()).await,
                kept.map(|row| id(row)).collect::<Vec<_>>(),
                "{filter}"
            );
        }
        for filter in on_keys {
            let holds = |row: &Row| evaluate(filter, table.fields(), row) == Some(true);
            let expected = paths(&holds);
            assert_eq!(
                partitions(&table, filter.clone()).await,
                expected,
                "{filter}"
            );
            let planned = plan(&table, filter.clone()).await;
            assert_eq!(planned.file_count(), expected.len(), "{filter}");
            assert_eq!(planned.metrics().warnings(), [""; 0]);
        }
        // Each partition is found by its own values, as literals and as the texts of its names.
        for (path, partition) in &tree.partitions {
            let own =
                ["k", "s", "d"]
                    .iter()
                    .zip(&partition.values)
                    .map(|(key, value)| match value {
                        Some(value) => col(*key).eq(Literal::from(value.clone())),
                        None => col(*key).is_null(),
                    });
            let own = Predicate::And(own.collect());
            let expected = paths(&|row| row[2..] == partition.values[..]);
            assert!(expected.contains(path));
            assert_eq!(partitions(&table, own).await, expected);
            assert_eq!(table.partition_values(path).unwrap(), partition.values);
        }
        assert_eq!(
            read(&table, &plan(&table, Predicate::Constant(true)).await).await,
            rows
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn planning_with_a_filter_is_reading_everything_and_filtering(
        tree in tree(),
        mixed in vec(predicate(true), 1..6),
        on_keys in vec(predicate(false), 1..6),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(check(&tree, &mixed, &on_keys));
    }

    /// Names that mean nothing must do no harm, whatever they are.
    #[test]
    fn any_names_beside_the_partitions_are_skipped_or_read_as_text(
        names in btree_map("[a-zA-Z0-9=%._ é+-]{1,8}", any::<bool>(), 0..8),
        value_only in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let store = Store::local();
            store.ids("p=known/f", &[1]).await;
            for (name, is_directory) in &names {
                if matches!(name.as_str(), "." | "..") {
                    continue;
                }
                let path = if *is_directory { format!("{name}/f") } else { name.clone() };
                store.ids(&path, &[2]).await;
            }
            let options = if value_only { &[VALUE_ONLY][..] } else { &[] };
            let table = store.table_with("id INT, p STRING", &["p"], options).await;
            let found = select(&table, None).await;
            let known = if value_only { "p=known" } else { "known" };
            assert!(found.contains(&vec![int(1), crate::support::text(known)]));
            let metrics = plan(&table, None).await.metrics().clone();
            let seen = metrics.hidden + metrics.not_partitions.count + metrics.stray_files.count + metrics.partitions;
            let laid = names.keys().filter(|name| !matches!(name.as_str(), "." | "..")).count();
            assert_eq!(seen, laid as u64 + 1, "each entry is a partition, hidden, or told");
        });
    }
}
