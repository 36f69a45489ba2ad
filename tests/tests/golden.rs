//! Tables that other engines wrote: rows, partitions, counts and filters must be the right ones.

#![allow(clippy::unwrap_used)] // what cannot be made fails the test that needs it

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ftable_cli::parse_filter;
use ftable_cli::render::json;
use ftable_table::{FormatTable, Plan};
use ftable_testkit::golden::{
    Expected, Filter, Golden, partitions_difference, rows_difference, waiting,
};
use futures::TryStreamExt;
use serde_json::{Value, json};

type Checked = Result<(), String>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

/// Runs a check on every case that does not wait.
async fn check_all<F>(check: impl Fn(Golden, FormatTable) -> F)
where
    F: Future<Output = Checked>,
{
    let directory = tempfile::tempdir().unwrap();
    let waiting: BTreeMap<String, String> = waiting(&root()).unwrap();
    let mut findings = Vec::new();
    for case in Golden::selected(&root()).unwrap() {
        let path = case.prepare(directory.path()).unwrap();
        let builder = FormatTable::builder(path.to_str().unwrap()).unwrap();
        let opened = builder.schema(case.schema().clone()).open().await;
        let name = case.name().to_owned();
        let outcome = match opened {
            Ok(table) => check(case, table).await,
            Err(error) => Err(error.to_string()),
        };
        if let Err(message) = outcome
            && !waiting.contains_key(&name)
        {
            findings.push(format!("{name}: {message}"));
        }
    }
    assert!(
        findings.is_empty(),
        "{} cases fail:\n{}",
        findings.len(),
        findings.join("\n")
    );
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

async fn plan(table: &FormatTable) -> Result<Plan, String> {
    table
        .scan()
        .build()
        .map_err(text)?
        .plan()
        .await
        .map_err(text)
}

async fn rows(table: &FormatTable, plan: &Plan) -> Result<Vec<Value>, String> {
    let read = table.read().value_kind(false).build().map_err(text)?;
    let batches: Vec<_> = read
        .stream(plan)
        .map_err(text)?
        .try_collect()
        .await
        .map_err(text)?;
    let mut rows = Vec::new();
    for batch in batches {
        rows.extend(json::rows(&batch).map_err(text)?);
    }
    Ok(rows)
}

async fn check_rows(case: Golden, table: FormatTable) -> Checked {
    let read = async { rows(&table, &plan(&table).await?).await };
    match (case.expected(), read.await) {
        (Expected::Rows(expected), Ok(actual)) => {
            rows_difference(expected, &actual, &case.schema().fields).map_or(Ok(()), Err)
        }
        (Expected::Rows(_), Err(message)) => Err(message),
        (Expected::Error { .. }, Ok(rows)) => {
            Err(format!("{} rows came instead of an error", rows.len()))
        }
        (Expected::Error { mentions, .. }, Err(message)) => {
            let missing: Vec<_> = mentions
                .iter()
                .filter(|word| !message.contains(*word))
                .collect();
            if missing.is_empty() {
                Ok(())
            } else {
                Err(format!("{message}: does not mention {missing:?}"))
            }
        }
    }
}

async fn check_partitions(case: Golden, table: FormatTable) -> Checked {
    // Where reading is an error for a directory's name, listing is too.
    let name_is_wrong =
        matches!(case.expected(), Expected::Error { kind, .. } if kind == "partition");
    if case.partitions().is_empty() || name_is_wrong {
        return Ok(());
    }
    let listed = table
        .scan()
        .build()
        .map_err(text)?
        .list_partitions()
        .await
        .map_err(text)?;
    let keys = case.partition_fields();
    let actual: Vec<Value> = listed
        .iter()
        .map(|entry| {
            let values = keys.iter().zip(&entry.values);
            let values = values.map(|(key, value)| {
                (
                    key.name.clone(),
                    value.as_ref().map_or(Value::Null, |value| value.to_json()),
                )
            });
            json!({"partition": values.collect::<serde_json::Map<_, _>>(), "path": entry.path})
        })
        .collect();
    partitions_difference(case.partitions(), &actual, &keys).map_or(Ok(()), Err)
}

async fn check_counts(case: Golden, table: FormatTable) -> Checked {
    let Expected::Rows(expected) = case.expected() else {
        return Ok(());
    };
    let plan = plan(&table).await?;
    let counted = table
        .read()
        .build()
        .map_err(text)?
        .count(&plan)
        .await
        .map_err(text)?;
    if counted == expected.len() as u64 {
        Ok(())
    } else {
        Err(format!("counted {counted}, not {}", expected.len()))
    }
}

async fn check_filters(case: Golden, table: FormatTable) -> Checked {
    for filter in case.filters() {
        check_filter(&table, filter)
            .await
            .map_err(|message| format!("{}: {message}", filter.predicate))?;
    }
    Ok(())
}

async fn check_filter(table: &FormatTable, filter: &Filter) -> Checked {
    let predicate = parse_filter(&filter.predicate).map_err(text)?;
    let plan = table
        .scan()
        .filter(predicate)
        .build()
        .map_err(text)?
        .plan()
        .await
        .map_err(text)?;
    let rows = rows(table, &plan).await?;
    if rows.len() != filter.count {
        return Err(format!("{} rows, not {}", rows.len(), filter.count));
    }
    let counted = table
        .read()
        .build()
        .map_err(text)?
        .count(&plan)
        .await
        .map_err(text)?;
    if counted != filter.count as u64 {
        return Err(format!("counted {counted}, not {}", filter.count));
    }
    let Some(expected) = &filter.ids else {
        return Ok(());
    };
    let mut actual: Vec<i64> = rows
        .iter()
        .filter_map(|row| row.get("id")?.as_i64())
        .collect();
    let mut expected = expected.clone();
    actual.sort_unstable();
    expected.sort_unstable();
    if actual == expected {
        Ok(())
    } else {
        Err(format!("ids {actual:?}, not {expected:?}"))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_those_the_engine_was_given() {
    check_all(check_rows).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn partitions_are_those_the_engine_made() {
    check_all(check_partitions).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_are_exact() {
    check_all(check_counts).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_keep_the_right_rows() {
    check_all(check_filters).await;
}

/// A case that waits and passes everything should leave the list.
#[tokio::test(flavor = "multi_thread")]
async fn no_case_waits_that_passes() {
    let directory = tempfile::tempdir().unwrap();
    let waiting = waiting(&root()).unwrap();
    let mut passing = Vec::new();
    for case in Golden::selected(&root()).unwrap() {
        if !waiting.contains_key(case.name()) {
            continue;
        }
        let name = case.name().to_owned();
        let path = case.prepare(directory.path()).unwrap();
        let builder = FormatTable::builder(path.to_str().unwrap()).unwrap();
        let Ok(table) = builder.schema(case.schema().clone()).open().await else {
            continue;
        };
        let passes = check_rows(case.clone(), table.clone()).await.is_ok()
            && check_partitions(case.clone(), table.clone()).await.is_ok()
            && check_counts(case.clone(), table.clone()).await.is_ok()
            && check_filters(case, table).await.is_ok();
        if passes {
            passing.push(name);
        }
    }
    assert!(
        passing.is_empty(),
        "these pass and need not wait: {passing:?}"
    );
}
