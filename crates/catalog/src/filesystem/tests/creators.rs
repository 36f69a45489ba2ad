//! Many creators of one table, and a reader that looks while they work.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::*;

const CREATORS: usize = 16;
const ROUNDS: usize = 50;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_creators_one_wins_on_a_local_disk() {
    race(Warehouse::local().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_creators_one_wins_on_a_store_of_keys() {
    race(Warehouse::memory().await).await;
}

async fn race(warehouse: Warehouse) {
    warehouse.catalog.create_database("d", false).await.unwrap();
    for round in 0..ROUNDS {
        let identifier = id(&format!("d.t{round}"));
        let done = Arc::new(AtomicBool::new(false));
        let reader = tokio::spawn(read_until(
            warehouse.catalog.clone(),
            identifier.clone(),
            Arc::clone(&done),
        ));
        let creators: Vec<_> = (0..CREATORS)
            .map(|_| {
                let (catalog, identifier) = (warehouse.catalog.clone(), identifier.clone());
                tokio::spawn(
                    async move { catalog.create_table(&identifier, &schema(), false).await },
                )
            })
            .collect();
        let mut winners = 0;
        for creator in creators {
            match creator.await.unwrap() {
                Ok(()) => winners += 1,
                Err(error) => assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{error}"),
            }
        }
        done.store(true, Ordering::Release);
        reader.await.unwrap();
        assert_eq!(winners, 1, "round {round}");
        let names = warehouse.names(&format!("d.db/t{round}/schema")).await;
        assert_eq!(names, ["schema-0"], "nothing is left over");
    }
}

/// Loads the table again and again: it is not there, or all of it is.
async fn read_until(catalog: FileSystemCatalog, identifier: Identifier, done: Arc<AtomicBool>) {
    loop {
        let last = done.load(Ordering::Acquire);
        match catalog.get_table(&identifier).await {
            Ok(table) => assert_eq!(table.schema.fields, schema().fields),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::NotFound, "{}", chain(&error));
                assert!(!last, "the table is there when its creator says so");
            }
        }
        if last {
            return;
        }
        tokio::task::yield_now().await;
    }
}
