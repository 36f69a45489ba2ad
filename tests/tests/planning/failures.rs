//! What vanishes while a table is planned is left out; every other failure fails the plan and says where.

use std::io;
use std::sync::Arc;

use ftable::{ErrorKind, FormatTable, col};
use futures::TryStreamExt;

use crate::support::watched::Watched;
use crate::support::{Store, assert_error, files, ids, plan, schema, try_plan};

/// Three days on a local disk.
async fn days() -> Store {
    let store = Store::local();
    store
        .numbered(["dt=1/f", "dt=2/f", "dt=3/f", "dt=3/g", "dt=3/sub/h"])
        .await;
    store
}

async fn watched(store: &Store, keys: &[&str], watched: Watched) -> (FormatTable, Arc<Watched>) {
    let watched = Arc::new(watched);
    let builder = FormatTable::builder(&store.location)
        .unwrap()
        .file_system(watched.clone());
    let columns = if keys.is_empty() {
        "id INT"
    } else {
        "id INT, dt INT"
    };
    (
        builder
            .schema(schema(columns, keys, &[]))
            .open()
            .await
            .unwrap(),
        watched,
    )
}

#[tokio::test]
async fn a_directory_removed_while_planning_is_left_out() {
    for blocking in [true, false] {
        let store = days().await;
        let (root, gone) = (store.root.clone(), store.path("dt=2"));
        let remover = Watched::new(&store.file_system, blocking).after(move |dir| {
            if dir == root && std::fs::exists(&gone).unwrap() {
                std::fs::remove_dir_all(&gone).unwrap();
            }
        });
        let (table, remover) = watched(&store, &["dt"], remover).await;
        assert_eq!(
            files(&plan(&table, None).await),
            ["dt=1/f", "dt=3/f", "dt=3/g", "dt=3/sub/h"]
        );
        // It was asked for, and the answer was that it is gone.
        assert!(remover.listed().contains(&store.path("dt=2")));
    }
}

#[tokio::test]
async fn a_directory_below_a_partition_removed_while_planning_is_left_out() {
    for (blocking, keys) in [
        (true, &["dt"][..]),
        (false, &["dt"]),
        (true, &[]),
        (false, &[]),
    ] {
        let store = days().await;
        let (parent, gone) = (store.path("dt=3"), store.path("dt=3/sub"));
        let remover = Watched::new(&store.file_system, blocking).after(move |dir| {
            if dir == parent && std::fs::exists(&gone).unwrap() {
                std::fs::remove_dir_all(&gone).unwrap();
            }
        });
        let (table, _) = watched(&store, keys, remover).await;
        assert_eq!(
            files(&plan(&table, None).await),
            ["dt=1/f", "dt=2/f", "dt=3/f", "dt=3/g"]
        );
    }
}

#[tokio::test]
async fn a_file_removed_after_its_listing_fails_the_read_by_name() {
    let store = days().await;
    let table = store.table("id INT, dt INT", &["dt"]).await;
    let plan = plan(&table, None).await;
    std::fs::remove_file(store.path("dt=2/f")).unwrap();
    let reader = table.read().build().unwrap();
    let error = reader
        .stream(&plan)
        .unwrap()
        .try_collect::<Vec<_>>()
        .await
        .unwrap_err();
    assert_error(&error, ErrorKind::NotFound, &["dt=2/f", &store.location]);
    assert_error(
        &reader.count(&plan).await.unwrap_err(),
        ErrorKind::NotFound,
        &["dt=2/f"],
    );
    assert_eq!(ids(&table, None).await, [1, 3, 4, 5]);
}

#[tokio::test]
async fn a_listing_that_is_denied_fails_the_whole_plan() {
    for (blocking, keys) in [
        (true, &["dt"][..]),
        (false, &["dt"]),
        (true, &[]),
        (false, &[]),
    ] {
        for at in ["dt=3", "dt=3/sub"] {
            let store = days().await;
            let denied = store.path(at);
            let denying = Watched::new(&store.file_system, blocking)
                .failing(move |dir| (dir == denied).then_some(io::ErrorKind::PermissionDenied));
            let (table, _) = watched(&store, keys, denying).await;
            let error = try_plan(&table, None).await.unwrap_err();
            assert_error(
                &error,
                ErrorKind::PermissionDenied,
                &[&store.path(at), "list"],
            );
            let scan = table.scan().build().unwrap();
            let streamed = scan
                .plan_stream()
                .try_collect::<Vec<_>>()
                .await
                .unwrap_err();
            assert_eq!(streamed.kind(), ErrorKind::PermissionDenied);
            if !keys.is_empty() {
                let listed = scan.list_partitions().await.unwrap_err();
                assert_eq!(listed.kind(), ErrorKind::PermissionDenied);
                // Not reached, not failed.
                assert_eq!(ids(&table, col("dt").lt(3)).await, [1, 2]);
            }
        }
    }
}

#[tokio::test]
async fn a_root_that_cannot_be_listed_fails_and_a_missing_one_is_empty() {
    for (blocking, keys) in [
        (true, &["dt"][..]),
        (false, &["dt"]),
        (true, &[]),
        (false, &[]),
    ] {
        for (kind, expected) in [
            (
                io::ErrorKind::PermissionDenied,
                Some(ErrorKind::PermissionDenied),
            ),
            (io::ErrorKind::TimedOut, Some(ErrorKind::Unavailable)),
            (io::ErrorKind::NotFound, None),
        ] {
            let store = days().await;
            let failing = Watched::new(&store.file_system, blocking).failing(move |_| Some(kind));
            let (table, _) = watched(&store, keys, failing).await;
            match (try_plan(&table, None).await, expected) {
                (Err(error), Some(expected)) => {
                    assert_eq!(error.kind(), expected, "{error}");
                    assert_eq!(error.retryable(), expected == ErrorKind::Unavailable);
                }
                (Ok(plan), None) => assert_eq!(plan.splits().len(), 0),
                (planned, _) => panic!("{kind}: {planned:?}"),
            }
        }
    }
}

#[tokio::test]
async fn a_store_of_keys_that_fails_fails_the_plan() {
    let store = Store::memory();
    store.numbered(["dt=1/f", "dt=2/f"]).await;
    // Listed as a whole, and level by level below a filter on the first key.
    for filter in [None, Some(col("dt").gt(0))] {
        let failing = Watched::new(&store.file_system, false)
            .failing(|_| Some(io::ErrorKind::PermissionDenied));
        let (table, _) = watched(&store, &["dt"], failing).await;
        let error = try_plan(&table, filter).await.unwrap_err();
        assert_error(&error, ErrorKind::PermissionDenied, &[&store.root]);
    }
    let store_below = store.path("dt=2");
    let failing = Watched::new(&store.file_system, false)
        .failing(move |dir| (dir == store_below).then_some(io::ErrorKind::PermissionDenied));
    let (table, _) = watched(&store, &["dt"], failing).await;
    let error = try_plan(&table, col("dt").gt(0)).await.unwrap_err();
    assert_error(&error, ErrorKind::PermissionDenied, &["dt=2"]);
}

#[tokio::test]
async fn a_location_that_is_a_file_is_an_error() {
    for keys in [&["dt"][..], &[]] {
        let store = Store::local();
        std::fs::create_dir_all(std::path::Path::new(&store.root).parent().unwrap()).unwrap();
        std::fs::write(&store.root, "x").unwrap();
        let table = store
            .table(
                if keys.is_empty() {
                    "id INT"
                } else {
                    "id INT, dt INT"
                },
                keys,
            )
            .await;
        let error = try_plan(&table, None).await.unwrap_err();
        assert!(error.to_string().contains(&store.root), "{error}");
    }
}

#[tokio::test]
async fn a_plan_that_is_dropped_half_way_leaves_nothing_running() {
    let store = days().await;
    let slow = Watched::new(&store.file_system, false).slow();
    let (table, slow) = watched(&store, &["dt"], slow).await;
    let mut splits = table.scan().build().unwrap().plan_stream();
    assert!(splits.try_next().await.unwrap().is_some());
    drop(splits);
    let listed = slow.listed().len();
    tokio::time::sleep(std::time::Duration::from_millis(30)).await;
    assert_eq!(slow.listed().len(), listed);
}

#[tokio::test]
async fn errors_of_filters_name_the_column() {
    let store = days().await;
    let table = store.table("id INT, dt INT", &["dt"]).await;
    let error = |filter| table.scan().filter(filter).build().err().unwrap();
    assert_error(
        &error(col("day").eq(1)),
        ErrorKind::InvalidArgument,
        &["'day'"],
    );
    assert_error(
        &error(col("DT").eq(1)),
        ErrorKind::InvalidArgument,
        &["'DT'", "did you mean 'dt'"],
    );
    assert_error(
        &error(col("dt").gt("foo")),
        ErrorKind::InvalidArgument,
        &["'dt'", "foo", "INT"],
    );
    assert_error(
        &error(col("dt").like("1%")),
        ErrorKind::InvalidArgument,
        &["'dt'", "LIKE", "INT"],
    );
    let spec = |pairs| {
        table
            .scan()
            .partition(&crate::support::spec(pairs))
            .err()
            .unwrap()
    };
    assert_error(
        &spec(&[("day", "1")]),
        ErrorKind::InvalidPartition,
        &["'day'", "dt"],
    );
    assert_error(
        &spec(&[("id", "1")]),
        ErrorKind::InvalidPartition,
        &["'id'", "dt"],
    );
    assert_error(
        &spec(&[("dt", "x")]),
        ErrorKind::InvalidPartition,
        &["'dt'", "'x'", "INT"],
    );
    assert_error(
        &spec(&[("dt", "1"), ("dt", "1")]),
        ErrorKind::InvalidPartition,
        &["'dt'", "twice"],
    );
}
